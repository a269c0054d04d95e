//! Rankings by slice, as text: the answer, a table for each slice, and who differs where.

use super::table::{cells_of_ranking, leaderboard};
use crate::View;
use crate::numbers::{group_digits, or_dash};
use crate::terminal::printable;
use crate::text_table::TextTable;
use crate::view::fit_table;
use evenhand_engine::{FEW_ITEMS, InteractionReport, Report, SliceDeviation, SliceRanking};

/// Returns whether slices differ, as the first line of a report; blank without slices.
pub(super) fn answer(report: &Report) -> String {
    let found = report.interaction.as_ref();
    found.map_or_else(String::new, |found| {
        format!("{}\n\n", printable(&found.summary))
    })
}

/// Returns a table for each slice, and one of the deviations; blank without slices.
pub(super) fn slice_tables(report: &Report, view: View) -> String {
    let Some(found) = &report.interaction else {
        return String::new();
    };
    let slices = report.slices.iter();
    let tables = slices.map(|slice| {
        let heading = printable(&heading(&found.field, slice)).into_owned();
        match slice.ranking.is_empty() {
            true => format!("\n\n{heading}"),
            false => {
                let table = leaderboard(&of_slice(report, slice), view);
                format!("\n\n{heading}\n{table}")
            }
        }
    });
    tables.collect::<String>() + &deviation_table(found, view)
}

/// Returns the report with the ranking of one slice.
pub(super) fn of_slice(report: &Report, slice: &SliceRanking) -> Report {
    Report {
        ranking: slice.ranking.clone(),
        ..report.clone()
    }
}

/// Names a slice, with its items and what its reader must know.
pub(super) fn heading(field: &str, slice: &SliceRanking) -> String {
    let value = named(&slice.value);
    let items = match slice.n_items {
        0 => "an unknown number of".into(),
        count => group_digits(count),
    };
    let small = match slice.too_small {
        true => format!("; too small: with fewer than {FEW_ITEMS} items intervals are too narrow"),
        false => String::new(),
    };
    let note = slice.note.iter().map(|note| format!("; {note}"));
    let note: String = note.collect();
    format!("{field} = {value} ({items} items{small}{note})")
}

fn named(value: &str) -> &str {
    match value {
        "" => "(none)",
        value => value,
    }
}

/// The columns of deviations.
pub(super) const DEVIATIONS: [&str; 6] = [
    "system",
    "slice",
    "beyond overall",
    "standard error",
    "pooled",
    "p adjusted",
];

fn deviation_table(found: &InteractionReport, view: View) -> String {
    if found.deviations.is_empty() {
        return String::new();
    }
    let header = DEVIATIONS.map(str::to_owned).to_vec();
    let rows = found.deviations.iter().map(deviation_cells);
    let mut table = TextTable::with_header(header).with_rows(rows);
    table.align_right(2..DEVIATIONS.len());
    let table = fit_table(table, view, &[4, 3]);
    format!("\n\n{}\n{table}", about_deviations(found))
}

/// Says what deviations are.
pub(super) fn about_deviations(found: &InteractionReport) -> String {
    let what = match found.unit {
        "points" => "Points",
        _ => "Share of comparisons won",
    };
    format!(
        "{what} in each slice beyond what the scores over all items expect ({}, {} permutations, \
         seed {})",
        found.method,
        group_digits(found.permutations as u64),
        found.seed
    )
}

pub(super) fn deviation_cells(row: &SliceDeviation) -> Vec<String> {
    vec![
        row.system.clone(),
        named(&row.value).into(),
        format!("{:+.3}", row.deviation),
        or_dash(row.standard_error, |error| format!("{error:.3}")),
        format!("{:+.3}", row.pooled),
        or_dash(row.p_adjusted, |p| format!("{p:.3}")),
    ]
}

/// Returns the tables of the slices in Markdown: heading, header, rows.
pub(super) fn markdown_parts(report: &Report) -> Vec<(String, Vec<String>, Vec<Vec<String>>)> {
    let Some(found) = &report.interaction else {
        return Vec::new();
    };
    let slices = report.slices.iter().map(|slice| {
        let (header, rows) = cells_of_ranking(&of_slice(report, slice));
        (heading(&found.field, slice), header, rows)
    });
    let header = DEVIATIONS.map(str::to_owned).to_vec();
    let rows = found.deviations.iter().map(deviation_cells).collect();
    let deviations = (about_deviations(found), header, rows);
    let deviations = (!found.deviations.is_empty()).then_some(deviations);
    slices.chain(deviations).collect()
}
