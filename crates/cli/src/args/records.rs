//! Which records of the files are read, and how they spell outcomes.

use super::help::{DATA, STATISTICS};
use crate::Failed;
use clap::Args;
use evenhand_formats::battles::{Columns, Spellings};
use evenhand_formats::judgments::Options;
use evenhand_formats::records::Filter;
use evenhand_ranking::StepWeights;

/// Which records of the files are read, and how they spell outcomes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// The meaning of the files' words for who won
    ///
    /// Each is first, second, tie or both-bad: A=first,B=second,neither=tie. Common words are
    /// known without (see docs/formats.md).
    #[arg(long, value_name = "A=first,...", help_heading = DATA)]
    pub(crate) outcomes: Option<String>,
}

/// Which records of the files are read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only records whose FIELD has this VALUE
    ///
    /// Given more than once: any of the values of one field, and all of the fields. FIELD may be a
    /// path, such as meta.lang. Files without the field are read whole.
    #[arg(id = "where", long = "where", value_name = "FIELD=VALUE", help_heading = DATA)]
    pub(crate) conditions: Vec<String>,
}

/// How recorded judgments are read that leave something unsaid.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordingArgs {
    /// The column of battles with the item; without it question_id or item
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) item_column: Option<String>,
    /// The baseline of Arena-Hard judgments that name none
    #[arg(id = "recorded-baseline", long = "baseline", value_name = "SYSTEM", help_heading = DATA)]
    pub(crate) baseline: Option<String>,
}

impl RecordingArgs {
    pub(crate) fn reading(&self) -> Options {
        Options {
            item: self.item_column.clone(),
            baseline: self.baseline.clone(),
            ..Options::default()
        }
    }
}

/// How recorded judgments are read, wherever they become a ranking.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgmentArgs {
    /// The baseline of Arena-Hard judgments that do not name theirs
    #[arg(long, value_name = "SYSTEM", help_heading = DATA)]
    pub(crate) baseline: Option<String>,
    /// MT-Bench pairs: a win counts only if both games say so, else a tie
    #[arg(long, help_heading = DATA)]
    pub(crate) both_games: bool,
    /// Weights of strong, slight and equal verdicts
    ///
    /// How much a strong, a slight and an equal verdict on a five-step scale count, as 3,1,1 or
    /// 6,2,2. [default: 1 each]
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "STRONG,SLIGHT,EQUAL",
        help_heading = STATISTICS
    )]
    pub(crate) strength: Option<Vec<f64>>,
}

impl JudgmentArgs {
    /// Returns the three weights of `--strength`, if it is given.
    pub(crate) fn strength(&self) -> Result<Option<StepWeights>, Failed> {
        Ok(self.strength.as_deref().map(StepWeights::new).transpose()?)
    }
}

/// How many bad records are passed over.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct SkipArgs {
    /// Go on past the first N records of a file that cannot be read, and list them
    #[arg(
        long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = DATA
    )]
    pub(crate) skip_bad: u64,
}

impl FilterArgs {
    pub(crate) fn parse(&self) -> Result<Filter, Failed> {
        Ok(Filter::parse(&self.conditions)?)
    }
}

impl RecordArgs {
    /// Returns which records are read, and how they spell outcomes; of columns, the usual ones.
    pub(crate) fn columns(&self) -> Result<Columns, Failed> {
        Ok(Columns {
            filter: self.filter.parse()?,
            outcomes: self.parse_outcomes()?,
            ..Columns::default()
        })
    }

    pub(crate) fn parse_outcomes(&self) -> Result<Spellings, Failed> {
        match &self.outcomes {
            None => Ok(Spellings::default()),
            Some(text) => {
                Spellings::parse(text).map_err(|why| Failed::usage(format!("--outcomes: {why}")))
            }
        }
    }
}
