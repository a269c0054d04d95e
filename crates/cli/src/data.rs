//! Data sets and recordings, read as the arguments say, with notes on how they were read.

use crate::Failed;
use crate::args::{DataArgs, QuietArgs};
use evenhand_engine::{DataOptions, load};
use evenhand_formats::Dataset;
use evenhand_formats::judgments::Options;
use evenhand_studies::judge::{JudgedPairs, RecordedOptions, recorded, split_filter};

/// Reads the data set that the arguments name.
pub(crate) fn load_dataset(args: &DataArgs, quiet: QuietArgs) -> Result<Dataset, Failed> {
    load_with_notes(&args.options()?, quiet)
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
    options: RecordedOptions,
    args: &DataArgs,
    quiet: QuietArgs,
) -> Result<Vec<JudgedPairs>, Failed> {
    let options = RecordedOptions {
        reading: Options {
            filter: args.records.filter.parse()?,
            outcomes: args.records.parse_outcomes()?,
            ..options.reading
        },
        ..options
    };
    if args.data.is_empty() {
        return Ok(recorded(&options, None)?);
    }
    let (own, others) = split_filter(&options)?;
    let only_items_of_data = !others.is_empty();
    let data = DataOptions {
        filter: others,
        ..args.options()?
    };
    let data = load_with_notes(&data, quiet)?;
    let options = RecordedOptions {
        reading: Options {
            filter: own,
            ..options.reading
        },
        only_items_of_data,
        ..options
    };
    Ok(recorded(&options, Some(&data))?)
}
