//! Who takes part beside the judge, wherever a judge is asked.

use clap::Args;
use evenhand_protocols::Panel;

/// How the verdicts of several judges become one, who reads them and who embeds.
#[derive(Clone, Debug, Args)]
pub(crate) struct BenchArgs {
    /// How the verdicts of several judges become one
    #[arg(long, value_parser = parse_panel, value_name = "mean|majority", default_value = "mean")]
    pub(crate) panel: Panel,
    /// Who reads a verdict that the strict reader cannot read
    ///
    /// The judge itself (same), or another judge.
    #[arg(long, value_name = "same|JUDGE")]
    pub(crate) second_stage: Option<String>,
    /// Who embeds responses, where a protocol aligns them by embeddings
    ///
    /// As portia:3,embedding does. [default: the judge itself]
    #[arg(long, value_name = "JUDGE")]
    pub(crate) embedder: Option<String>,
    #[command(flatten)]
    pub(crate) marks: MarkArgs,
}

/// How marks of chat templates in responses are treated.
#[derive(Clone, Debug, Args)]
pub(crate) struct MarkArgs {
    /// Leave marks of chat templates such as <|im_end|> as they are
    ///
    /// In what a server is shown; it may read them as turns.
    #[arg(long)]
    pub(crate) raw_marks: bool,
}

fn parse_panel(name: &str) -> Result<Panel, String> {
    Panel::parse(name).ok_or_else(|| "expected mean or majority".into())
}
