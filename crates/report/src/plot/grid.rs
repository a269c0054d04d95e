//! A square of numbers, each on a colour of its own: how alike every two of several things are.

use super::draw::{Area, Drawn, Place, draw_svg, draw_text, draw_title_and_caption, shorten};
use crate::numbers::or_dash;
use plotters::prelude::*;

/// Width and height of a cell, and of the names at the left, in pixels.
const CELL: (i32, i32) = (124, 62);
const NAMES: i32 = 300;
const TOP: i32 = 76;
const BOTTOM: i32 = 34;
const LETTERS: usize = 38;

/// The colours of -1 and 1.
const ORANGE: [f64; 3] = [240.0, 160.0, 90.0];
const BLUE: [f64; 3] = [110.0, 175.0, 230.0];

/// A number between two things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridCell {
    /// The thing whose row it is in, from 0.
    pub row: usize,
    /// The thing whose column it is in.
    pub column: usize,
    /// From -1 to 1; None where it is undefined.
    pub value: Option<f64>,
    /// Two lines below the value.
    pub below: [String; 2],
}

/// A square of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Above it.
    pub title: String,
    /// Below it.
    pub caption: String,
    /// Of the rows, and by their numbers of the columns.
    pub names: Vec<String>,
    /// Its cells; places without one stay white.
    pub cells: Vec<GridCell>,
}

impl Grid {
    /// Returns the square as an SVG document.
    ///
    /// # Errors
    /// An error of the drawing library.
    pub fn svg(&self) -> Result<String, String> {
        draw_svg(self.size(), |area| self.draw(area))
    }

    fn size(&self) -> (u32, u32) {
        let count = self.names.len().max(3) as i32;
        let width = NAMES + CELL.0 * count + 20;
        let height = TOP + CELL.1 * count + BOTTOM;
        (width as u32, height as u32)
    }

    fn draw(&self, root: &Area<'_>) -> Drawn {
        root.fill(&WHITE)?;
        draw_title_and_caption(root, &self.title, &self.caption, self.size().1)?;
        for (name, at) in self.names.iter().zip(0..) {
            draw_name(root, name, at)?;
        }
        for cell in &self.cells {
            draw_cell(root, cell)?;
        }
        root.present()
    }
}

/// Draws the name of a thing with its number at its row, and the number above its column.
fn draw_name(root: &Area<'_>, name: &str, at: i32) -> Drawn {
    let number = at + 1;
    let (x, y) = corner_of(at, at);
    let name = shorten(&format!("{number}  {name}"), LETTERS);
    draw_text(root, name, (20, y + CELL.1 / 2 - 7), 14)?;
    draw_text(root, number.to_string(), (x + CELL.0 / 2 - 4, TOP - 22), 14)
}

/// Returns the upper left corner of a cell.
fn corner_of(row: i32, column: i32) -> (i32, i32) {
    (NAMES + CELL.0 * column, TOP + CELL.1 * row)
}

fn draw_cell(root: &Area<'_>, cell: &GridCell) -> Drawn {
    let (x, y) = corner_of(cell.row as i32, cell.column as i32);
    let value = or_dash(cell.value, |value| format!("{value:.2}"));
    fill_cell(root, (x, y), cell.value)?;
    draw_text(root, value, (x + 10, y + 6), 16)?;
    draw_lines_below(root, (x + 10, y + 27), &cell.below)
}

fn draw_lines_below(root: &Area<'_>, (x, y): Place, lines: &[String]) -> Drawn {
    for (line, at) in lines.iter().zip(0..) {
        draw_text(root, line, (x, y + 15 * at), 12)?;
    }
    Ok(())
}

/// Colours a cell but for a border of a pixel; grey where there is no value.
fn fill_cell(root: &Area<'_>, (x, y): Place, value: Option<f64>) -> Drawn {
    let colour = value.map_or(RGBColor(235, 235, 235), colour_of);
    let ends = [(x + 1, y + 1), (x + CELL.0 - 1, y + CELL.1 - 1)];
    root.draw(&Rectangle::new(ends, colour.filled()))
}

/// Returns a colour from orange over white to blue, light enough for black letters.
fn colour_of(value: f64) -> RGBColor {
    let end = if value < 0.0 { ORANGE } else { BLUE };
    let strength = value.abs().min(1.0);
    let [r, g, b] = end.map(|end| (255.0 + (end - 255.0) * strength) as u8);
    RGBColor(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_shows_names_values_and_what_is_missing() {
        let cell = |column, value| GridCell {
            row: 0,
            column,
            value,
            below: ["(0.10 to 0.90)".into(), "5 judges".into()],
        };
        let names = ["setting 1, a<b".to_string(), "two".into(), "three".into()].to_vec();
        let grid = Grid {
            title: "t & u".into(),
            caption: "c".into(),
            names,
            cells: vec![cell(1, Some(0.5)), cell(2, None)],
        };
        let text = grid.svg().unwrap();
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"));
        for shown in [
            "1  setting 1, a&lt;b",
            "t &amp; u",
            "0.50",
            "(0.10 to 0.90)",
            "5 judges",
        ] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        assert_eq!(text.matches("#EBEBEB").count(), 1, "{text}");
        assert_eq!(text, grid.svg().unwrap());
    }

    #[test]
    fn colours_go_from_orange_to_blue() {
        assert_eq!(
            [-1.0, 0.0, 1.0].map(colour_of),
            [
                RGBColor(240, 160, 90),
                RGBColor(255, 255, 255),
                RGBColor(110, 175, 230)
            ]
        );
    }
}
