//! Benchers against people: table, JSON, CSV.

use super::{figure_cells, insert_value_and_interval};
use crate::numbers::{or_blank, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of, optional_cell};
use crate::text_table::TextTable;
use evenhand_engine::Coverage;
use evenhand_studies::Figure;
use evenhand_studies::bencher::{BencherDifference, BencherReport, BencherRow, Over, TauRow};
use serde_json::{Map, Value, json};
use std::iter::once;

/// So many names without a partner are shown in the table; JSON has all.
const SHOWN: usize = 8;

/// How many rows of tau_u are its curve; the others are thresholds that the user asked for.
const CURVE: usize = 20;

const COLUMNS: [&str; 10] = [
    "bencher", "figure", "u", "share", "value", "ci_low", "ci_high", "pairs", "n", "note",
];

const MAIN_HEADER: [&str; 9] = [
    "bencher",
    "systems",
    "spearman",
    "kendall tau-b",
    "separability",
    "agreement",
    "strict",
    "brier",
    "log loss",
];

/// Returns one bencher as a flat object, several under `benchers`; a figure and its interval are
/// null where they do not exist, with the cause under `notes`.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn bencher_json(report: &BencherReport) -> Result<String, serde_json::Error> {
    if let [only] = report.benchers.as_slice() {
        return json_text(&only_bencher_json(only, report.seed));
    }
    json_text(&json!({
        "benchers": array_of(&report.benchers, row_json),
        "differences": array_of(&report.differences, difference_json),
        "seed": report.seed,
    }))
}

fn only_bencher_json(row: &BencherRow, seed: u64) -> Map<String, Value> {
    let mut object = row_json(row);
    object.insert("seed".into(), json!(seed));
    object
}

/// Returns a bencher as a flat object.
pub(super) fn row_json(row: &BencherRow) -> Map<String, Value> {
    let mut object = name_json(row);
    insert_figures(&mut object, row.figures.named());
    object.extend(basis_json(row));
    object.insert("notes".into(), notes_json(row));
    object
}

fn insert_figures<const N: usize>(
    object: &mut Map<String, Value>,
    figures: [(&'static str, &Figure); N],
) {
    for (name, figure) in figures {
        insert_value_and_interval(object, name, figure);
    }
}

fn name_json(row: &BencherRow) -> Map<String, Value> {
    object_of(json!({
        "bencher": row.bencher,
        "aggregation": row.aggregation,
        "n": row.n,
    }))
}

/// Returns the curve of tau_u, and what the figures of a bencher rest on.
fn basis_json(row: &BencherRow) -> Map<String, Value> {
    object_of(json!({
        "tau_u": array_of(&row.tau_u, tau_json),
        "ci": row.ci,
        "systems": row.systems,
        "unmatched": row.unmatched,
        "coverage": row.coverage,
        "items": row.items,
    }))
}

fn notes_json(row: &BencherRow) -> Value {
    figure_notes(row).chain(row.notes.iter().cloned()).collect()
}

/// Returns why figures or their intervals are missing.
fn figure_notes(row: &BencherRow) -> impl Iterator<Item = String> {
    let figures = row.figures.named().into_iter();
    figures.filter_map(|(name, figure)| {
        let why = figure.note.as_ref()?;
        Some(format!("{name}: {why}"))
    })
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
    insert_figures(&mut object, correlations(row));
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
    let taus = row.tau_u.iter().map(|tau| FigureCells::of_tau(row, tau));
    let cells = named_cells(row).chain(taus);
    cells
        .map(|cells| cells.of_systems(row.n).to_row())
        .collect()
}

fn named_cells(row: &BencherRow) -> impl Iterator<Item = FigureCells<'_>> {
    let figures = row.figures.named().into_iter();
    figures.map(|(name, figure)| FigureCells::new(&row.bencher, name, figure))
}

fn difference_cells(row: &BencherDifference) -> [Vec<String>; 2] {
    let name = difference_name(row);
    correlations(row).map(|(figure, found)| FigureCells::new(&name, figure, found).to_row())
}

/// A row of the CSV: one figure of a bencher, or of the difference of two.
struct FigureCells<'a> {
    bencher: &'a str,
    name: &'a str,
    figure: &'a Figure,
    /// The threshold that the figure is of, for tau_u.
    tau: Option<&'a TauRow>,
    /// How many systems it is of, for benchers.
    systems: Option<usize>,
}

impl<'a> FigureCells<'a> {
    fn new(bencher: &'a str, name: &'a str, figure: &'a Figure) -> Self {
        FigureCells {
            bencher,
            name,
            figure,
            tau: None,
            systems: None,
        }
    }

    fn of_tau(row: &'a BencherRow, tau: &'a TauRow) -> Self {
        FigureCells {
            tau: Some(tau),
            ..FigureCells::new(&row.bencher, "tau_u", &tau.tau)
        }
    }

    fn of_systems(mut self, count: usize) -> Self {
        self.systems = Some(count);
        self
    }

    fn to_row(&self) -> Vec<String> {
        let mut cells = vec![self.bencher.to_string(), self.name.to_string()];
        cells.extend(self.threshold_cells());
        cells.extend(figure_cells(self.figure));
        cells.extend(self.basis_cells());
        cells
    }

    /// Returns what the figure rests on, or why it is missing.
    fn basis_cells(&self) -> [String; 3] {
        [
            optional_cell(self.tau.map(|tau| tau.pairs)),
            optional_cell(self.systems),
            optional_cell(self.figure.note.as_ref()),
        ]
    }

    fn threshold_cells(&self) -> [String; 2] {
        let (u, share) = self.tau.map_or((None, None), |tau| (tau.u, tau.share));
        [u, share].map(optional_cell)
    }
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
    TextTable::with_header(MAIN_HEADER)
        .with_rows(report.benchers.iter().map(main_row))
        .with_numbers_from(1)
}

fn main_row(row: &BencherRow) -> Vec<String> {
    let mut cells = vec![row.bencher.clone(), row.n.to_string()];
    cells.extend(figures_with_intervals(row).map(value_with_interval));
    cells.extend(figures_alone(row).map(value_text));
    cells
}

fn figures_with_intervals(row: &BencherRow) -> [&Figure; 4] {
    let figures = &row.figures;
    [
        &figures.spearman,
        &figures.kendall_tau_b,
        &figures.separability,
        &figures.agreement_with_confidence,
    ]
}

fn figures_alone(row: &BencherRow) -> [&Figure; 3] {
    let figures = &row.figures;
    [&figures.strict_agreement, &figures.brier, &figures.log_loss]
}

/// Shows tau_u at every fourth share of the curve, and at the thresholds asked for.
fn curve_table(report: &BencherReport) -> TextTable {
    // All benchers have the same thresholds.
    let first = report.benchers.first().map_or(&[][..], |row| &row.tau_u);
    let shown = shown_thresholds(first);
    let rows = report.benchers.iter().map(|row| curve_row(row, &shown));
    TextTable::with_header(curve_header(first, &shown))
        .with_rows(rows)
        .with_numbers_from(1)
}

fn curve_header(taus: &[TauRow], shown: &[usize]) -> Vec<String> {
    let names = shown.iter().map(|&at| threshold_name(at, &taus[at]));
    once("tau_u at pairs".into()).chain(names).collect()
}

fn shown_thresholds(taus: &[TauRow]) -> Vec<usize> {
    (0..taus.len()).filter(|at| is_shown(*at)).collect()
}

/// Whether the table has the threshold at this place: the first of the curve, every fourth, and
/// all that the user asked for.
fn is_shown(at: usize) -> bool {
    at >= CURVE || at % 4 == 3 || at == 0
}

fn curve_row(row: &BencherRow, shown: &[usize]) -> Vec<String> {
    let taus = shown.iter().map(|&at| tau_cell(row, at));
    once(row.bencher.clone()).chain(taus).collect()
}

fn threshold_name(at: usize, tau: &TauRow) -> String {
    let percent = 100.0 * tau.share.unwrap_or_default();
    match tau.u {
        Some(u) if at >= CURVE => format!("u {u}"),
        _ => format!("{percent:.0} %"),
    }
}

fn tau_cell(row: &BencherRow, at: usize) -> String {
    let tau = row.tau_u.get(at);
    tau.map_or("-".into(), |tau| value_with_interval(&tau.tau))
}

fn difference_table(report: &BencherReport) -> TextTable {
    TextTable::with_header(["difference", "spearman", "kendall tau-b"])
        .with_rows(report.differences.iter().map(difference_row))
        .with_numbers_from(1)
}

fn difference_row(row: &BencherDifference) -> [String; 3] {
    [
        difference_name(row),
        value_with_interval(&row.spearman),
        value_with_interval(&row.kendall_tau_b),
    ]
}

/// Says what intervals rest on, which systems were left out and why figures are missing; what holds
/// for all benchers is said once.
fn remarks(report: &BencherReport) -> Vec<String> {
    let mut remarks = Remarks::default();
    for row in &report.benchers {
        for text in remarks_on(row) {
            remarks.add(text, &row.bencher);
        }
    }
    remarks.to_lines(report.benchers.len())
}

/// Remarks in the order in which they were first made, each with the benchers that it holds for.
#[derive(Default)]
struct Remarks<'a>(Vec<(String, Vec<&'a str>)>);

impl<'a> Remarks<'a> {
    fn add(&mut self, text: String, bencher: &'a str) {
        match self.0.iter_mut().find(|(known, _)| *known == text) {
            Some((_, benchers)) => benchers.push(bencher),
            None => self.0.push((text, vec![bencher])),
        }
    }

    /// Returns a line for each; one that holds for all benchers names none.
    fn to_lines(&self, all: usize) -> Vec<String> {
        let remarks = self.0.iter();
        let lines = remarks.map(|(text, benchers)| match benchers.len() {
            count if count == all => text.clone(),
            _ => format!("{}: {text}", benchers.join(", ")),
        });
        lines.collect()
    }
}

fn remarks_on(row: &BencherRow) -> Vec<String> {
    let mut remarks = vec![format!("intervals: {}", interval_basis(row))];
    remarks.extend(row.coverage.iter().map(coverage_remark));
    remarks.extend(unmatched_remark(&row.unmatched.ranking));
    remarks.extend(figure_notes(row));
    remarks.extend(tau_remark(row));
    remarks.extend(row.notes.iter().cloned());
    remarks
}

fn coverage_remark(coverage: &Coverage) -> String {
    let Coverage {
        verdicts, trials, ..
    } = coverage;
    format!("coverage: {verdicts} of {trials} judgments have a verdict")
}

fn unmatched_remark(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("unmatched: {}", first_names(names)))
}

/// Says why a tau_u is missing; the first reason stands for all thresholds.
fn tau_remark(row: &BencherRow) -> Option<String> {
    let why = row.tau_u.iter().find_map(|tau| tau.tau.note.as_ref())?;
    Some(format!("tau_u: {why}"))
}

fn first_names(names: &[String]) -> String {
    let (shown, rest) = names.split_at(names.len().min(SHOWN));
    let shown = shown.join(", ");
    match rest.len() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn interval_basis(row: &BencherRow) -> String {
    let level = format!("{:.0} %", 100.0 * row.ci.level);
    let drawn = draws_text(row.ci.over, row.ci.rounds);
    match row.ci.over {
        Over::Systems => format!("{level} {drawn}"),
        // A bootstrap over systems is that of all figures; any other leaves some of them out.
        _ => format!("{level} {drawn}; those of separability, agreements and losses over systems"),
    }
}

fn draws_text(over: Over, rounds: usize) -> String {
    match over {
        Over::Systems => format!("bootstrap over systems, {rounds} rounds"),
        Over::Items => format!("bootstrap over items, {rounds} rounds"),
        Over::Comparisons => format!("bootstrap over comparisons, {rounds} rounds"),
        Over::Rounds => format!("of the file's {rounds} bootstrap rounds"),
    }
}

fn value_text(figure: &Figure) -> String {
    or_dash(figure.value, |value| format!("{value:.3}"))
}

fn value_with_interval(figure: &Figure) -> String {
    let interval = figure.ci.filter(|_| figure.value.is_some());
    value_text(figure) + &or_blank(interval, bracketed_ends)
}

/// Returns ` [LOW, HIGH]`, with dots for an open end.
fn bracketed_ends([low, high]: [Option<f64>; 2]) -> String {
    format!(" [{}, {}]", end_text(low), end_text(high))
}

fn end_text(end: Option<f64>) -> String {
    end.map_or("...".into(), |end| format!("{end:.2}"))
}
