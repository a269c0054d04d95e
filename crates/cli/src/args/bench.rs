//! Who takes part beside the judge, wherever a judge is asked.

use super::choices::parse_if;
use super::help::{JUDGE, LIMITS};
use clap::Args;
use evenhand_protocols::Panel;

/// How the verdicts of several judges become one, who reads them and who embeds.
#[derive(Clone, Debug, Args)]
pub(crate) struct BenchArgs {
    /// How the verdicts of several judges become one
    ///
    /// mean; majority, the side that most prefer; or escalate:SHARE, that of the first whose sides
    /// are at least SHARE apart, so that the next judge is asked only of what one is not sure of.
    #[arg(
        long, value_parser = parse_panel, value_name = "RULE", default_value = "mean",
        help_heading = JUDGE
    )]
    pub(crate) panel: Panel,
    /// Who reads a verdict that the strict reader cannot read
    ///
    /// The judge itself (same), or another judge.
    #[arg(long, value_name = "same|JUDGE", help_heading = JUDGE)]
    pub(crate) second_stage: Option<String>,
    /// Who embeds responses, where a protocol aligns them by embeddings
    ///
    /// As portia:3,embedding does. [default: the judge itself]
    #[arg(long, value_name = "JUDGE", help_heading = JUDGE)]
    pub(crate) embedder: Option<String>,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) marks: MarkArgs,
}

/// How judges choose their words.
#[derive(Clone, Debug, Args)]
pub(crate) struct SamplingArgs {
    /// Temperature at which judges write, 0 to 2
    ///
    /// At 0 the likeliest word is taken. Samples of mec and self-consistency are drawn at 1 where
    /// this is 0. A verdict's probabilities are the judge's own at any temperature.
    #[arg(
        long, value_name = "T", default_value = "0", value_parser = parse_temperature,
        help_heading = JUDGE
    )]
    pub(crate) temperature: f64,
}

fn parse_temperature(text: &str) -> Result<f64, String> {
    let is_allowed = |temperature: &f64| (0.0..=2.0).contains(temperature);
    parse_if(text, is_allowed, "expected a number from 0 to 2".into())
}

/// How marks of chat templates in responses are treated.
#[derive(Clone, Debug, Args)]
pub(crate) struct MarkArgs {
    /// Leave marks of chat templates such as <|im_end|> as they are
    ///
    /// In what a server is shown; it may read them as turns.
    #[arg(long, help_heading = LIMITS)]
    pub(crate) raw_marks: bool,
}

fn parse_panel(name: &str) -> Result<Panel, String> {
    Panel::parse(name)
        .ok_or_else(|| "expected mean, majority, or escalate: and a share from 0.01 to 1".into())
}
