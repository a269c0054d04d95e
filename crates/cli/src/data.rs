//! Data sets and recordings, read as the arguments say, with notes on how they were read.

use crate::Failed;
use crate::args::{DataArgs, QuietArgs};
use evenhand_core::ShownFields;
use evenhand_engine::{DataOptions, load};
use evenhand_formats::Dataset;
use evenhand_studies::judge::{JudgedPairs, RecordedOptions, recorded, split_filter};
use std::fs::read_to_string;
use std::path::Path;

/// Reads the data set that the arguments name, with the free fields that prompts show.
pub(crate) fn load_dataset(
    args: &DataArgs,
    shown: ShownFields,
    quiet: QuietArgs,
) -> Result<Dataset, Failed> {
    let mut options = args.options()?;
    options.shown.merge(shown);
    load_with_notes(&options, quiet)
}

/// Reads a data set and says on stderr what the user should know of how it was read.
pub(crate) fn load_with_notes(options: &DataOptions, quiet: QuietArgs) -> Result<Dataset, Failed> {
    let dataset = load(options)?;
    for note in &dataset.notes {
        quiet.say(note);
    }
    Ok(dataset)
}

/// Reads what recorded judges said. A condition of `--where` is on the recordings and labels, or on
/// the data set beside them where none of these has the field.
pub(crate) fn load_recordings(
    mut options: RecordedOptions,
    args: &DataArgs,
    quiet: QuietArgs,
) -> Result<Vec<JudgedPairs>, Failed> {
    options.reading.columns = args.records.columns()?;
    if args.data.is_empty() {
        return Ok(recorded(&options, None)?);
    }
    let (own, others) = split_filter(&options)?;
    options.reading.columns.filter = own;
    options.only_items_of_data = !others.is_empty();
    // The data set beside them is read by the conditions that are left for it.
    let beside = DataOptions {
        filter: others,
        ..args.options()?
    };
    let data = load_with_notes(&beside, quiet)?;
    Ok(recorded(&options, Some(&data))?)
}

/// Reads the file that an option names.
pub(crate) fn read_text(option: &str, path: &Path) -> Result<String, Failed> {
    let file = path.display();
    read_to_string(path).map_err(|e| Failed::unreadable(format_args!("{option} {file}"), e))
}
