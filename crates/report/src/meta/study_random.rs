//! Failures read strictly and tolerantly, side by side (appendix C of Gao et al. 2024).

use super::{bencher_label, coefficient_with_interval, percent_with_interval};
use crate::numbers::group_digits;
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::study::{RandomAccuracy, RandomRow, StudyReport, StudyRow};

const ROW_HEADER: [&str; 6] = [
    "failures as failures, or with a random verdict",
    "drawn",
    "rho, strict",
    "rho, random",
    "tau-b, strict",
    "tau-b, random",
];

const ACCURACY_HEADER: [&str; 4] = [
    "failures as failures, or with a random verdict",
    "drawn",
    "accuracy %, strict",
    "accuracy %, random",
];

/// Returns the benchers by both readings; no row where random verdicts were not asked for.
pub(super) fn random_table(report: &StudyReport) -> TextTable {
    TextTable::with_header(ROW_HEADER)
        .with_rows(
            report
                .random_rows
                .iter()
                .filter_map(|(at, random)| random_cells(report, *at, random)),
        )
        .with_numbers_from(1)
}

fn random_cells(report: &StudyReport, at: usize, random: &RandomRow) -> Option<Vec<String>> {
    let row = report.rows.get(at)?;
    let mut cells = vec![bencher_label(row), group_digits(random.counts.drawn)];
    cells.extend(paired_figures(row, random).map(coefficient_with_interval));
    Some(cells)
}

/// Returns each coefficient of the strict reading, and beside it that with random verdicts.
fn paired_figures<'a>(row: &'a StudyRow, random: &'a RandomRow) -> [&'a Figure; 4] {
    let strict = &row.bencher.figures;
    [
        &strict.spearman,
        &random.spearman,
        &strict.kendall_tau_b,
        &random.kendall_tau_b,
    ]
}

/// Returns the judges of labelled pairs by both readings.
pub(super) fn random_accuracy_table(report: &StudyReport) -> TextTable {
    TextTable::with_header(ACCURACY_HEADER)
        .with_rows(report.random_labelled.iter().map(accuracy_cells))
        .with_numbers_from(1)
}

fn accuracy_cells(one: &RandomAccuracy) -> [String; 4] {
    [
        format!("{} on {}: {}", one.judge, one.input, one.kind),
        group_digits(one.counts.drawn),
        percent_with_interval(&one.strict_accuracy),
        percent_with_interval(&one.accuracy),
    ]
}
