//! Values in rows, each with its interval.

use super::axis::Ruler;
use super::page::{Anchor, Entry, LABEL, MARGIN, Page, SMALL, WIDTH};
use super::text::{fit, tame, width_of};
use crate::figures::{DotRow, Dots};
use crate::order::in_order;

const ROW: f64 = 24.0;
/// The share of the width that labels beside their rows take at most; longer ones stand above.
const LABELS: f64 = 0.42;
/// The room of a label above its row.
const ABOVE: f64 = 17.0;

/// Draws the rows below each other over one axis.
pub(super) fn draw(dots: &Dots) -> Page {
    let mut page = Page::new(WIDTH, &dots.title);
    let groups = in_order(dots.rows.iter().map(|row| row.group.as_deref()));
    page.legend(&legend_of(&groups));
    page.top += 6.0;
    let plot = Plot::of(dots, &page);
    plot.draw_ticks(&mut page);
    for (at, row) in dots.rows.iter().enumerate() {
        let number = groups
            .iter()
            .position(|group| *group == row.group.as_deref());
        plot.draw_label(&mut page, dots, at);
        plot.draw_row(&mut page, row, at, number.unwrap_or(0));
    }
    page.top = plot.bottom + 18.0;
    page.axis_label(&dots.axis.label);
    page
}

/// Returns an entry for each group.
pub(super) fn legend_of<'a>(groups: &[Option<&'a str>]) -> Vec<Entry<'a>> {
    let groups = groups.iter().enumerate();
    let entries = groups.map(|(number, group)| Entry {
        name: group.unwrap_or("other"),
        number,
        dashes: None,
    });
    entries.collect()
}

/// The area of the values.
struct Plot {
    ruler: Ruler,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// The height of each row.
    middles: Vec<f64>,
    /// Whether labels stand above their rows, since there is one that would not fit beside its own.
    above: bool,
}

impl Plot {
    fn of(dots: &Dots, page: &Page) -> Plot {
        // Where labels beside their rows would end.
        let labels = dots.rows.iter();
        let widths = labels.map(|row| width_of(&tame(&row.label), LABEL));
        let room = MARGIN + widths.fold(24.0, f64::max) + 10.0;
        let above = room > LABELS * page.width;
        let left = if above { MARGIN + 10.0 } else { room };
        let right = page.width - MARGIN - 8.0;
        let about = ((right - left) / 64.0) as usize;
        let numbers = dots
            .rows
            .iter()
            .flat_map(|row| [row.value, row.low, row.high, row.mark]);
        let ruler = Ruler::over(numbers.flatten(), dots.axis.log, about.max(2));
        let mut next = page.top;
        let middles = (0..dots.rows.len()).map(|at| {
            if above && has_new_label(dots, at) {
                next += ABOVE;
            }
            next += ROW;
            next - 0.5 * ROW
        });
        let middles: Vec<f64> = middles.collect();
        Plot {
            ruler: ruler.between(left, right),
            left,
            right,
            top: page.top,
            bottom: middles.last().unwrap_or(&page.top) + 0.5 * ROW + 2.0,
            middles,
            above,
        }
    }

    fn draw_ticks(&self, page: &mut Page) {
        for (x, text) in self.ruler.ticks() {
            page.line((x, self.top), (x, self.bottom), "grid");
            page.text((x, self.bottom + 15.0), Anchor::Middle, "small", &text);
        }
    }

    /// Writes a row's label, unless the row above has the same.
    fn draw_label(&self, page: &mut Page, dots: &Dots, at: usize) {
        if !has_new_label(dots, at) {
            return;
        }
        let (label, middle) = (&dots.rows[at].label, self.middles[at]);
        if self.above {
            let shown = fit(label, page.width - 2.0 * MARGIN, LABEL);
            page.text((MARGIN, middle - 13.0), Anchor::Start, "", &shown);
        } else {
            let shown = fit(label, self.left - MARGIN - 8.0, LABEL);
            page.text((self.left - 8.0, middle + 4.5), Anchor::End, "", &shown);
        }
    }

    fn draw_row(&self, page: &mut Page, row: &DotRow, at: usize, number: usize) {
        let y = self.middles[at];
        let place = |number: Option<f64>| number.and_then(|number| self.ruler.place(number));
        page.titled(&row.label, &row.text, |page| {
            // An interval goes to the edge where an end is open.
            let [low, high] = [place(row.low), place(row.high)];
            if low.or(high).is_some() {
                let ends = [low.unwrap_or(self.left), high.unwrap_or(self.right)];
                page.bar((ends[0], y), (ends[1], y), number);
            }
            if let Some(x) = place(row.mark) {
                page.line((x, y - 8.0), (x, y + 8.0), "mark");
            }
            if let Some(x) = place(row.value) {
                page.disc((x, y), 5.0, number);
            } else if row.low.or(row.high).is_none() {
                // In the place of a value, why there is none.
                let words = fit(&row.text, self.right - self.left - 8.0, SMALL);
                page.text((self.left + 8.0, y + 4.0), Anchor::Start, "small", &words);
            }
        });
    }
}

/// Whether the row above has another label.
fn has_new_label(dots: &Dots, at: usize) -> bool {
    let above = at.checked_sub(1).map(|above| &dots.rows[above].label);
    above != Some(&dots.rows[at].label)
}
