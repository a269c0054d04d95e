//! Benchers against people: table, JSON, CSV.

use super::{figure_cells, insert_value_and_interval};
use crate::columns::{Column, table_of};
use crate::numbers::{or_blank, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of, optional_cell};
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::bencher::{BencherDifference, BencherReport, BencherRow, Over, TauRow};
use serde_json::{Map, Value, json};

/// So many names without a partner are shown in the table; JSON has all.
const SHOWN: usize = 8;

/// How many rows of tau_u are its curve; the others are thresholds that the user asked for.
const CURVE: usize = 20;

/// Returns one bencher as a flat object, several under `benchers`; a figure and its interval are
/// null where they do not exist, with the cause under `notes`.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn bencher_json(report: &BencherReport) -> Result<String, serde_json::Error> {
    if let [only] = report.benchers.as_slice() {
        let mut object = row_json(only);
        object.insert("seed".into(), json!(report.seed));
        return json_text(&object);
    }
    let differences = array_of(&report.differences, |row| {
        let mut object = object_of(json!({"bencher": row.bencher, "less": row.less}));
        for (name, figure) in correlations(row) {
            insert_value_and_interval(&mut object, name, figure);
        }
        object
    });
    json_text(&json!({
        "benchers": array_of(&report.benchers, row_json),
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
    let curve = array_of(&row.tau_u, |tau| {
        let mut value = json!({
            "u": tau.u,
            "share": tau.share,
            "tau": tau.tau.value,
            "tau_ci": tau.tau.ci,
            "pairs": tau.pairs,
        });
        if let Some(why) = &tau.tau.note {
            value["note"] = json!(why);
        }
        value
    });
    let notes = figure_notes(row).chain(row.notes.iter().cloned());
    object.extend(object_of(json!({
        "tau_u": curve,
        "ci": row.ci,
        "systems": row.systems,
        "unmatched": row.unmatched,
        "coverage": row.coverage,
        "items": row.items,
        "notes": notes.collect::<Value>(),
    })));
    object
}

/// Returns why figures or their intervals are missing.
fn figure_notes(row: &BencherRow) -> impl Iterator<Item = String> {
    let figures = row.figures.named().into_iter();
    figures.filter_map(|(name, figure)| {
        let why = figure.note.as_ref()?;
        Some(format!("{name}: {why}"))
    })
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

const CSV_COLUMNS: [&str; 10] = [
    "bencher", "figure", "u", "share", "value", "ci_low", "ci_high", "pairs", "n", "note",
];

/// Returns one row for each figure of each bencher, with a header; differences have the bencher
/// `A - B`.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn bencher_csv(report: &BencherReport) -> Result<String, csv::Error> {
    let mut rows = Vec::new();
    for row in &report.benchers {
        let BencherRow { bencher, n, .. } = row;
        for (name, figure) in row.figures.named() {
            rows.push(figure_row(bencher, name, figure, None, Some(*n)));
        }
        for tau in &row.tau_u {
            rows.push(figure_row(bencher, "tau_u", &tau.tau, Some(tau), Some(*n)));
        }
    }
    for row in &report.differences {
        for (name, figure) in correlations(row) {
            rows.push(figure_row(&difference_name(row), name, figure, None, None));
        }
    }
    csv_text(CSV_COLUMNS, rows)
}

/// Returns one figure of a bencher, or of the difference of two; `tau` is the threshold that it is
/// of, `systems` how many it rests on.
fn figure_row(
    bencher: &str,
    name: &str,
    figure: &Figure,
    tau: Option<&TauRow>,
    systems: Option<usize>,
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
        optional_cell(systems),
        optional_cell(figure.note.as_ref()),
    ]
}

const COLUMNS: [Column<BencherRow>; 9] = [
    ("bencher", |row| row.bencher.clone()),
    ("systems", |row| row.n.to_string()),
    ("spearman", |row| value_with_interval(&row.figures.spearman)),
    ("kendall tau-b", |row| {
        value_with_interval(&row.figures.kendall_tau_b)
    }),
    ("separability", |row| {
        value_with_interval(&row.figures.separability)
    }),
    ("agreement", |row| {
        value_with_interval(&row.figures.agreement_with_confidence)
    }),
    ("strict", |row| value_text(&row.figures.strict_agreement)),
    ("brier", |row| value_text(&row.figures.brier)),
    ("log loss", |row| value_text(&row.figures.log_loss)),
];

const DIFFERENCE_COLUMNS: [Column<BencherDifference>; 3] = [
    ("difference", difference_name),
    ("spearman", |row| value_with_interval(&row.spearman)),
    ("kendall tau-b", |row| {
        value_with_interval(&row.kendall_tau_b)
    }),
];

/// Returns a row for each bencher, and below it the curve of tau_u, differences and remarks.
pub fn bencher_table(report: &BencherReport) -> String {
    let benchers = table_of(&COLUMNS, &report.benchers).with_numbers_from(1);
    let mut parts = vec![benchers.to_text(), curve_table(report).to_text()];
    if !report.differences.is_empty() {
        let differences = table_of(&DIFFERENCE_COLUMNS, &report.differences);
        parts.push(differences.with_numbers_from(1).to_text());
    }
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

/// Shows tau_u at the first share of the curve and at every fourth, and at the thresholds asked
/// for.
fn curve_table(report: &BencherReport) -> TextTable {
    // All benchers have the same thresholds.
    let first = report.benchers.first().map_or(&[][..], |row| &row.tau_u);
    let is_shown = |at: &usize| *at >= CURVE || at % 4 == 3 || *at == 0;
    let shown: Vec<usize> = (0..first.len()).filter(is_shown).collect();
    let mut header = vec!["tau_u at pairs".to_string()];
    for &at in &shown {
        header.push(match first[at].u {
            Some(u) if at >= CURVE => format!("u {u}"),
            _ => format!("{:.0} %", 100.0 * first[at].share.unwrap_or_default()),
        });
    }
    let rows = report.benchers.iter().map(|row| {
        let mut cells = vec![row.bencher.clone()];
        for &at in &shown {
            cells.push(or_dash(row.tau_u.get(at), |tau| {
                value_with_interval(&tau.tau)
            }));
        }
        cells
    });
    TextTable::with_header(header)
        .with_rows(rows)
        .with_numbers_from(1)
}

/// Says what intervals rest on, which systems were left out and why figures are missing; what holds
/// for all benchers is said once.
fn remarks(report: &BencherReport) -> Vec<String> {
    // Each with the benchers that it holds for, in the order in which they were first made.
    let mut remarks: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &report.benchers {
        for text in remarks_on(row) {
            match remarks.iter_mut().find(|(known, _)| *known == text) {
                Some((_, benchers)) => benchers.push(&row.bencher),
                None => remarks.push((text, vec![&row.bencher])),
            }
        }
    }
    let line = |(text, benchers): (String, Vec<&str>)| match benchers.len() {
        count if count == report.benchers.len() => text,
        _ => format!("{}: {text}", benchers.join(", ")),
    };
    remarks.into_iter().map(line).collect()
}

fn remarks_on(row: &BencherRow) -> Vec<String> {
    let (level, rounds) = (100.0 * row.ci.level, row.ci.rounds);
    let drawn = match row.ci.over {
        Over::Systems => format!("bootstrap over systems, {rounds} rounds"),
        Over::Items => format!("bootstrap over items, {rounds} rounds"),
        Over::Comparisons => format!("bootstrap over comparisons, {rounds} rounds"),
        Over::Rounds => format!("of the file's {rounds} bootstrap rounds"),
    };
    // A bootstrap over systems is that of all figures; any other leaves some of them out.
    let others = match row.ci.over {
        Over::Systems => "",
        _ => "; those of separability, agreements and losses over systems",
    };
    let mut remarks = vec![format!("intervals: {level:.0} % {drawn}{others}")];
    if let Some(coverage) = &row.coverage {
        remarks.push(format!(
            "coverage: {} of {} judgments have a verdict",
            coverage.verdicts, coverage.trials
        ));
    }
    let names = &row.unmatched.ranking;
    if !names.is_empty() {
        let (shown, rest) = names.split_at(names.len().min(SHOWN));
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        remarks.push(format!("unmatched: {}{more}", shown.join(", ")));
    }
    remarks.extend(figure_notes(row));
    // The first reason stands for all thresholds.
    if let Some(why) = row.tau_u.iter().find_map(|tau| tau.tau.note.as_ref()) {
        remarks.push(format!("tau_u: {why}"));
    }
    remarks.extend(row.notes.iter().cloned());
    remarks
}

fn value_text(figure: &Figure) -> String {
    or_dash(figure.value, |value| format!("{value:.3}"))
}

/// Returns `0.720 [0.64, 0.79]`, with dots for an open end.
fn value_with_interval(figure: &Figure) -> String {
    let interval = figure.ci.filter(|_| figure.value.is_some());
    value_text(figure)
        + &or_blank(interval, |ends| {
            let [low, high] = ends.map(|end| match end {
                Some(end) => format!("{end:.2}"),
                None => "...".into(),
            });
            format!(" [{low}, {high}]")
        })
}
