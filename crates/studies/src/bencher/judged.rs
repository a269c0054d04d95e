//! How recorded judgments are read and aggregated.

use evenhand_formats::battles::{Columns, Spellings};
use evenhand_formats::judgments::Options;
use evenhand_formats::records::Filter;
use evenhand_ranking::{
    Aggregation, Ci, EqualScores, LeaderboardOptions, RankOptions, RecordedFormat, StepWeights,
};
use std::path::PathBuf;

/// How judgments become a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// By an aggregation.
    By(Aggregation),
    /// AlpacaEval's length-controlled win rate.
    LengthControl,
}

impl Aggregate {
    /// Returns the aggregation; None for length control.
    pub(super) fn aggregation(self) -> Option<Aggregation> {
        match self {
            Aggregate::By(aggregation) => Some(aggregation),
            Aggregate::LengthControl => None,
        }
    }
}

/// How recorded judgments are read and aggregated; see [`LeaderboardOptions`].
#[derive(Clone, Debug, Default)]
pub struct JudgedOptions {
    /// Each gives a bencher of its own; none: the usual one.
    pub aggregates: Vec<Aggregate>,
    /// What the files are, where that is not to be recognised.
    pub format: Option<RecordedFormat>,
    /// Only these systems.
    pub systems: Option<Vec<String>>,
    /// The baseline of Arena-Hard judgments that do not name theirs.
    pub baseline: Option<String>,
    /// MT-Bench's reading of the two games of a pair as one comparison.
    pub both_games: bool,
    /// What a strong, a weak and an equal verdict count.
    pub strength: Option<StepWeights>,
    /// The weight of a ridge prior on Bradley-Terry strengths.
    pub prior: Option<f64>,
    /// What equal scores are, where scores are compared.
    pub equal: EqualScores,
    /// Which rows are read.
    pub filter: Filter,
    /// Spellings of outcomes beside those that are known.
    pub outcomes: Spellings,
}

/// Returns how files of judgments are read as a leaderboard.
pub(crate) fn leaderboard_options(
    files: &[PathBuf],
    judged: &JudgedOptions,
    length_control: bool,
) -> LeaderboardOptions {
    let ci = if length_control {
        Ci::None
    } else {
        Ci::Bootstrap
    };
    LeaderboardOptions {
        paths: files.to_vec(),
        reading: Options {
            columns: Columns {
                filter: judged.filter.clone(),
                outcomes: judged.outcomes.clone(),
                ..Columns::default()
            },
            baseline: judged.baseline.clone(),
            both_games: judged.both_games,
            ..Options::default()
        },
        format: judged.format,
        systems: judged.systems.clone().filter(|_| !length_control),
        strength: judged.strength.filter(|_| !length_control),
        length_control,
        rank: RankOptions {
            ci,
            ..RankOptions::default()
        },
        ..LeaderboardOptions::default()
    }
}
