//! Figures as SVG: one file that needs nothing else, light or dark as its reader is, with the same
//! bytes on every machine.
//!
//! The writer is our own. Four kinds of figures are circles, lines, boxes and words at places that
//! follow from the numbers, and what matters here is what the crates that draw charts do not write:
//! colours as attributes that every renderer knows, with classes for `prefers-color-scheme` beside
//! them, a title for every mark, a description for readers who do not see, foreign labels with
//! their hidden marks made visible. A library would have left all that to be done to its output.
//! Widths of words are estimated by their columns, for no font is asked.

mod axis;
mod bars;
mod dots;
mod grid;
mod lines;
mod page;
mod points;
mod spoken;
mod text;

pub(crate) use text::escape_xml;

use super::Figure;

/// Returns the figure as an SVG document.
///
/// ```
/// use evenhand_report::figures::{Axis, DotRow, Dots, Figure, draw_svg};
///
/// let row = DotRow {
///     label: "careful".into(),
///     value: Some(61.2),
///     low: Some(55.0),
///     high: Some(67.1),
///     text: "61.2 (95 % interval 55.0 to 67.1)".into(),
///     ..DotRow::default()
/// };
/// let figure = Figure::Dots(Dots {
///     title: "Scores".into(),
///     axis: Axis::linear("points"),
///     rows: vec![row],
///     ..Dots::default()
/// });
/// let svg = draw_svg(&figure);
/// assert!(svg.contains("<title>careful: 61.2 (95 % interval 55.0 to 67.1)</title>"));
/// ```
pub fn draw_svg(figure: &Figure) -> String {
    let page = match figure {
        Figure::Dots(dots) if dots.bars => bars::draw(dots),
        Figure::Dots(dots) => dots::draw(dots),
        Figure::Grid(grid) => grid::draw(grid),
        Figure::Lines(lines) => lines::draw(lines),
        Figure::Points(points) => points::draw(points),
    };
    page.finish(figure)
}

#[cfg(test)]
mod tests;
