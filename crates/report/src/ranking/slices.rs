//! Rankings by slice, as text: a table for each slice, and who differs where.

use super::table::{cells_of_ranking, leaderboard};
use crate::View;
use crate::slices::{
    about_deviations, deviation_cells, deviation_columns, deviation_table, slice_heading,
};
use crate::terminal::printable;
use evenhand_engine::{Report, SliceRanking};

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
    tables.collect::<String>() + &deviation_table(found, "system", view)
}

/// Returns the report with the ranking of one slice.
pub(super) fn of_slice(report: &Report, slice: &SliceRanking) -> Report {
    Report {
        ranking: slice.ranking.clone(),
        ..report.clone()
    }
}

fn heading(field: &str, slice: &SliceRanking) -> String {
    let counts = [slice.n_items, slice.n_questions];
    slice_heading(field, &slice.value, counts, slice.note.as_deref())
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
    let rows = found.deviations.iter().map(deviation_cells).collect();
    let deviations = (about_deviations(found), deviation_columns("system"), rows);
    let deviations = (!found.deviations.is_empty()).then_some(deviations);
    slices.chain(deviations).collect()
}
