//! `evenhand meta people`.

use crate::args::MetaPeopleArgs;
use crate::commands::figure::{check_place, draw_first};
use crate::data::load_with_notes;
use crate::{Done, Failed};
use evenhand_report::figures::figures_of_people;
use evenhand_report::meta::{people_csv, people_json, people_table};
use evenhand_studies::people::{PeopleLabels, measure_people};

/// How far people agree among themselves.
pub(super) fn measure(args: &MetaPeopleArgs) -> Result<Done, Failed> {
    let plan = args.resampling.plan(args.seed.seed, args.threads.count())?;
    let figure = args.figure.path();
    check_place(figure)?;
    let data = load_with_notes(&args.data_options()?, args.quiet)?;
    let labels = PeopleLabels::of_dataset(&data);
    labels.check_compared()?;
    let report = measure_people(&labels, &plan).map_err(|error| Failed::run(error.to_string()))?;
    args.format.print(
        || people_table(&report, &plan, args.verbose.view()),
        || people_json(&report, &plan),
        || people_csv(&report),
    )?;
    draw_first(figure, || figures_of_people(&report, plan.level))?;
    Ok(Done::Fine)
}
