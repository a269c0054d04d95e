//! Values over a number, joined by lines; intervals are bands.

use super::page::{Entry, Page, Place, WIDTH};
use super::points::{Frame, Numbers};
use crate::figures::{Lines, Series};

/// The dashes of the lines whose colours are there already.
const DASHES: [&str; 4] = ["", "6 3", "2 3", "8 3 2 3"];
/// The dashes of a line that is for comparison alone.
const COMPARED: &str = "4 4";

/// Draws the lines, the first on top.
pub(super) fn draw(lines: &Lines) -> Page {
    let mut page = Page::new(WIDTH, &lines.title);
    let drawn = lines.drawn.unwrap_or(lines.series.len());
    let drawn = &lines.series[..drawn.min(lines.series.len())];
    let entries = drawn.iter().enumerate().map(|(number, series)| Entry {
        name: &series.label,
        number,
        dashes: Some(dashes_of(series, number)),
    });
    page.legend(&entries.collect::<Vec<_>>());
    let mut numbers = Numbers::default();
    for point in drawn.iter().flat_map(|series| &series.points) {
        let known = [point.y, point.low, point.high];
        numbers.add(point.x, known.into_iter().flatten());
    }
    let frame = Frame::draw(&mut page, [&lines.x, &lines.y], numbers);
    for (number, series) in drawn.iter().enumerate().rev() {
        draw_series(&mut page, &frame, series, number);
    }
    frame.end(&mut page, &lines.x.label);
    page
}

fn dashes_of(series: &Series, number: usize) -> &'static str {
    if series.dashed {
        return COMPARED;
    }
    DASHES[number / super::page::COLOURS % DASHES.len()]
}

fn draw_series(page: &mut Page, frame: &Frame, series: &Series, number: usize) {
    // The lower ends of the band from left to right, and the upper ones back.
    let ends = series.points.iter().filter_map(|point| {
        let low = frame.place(point.x, point.low?)?;
        Some((low, frame.place(point.x, point.high?)?))
    });
    let (mut outline, upper): (Vec<Place>, Vec<Place>) = ends.unzip();
    outline.extend(upper.into_iter().rev());
    if outline.len() > 2 {
        page.band(&outline, number);
    }
    // A line ends where a value is missing.
    let places = series
        .points
        .iter()
        .map(|point| frame.place(point.x, point.y?));
    let places: Vec<Option<Place>> = places.collect();
    for part in places.split(Option::is_none) {
        let part: Vec<Place> = part.iter().flatten().copied().collect();
        if part.len() > 1 {
            page.path(&part, number, dashes_of(series, number));
        }
    }
    // A line for comparison has no points of its own.
    if series.dashed {
        return;
    }
    for (point, place) in series.points.iter().zip(places) {
        if let Some(place) = place {
            page.titled(&series.label, &point.text, |page| {
                page.disc(place, 3.0, number)
            });
        }
    }
}
