//! A run that is kept: the run in one screen, its rows, a judgment in full, and judgments with
//! texts as data.

mod call;
mod judgment;
mod page;
mod record;
mod rows;
mod run;
mod verdict;

pub use judgment::{JudgmentPage, judgment_page};
pub use record::JudgmentRecord;
pub(crate) use record::cells_of;
pub use rows::{RowTable, row_table};
pub use run::{RunPage, run_page};
