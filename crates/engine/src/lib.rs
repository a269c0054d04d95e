//! The whole flow: data, plan, run, resume, estimate, rank.
//!
//! [`load`] opens the data, [`Job`] fixes what is asked, [`Session::run`] obtains the judgments,
//! [`Collected`] gathers them, and [`rank`] makes the ranking.

mod ask;
pub mod batch;
mod cost;
mod error;
pub mod files;
mod leaderboard;
mod plan;
mod rank;
mod report;
mod slices;

pub use ask::adaptive::{AdaptiveOptions, CertainFor, Until};
pub use ask::embedder::Embedder;
pub use ask::estimate::{Estimate, JudgeEstimate, estimate};
pub use ask::fetch::Fetched;
pub use ask::forecast::Forecast;
pub use ask::hold::{Servers, hold_as_known, probe_servers};
pub use ask::limits::Limits;
pub use ask::progress::{Progress, Sink, Unwatched};
pub use ask::render::{Rendered, render};
pub use ask::replay::rerun;
pub use ask::reusable::{Found, RUNS, reusable_runs, runs_in};
pub use ask::rewriter::{Rewriter, ToRewrite};
pub use ask::runs::{RunRow, Runs, list_runs};
pub use ask::session::{Finished, Session};
pub use ask::stores::{open_known_runs, open_runs, open_store, run_dir};
pub use cost::{
    ASSUMED_REPLY_TOKENS, CostRange, Electricity, Expected, JudgeCost, Price, PriceTable, Rate,
    Spent, TokenPrices, USD_PER_KWH, approximate_request_tokens, approximate_tokens, expected,
    spent,
};
pub use error::EngineError;
pub use evenhand_store::{NewFile, write_whole_file};
/// How far a run has come, as a [`RunRow`] has it.
pub use evenhand_store::{RunProgress, RunState};
pub use leaderboard::{
    Anchor, Board, BothBad, ClusterBy, Edition, EditionRow, EqualScores, LeaderboardOptions,
    Published, RecordedFormat, Sample, SampleData, SampleRanking, UpkeepReport, Votes, leaderboard,
    update_board,
};
pub use plan::bench::{Bench, SecondSpec, bench};
pub use plan::conditions::{check_conditions, conditions_of};
pub use plan::data::{DataOptions, load};
pub use plan::design::Design;
pub use plan::input_file::open_input;
pub use plan::item_weights::item_weights;
pub use plan::job::Job;
pub use plan::judge::{JudgeOptions, JudgeSpec, NamedJudges};
pub use plan::marks::marks_warning;
pub use plan::memory::{MemoryInput, NamedInput};
pub use plan::own_judges::{OwnJudge, register_judge};
pub use plan::own_protocols::{OwnProtocol, own_protocol, register_protocol};
pub use plan::pack::load_pack;
pub use plan::panel_file::{PanelFeature, PanelFile, PanelFit, PanelMember};
pub use plan::repeats::check_repeats;
pub use plan::trials::{Orders, Plan};
pub use plan::trust::check_brought;
pub use rank::aggregation::{Aggregation, RankScale};
pub use rank::collect::{Collected, Coverage};
pub use rank::covariate::Covariate;
pub use rank::criteria::CollectedCriteria;
pub use rank::duels::Duel;
pub use rank::for_review::{ForReview, ReviewChoice};
pub use rank::limits::{StepWeights, check_level, check_prior, check_rounds};
pub use rank::method::{Adjust, Ci};
pub use rank::position::{ItemShare, PositionShares};
pub use rank::ranking::{RankOptions, by_question, rank};
pub use rank::reviews::Reviews;
pub use rank::unit::ScoreUnit;
pub use report::certified::{AdaptiveReport, CertifiedPair, PairBounds};
pub use report::data::{
    CorrectedPassRate, CriteriaReport, CriterionKind, CriterionRanking, DroppedJudgments, FitRow,
    IntervalMethod, LabelledSystem, Labels, LeaderDrop, MissingItems, NoScore, Outcomes, PairRow,
    PanelJudge, RankingRow, Report, Share, SourceScore, StyleEffect, TurnRanking,
};
pub use report::noise::{DifferenceUnit, NoiseFloor};
pub use report::tally::{FailureRow, ReadingRow, Tally};
pub use report::warning::{Warning, WarningKind};
pub use slices::{
    FEW_ITEMS, InteractionReport, ItemSlices, SliceDeviation, SliceRanking, SliceTest, SliceUnit,
    rank_slices, slice_values,
};
