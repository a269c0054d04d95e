//! Benchers against people: table, JSON, CSV.

use super::{figure_cells, insert_value_and_interval};
use crate::numbers::or_dash;
use crate::serialize::{csv_text, json_text, object_of, optional_cell};
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::bencher::{BencherDifference, BencherReport, BencherRow, Over, TauRow};
use serde_json::{Map, Value, json};

/// So many names without a partner are shown in the table; JSON has all.
const SHOWN: usize = 8;

/// How many rows of tau_u are its curve; the others are thresholds that the user asked for.
const CURVE: usize = 20;

const COLUMNS: [&str; 10] = [
    "bencher", "figure", "u", "share", "value", "ci_low", "ci_high", "pairs", "n", "note",
];

/// Returns one bencher as a flat object, several under `benchers`; a figure and its interval are
/// null where they do not exist, with the cause under `notes`.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn bencher_json(report: &BencherReport) -> Result<String, serde_json::Error> {
    let mut benchers: Vec<Map<String, Value>> = report.benchers.iter().map(row_json).collect();
    if let [one] = benchers.as_mut_slice() {
        one.insert("seed".into(), json!(report.seed));
        return json_text(one);
    }
    let differences: Vec<Map<String, Value>> =
        report.differences.iter().map(difference_json).collect();
    json_text(&json!({
        "benchers": benchers,
        "differences": differences,
        "seed": report.seed,
    }))
}

/// Returns a bencher as a flat object.
pub(super) fn row_json(row: &BencherRow) -> Map<String, Value> {
    let mut object = object_of(json!({
        "bencher": row.bencher,
        "aggregation": row.aggregation,
        "n": row.n,
    }));
    for (name, figure) in row.figures.named() {
        insert_value_and_interval(&mut object, name, figure);
    }
    let taus: Vec<Value> = row.tau_u.iter().map(tau_json).collect();
    let notes: Vec<String> = figure_notes(row).chain(row.notes.iter().cloned()).collect();
    object.extend(object_of(json!({
        "tau_u": taus,
        "ci": row.ci,
        "systems": row.systems,
        "unmatched": row.unmatched,
        "coverage": row.coverage,
        "items": row.items,
        "notes": notes,
    })));
    object
}

/// Returns why figures or their intervals are missing.
fn figure_notes(row: &BencherRow) -> impl Iterator<Item = String> {
    row.figures
        .named()
        .into_iter()
        .filter_map(|(name, figure)| Some(format!("{name}: {}", figure.note.as_ref()?)))
}

fn tau_json(row: &TauRow) -> Value {
    let mut value = json!({
        "u": row.u,
        "share": row.share,
        "tau": row.tau.value,
        "tau_ci": row.tau.ci,
        "pairs": row.pairs,
    });
    if let Some(why) = &row.tau.note {
        value["note"] = json!(why);
    }
    value
}

fn difference_json(row: &BencherDifference) -> Map<String, Value> {
    let mut object = object_of(json!({"bencher": row.bencher, "less": row.less}));
    for (name, figure) in correlations(row) {
        insert_value_and_interval(&mut object, name, figure);
    }
    object
}

fn correlations(row: &BencherDifference) -> [(&'static str, &Figure); 2] {
    [
        ("spearman", &row.spearman),
        ("kendall_tau_b", &row.kendall_tau_b),
    ]
}

fn difference_name(row: &BencherDifference) -> String {
    format!("{} - {}", row.bencher, row.less)
}

/// Returns one row for each figure of each bencher, with a header; differences have the bencher
/// `A - B`.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn bencher_csv(report: &BencherReport) -> Result<String, csv::Error> {
    let benchers = report.benchers.iter().flat_map(bencher_cells);
    let differences = report.differences.iter().flat_map(difference_cells);
    csv_text(COLUMNS, benchers.chain(differences))
}

fn bencher_cells(row: &BencherRow) -> Vec<Vec<String>> {
    let n = row.n.to_string();
    let figures = row
        .figures
        .named()
        .map(|(name, figure)| csv_row(&row.bencher, name, None, figure, &n));
    let taus = row
        .tau_u
        .iter()
        .map(|tau| csv_row(&row.bencher, "tau_u", Some(tau), &tau.tau, &n));
    figures.into_iter().chain(taus).collect()
}

fn difference_cells(row: &BencherDifference) -> [Vec<String>; 2] {
    let name = difference_name(row);
    correlations(row).map(|(figure, found)| csv_row(&name, figure, None, found, ""))
}

fn csv_row(
    bencher: &str,
    name: &str,
    tau: Option<&TauRow>,
    figure: &Figure,
    n: &str,
) -> Vec<String> {
    let [value, low, high] = figure_cells(figure);
    vec![
        bencher.into(),
        name.into(),
        optional_cell(tau.and_then(|tau| tau.u)),
        optional_cell(tau.and_then(|tau| tau.share)),
        value,
        low,
        high,
        optional_cell(tau.map(|tau| tau.pairs)),
        n.into(),
        figure.note.clone().unwrap_or_default(),
    ]
}

/// Returns a row for each bencher, and below it the curve of tau_u, differences and remarks.
pub fn bencher_table(report: &BencherReport) -> String {
    let mut parts = vec![main_table(report).to_text(), curve_table(report).to_text()];
    if !report.differences.is_empty() {
        parts.push(difference_table(report).to_text());
    }
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn main_table(report: &BencherReport) -> TextTable {
    let mut table = TextTable::with_header([
        "bencher",
        "systems",
        "spearman",
        "kendall tau-b",
        "separability",
        "agreement",
        "strict",
        "brier",
        "log loss",
    ]);
    for row in &report.benchers {
        table.add_row(main_row(row));
    }
    table.align_right_from(1);
    table
}

fn main_row(row: &BencherRow) -> Vec<String> {
    let figures = &row.figures;
    let with_intervals = [
        &figures.spearman,
        &figures.kendall_tau_b,
        &figures.separability,
        &figures.agreement_with_confidence,
    ];
    let values = [&figures.strict_agreement, &figures.brier, &figures.log_loss];
    let mut cells = vec![row.bencher.clone(), row.n.to_string()];
    cells.extend(with_intervals.map(value_with_interval));
    cells.extend(values.map(value_text));
    cells
}

/// Shows tau_u at every fourth share of the curve, and at the thresholds asked for.
fn curve_table(report: &BencherReport) -> TextTable {
    let first = report.benchers.first().map_or(&[][..], |row| &row.tau_u);
    let shown: Vec<usize> = (0..first.len())
        .filter(|at| *at >= CURVE || at % 4 == 3 || *at == 0)
        .collect();
    let heads = shown.iter().map(|&at| threshold_name(at, &first[at]));
    let mut table =
        TextTable::with_header(std::iter::once("tau_u at pairs".to_string()).chain(heads));
    for row in &report.benchers {
        let taus = shown.iter().map(|&at| tau_cell(row, at));
        table.add_row(std::iter::once(row.bencher.clone()).chain(taus));
    }
    table.align_right_from(1);
    table
}

fn threshold_name(at: usize, tau: &TauRow) -> String {
    match tau.u {
        Some(u) if at >= CURVE => format!("u {u}"),
        _ => format!("{:.0} %", 100.0 * tau.share.unwrap_or_default()),
    }
}

fn tau_cell(row: &BencherRow, at: usize) -> String {
    let tau = row.tau_u.get(at);
    tau.map_or("-".into(), |tau| value_with_interval(&tau.tau))
}

fn difference_table(report: &BencherReport) -> TextTable {
    let mut table = TextTable::with_header(["difference", "spearman", "kendall tau-b"]);
    for row in &report.differences {
        table.add_row([
            difference_name(row),
            value_with_interval(&row.spearman),
            value_with_interval(&row.kendall_tau_b),
        ]);
    }
    table.align_right_from(1);
    table
}

/// Says what intervals rest on, which systems were left out and why figures are missing; what holds
/// for all benchers is said once.
fn remarks(report: &BencherReport) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &report.benchers {
        for text in remarks_on(row) {
            match found.iter_mut().find(|(known, _)| *known == text) {
                Some((_, benchers)) => benchers.push(&row.bencher),
                None => found.push((text, vec![&row.bencher])),
            }
        }
    }
    found
        .into_iter()
        .map(|(text, benchers)| {
            if benchers.len() == report.benchers.len() {
                text
            } else {
                format!("{}: {text}", benchers.join(", "))
            }
        })
        .collect()
}

fn remarks_on(row: &BencherRow) -> Vec<String> {
    let mut remarks = vec![format!("intervals: {}", interval_basis(row))];
    remarks.extend(row.coverage.iter().map(|coverage| {
        format!(
            "coverage: {} of {} judgments have a verdict",
            coverage.verdicts, coverage.trials
        )
    }));
    if !row.unmatched.ranking.is_empty() {
        remarks.push(format!(
            "unmatched: {}",
            first_names(&row.unmatched.ranking)
        ));
    }
    remarks.extend(figure_notes(row));
    let tau_note = row.tau_u.iter().find_map(|tau| tau.tau.note.as_ref());
    remarks.extend(tau_note.map(|why| format!("tau_u: {why}")));
    remarks.extend(row.notes.iter().cloned());
    remarks
}

fn first_names(names: &[String]) -> String {
    let shown = &names[..names.len().min(SHOWN)];
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn interval_basis(row: &BencherRow) -> String {
    let (level, rounds) = (100.0 * row.ci.level, row.ci.rounds);
    let drawn = match row.ci.over {
        Over::Systems => return format!("{level:.0} % bootstrap over systems, {rounds} rounds"),
        Over::Items => format!("bootstrap over items, {rounds} rounds"),
        Over::Comparisons => format!("bootstrap over comparisons, {rounds} rounds"),
        Over::Rounds => format!("of the file's {rounds} bootstrap rounds"),
    };
    format!("{level:.0} % {drawn}; those of separability, agreements and losses over systems")
}

fn value_text(figure: &Figure) -> String {
    or_dash(figure.value, |value| format!("{value:.3}"))
}

fn value_with_interval(figure: &Figure) -> String {
    let value = value_text(figure);
    let end = |end: Option<f64>| end.map_or("...".into(), |end| format!("{end:.2}"));
    match figure.ci {
        Some([low, high]) if figure.value.is_some() => {
            format!("{value} [{}, {}]", end(low), end(high))
        }
        _ => value,
    }
}
