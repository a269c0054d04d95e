//! Values as bars in groups: a group for each label, a colour for each group's name, as PORTIA's
//! figure 3 has them.

use super::axis::Ruler;
use super::dots::legend_of;
use super::page::{Anchor, COLOURS, MARGIN, Page, SMALL, WIDTH};
use super::text::{tame, width_of, wrap};
use crate::figures::Dots;
use crate::order::in_order;

/// The width of a bar, of the room between groups, and of the numbers at the left.
const BAR: f64 = 18.0;
const GAP: f64 = 22.0;
const NUMBERS: f64 = 40.0;
const HEIGHT: f64 = 180.0;
/// A group is as wide as the longest word of a label, so that no two labels are cut to one.
const WIDEST_WORD: f64 = 200.0;
const LABEL_LINES: usize = 4;

/// Draws the bars of each label beside each other, from 0.
pub(super) fn draw(dots: &Dots) -> Page {
    let labels = in_order(dots.rows.iter().map(|row| row.label.as_str()));
    let groups = in_order(dots.rows.iter().map(|row| row.group.as_deref()));
    let bars = groups.len() as f64 * BAR;
    let words = labels.iter().flat_map(|label| label.split_whitespace());
    let widest = words.map(|word| width_of(&tame(word), SMALL));
    let widest = widest.fold(0.0, f64::max).min(WIDEST_WORD);
    let step = (bars + GAP).max(widest + 12.0);
    let left = MARGIN + NUMBERS;
    let width = (left + step * labels.len() as f64 + MARGIN).max(WIDTH);
    let mut page = Page::new(width, &dots.title);
    page.legend(&legend_of(&groups));
    page.top += 10.0;

    let (top, bottom) = (page.top, page.top + HEIGHT);
    let numbers = dots
        .rows
        .iter()
        .flat_map(|row| [row.value, row.low, row.high, row.mark]);
    let numbers = numbers.flatten().chain([0.0]);
    let ruler = Ruler::over(numbers, false, 5).between(bottom, top);
    for (y, text) in ruler.ticks() {
        page.line((left, y), (width - MARGIN, y), "grid");
        page.text((left - 6.0, y + 4.0), Anchor::End, "small", &text);
    }
    let zero = ruler.place(0.0).unwrap_or(bottom);
    for (at, label) in labels.iter().enumerate() {
        let start = left + step * at as f64;
        let own = dots.rows.iter().filter(|row| row.label == *label);
        for row in own {
            let place = groups
                .iter()
                .position(|group| *group == row.group.as_deref());
            let number = place.unwrap_or(0);
            let x = start + 0.5 * (step - bars) + BAR * number as f64;
            page.titled(&row.label, &row.text, |page| {
                let Some(y) = row.value.and_then(|value| ruler.place(value)) else {
                    // In the place of a bar, that there is none.
                    page.text((x + 0.5 * BAR, zero - 4.0), Anchor::Middle, "small", "-");
                    return;
                };
                let size = (BAR - 3.0, (zero - y).abs());
                page.fill((x, y.min(zero)), size, number % COLOURS, 0.8);
                if let Some(mark) = row.mark.and_then(|mark| ruler.place(mark)) {
                    page.line((x - 2.0, mark), (x + BAR - 1.0, mark), "mark");
                }
                let [low, high] = [row.low, row.high].map(|end| ruler.place(end?));
                if let (Some(low), Some(high)) = (low, high) {
                    let middle = x + 0.5 * (BAR - 3.0);
                    page.line((middle, low), (middle, high), "mark");
                }
            });
        }
        let lines = wrap(label, step - 6.0, SMALL, LABEL_LINES).into_iter();
        for (line, text) in (1..).zip(lines) {
            let y = bottom + 15.0 * f64::from(line);
            page.text((start + 0.5 * step, y), Anchor::Middle, "small", &text);
        }
    }
    page.top = bottom + 15.0 * LABEL_LINES as f64;
    page.axis_label(&dots.axis.label);
    page
}
