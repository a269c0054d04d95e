//! Which records of the files are read, and how they spell outcomes.

use crate::Failed;
use clap::Args;
use evenhand_formats::battles::Spellings;
use evenhand_formats::records::Filter;

/// Which records of the files are read, and how they spell outcomes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// The meaning of the files' words for who won
    ///
    /// Each is first, second, tie or both-bad: A=first,B=second,neither=tie. Common words are
    /// known without (see docs/formats.md).
    #[arg(long, value_name = "A=first,...")]
    pub(crate) outcomes: Option<String>,
}

/// Which records of the files are read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only records whose FIELD has this VALUE
    ///
    /// Given more than once: any of the values of one field, and all of the fields. FIELD may be a
    /// path, such as meta.lang. Files without the field are read whole.
    #[arg(id = "where", long = "where", value_name = "FIELD=VALUE")]
    pub(crate) conditions: Vec<String>,
}

impl FilterArgs {
    pub(crate) fn parse(&self) -> Result<Filter, Failed> {
        Ok(Filter::parse(&self.conditions)?)
    }
}

impl RecordArgs {
    pub(crate) fn parse_outcomes(&self) -> Result<Spellings, Failed> {
        match &self.outcomes {
            None => Ok(Spellings::default()),
            Some(text) => parse_spellings(text),
        }
    }
}

fn parse_spellings(text: &str) -> Result<Spellings, Failed> {
    Spellings::parse(text).map_err(|why| Failed::usage(format!("--outcomes: {why}")))
}
