//! Values as bars in groups: a group for each label, a colour for each group's name, as PORTIA's
//! figure 3 has them.

use super::axis::Ruler;
use super::dots::{legend_of, number_of};
use super::page::{Anchor, MARGIN, Page, SMALL, WIDTH};
use super::text::{tame, width_of, wrap_all};
use crate::figures::{DotRow, Dots};
use evenhand_core::in_order;

/// The width of a bar, of the room between groups, and of the numbers at the left.
const BAR: f64 = 18.0;
const GAP: f64 = 22.0;
const NUMBERS: f64 = 40.0;
const HEIGHT: f64 = 180.0;
/// A group is as wide as the longest word of a label, up to this.
const WIDEST_WORD: f64 = 200.0;
const LABEL_LINES: usize = 4;
const LINE: f64 = 15.0;
/// Groups that do not fit into this width stand in a row below, over an axis of its own.
const WIDEST: f64 = 960.0;

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
    let in_row = ((WIDEST - left - MARGIN) / step).floor().max(1.0) as usize;
    let in_row = in_row.min(labels.len());
    let width = (left + step * in_row as f64 + MARGIN).max(WIDTH);
    let mut page = Page::new(width, &dots.title);
    page.legend(&legend_of(&groups));

    let numbers = dots
        .rows
        .iter()
        .flat_map(|row| [row.value, row.low, row.high, row.mark]);
    let ruler = Ruler::over(numbers.flatten().chain([0.0]), false, 5);
    let lines = wrap_all(&labels, step - 6.0, SMALL, LABEL_LINES);
    let labelled: Vec<(&&str, Vec<String>)> = labels.iter().zip(lines).collect();
    for row in labelled.chunks(in_row.max(1)) {
        page.top += 10.0;
        let (top, bottom) = (page.top, page.top + HEIGHT);
        let ruler = ruler.between(bottom, top);
        for (y, text) in ruler.ticks() {
            page.line((left, y), (width - MARGIN, y), "grid");
            page.text((left - 6.0, y + 4.0), Anchor::End, "small", &text);
        }
        for (at, (label, lines)) in row.iter().enumerate() {
            let middle = left + step * (at as f64 + 0.5);
            for own in dots.rows.iter().filter(|row| row.label == **label) {
                let number = number_of(&groups, own.group.as_deref());
                let x = middle - 0.5 * bars + BAR * number as f64;
                draw_bar(&mut page, &ruler, [bottom, top], own, x, number);
            }
            for (line, text) in (1..).zip(lines) {
                let y = bottom + LINE * f64::from(line);
                page.text((middle, y), Anchor::Middle, "small", text);
            }
        }
        let most_lines = row.iter().map(|(_, lines)| lines.len()).max();
        page.top = bottom + LINE * most_lines.unwrap_or(0) as f64;
    }
    page.axis_label(&dots.axis.label);
    page
}

/// Draws the bar of a row from this x, between the bottom and the top of its axis.
fn draw_bar(
    page: &mut Page,
    ruler: &Ruler,
    [bottom, top]: [f64; 2],
    row: &DotRow,
    x: f64,
    number: usize,
) {
    let place = |number: Option<f64>| number.and_then(|number| ruler.place(number));
    let zero = ruler.place(0.0).unwrap_or(bottom);
    let (width, middle) = (BAR - 3.0, x + 0.5 * (BAR - 3.0));
    page.titled(&row.label, &row.text, |page| {
        match place(row.value) {
            Some(y) => {
                let size = (width, (zero - y).abs());
                page.block((x, y.min(zero)), size, number);
            }
            // In the place of a bar, that there is none.
            None => page.text((middle, zero - 4.0), Anchor::Middle, "small", "-"),
        }
        if let Some(mark) = place(row.mark) {
            page.line((x - 2.0, mark), (x + BAR - 1.0, mark), "mark");
        }
        // An interval goes to the edge where an end is open.
        let [low, high] = [place(row.low), place(row.high)];
        if row.value.is_some() && low.or(high).is_some() {
            let (low, high) = (low.unwrap_or(bottom), high.unwrap_or(top));
            page.line((middle, low), (middle, high), "mark");
        }
    });
}
