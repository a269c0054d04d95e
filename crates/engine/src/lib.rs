//! Who asks: data, plan, run, resume, estimate.
//!
//! [`load`] opens the data, [`Job`] fixes what is asked, and [`Session::run`] obtains the
//! judgments. `evenhand_ranking` makes rankings of them.

mod ask;
pub mod batch;
mod cost;
mod error;
pub mod files;
mod plan;

pub use ask::adaptive::certified::{AdaptiveReport, CertifiedPair, PairBounds};
pub use ask::adaptive::{AdaptiveOptions, CertainFor, Until};
pub use ask::estimate::{Estimate, JudgeEstimate, estimate};
pub use ask::fetch::Fetched;
pub use ask::forecast::Forecast;
pub use ask::hold::{Servers, hold_as_known, probe_servers};
pub use ask::limits::Limits;
pub use ask::merge::{Merged, MergedRow, merge};
pub use ask::outside::{Embedder, Rewriter, ToRewrite};
pub use ask::progress::{Passing, Progress, Sink, Unwatched};
pub use ask::render::{Rendered, render};
pub use ask::replay::rerun;
pub use ask::reusable::{Found, RUNS, reusable_runs, runs_in};
pub use ask::runs::{RunRow, Runs, list_runs, settings_of};
pub use ask::session::{Finished, Session};
pub use ask::stores::{
    SharedPlace, check_new_run, open_known_runs, open_runs, open_store, run_dir,
};
pub use ask::tally::{Coverage, FailureRow, ReadingRow, Tally};
pub use ask::tournament::{MeetingRow, TournamentItems, TournamentReport};
pub use cost::{
    ASSUMED_REPLY_TOKENS, CostRange, Electricity, Expected, JudgeCost, Price, PriceTable, Rate,
    Spent, TokenPrices, USD_PER_KWH, approximate_request_tokens, approximate_tokens, expected,
    spent,
};
pub use error::{EngineError, TrialsLeft};
pub use evenhand_objects::{is_address, local_path, path_from};
/// The settings of runs without judgments, as a [`RunRow`] has them.
pub use evenhand_store::CALLS_ALONE;
pub use evenhand_store::NewFile;
/// How far a run has come, as a [`RunRow`] has it.
pub use evenhand_store::{RunProgress, RunState};
pub use files::{length_of, write_whole_file};
pub use plan::bench::{Bench, SecondSpec, bench};
pub use plan::conditions::{check_conditions, conditions_of};
pub use plan::data::{DataOptions, load, load_by_labels};
pub use plan::design::Design;
pub use plan::empty::empty_responses_warning;
pub use plan::head_file::{HeadFeature, HeadFile, HeadLabels, HeadModel, question_digest};
pub use plan::head_report::{CurvePoint, HeadReport, HeadWorth, Known, ReadyScore};
pub use plan::input_file::{open_buffered, open_input, unreadable_input};
pub use plan::item_weights::item_weights;
pub use plan::job::Job;
pub use plan::judge::{JudgeOptions, JudgeSpec, NamedJudges};
pub use plan::kept_data::dataset_of_run;
pub use plan::marks::marks_warning;
#[cfg(feature = "arrow")]
pub use plan::memory::table_in_memory;
pub use plan::memory::{MemoryInput, NamedInput};
pub use plan::own::{OwnJudge, OwnProtocol, protocol_named, register_judge, register_protocol};
pub use plan::pack::load_pack;
pub use plan::panel_file::{PanelFeature, PanelFile, PanelFit, PanelMember};
pub use plan::repeats::check_repeats;
pub use plan::shard::Shard;
pub use plan::trials::{Orders, Plan};
pub use plan::trust::check_brought;
