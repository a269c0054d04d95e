//! Rankings, from judgments, battles or scores that exist already to a [`Report`].
//!
//! [`Collected`] gathers the judgments of a job and [`rank`] makes their ranking; [`leaderboard`]
//! makes one of files.

mod aggregation;
mod collect;
mod control;
mod covariate;
mod criteria;
mod duels;
mod for_review;
mod leaderboard;
mod limits;
mod log;
mod method;
mod position;
mod ranking;
mod report;
mod reviews;
mod score;
mod slices;
mod unit;

pub use aggregation::{Aggregation, RankScale};
pub use collect::Collected;
pub use covariate::Covariate;
pub use criteria::CollectedCriteria;
pub use duels::Duel;
pub use for_review::{ForReview, ReviewChoice};
pub use leaderboard::{
    Anchor, Board, BothBad, ClusterBy, Corrected, Edition, EditionRow, EqualScores,
    LeaderboardOptions, Published, RecordedFormat, Sample, SampleData, SampleRanking, UpkeepReport,
    Votes, WholeFile, correct_board, leaderboard, update_board, whole_file,
};
pub use limits::{StepWeights, check_level, check_prior, check_rounds};
pub use log::ComparisonLog;
pub use method::{Adjust, Ci};
pub use position::{ItemShare, PositionShares};
pub use ranking::{RankOptions, by_question, rank};
pub use report::answer::{Answer, AnswerKind, Preferred, list_in_words};
pub use report::data::{
    Cluster, CorrectedPassRate, CriteriaReport, CriterionKind, CriterionRanking, DroppedJudgments,
    EloEffect, FitRow, IntervalMethod, Intervals, LabelledSystem, Labels, LeaderDrop, MissingItems,
    MissingPairs, NoScore, Outcomes, PairRow, PanelJudge, RankingRow, Report, ReportJudge, Share,
    SourceScore, StyleEffect, TurnRanking,
};
pub use report::noise::{DifferenceUnit, NoiseFloor};
pub use report::warning::{Warning, WarningKind};
pub use reviews::Reviews;
pub use slices::{
    FEW_ITEMS, InteractionReport, ItemSlices, SliceDeviation, SliceRanking, SliceTest, SliceUnit,
    rank_slices, slice_values,
};
pub use unit::{ScoreUnit, chosen_percent, group_digits};
