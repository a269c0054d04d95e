//! The ranking as CSV.

use super::table::has_standard_errors;
use crate::columns::{Column, Columns};
use crate::serialize::{end_cell, optional_cell};
use crate::slices::push_slice_columns;
use evenhand_ranking::{CriterionKind, RankingRow, Report, SliceRanking};

const COLUMNS: [Column<RankingRow>; 9] = [
    ("system", |row| row.system.clone()),
    ("score", |row| optional_cell(row.score)),
    ("ci_low", |row| end_cell(row.ci, 0)),
    ("ci_high", |row| end_cell(row.ci, 1)),
    ("rank", |row| optional_cell(row.rank)),
    ("rank_low", |row| {
        optional_cell(row.rank_ci.map(|[low, _]| low))
    }),
    ("rank_high", |row| {
        optional_cell(row.rank_ci.map(|[_, high]| high))
    }),
    ("n", |row| row.n.to_string()),
    ("note", |row| optional_cell(row.note.as_ref())),
];

/// A row of a ranking: of the whole, of a slice, or by the criterion named.
struct Row<'a> {
    row: &'a RankingRow,
    slice: Option<&'a SliceRanking>,
    criterion: &'a str,
}

impl<'a> Row<'a> {
    fn whole(row: &'a RankingRow) -> Self {
        Row {
            row,
            slice: None,
            criterion: "",
        }
    }
}

/// Returns one row for each system, with a header: of the whole ranking, then of each slice, or by
/// each criterion, where there are some.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn ranking_csv(report: &Report) -> Result<String, csv::Error> {
    let mut columns: Columns<Row> = Columns::new(&[]);
    for (name, cell) in COLUMNS {
        columns.push(name, move |row| cell(row.row));
    }
    let mut rows: Vec<Row> = report.ranking.iter().map(Row::whole).collect();
    if let Some(criteria) = &report.criteria {
        columns.push("criterion", |row| row.criterion.into());
        for by in &criteria.rankings {
            let criterion = match by.kind {
                CriterionKind::OwnFaults => "(faults of single items)",
                CriterionKind::OwnMerits => "(criteria of single items)",
                CriterionKind::Shared => by.criterion.as_deref().unwrap_or_default(),
            };
            rows.extend(by.ranking.iter().map(|row| Row {
                criterion,
                ..Row::whole(row)
            }));
        }
        return columns.csv(rows);
    }
    if report.interaction.is_some() || has_standard_errors(&report.ranking) {
        columns.push("standard_error", |row| {
            optional_cell(row.row.standard_error)
        });
    }
    if let Some(found) = &report.interaction {
        push_slice_columns(&mut columns, found, |row| {
            let slice = row.slice?;
            Some((row.row.system.as_str(), slice.value.as_str(), slice.n_items))
        });
        for slice in &report.slices {
            rows.extend(slice.ranking.iter().map(|row| Row {
                slice: Some(slice),
                ..Row::whole(row)
            }));
        }
    }
    columns.csv(rows)
}
