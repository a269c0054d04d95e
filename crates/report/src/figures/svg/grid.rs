//! Values in rows and columns, each on a colour of its own.

use super::page::{Anchor, LABEL, MARGIN, Page, SMALL, WIDTH};
use super::text::{fit, tame, width_of};
use crate::figures::{Grid, Scale};

const ROW: f64 = 30.0;
/// The least width of a column.
const COLUMN: f64 = 40.0;
/// The room that names take at most, at the left and upwards.
const NAMES: f64 = 170.0;
/// The strengths of the lightest and of the strongest colour: letters are read on both.
const STRENGTHS: [f64; 2] = [0.06, 0.56];

/// Draws the cells, the names of the rows at their left and those of the columns above.
pub(super) fn draw(grid: &Grid) -> Page {
    // Where the names of the rows end, and how wide a column is.
    let left = MARGIN + widest(&grid.rows).min(NAMES) + 10.0;
    let count = grid.columns.len().max(1) as f64;
    let cells = grid.cells.iter().flatten().flatten();
    let texts = cells.map(|cell| width_of(&tame(&cell.text), SMALL) + 8.0);
    let least = texts.fold(COLUMN, f64::max).min(NAMES);
    let column = ((WIDTH - MARGIN - left) / count).clamp(least, least.max(110.0));
    // Names that are too wide for their columns are written upwards.
    let upwards = widest(&grid.columns) > column - 6.0;
    let head = if upwards {
        widest(&grid.columns).min(NAMES) + 6.0
    } else {
        18.0
    };

    let width = left + column * grid.columns.len() as f64 + MARGIN;
    let mut page = Page::new(width.max(WIDTH), &grid.title);
    page.top += 8.0 + head;
    for (at, name) in grid.columns.iter().enumerate() {
        let (x, y) = (left + column * (at as f64 + 0.5), page.top - 6.0);
        if upwards {
            page.text_upwards((x + 4.5, y), &fit(name, NAMES, LABEL));
        } else {
            page.text((x, y), Anchor::Middle, "", &fit(name, column, LABEL));
        }
    }
    for (at, name) in grid.rows.iter().enumerate() {
        let top = page.top;
        let shown = fit(name, NAMES, LABEL);
        let end = (left - 8.0, top + 0.5 * ROW + 4.5);
        page.text(end, Anchor::End, "", &shown);
        let cells = grid.cells.get(at).into_iter().flatten();
        for (number, (title, cell)) in grid.columns.iter().zip(cells).enumerate() {
            let Some(cell) = cell else { continue };
            let x = left + column * number as f64;
            page.titled(&format!("{name}, {title}"), &cell.text, |page| {
                let colour = cell.value.and_then(|value| colour_of(value, &grid.scale));
                if let Some((number, strength)) = colour {
                    let size = (column - 2.0, ROW - 2.0);
                    page.fill((x + 1.0, top + 1.0), size, number, strength);
                }
                let text = fit(&cell.text, column - 4.0, SMALL);
                let middle = (x + 0.5 * column, top + 0.5 * ROW + 4.5);
                page.text(middle, Anchor::Middle, "", &text);
            });
        }
        page.top += ROW;
    }
    page.top += 4.0;
    let scale = &grid.scale;
    // At most three decimals; adding 0.0 makes -0 a plain 0.
    let [low, high] = [scale.low, scale.high].map(|end| (end * 1e3).round() / 1e3 + 0.0);
    page.axis_label(&format!("{}: {low} to {high}", scale.label));
    page
}

fn widest(names: &[String]) -> f64 {
    let widths = names.iter().map(|name| width_of(&tame(name), LABEL));
    widths.fold(24.0, f64::max)
}

/// Returns the colour of a value and its strength: one colour for a scale that begins at 0 or
/// above, two where it goes below.
fn colour_of(value: f64, scale: &Scale) -> Option<(usize, f64)> {
    let span = scale.high - scale.low;
    if !value.is_finite() || !span.is_finite() || span <= 0.0 {
        return None;
    }
    let (number, share) = match scale.low < 0.0 && scale.high > 0.0 {
        true if value < 0.0 => (1, value / scale.low),
        true => (0, value / scale.high),
        false => (0, (value - scale.low) / span),
    };
    let [light, strong] = STRENGTHS;
    Some((number, light + (strong - light) * share.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_below_nothing_has_two_colours() {
        let scale = |low, high| Scale {
            low,
            high,
            label: String::new(),
        };
        for (value, scale, colour) in [
            (-1.0, scale(-1.0, 1.0), Some((1, 0.56))),
            (0.0, scale(-1.0, 1.0), Some((0, 0.06))),
            (9.0, scale(-1.0, 1.0), Some((0, 0.56))),
            (0.5, scale(0.0, 1.0), Some((0, 0.31))),
            (0.5, scale(1.0, 1.0), None),
            (f64::NAN, scale(0.0, 1.0), None),
        ] {
            assert_eq!(colour_of(value, &scale), colour, "{value} {scale:?}");
        }
    }
}
