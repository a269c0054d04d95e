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
mod error;
mod extract;
mod fields;
mod free_fields;
mod input;
mod json_words;
mod known_formats;
mod labels;
mod map;
mod nearest;
mod objects;
mod read;
mod record;
mod trajectories;
mod turn_choice;
mod turns;
mod value_source;
mod write;
mod zeros;

#[cfg(test)]
mod tests;

pub use crate::filter::{Condition, FieldValue, FieldsFound, Filter};
pub use error::{DataError, DataProblem, Missing, Place, Result};
pub use extract::RecordKind;
pub use input::{Input, Shape};
pub use known_formats::{Format, recognise_format};
pub use map::{Mapped, Mapping, Target, part_field_not_found, shown_field_not_found};
pub use objects::read_objects;
pub use read::{FileContents, Sink, Unshown, find_record, inspect_file, read_records};
pub use record::{ItemRef, Rating, Record, SystemOutput, Vote};
pub use trajectories::TrajectoryOptions;
pub use turn_choice::TurnChoice;
pub use write::{item_line, label_line, response_line};

pub(crate) use error::quote_names;
pub(crate) use fields::Fields;
pub(crate) use json_words::{
    describe_value, field_names, hint_at_lists, is_whole, name_of_text, split_fields, type_name,
};
pub(crate) use map::field_not_found;
pub(crate) use nearest::{field_paths, nearest};
pub(crate) use turn_choice::ConversationPart;
pub(crate) use value_source::{ValueSource, find_path};
