//! The whole flow: data, plan, run, resume, estimate, rank.
//!
//! [`load`] opens the data, [`Job`] fixes what is asked, [`run`] obtains the judgments,
//! [`Collected`] gathers them, and [`rank`] makes the ranking.

mod adaptive;
mod aggregation;
pub mod batch;
mod certified;
mod collect;
mod control;
mod cost;
mod data;
mod design;
mod driver;
mod embed;
mod error;
mod estimate;
pub mod files;
mod forecast;
mod input_file;
mod item_weights;
mod job;
mod judge;
mod leaderboard;
mod limits;
mod marks;
mod measured;
mod pack;
mod panel_file;
mod pass;
pub mod picks;
mod placed;
mod plan;
mod rank;
mod recorded;
mod render;
mod report;
mod reusable;
mod review;
mod review_file;
mod rows;
mod run;
mod runs;
mod score;
mod spill;
mod style;
mod tally;
mod trust;
mod unit;
mod warn;
mod warning;
mod written;

pub use adaptive::{AdaptiveOptions, CertainFor, Until, run_adaptive};
pub use aggregation::{Aggregation, RankScale};
pub use certified::{AdaptiveReport, CertifiedPair, PairBounds};
pub use collect::{Collected, Coverage};
pub use cost::{
    ASSUMED_REPLY_TOKENS, CostRange, Electricity, Expected, JudgeCost, Price, PriceTable, Rate,
    Spent, TokenPrices, USD_PER_KWH, approximate_request_tokens, approximate_tokens, expected,
    spent,
};
pub use data::{DataOptions, load};
pub use design::Design;
pub use driver::{Progress, Sink};
pub use embed::Embedder;
pub use error::EngineError;
pub use estimate::{Estimate, JudgeEstimate, estimate};
pub use forecast::Forecast;
pub use input_file::open_input;
pub use item_weights::item_weights;
pub use job::Job;
pub use judge::{Bench, JudgeOptions, JudgeSpec, NamedJudges, SecondSpec, bench};
pub use leaderboard::{
    BothBad, ClusterBy, EqualScores, LeaderboardOptions, Published, RecordedFormat, Sample,
    SampleData, SampleRanking, Votes, leaderboard,
};
pub use limits::Limits;
pub use marks::marks_warning;
pub use pack::load_pack;
pub use panel_file::{PanelFeature, PanelFile, PanelFit, PanelMember};
pub use plan::{Orders, Plan};
pub use rank::{RankOptions, rank};
pub use render::{Rendered, render};
pub use report::{
    Alone, Drop, FitRow, Interval, LabelledSystem, Labels, NoScore, Outcomes, PairRow, Removed,
    Report, Row, Share, StyleEffect,
};
pub use reusable::{Found, RUNS, reusable_runs, runs_in};
pub use review::{ForReview, Reviews};
pub use run::{Finished, open_store, opened, run, run_dir, run_listed, run_on, stored};
pub use runs::{RunRow, Runs, list_runs};
pub use score::{Adjust, Ci};
pub use tally::{FailureRow, Tally};
pub use trust::check_brought;
pub use unit::ScoreUnit;
pub use warning::{Warning, WarningKind};
pub use written::{Rewriter, ToRewrite};
