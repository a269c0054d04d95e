//! Values in rows and columns, each on a colour of its own.

use super::page::{Anchor, LABEL, MARGIN, Page, SMALL, WIDTH};
use super::text::{fit, fit_all, tame, width_of};
use crate::figures::{Grid, Scale};
use crate::numbers::with_minus;

const ROW: f64 = 30.0;
/// The least width of a column.
const COLUMN: f64 = 40.0;
/// The room that names take at most, at the left and upwards.
const NAMES: f64 = 230.0;
/// The room of a number before a name.
const NUMBER: f64 = 24.0;
/// The room that a value takes at most.
const VALUE: f64 = 170.0;
/// The strengths of the lightest and of the strongest colour: letters are read on both.
const STRENGTHS: [f64; 2] = [0.06, 0.56];

/// How the names of the columns stand above them.
#[derive(Clone, Copy, PartialEq)]
enum Heads {
    /// As they are.
    Level,
    /// From below upwards, where they are too wide for their columns.
    Upwards,
    /// As the numbers of the rows that have the same names: written twice, wide names would leave
    /// half of the paper empty.
    Numbers,
}

/// Draws the cells, the names of the rows at their left and those of the columns above.
pub(super) fn draw(grid: &Grid) -> Page {
    // How wide a column is beside the names of the rows, and whether names go above it.
    let names = widest(&grid.rows).min(NAMES) + 10.0;
    let count = grid.columns.len().max(1) as f64;
    let cells = grid.cells.iter().flatten().flatten();
    let texts = cells.map(|cell| width_of(&tame(&cell.text), SMALL) + 8.0);
    let least = texts.fold(COLUMN, f64::max).min(VALUE);
    let column_from = |left: f64| ((WIDTH - MARGIN - left) / count).clamp(least, least.max(110.0));
    let is_narrow = widest(&grid.columns) > column_from(MARGIN + names) - 6.0;
    let heads = match is_narrow {
        false => Heads::Level,
        true if grid.rows == grid.columns => Heads::Numbers,
        true => Heads::Upwards,
    };
    let left = match heads {
        Heads::Numbers => MARGIN + NUMBER + names,
        _ => MARGIN + names,
    };
    let column = column_from(left);
    let head = match heads {
        Heads::Upwards => widest(&grid.columns).min(NAMES) + 6.0,
        _ => 18.0,
    };

    let width = left + column * grid.columns.len() as f64 + MARGIN;
    let mut page = Page::new(width.max(WIDTH), &grid.title);
    page.top += 8.0 + head;
    for (at, name) in fit_names(&grid.columns).iter().enumerate() {
        let (x, y) = (left + column * (at as f64 + 0.5), page.top - 6.0);
        match heads {
            Heads::Upwards => page.text_upwards((x + 4.5, y), name),
            Heads::Level => page.text((x, y), Anchor::Middle, "", name),
            Heads::Numbers => page.text((x, y), Anchor::Middle, "", &format!("{}", at + 1)),
        }
    }
    let rows = grid.rows.iter().zip(fit_names(&grid.rows));
    for (at, (name, shown)) in rows.enumerate() {
        let top = page.top;
        let line = top + 0.5 * ROW + 4.5;
        if heads == Heads::Numbers {
            let (number, after) = (format!("{}", at + 1), MARGIN + NUMBER);
            page.text((after - 8.0, line), Anchor::End, "", &number);
            page.text((after, line), Anchor::Start, "", &shown);
        } else {
            page.text((left - 8.0, line), Anchor::End, "", &shown);
        }
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
    let ends = with_minus(&format!("{low} to {high}"));
    page.axis_label(&format!("{}: {ends}", scale.label));
    page
}

fn fit_names(names: &[String]) -> Vec<String> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    fit_all(&names, NAMES, LABEL)
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
    let is_two_sided = scale.low < 0.0 && scale.high > 0.0;
    let (number, share) = match is_two_sided {
        true if value < 0.0 => (1, value / scale.low),
        true => (0, value / scale.high),
        false => (0, (value - scale.low) / span),
    };
    let [light, strong] = STRENGTHS;
    // Between two colours 0 has none.
    let light = if is_two_sided { 0.0 } else { light };
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
            (0.0, scale(-1.0, 1.0), Some((0, 0.0))),
            (9.0, scale(-1.0, 1.0), Some((0, 0.56))),
            (0.5, scale(0.0, 1.0), Some((0, 0.31))),
            (0.5, scale(1.0, 1.0), None),
            (f64::NAN, scale(0.0, 1.0), None),
        ] {
            assert_eq!(colour_of(value, &scale), colour, "{value} {scale:?}");
        }
    }
}
