//! What was asked and answered, kept safely.
//!
//! A run directory holds `run.sqlite` (SQLite in WAL mode, readable by any client) and `lock`. The
//! table `calls` is append-only and the only source of truth; `judgments` can be derived from it by
//! re-execution, and is kept for readers. One process at a time owns the directory.

mod error;
mod exported;
mod foreign;
mod manifest;
mod reader;
mod retry;
mod reuse;
mod run_dir;
mod schema;

pub use error::StoreError;
pub use exported::Exported;
pub use manifest::Manifest;
pub use reader::{Bounds, Reader, Totals, Unread};
pub use run_dir::{Call, Store};
