//! Readers of the ecosystem's file formats, and writers of our own.
//!
//! A file is a stream of records: JSON lines, one JSON array, CSV with a header, plain or gzip, or
//! Parquet. [`read_records`] recognises the format by the first record and hands the records over
//! one by one, so that a file of any size is read in bounded memory. A format is a [`Mapping`] from
//! its fields to our terms, and users can give one of their own.
//!
//! ```
//! use evenhand_formats::records::{Input, Record, read_records};
//!
//! let file = r#"{"id": "1", "instruction": "Name a prime."}"#;
//! let mut items = Vec::new();
//! read_records(file.as_bytes(), &Input::new("items.jsonl"), &mut |record, _| {
//!     if let Record::Item(item) = record {
//!         items.push(item);
//!     }
//!     Ok(())
//! })?;
//! assert_eq!(items[0].instruction(), "Name a prime.");
//! # Ok::<(), evenhand_formats::records::DataError>(())
//! ```

mod criteria;
mod extract;
mod fields;
mod input;
mod known_formats;
mod labels;
mod map;
mod read;
mod recognise;
mod record;
mod trajectories;
mod turn_choice;
mod turns;
mod write;

#[cfg(test)]
mod tests;

pub use crate::error::{At, DataError, DataProblem, Missing, Place, Result};
pub use crate::filter::{Condition, FieldValue, FieldsFound, Filter};
pub use extract::RecordKind;
pub use input::{Input, Shape};
pub use known_formats::{Format, recognise_format};
pub use map::{
    Mapped, Mapping, Target, part_field_not_found, part_field_not_of_items, shown_field_not_found,
};
pub use read::{
    FileContents, Sink, Unshown, find_record, inspect_file, read_objects, read_records,
};
pub use record::{ItemRef, Rating, Record, SystemOutput, Vote};
pub use trajectories::TrajectoryOptions;
pub use turn_choice::TurnChoice;
pub use write::{item_line, response_line};

pub(crate) use fields::Fields;
