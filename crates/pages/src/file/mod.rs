//! The report in one file: the pages with their data inside.

mod build;
mod columns;
mod hide;
mod page;
mod prompts;
mod sample;

pub use build::{FileReport, MOST_JUDGMENTS};
pub use hide::without_addresses;
pub use page::{script_source, write_page};
