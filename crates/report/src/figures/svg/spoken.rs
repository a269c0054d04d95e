//! A figure in words, for readers who do not see it.

use super::text::tame;
use crate::figures::Figure;
use crate::numbers::or_blank;

/// Marks that are read out; a table is better for more.
const MOST: usize = 60;

/// Returns the note and every mark in words.
// Deep: an arm a kind of figure, down to its marks.
pub(super) fn spoken(figure: &Figure) -> String {
    let mut marks = Vec::new();
    let mut add = |label: &str, group: Option<&str>, text: &str| {
        let group = or_blank(group, |group| format!(", {group}"));
        marks.push(tame(&format!("{label}{group}: {text}")));
    };
    match figure {
        Figure::Dots(dots) => {
            for row in &dots.rows {
                add(&row.label, row.group.as_deref(), &row.text);
            }
        }
        Figure::Points(points) => {
            for point in &points.points {
                add(&point.label, point.group.as_deref(), &point.text);
            }
        }
        Figure::Lines(lines) => {
            let drawn = lines.drawn.unwrap_or(lines.series.len());
            for series in lines.series.iter().take(drawn) {
                for point in &series.points {
                    add(&series.label, None, &point.text);
                }
            }
        }
        Figure::Grid(grid) => {
            for (row, cells) in grid.rows.iter().zip(&grid.cells) {
                for (column, cell) in grid.columns.iter().zip(cells) {
                    let Some(cell) = cell else { continue };
                    add(row, Some(column), &cell.text);
                }
            }
        }
    }
    let more = marks.len().saturating_sub(MOST);
    let mut sentences: Vec<String> = figure.note().map(tame).into_iter().collect();
    sentences.extend(marks.into_iter().take(MOST));
    if more > 0 {
        sentences.push(format!("and {more} more"));
    }
    sentences.join("; ")
}
