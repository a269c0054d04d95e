//! The smaller tables of a study: references, budgets, the frontier, labelled pairs
//! and how the settings agree. A table each, where there is something to show.

use super::study_judges::{price_table, rank_table};
use super::study_random::{random_accuracy_table, random_table};
use super::{bencher_label, coefficient_with_interval, percent_with_interval};
use crate::numbers::{group_digits, or_blank};
use crate::order::sort_by_number;
use crate::text_table::TextTable;
use evenhand_studies::judge::{Evaluation, Measures};
use evenhand_studies::study::{
    Concordance, CostUnit, FrontierPoint, References, Split, StudyReport, StudyRow,
};

const REFERENCE_HEADER: [&str; 5] = [
    "every system as the reference",
    "references",
    "worst rho",
    "best rho",
    "rho of rating and agreement",
];

const BUDGET_HEADER: [&str; 4] = [
    "as many comparisons as responses",
    "inputs x comparisons",
    "rho",
    "tau-b",
];

const LABELLED_HEADER: [&str; 9] = [
    "labelled pairs",
    "judge",
    "type",
    "pairs",
    "accuracy %",
    "right in both orders",
    "consistent",
    "kappa",
    "no verdict",
];

const CONCORDANCE_HEADER: [&str; 5] = [
    "do the settings order the judges alike?",
    "",
    "judges",
    "rho",
    "tau-b",
];

/// Returns the tables that have a row, in the order of the paper.
pub(super) fn extra_tables(report: &StudyReport) -> impl Iterator<Item = TextTable> {
    let tables = [
        rank_table(report),
        price_table(report),
        reference_table(report),
        budget_table(report),
        frontier_table(report),
        labelled_table(report),
        concordance_table(report),
        random_table(report),
        random_accuracy_table(report),
    ];
    tables.into_iter().filter(|table| table.has_rows())
}

fn reference_table(report: &StudyReport) -> TextTable {
    let found = report.references.iter();
    let rows = found.filter_map(|(at, found)| Some(reference_row(report.rows.get(*at)?, found)));
    let mut table = TextTable::with_header(REFERENCE_HEADER).with_rows(rows);
    table.align_right([1, 4]);
    table
}

fn reference_row(row: &StudyRow, found: &References) -> [String; 5] {
    let rhos = systems_by_rho(found);
    [
        bencher_label(row),
        found.points.len().to_string(),
        rho_and_system(rhos.first()),
        rho_and_system(rhos.last()),
        coefficient_with_interval(&found.trend),
    ]
}

/// Returns the references whose rho is defined, the worst first.
fn systems_by_rho(found: &References) -> Vec<(f64, &str)> {
    let points = found.points.iter();
    sort_by_number(points.filter_map(|point| Some((point.rho.value?, &*point.system))))
}

fn rho_and_system(end: Option<&(f64, &str)>) -> String {
    end.map_or("-".into(), |(rho, system)| format!("{rho:.2} ({system})"))
}

fn budget_table(report: &StudyReport) -> TextTable {
    TextTable::with_header(BUDGET_HEADER)
        .with_rows(budget_rows(report))
        .with_numbers_from(1)
}

fn budget_rows(report: &StudyReport) -> impl Iterator<Item = [String; 4]> {
    let budgets = report.budgets.iter();
    budgets.flat_map(|(at, splits)| split_rows(report, *at, splits))
}

fn split_rows(report: &StudyReport, at: usize, splits: &[Split]) -> Vec<[String; 4]> {
    let row = report.rows.get(at).into_iter();
    row.flat_map(|row| splits.iter().map(|split| split_row(row, split)))
        .collect()
}

fn split_row(row: &StudyRow, split: &Split) -> [String; 4] {
    let [items, comparisons] = [split.items, split.comparisons].map(|n| group_digits(n as u64));
    [
        bencher_label(row),
        format!("{items} x {comparisons}"),
        coefficient_with_interval(&split.spread.rho),
        coefficient_with_interval(&split.spread.tau),
    ]
}

fn frontier_table(report: &StudyReport) -> TextTable {
    let cost = match report.unit {
        CostUnit::Usd => "cost (USD)",
        CostUnit::Tokens => "cost (tokens)",
    };
    TextTable::with_header(["best at its cost", cost, "inputs", "rho", "tau-b"])
        .with_rows(frontier_rows(report))
        .with_numbers_from(1)
}

fn frontier_rows(report: &StudyReport) -> impl Iterator<Item = [String; 5]> {
    let points = report.frontier.iter();
    points.filter_map(|point| {
        let row = report.rows.get(point.row)?;
        Some(frontier_row(row, point, report.unit))
    })
}

fn frontier_row(row: &StudyRow, point: &FrontierPoint, unit: CostUnit) -> [String; 5] {
    [
        bencher_label(row) + &reference_text(row),
        cost_text(point.cost, unit),
        group_digits(point.items as u64),
        coefficient_with_interval(&point.rho),
        coefficient_with_interval(&point.tau),
    ]
}

fn reference_text(row: &StudyRow) -> String {
    or_blank(row.reference.as_ref(), |system| {
        format!(" against {system}")
    })
}

fn cost_text(cost: f64, unit: CostUnit) -> String {
    match unit {
        CostUnit::Usd => format!("{cost:.5}"),
        CostUnit::Tokens => group_digits(cost as u64),
    }
}

fn labelled_table(report: &StudyReport) -> TextTable {
    TextTable::with_header(LABELLED_HEADER)
        .with_rows(report.labelled.iter().map(labelled_row))
        .with_numbers_from(3)
}

fn labelled_row((input, evaluation): &(String, Evaluation)) -> Vec<String> {
    let names = [input, &evaluation.judge, &evaluation.protocol];
    let mut cells: Vec<String> = names.map(String::clone).into();
    cells.extend(measure_cells(&evaluation.total.measures));
    cells
}

fn measure_cells(measures: &Measures) -> [String; 6] {
    let coverage = &measures.coverage;
    [
        group_digits(measures.n),
        percent_with_interval(&measures.accuracy),
        percent_with_interval(&measures.accuracy_both),
        percent_with_interval(&measures.consistency),
        coefficient_with_interval(&measures.kappa),
        group_digits(coverage.trials - coverage.verdicts),
    ]
}

fn concordance_table(report: &StudyReport) -> TextTable {
    TextTable::with_header(CONCORDANCE_HEADER)
        // One judge is in the same order by every setting: that says nothing.
        .with_rows(
            report
                .concordances
                .iter()
                .filter(|row| row.judges > 1)
                .map(concordance_row),
        )
        .with_numbers_from(2)
}

fn concordance_row(row: &Concordance) -> [String; 5] {
    [
        setting_name(&row.a),
        setting_name(&row.b),
        row.judges.to_string(),
        coefficient_with_interval(&row.rho),
        coefficient_with_interval(&row.tau_b),
    ]
}

fn setting_name((setting, input): &(u8, String)) -> String {
    format!("setting {setting}, {input}")
}
