//! Values in rows, each with its interval.

use super::axis::Ruler;
use super::page::{Anchor, Entry, LABEL, MARGIN, Page, SMALL, WIDTH};
use super::text::{fit, tame, width_of, wrap_all};
use crate::figures::{DotRow, Dots};
use evenhand_core::in_order;

const ROW: f64 = 24.0;
/// The share of the width that labels beside their rows take at most; longer ones stand above.
const LABELS: f64 = 0.42;
/// The room of a line of a label above its row, and how many lines it has at most.
const ABOVE: f64 = 17.0;
const LABEL_LINES: usize = 2;

/// Draws the rows below each other over one axis.
pub(super) fn draw(dots: &Dots) -> Page {
    let mut page = Page::new(WIDTH, &dots.title);
    let groups = in_order(dots.rows.iter().map(|row| row.group.as_deref()));
    page.legend(&legend_of(&groups));
    page.top += 6.0;

    // Where labels beside their rows would end. They stand above where one would not fit.
    let labels = dots.rows.iter();
    let widths = labels.map(|row| width_of(&tame(&row.label), LABEL));
    let room = MARGIN + widths.fold(24.0, f64::max) + 10.0;
    let above = room > LABELS * page.width;
    let left = if above { MARGIN + 10.0 } else { room };
    let right = page.width - MARGIN - 8.0;
    let numbers = match well_measured(dots) {
        Some(ends) => ends.to_vec(),
        None => numbers_of(dots).collect(),
    };
    let about = ((right - left) / 64.0) as usize;
    let ruler = Ruler::over(numbers.into_iter(), dots.axis.log, about.max(2));
    let ruler = ruler.counted_from(dots.axis.first).between(left, right);

    let labels: Vec<&str> = dots.rows.iter().map(|row| &*row.label).collect();
    let labels = match above {
        true => wrap_all(&labels, page.width - 2.0 * MARGIN, LABEL, LABEL_LINES),
        false => wrap_all(&labels, left - MARGIN - 8.0, LABEL, 1),
    };

    // The height of each row; one of several rows with one label has it.
    let top = page.top;
    let mut next = top;
    let mut places: Vec<(f64, bool)> = Vec::new();
    for (at, row) in dots.rows.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &dots.rows[before].label);
        let is_labelled = before != Some(&row.label);
        if above && is_labelled {
            next += ABOVE * labels[at].len() as f64;
        }
        next += ROW;
        places.push((next - 0.5 * ROW, is_labelled));
    }
    let bottom = places.last().map_or(top, |(middle, _)| *middle) + 0.5 * ROW + 2.0;

    for (x, text) in ruler.ticks() {
        page.line((x, top), (x, bottom), "grid");
        page.text((x, bottom + 15.0), Anchor::Middle, "small", &text);
    }
    for ((row, lines), (y, is_labelled)) in dots.rows.iter().zip(labels).zip(places) {
        for (at, line) in lines.iter().rev().enumerate().filter(|_| is_labelled) {
            if above {
                let y = y - 13.0 - ABOVE * at as f64;
                page.text((MARGIN, y), Anchor::Start, "", line);
            } else {
                page.text((left - 8.0, y + 4.5), Anchor::End, "", line);
            }
        }
        let number = number_of(&groups, row.group.as_deref());
        draw_row(&mut page, &ruler, [left, right], row, y, number);
    }
    page.top = bottom + 18.0;
    page.axis_label(&dots.axis.label);
    page
}

fn draw_row(
    page: &mut Page,
    ruler: &Ruler,
    [left, right]: [f64; 2],
    row: &DotRow,
    y: f64,
    number: usize,
) {
    let place = |number: Option<f64>| number.and_then(|number| ruler.place(number));
    page.titled(&row.label, &row.text, |page| {
        // An interval goes to the edge where an end is open.
        let [low, high] = [place(row.low), place(row.high)];
        if low.or(high).is_some() {
            let (low, high) = (low.unwrap_or(left), high.unwrap_or(right));
            page.bar((low.max(left), y), (high.min(right), y), number);
            // An arrow where it goes on beyond the axis.
            let edges = [
                (left, 6.0, low < left - 0.5),
                (right, -6.0, high > right + 0.5),
            ];
            for (edge, inwards, _) in edges.into_iter().filter(|edge| edge.2) {
                page.bar((edge, y), (edge + inwards, y - 5.0), number);
                page.bar((edge, y), (edge + inwards, y + 5.0), number);
            }
        }
        if let Some(x) = place(row.mark) {
            page.line((x, y - 8.0), (x, y + 8.0), "mark");
        }
        if let Some(x) = place(row.value) {
            page.disc((x, y), 5.0, number);
        } else if row.low.or(row.high).is_none() {
            // In the place of a value, why there is none.
            let words = fit(&row.text, right - left - 8.0, SMALL);
            // Lines of the grid would run through the words.
            let room = (width_of(&words, SMALL) + 8.0).min(right - left - 4.0);
            page.paper((left + 4.0, y - 9.0), (room, 18.0));
            page.text((left + 8.0, y + 4.0), Anchor::Start, "small", &words);
        }
    });
}

/// An axis may be this much longer than what is well measured takes.
const MOST_STRETCHED: f64 = 2.0;

/// Returns the numbers of the rows and of their intervals.
fn numbers_of(dots: &Dots) -> impl Iterator<Item = f64> {
    let rows = dots.rows.iter();
    rows.flat_map(|row| [row.value, row.low, row.high, row.mark])
        .flatten()
}

/// Returns the ends of the axis where a few intervals are so long that all others would vanish: the
/// range of the values, and the width of the median interval to either side. None where nothing has
/// to be cut.
fn well_measured(dots: &Dots) -> Option<[f64; 2]> {
    let span = |numbers: &mut dyn Iterator<Item = f64>| {
        numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| {
            [low.min(number), high.max(number)]
        })
    };
    let rows = || dots.rows.iter();
    let mut widths: Vec<f64> = rows()
        .filter_map(|row| Some(row.high? - row.low?))
        .collect();
    widths.sort_by(f64::total_cmp);
    let width = *widths.get(widths.len().checked_sub(1)? / 2)?;
    let [least, most] = span(&mut numbers_of(dots));
    let values = span(&mut rows().flat_map(|row| [row.value, row.mark]).flatten());
    let cut = [
        (values[0] - width).max(least),
        (values[1] + width).min(most),
    ];
    let is_stretched = most - least > MOST_STRETCHED * (cut[1] - cut[0]);
    (is_stretched && !dots.axis.log && cut[0] < cut[1]).then_some(cut)
}

/// Returns the number of a group, by which it has its colour.
pub(super) fn number_of(groups: &[Option<&str>], group: Option<&str>) -> usize {
    let place = groups.iter().position(|one| *one == group);
    place.unwrap_or(0)
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
