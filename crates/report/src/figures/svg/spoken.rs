//! A figure in words, for readers who do not see it.

use super::text::tame;
use crate::figures::Figure;

/// Marks that are read out; a table is better for more.
const MOST: usize = 60;

/// Returns the note and every mark in words.
pub(super) fn spoken(figure: &Figure) -> String {
    let marks = marks_of(figure);
    let more = marks.len().saturating_sub(MOST);
    let note = figure.note().map(tame);
    let mut sentences: Vec<String> = note.into_iter().collect();
    sentences.extend(marks.into_iter().take(MOST));
    if more > 0 {
        sentences.push(format!("and {more} more"));
    }
    sentences.join("; ")
}

fn marks_of(figure: &Figure) -> Vec<String> {
    match figure {
        Figure::Dots(dots) => {
            let rows = dots.rows.iter();
            rows.map(|row| mark(&row.label, row.group.as_deref(), &row.text))
                .collect()
        }
        Figure::Points(points) => {
            let points = points.points.iter();
            points
                .map(|point| mark(&point.label, point.group.as_deref(), &point.text))
                .collect()
        }
        Figure::Lines(lines) => {
            let series = lines.series.iter();
            let points = series.flat_map(|one| one.points.iter().map(move |point| (one, point)));
            points
                .map(|(one, point)| mark(&one.label, None, &point.text))
                .collect()
        }
        Figure::Grid(grid) => cells_of(grid),
    }
}

fn cells_of(grid: &crate::figures::Grid) -> Vec<String> {
    let rows = grid.rows.iter().zip(&grid.cells);
    let cells = rows.flat_map(|(row, cells)| {
        let cells = grid.columns.iter().zip(cells);
        cells.filter_map(move |(column, cell)| Some((row, column, cell.as_ref()?)))
    });
    cells
        .map(|(row, column, cell)| mark(row, Some(column), &cell.text))
        .collect()
}

fn mark(label: &str, group: Option<&str>, text: &str) -> String {
    let group = group.map(|group| format!(", {group}")).unwrap_or_default();
    tame(&format!("{label}{group}: {text}"))
}
