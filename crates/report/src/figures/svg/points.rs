//! Points with names, and the frame with two axes that lines have too.

use super::axis::Ruler;
use super::dots::{legend_of, number_of};
use super::page::{Anchor, MARGIN, Page, Place, SMALL, WIDTH};
use super::text::{fit, fit_all, width_of};
use crate::days::day_after;
use crate::figures::{Axis, Points};
use evenhand_core::in_order;

const HEIGHT: f64 = 270.0;
const LEFT: f64 = 58.0;
/// Names beside points take at most this room.
const NAMES: f64 = 150.0;

/// Draws the points with the bars of their intervals, and the names that have room.
pub(super) fn draw(points: &Points) -> Page {
    let mut page = Page::new(WIDTH, &points.title);
    let groups = in_order(points.points.iter().map(|point| point.group.as_deref()));
    page.legend(&legend_of(&groups));
    let mut numbers = Numbers::default();
    for point in &points.points {
        let ends = [point.low, point.high].into_iter().flatten();
        numbers.add(point.x, ends.chain([point.y]));
    }
    let frame = Frame::draw(&mut page, [&points.x, &points.y], numbers);
    let placed = points.points.iter();
    let placed = placed.filter_map(|point| Some((point, frame.place(point.x, point.y)?)));
    let (mut discs, mut bars): (Vec<Mark>, Vec<Mark>) = Default::default();
    for (point, place) in placed.clone() {
        let number = number_of(&groups, point.group.as_deref());
        page.titled(&point.label, &point.text, |page| {
            let end = |end: Option<f64>| end.and_then(|end| frame.place(point.x, end));
            let (x, y) = place;
            discs.push([x, y - 5.0, y + 5.0]);
            if let (Some(low), Some(high)) = (end(point.low), end(point.high)) {
                page.bar(low, high, number);
                bars.push([x, high.1, low.1]);
            }
            page.disc(place, 4.5, number);
        });
    }
    // The names, but for those that would stand on another one or on a disc; on a bar only where
    // there is no place beside all of them.
    let marks = [&discs[..], &bars].concat();
    let mut taken: Vec<Taken> = Vec::new();
    let names: Vec<&str> = placed.clone().map(|(point, _)| &*point.label).collect();
    for ((_, place), name) in placed.zip(fit_all(&names, NAMES, SMALL)) {
        let room = width_of(&name, SMALL);
        let free = |marks: &[Mark]| free_place(place, room, frame.names(), &taken, marks);
        if let Some(at) = free(&marks).or_else(|| free(&discs)) {
            taken.push(at);
            page.text((at[0], at[2]), Anchor::Start, "small", &name);
        }
    }
    frame.end(&mut page, &points.x.label);
    page
}

/// A box that a name takes: left, right, and the line that it stands on.
type Taken = [f64; 3];

/// A disc or a bar: where it stands, and from where to where it goes downwards.
type Mark = [f64; 3];

/// Returns a place for a name at the right or at the left of its point, level with it or a little
/// higher or lower, beside all names and marks and within an area: its left and right, and the
/// first and the last line. None where there is none.
fn free_place(
    (x, y): Place,
    room: f64,
    [first, last, top, bottom]: [f64; 4],
    taken: &[Taken],
    marks: &[Mark],
) -> Option<Taken> {
    let sides = [x + 8.0, x - 8.0 - room];
    let levels = [y + 4.0, y - 8.0, y + 16.0].into_iter();
    let places = levels.flat_map(|line| sides.map(|left| [left, left + room, line]));
    let overlap = |a: &Taken, b: &Taken| a[0] < b[1] && b[0] < a[1] && (a[2] - b[2]).abs() < SMALL;
    let is_free = |at: &Taken| {
        let is_inside = at[0] >= first && at[1] <= last && at[2] >= top && at[2] <= bottom;
        let is_crossed = |[x, top, bottom]: &Mark| {
            at[0] < *x && *x < at[1] && *top < at[2] + 2.0 && at[2] - SMALL < *bottom
        };
        is_inside && !taken.iter().any(|other| overlap(at, other)) && !marks.iter().any(is_crossed)
    };
    places.into_iter().find(is_free)
}

/// The numbers along both axes.
#[derive(Default)]
pub(super) struct Numbers {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Numbers {
    pub(super) fn add(&mut self, x: f64, y: impl Iterator<Item = f64>) {
        self.x.push(x);
        self.y.extend(y);
    }
}

/// Two axes, and the area between them.
pub(super) struct Frame {
    x: Ruler,
    y: Ruler,
    bottom: f64,
}

impl Frame {
    /// Draws the axes of these numbers where the page goes on.
    pub(super) fn draw(page: &mut Page, [x, y]: [&Axis; 2], numbers: Numbers) -> Frame {
        page.top += 16.0;
        let label = fit(&y.label, page.width - 2.0 * MARGIN, SMALL);
        page.text((MARGIN, page.top), Anchor::Start, "small", &label);
        page.top += 16.0;
        let (top, bottom, right) = (page.top, page.top + HEIGHT, page.width - MARGIN - 8.0);
        // Dates are wide.
        let about = if x.since.is_some() { 4 } else { 6 };
        let frame = Frame {
            x: Ruler::over(numbers.x.into_iter(), x.log, about).between(LEFT, right),
            y: Ruler::over(numbers.y.into_iter(), y.log, 6).between(bottom, top),
            bottom,
        };
        for (y, text) in frame.y.ticks() {
            page.line((LEFT, y), (right, y), "grid");
            page.text((LEFT - 6.0, y + 4.0), Anchor::End, "small", &text);
        }
        for (place, text) in frame.x.ticks() {
            let text = match &x.since {
                // There is no part of a day.
                Some(day) => match text
                    .parse::<f64>()
                    .ok()
                    .and_then(|days| day_after(day, days))
                {
                    Some(text) => text,
                    None => continue,
                },
                None => text,
            };
            let x = place;
            page.line((x, bottom), (x, bottom + 4.0), "grid");
            page.text((x, bottom + 17.0), Anchor::Middle, "small", &text);
        }
        frame
    }

    /// Returns the place of two numbers; None where one has none.
    pub(super) fn place(&self, x: f64, y: f64) -> Option<Place> {
        Some((self.x.place(x)?, self.y.place(y)?))
    }

    /// Returns where names may stand: its left and right, and the first and the last line.
    fn names(&self) -> [f64; 4] {
        let top = self.bottom - HEIGHT;
        [LEFT + 4.0, WIDTH - 4.0, top + 4.0, self.bottom - 2.0]
    }

    /// Goes on below the frame, with the label of its x axis.
    pub(super) fn end(&self, page: &mut Page, label: &str) {
        page.top = self.bottom + 20.0;
        page.axis_label(label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_beside_names_and_marks() {
        let area = [62.0, 476.0, 30.0, 200.0];
        let free = |x: f64, taken: &[Taken], marks: &[Mark]| {
            free_place((x, 50.0), 60.0, area, taken, marks)
        };
        let right = [208.0, 268.0, 54.0];
        assert_eq!(free(200.0, &[], &[]), Some(right));
        // A bar through it, and a name at the left.
        let bar = [240.0, 20.0, 90.0];
        let left = [132.0, 192.0, 54.0];
        assert_eq!(free(200.0, &[], &[bar]), Some(left));
        assert_eq!(free(200.0, &[left], &[bar]), Some([132.0, 192.0, 42.0]));
        let below = [240.0, 60.0, 90.0];
        assert_eq!(free(200.0, &[], &[below]), Some(right), "it begins below");
        let lines = [54.0, 42.0, 66.0];
        let all = lines.map(|line| [-1e3, 1e3, line]);
        assert_eq!(free(200.0, &all, &[]), None);
        // At the left edge of the frame there is no place beyond it.
        let at_right = lines.map(|line| [108.0, 168.0, line]);
        assert_eq!(free(100.0, &at_right, &[]), None);
    }
}
