//! Sorts the rows that pass, and cuts out a page.

use super::{Filter, Sort};
use crate::RunIndex;
use std::cmp::Ordering;

/// A row with what it is sorted by.
#[derive(Clone, Copy)]
struct SortedRow {
    figure: f64,
    row: u32,
}

impl SortedRow {
    /// The smaller figure first; rows without one last; equal ones in plan order.
    fn compare(&self, other: &SortedRow) -> Ordering {
        let by_figure = self.figure.total_cmp(&other.figure);
        by_figure.then(self.row.cmp(&other.row))
    }
}

/// Returns a page of rows that are in plan order. Only as much is sorted as the page needs.
pub(super) fn page(index: &RunIndex, rows: Vec<u32>, filter: &Filter) -> Vec<u32> {
    let limit = filter.limit.unwrap_or(rows.len());
    let end = filter.offset.saturating_add(limit).min(rows.len());
    let start = filter.offset.min(end);
    if filter.sort == Sort::Plan {
        return rows[start..end].to_vec();
    }
    let figures = rows.into_iter().map(|row| SortedRow {
        figure: figure_of(index, row, filter.sort),
        row,
    });
    let mut sorted: Vec<SortedRow> = figures.collect();
    if end < sorted.len() {
        sorted.select_nth_unstable_by(end, SortedRow::compare);
        sorted.truncate(end);
    }
    sorted.sort_unstable_by(SortedRow::compare);
    sorted[start..].iter().map(|sorted| sorted.row).collect()
}

/// Returns what a row is sorted by; infinity, which comes last, where it has no such figure.
fn figure_of(index: &RunIndex, row: u32, sort: Sort) -> f64 {
    let facts = index.facts(row);
    let figure = match sort {
        Sort::Plan => return 0.0,
        Sort::Confidence => facts.confidence(),
        Sort::ConfidenceDown => facts.confidence().map(|figure| -figure),
        Sort::Cost => facts.cost,
        Sort::CostDown => facts.cost.map(|figure| -figure),
        Sort::Item => Some(f64::from(facts.item)),
    };
    figure.unwrap_or(f64::INFINITY)
}
