//! Values in rows and columns, each on a colour of its own.

use super::page::{Anchor, LABEL, MARGIN, Page, Place, SMALL, WIDTH};
use super::text::{fit, tame, width_of};
use crate::figures::{Cell, Grid, Scale};

const ROW: f64 = 30.0;
/// The least width of a column.
const COLUMN: f64 = 40.0;
/// The room that names take at most, at the left and upwards.
const NAMES: f64 = 170.0;
/// The strengths of the lightest and of the strongest colour: letters are read on both.
const STRENGTHS: [f64; 2] = [0.06, 0.56];

/// Draws the cells, the names of the rows at their left and those of the columns above.
pub(super) fn draw(grid: &Grid) -> Page {
    let table = Table::of(grid);
    let mut page = Page::new(table.width(grid), &grid.title);
    page.top += 8.0 + table.head;
    table.draw_columns(&mut page, grid);
    for (at, name) in grid.rows.iter().enumerate() {
        table.draw_row(&mut page, grid, at, name);
    }
    page.top += 4.0;
    let scale = &grid.scale;
    // At most three decimals; adding 0.0 makes -0 a plain 0.
    let [low, high] = [scale.low, scale.high].map(|end| (end * 1e3).round() / 1e3 + 0.0);
    page.axis_label(&format!("{}: {low} to {high}", scale.label));
    page
}

/// The sizes of a grid.
struct Table {
    /// Where the names of the rows end.
    left: f64,
    column: f64,
    /// The height of the names of the columns.
    head: f64,
    /// Whether these are written upwards, where they are too wide for their columns.
    upwards: bool,
}

impl Table {
    fn of(grid: &Grid) -> Table {
        let left = MARGIN + widest(&grid.rows).min(NAMES) + 10.0;
        let count = grid.columns.len().max(1) as f64;
        let cells = grid.cells.iter().flatten().flatten();
        let texts = cells.map(|cell| width_of(&tame(&cell.text), SMALL) + 8.0);
        let least = texts.fold(COLUMN, f64::max).min(NAMES);
        let column = ((WIDTH - MARGIN - left) / count).clamp(least, least.max(110.0));
        let upwards = widest(&grid.columns) > column - 6.0;
        let head = if upwards {
            widest(&grid.columns).min(NAMES) + 6.0
        } else {
            18.0
        };
        Table {
            left,
            column,
            head,
            upwards,
        }
    }

    fn width(&self, grid: &Grid) -> f64 {
        (self.left + self.column * grid.columns.len() as f64 + MARGIN).max(WIDTH)
    }

    fn draw_columns(&self, page: &mut Page, grid: &Grid) {
        for (at, name) in grid.columns.iter().enumerate() {
            let x = self.left + self.column * (at as f64 + 0.5);
            let y = page.top - 6.0;
            if self.upwards {
                page.text_upwards((x + 4.5, y), &fit(name, NAMES, LABEL));
            } else {
                page.text((x, y), Anchor::Middle, "", &fit(name, self.column, LABEL));
            }
        }
    }

    fn draw_row(&self, page: &mut Page, grid: &Grid, at: usize, name: &str) {
        let (top, shown) = (page.top, fit(name, NAMES, LABEL));
        page.text(
            (self.left - 8.0, top + 0.5 * ROW + 4.5),
            Anchor::End,
            "",
            &shown,
        );
        let cells = grid.cells.get(at).into_iter().flatten();
        for (column, cell) in grid.columns.iter().zip(cells).enumerate() {
            if let (title, Some(cell)) = cell {
                let corner = (self.left + self.column * column as f64, top);
                let label = format!("{name}, {title}");
                page.titled(&label, &cell.text, |page| {
                    self.draw_cell(page, corner, cell, grid)
                });
            }
        }
        page.top += ROW;
    }

    fn draw_cell(&self, page: &mut Page, (x, y): Place, cell: &Cell, grid: &Grid) {
        let size = (self.column - 2.0, ROW - 2.0);
        if let Some((number, strength)) = cell.value.and_then(|value| colour_of(value, &grid.scale))
        {
            page.fill((x + 1.0, y + 1.0), size, number, strength);
        }
        let text = fit(&cell.text, self.column - 4.0, SMALL);
        let middle = (x + 0.5 * self.column, y + 0.5 * ROW + 4.5);
        page.text(middle, Anchor::Middle, "", &text);
    }
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
