//! `evenhand meta people`.

use crate::args::MetaPeopleArgs;
use crate::commands::figure::{after_printing, check_place};
use crate::data::load_with_notes;
use crate::{Done, Failed};
use evenhand_report::figures::figures_of_people;
use evenhand_report::meta::{people_csv, people_json, people_table};
use evenhand_stats::Bootstrap;
use evenhand_studies::people::{PeopleLabels, PeopleReport, measure_people};

/// How far people agree among themselves.
pub(super) fn measure(args: &MetaPeopleArgs) -> Result<Done, Failed> {
    let plan = args.resampling.plan(args.seed.seed, args.threads.count())?;
    let figure = args.figure.figure.as_deref();
    check_place(figure)?;
    let labels = read_labels(args)?;
    let report = measure_people(&labels, &plan).map_err(|error| Failed::run(error.to_string()))?;
    let printed = print_report(args, &report, &plan)?;
    after_printing(printed, figure, || figures_of_people(&report, plan.level))
}

/// Reads the labels, and refuses those of which none can be compared.
fn read_labels(args: &MetaPeopleArgs) -> Result<PeopleLabels, Failed> {
    let data = load_with_notes(&args.data_options()?, args.quiet)?;
    let labels = PeopleLabels::of_dataset(&data);
    labels.check_compared()?;
    Ok(labels)
}

fn print_report(
    args: &MetaPeopleArgs,
    report: &PeopleReport,
    plan: &Bootstrap,
) -> Result<Done, Failed> {
    args.format.print(
        || people_table(report, plan, args.verbose.view()),
        || people_json(report, plan),
        || people_csv(report),
    )
}
