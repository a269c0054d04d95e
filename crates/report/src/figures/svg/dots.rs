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
        let room = label_room(dots);
        let above = room > LABELS * page.width;
        let left = if above { MARGIN + 10.0 } else { room };
        let right = page.width - MARGIN - 8.0;
        let about = ((right - left) / 64.0) as usize;
        let numbers = dots.rows.iter().flat_map(numbers_of);
        let ruler = Ruler::over(numbers, dots.axis.log, about.max(2));
        let middles = middles_of(dots, page.top, above);
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
        page.titled(&row.label, &row.text, |page| {
            self.draw_interval(page, row, y, number);
            self.draw_mark(page, row, y);
            match row.value.and_then(|value| self.ruler.place(value)) {
                Some(x) => page.disc((x, y), 5.0, number),
                None => self.draw_words(page, row, y),
            }
        });
    }

    /// Draws an interval, to the edge where an end is open.
    fn draw_interval(&self, page: &mut Page, row: &DotRow, y: f64, number: usize) {
        let place = |end: Option<f64>| end.and_then(|end| self.ruler.place(end));
        let [low, high] = [place(row.low), place(row.high)];
        if low.or(high).is_some() {
            let ends = [low.unwrap_or(self.left), high.unwrap_or(self.right)];
            page.bar((ends[0], y), (ends[1], y), number);
        }
    }

    fn draw_mark(&self, page: &mut Page, row: &DotRow, y: f64) {
        if let Some(x) = row.mark.and_then(|mark| self.ruler.place(mark)) {
            page.line((x, y - 8.0), (x, y + 8.0), "mark");
        }
    }

    /// Says in the place of a value why there is none, unless there is an interval.
    fn draw_words(&self, page: &mut Page, row: &DotRow, y: f64) {
        if row.low.or(row.high).is_none() {
            let words = fit(&row.text, self.right - self.left - 8.0, SMALL);
            page.text((self.left + 8.0, y + 4.0), Anchor::Start, "small", &words);
        }
    }
}

fn numbers_of(row: &DotRow) -> impl Iterator<Item = f64> + use<> {
    [row.value, row.low, row.high, row.mark]
        .into_iter()
        .flatten()
}

/// Returns where labels beside their rows would end.
fn label_room(dots: &Dots) -> f64 {
    let labels = dots.rows.iter();
    let widths = labels.map(|row| width_of(&tame(&row.label), LABEL));
    MARGIN + widths.fold(24.0, f64::max) + 10.0
}

/// Whether the row above has another label.
fn has_new_label(dots: &Dots, at: usize) -> bool {
    let above = at.checked_sub(1).map(|above| &dots.rows[above].label);
    above != Some(&dots.rows[at].label)
}

/// Returns the heights of the rows, with room for the labels that stand above.
fn middles_of(dots: &Dots, top: f64, above: bool) -> Vec<f64> {
    let mut next = top;
    let rows = (0..dots.rows.len()).map(|at| {
        if above && has_new_label(dots, at) {
            next += ABOVE;
        }
        next += ROW;
        next - 0.5 * ROW
    });
    rows.collect()
}
