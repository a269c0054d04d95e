//! What a study computes beside its main table: references, budgets, the frontier, labelled pairs
//! and how the settings agree. A table each, where there is something to show.

use super::{coefficient_with_interval, percent_with_interval};
use crate::numbers::group_digits;
use crate::text_table::TextTable;
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{CostUnit, FrontierPoint, References, Split, StudyReport, StudyRow};

/// Returns the tables that have a row, in the order of the paper.
pub(super) fn extra_tables(report: &StudyReport) -> impl Iterator<Item = TextTable> {
    [
        (!report.references.is_empty()).then(|| reference_table(report)),
        (!report.budgets.is_empty()).then(|| budget_table(report)),
        (!report.frontier.is_empty()).then(|| frontier_table(report)),
        (!report.labelled.is_empty()).then(|| labelled_table(report)),
        (!report.concordances.is_empty()).then(|| concordance_table(report)),
    ]
    .into_iter()
    .flatten()
}

fn bencher_name(row: &StudyRow) -> String {
    format!(
        "{} on {}: {}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}

fn reference_table(report: &StudyReport) -> TextTable {
    let mut table = TextTable::with_header([
        "every system as the reference",
        "references",
        "worst rho",
        "best rho",
        "rho of rating and agreement",
    ]);
    for (at, found) in &report.references {
        if let Some(row) = report.rows.get(*at) {
            table.add_row(reference_row(row, found));
        }
    }
    table.align_right([1, 4]);
    table
}

fn reference_row(row: &StudyRow, found: &References) -> [String; 5] {
    let mut rhos: Vec<(f64, &str)> = found
        .points
        .iter()
        .filter_map(|point| Some((point.rho.value?, point.system.as_str())))
        .collect();
    rhos.sort_by(|x, y| x.0.total_cmp(&y.0));
    [
        bencher_name(row),
        found.points.len().to_string(),
        rho_and_system(rhos.first()),
        rho_and_system(rhos.last()),
        coefficient_with_interval(&found.trend),
    ]
}

fn rho_and_system(end: Option<&(f64, &str)>) -> String {
    end.map_or("-".into(), |(rho, system)| format!("{rho:.2} ({system})"))
}

fn budget_table(report: &StudyReport) -> TextTable {
    let mut table = TextTable::with_header([
        "as many comparisons as responses",
        "inputs x comparisons",
        "rho",
        "tau-b",
    ]);
    for (at, splits) in &report.budgets {
        if let Some(row) = report.rows.get(*at) {
            for split in splits {
                table.add_row(split_row(row, split));
            }
        }
    }
    table.align_right_from(1);
    table
}

fn split_row(row: &StudyRow, split: &Split) -> [String; 4] {
    let [items, comparisons] = [split.items, split.comparisons].map(|n| group_digits(n as u64));
    [
        bencher_name(row),
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
    let mut table = TextTable::with_header(["best at its cost", cost, "inputs", "rho", "tau-b"]);
    for point in &report.frontier {
        if let Some(row) = report.rows.get(point.row) {
            table.add_row(frontier_row(row, point, report.unit));
        }
    }
    table.align_right_from(1);
    table
}

fn frontier_row(row: &StudyRow, point: &FrontierPoint, unit: CostUnit) -> [String; 5] {
    let reference = row
        .reference
        .as_ref()
        .map_or_else(String::new, |system| format!(" against {system}"));
    let cost = match unit {
        CostUnit::Usd => format!("{:.5}", point.cost),
        CostUnit::Tokens => group_digits(point.cost as u64),
    };
    [
        bencher_name(row) + &reference,
        cost,
        group_digits(point.items as u64),
        coefficient_with_interval(&point.rho),
        coefficient_with_interval(&point.tau),
    ]
}

fn labelled_table(report: &StudyReport) -> TextTable {
    let mut table = TextTable::with_header([
        "labelled pairs",
        "judge",
        "type",
        "pairs",
        "accuracy %",
        "consistent",
        "kappa",
        "no verdict",
    ]);
    for (input, evaluation) in &report.labelled {
        table.add_row(labelled_row(input, evaluation));
    }
    table.align_right_from(3);
    table
}

fn labelled_row(input: &str, evaluation: &Evaluation) -> [String; 8] {
    let m = &evaluation.total.measures;
    [
        input.to_string(),
        evaluation.judge.clone(),
        evaluation.protocol.clone(),
        group_digits(m.n),
        percent_with_interval(&m.accuracy),
        percent_with_interval(&m.consistency),
        coefficient_with_interval(&m.kappa),
        group_digits(m.coverage.trials - m.coverage.verdicts),
    ]
}

fn concordance_table(report: &StudyReport) -> TextTable {
    let mut table = TextTable::with_header([
        "do the settings order the judges alike?",
        "",
        "judges",
        "rho",
        "tau-b",
    ]);
    for row in &report.concordances {
        table.add_row([
            setting_name(&row.a),
            setting_name(&row.b),
            row.judges.to_string(),
            coefficient_with_interval(&row.rho),
            coefficient_with_interval(&row.tau_b),
        ]);
    }
    table.align_right_from(2);
    table
}

fn setting_name((setting, input): &(u8, String)) -> String {
    format!("setting {setting}, {input}")
}
