//! The problems of recorded judgments, and the exact words for them.

use super::JudgmentFormat;
use crate::battles;
use crate::records::{DataError, Format, Place, quote_names};
use crate::source::values::{RecordError, list_errors};
use evenhand_core::Setting;

/// The result of reading judgments; where no error is named, it is an [`enum@Error`].
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Why recorded judgments cannot be read. Its text is meant for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each is its documentation")]
pub enum Error {
    /// The file, a record or a field of it.
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(
        "{place}: these are no judgments or scores that are known: the record has {}; expected {}, \
         or battles ({}); \
         for scores of your own, name the columns of the system and the score{hint}",
        quote_fields(.has), JudgmentFormat::list_ranked(), battles::spell_usual_columns()
    )]
    Unrecognised {
        place: Place,
        has: Vec<String>,
        hint: String,
    },
    #[error(
        "{place}: this is a data set's file (`{format}`), not judgments or scores; \
         `evenhand judge` with {} makes them of a data set{}",
        Setting::Data, hint_at_scores(.format)
    )]
    DataSet { place: Place, format: &'static str },
    #[error(
        "{place}: {kind} do not name the systems, so they rank nobody; they tell how good a judge \
         is: \
         give them to `evenhand meta judge` with {}",
        Setting::Recorded
    )]
    NoSystems { place: Place, kind: JudgmentFormat },
    #[error(
        "comparisons and scores cannot be ranked together: {comparisons} is a comparison \
         ({comparisons_kind}), \
         {scores} is a score ({scores_kind}); give only one of the two"
    )]
    Mixed {
        comparisons: Place,
        comparisons_kind: JudgmentFormat,
        scores: Place,
        scores_kind: JudgmentFormat,
    },
    #[error("{place}: field `games`: expected a list of one or two games, found {found}")]
    Games { place: Place, found: String },
    #[error(
        "{place}: the record names no `baseline`, the system that every other is compared with; \
         give its name: {} NAME (Arena-Hard v0.1 compared with gpt-4-0314, v2 with several)",
        Setting::Baseline
    )]
    NoBaseline { place: Place },
    #[error(
        "{place}: PandaLM verdicts do not name the systems; give the file with the pairs too, \
         before this one"
    )]
    NoPairs { place: Place },
    #[error("{place}: field `idx`: there is no pair `{found}` in the file with the pairs")]
    UnknownPair { place: Place, found: String },
    #[error("{place}: duplicate pair `{found}`; give every pair an `idx` of its own")]
    DuplicatePair { place: Place, found: String },
    #[error("{place}: this is system number {}; at most {limit} can be read together", .limit + 1)]
    TooManySystems { place: Place, limit: u64 },
    #[error("{place}: this is item number {}; at most {limit} can be read together", .limit + 1)]
    TooManyItems { place: Place, limit: u64 },
    #[error("{place}: {problem}")]
    Outcome {
        place: Place,
        problem: Box<battles::BattleProblem>,
    },
    #[error(
        "{place}: the outcomes here are 1 and 0 and never -1, so who won where there is 0 (or 1) \
         is not known; \
         say it: {} '1=first,0=second', or '1=first,0=tie'",
        Setting::Outcomes
    )]
    Signs { place: Place },
    #[error(
        "{place}: field `weight`: expected 1, found `{found}`; battles as judgments count once each"
    )]
    Weight { place: Place, found: String },
    #[error("{}", list_errors(.0))]
    Many(Vec<Error>),
    #[error("no file was given; expected at least one file of judgments or scores")]
    NoFiles,
}

impl RecordError for Error {
    fn is_of_record(&self) -> bool {
        match self {
            Error::Data(error) => error.is_of_record(),
            Error::Outcome { .. }
            | Error::Games { .. }
            | Error::UnknownPair { .. }
            | Error::DuplicatePair { .. }
            | Error::Weight { .. } => true,
            _ => false,
        }
    }

    fn of_many(mut errors: Vec<Self>) -> Self {
        match errors.len() {
            1 => errors.remove(0),
            _ => Error::Many(errors),
        }
    }
}

/// Lists the fields in backquotes, at most 12 of them, then "and N more".
fn quote_fields(names: &[String]) -> String {
    match names {
        [] => "no fields".to_owned(),
        names => quote_names(names, 12),
    }
}

/// Says how the scores in samples of Inspect are ranked.
fn hint_at_scores(format: &str) -> String {
    if format != Format::InspectSamples.name() {
        return String::new();
    }
    format!(
        "; to rank the scores that are in an Inspect log: {} output.model, {} id and {} \
         scores.NAME.value",
        Setting::SystemColumn,
        Setting::ItemColumn,
        Setting::ScoreColumn
    )
}
