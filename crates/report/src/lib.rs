//! Results for people and programs: terminal tables, JSON, CSV and figures.
//!
//! Every function is pure: it takes a report and returns a text. Tables show what matters and may
//! be cut to a terminal's width ([`View`]); JSON and CSV always hold everything.
//!
//! ```
//! use evenhand_ranking::{RankingRow, Report};
//! use evenhand_report::{Usage, View, ranking_table};
//!
//! let row = |rank, system: &str, score| RankingRow {
//!     system: system.into(),
//!     score: Some(score),
//!     ci: None,
//!     rank: Some(rank),
//!     rank_ci: None,
//!     better_than: None,
//!     standard_error: None,
//!     n: 20,
//!     raw_win_rate: None,
//!     no_score: None,
//!     note: None,
//! };
//! let report = Report {
//!     ranking: vec![row(1, "careful", 0.8), row(2, "hasty", 0.2)],
//!     ..Report::default()
//! };
//! let table = ranking_table(&report, &Usage::default(), View::default());
//! assert!(table.contains("1  careful  0.800"), "{table}");
//! ```

mod answer;
pub mod audit;
mod batch;
mod check;
pub mod cite;
mod columns;
mod compare;
mod days;
mod estimate;
pub mod figures;
mod judgments;
mod kept;
mod markdown;
mod merged;
pub mod meta;
mod migrate;
mod models;
mod named_figures;
mod numbers;
mod order;
mod plan;
mod progress;
pub mod publish;
mod ranking;
mod rendered;
mod runs;
mod schemas;
mod serialize;
mod slices;
mod terminal;
mod text_table;
mod tryout;
mod usage;
mod view;

pub use batch::{
    batch_run_csv, batch_run_table, exported_csv, exported_table, imported_csv, imported_table,
};
pub use check::{check_csv, check_json, check_markdown, check_table};
pub use compare::{
    compare_csv, compare_json, compare_summary, compare_table, gates_junit, markdown_with_gates,
};
pub use days::day_number;
pub use estimate::{
    EstimateReport, EstimatedCost, EstimatedTokens, JudgeEstimateRow, estimate_csv, estimate_json,
    estimate_table,
};
pub use judgments::{JudgmentRow, JudgmentWriter};
pub use kept::{
    JudgmentPage, JudgmentRecord, RowTable, RunPage, judgment_page, row_table, run_page,
};
pub use markdown::csv_as_markdown;
pub use merged::{merged_csv, merged_table};
pub use migrate::{migrate_answer, migrate_csv, migrate_json, migrate_summary, migrate_table};
pub use models::{ModelRow, models_csv, models_table};
pub use plan::{
    ChancePart, DesignRow, JudgesRow, PlanReport, VarianceRow, WithChance, plan_csv, plan_json,
    plan_table,
};
pub use progress::progress_text;
pub use ranking::{
    ranking_csv, ranking_json, ranking_markdown, ranking_table, recorded_table, summary_table,
};
pub use rendered::{AlignmentLine, CutPlaces, PromptLine, SearchedPlaces, SemanticCuts};
pub use runs::{runs_csv, runs_table};
pub use schemas::json_schemas;
pub use serialize::{SheetWriter, json_text};
pub use terminal::{excerpt, printable, printable_lines, without_commands};
pub use tryout::{tried_in_words, tryout_csv, tryout_json, tryout_table};
pub use usage::{CallTotals, JudgeUsage, Usage};
pub use view::View;
