//! `evenhand meta select`.

use crate::args::MetaSelectArgs;
use crate::data::load_recordings;
use crate::{Done, Failed};
use evenhand_report::meta::{selection_csv, selection_json, selection_table};
use evenhand_studies::judge::RecordedOptions;
use evenhand_studies::selective::{SelectOptions, select_verdicts};

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// Which verdicts of a judge can be accepted, and what a second one would decide.
pub(super) fn select(args: &MetaSelectArgs) -> Result<Done, Failed> {
    let costs = match args.costs.as_deref() {
        None => None,
        Some(&[first, second]) if [first, second].iter().all(|x| *x > 0.0 && x.is_finite()) => {
            Some([first, second])
        }
        Some(_) => {
            return Err(Failed::usage(
                "--costs: expected two numbers above 0, of the first judge and the second, such as \
                 1,20",
            ));
        }
    };
    let options = SelectOptions {
        error: args.error,
        certainty: args.certainty,
        splits: args.splits,
        seed: args.seed.seed,
        level: LEVEL,
        costs,
    };
    let recorded = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        reading: args.recording.reading(),
        ..RecordedOptions::default()
    };
    let judges = load_recordings(recorded, &args.data, args.quiet)?;
    let selection = select_verdicts(&judges, &options)?;
    args.format.print(
        || selection_table(&selection, &options, args.verbose.view()),
        || selection_json(&selection, &options),
        || selection_csv(&selection),
    )
}
