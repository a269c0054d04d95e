//! Numbers of figures, in words and as rows: what is not finite never becomes a number.

use super::{
    Axis, Cell, DotRow, Dots, Figure, Grid, LinePoint, Lines, Point, Points, Scale, Series,
};
use crate::numbers::{chosen_percent, closed_somewhere, or_blank, with_minus};
use crate::ranking::range_text;
use evenhand_studies::Figure as Measured;

/// An interval, open (None) at an end that is not finite.
pub(super) type Ends = Option<[Option<f64>; 2]>;

/// How numbers are written: so many decimals, and the level of their intervals.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) decimals: usize,
    pub(super) level: f64,
}

/// A number that may be missing, with its interval and the reason.
#[derive(Clone, Copy, Default)]
pub(super) struct Number<'a> {
    pub(super) value: Option<f64>,
    pub(super) ci: Ends,
    pub(super) note: Option<&'a str>,
}

impl<'a> Number<'a> {
    /// Returns a number; what is not finite is missing.
    pub(super) fn of(value: Option<f64>, ci: Ends, note: Option<&'a str>) -> Number<'a> {
        let finite = |number: Option<f64>| number.filter(|number| number.is_finite());
        Number {
            value: finite(value),
            ci: closed_somewhere(ci.map(|ends| ends.map(finite))),
            note,
        }
    }

    /// Returns a number with an interval that is closed.
    pub(super) fn closed(value: f64, ci: Option<[f64; 2]>) -> Number<'a> {
        Number::of(Some(value), ci.map(|ends| ends.map(Some)), None)
    }

    /// Returns the ends of the interval; none where there is no number.
    fn ends(self) -> [Option<f64>; 2] {
        self.value.and(self.ci).unwrap_or_default()
    }
}

impl<'a> From<&'a Measured> for Number<'a> {
    fn from(measured: &'a Measured) -> Self {
        Number::of(measured.value, measured.ci, measured.note.as_deref())
    }
}

impl Written {
    /// Returns three decimals, as of shares and correlations.
    pub(super) fn share(level: f64) -> Written {
        Written { decimals: 3, level }
    }

    /// Returns a number with its interval, or why there is none: `0.720 (95 % interval 0.640 to
    /// 0.790)`.
    pub(super) fn words(self, number: Number<'_>) -> String {
        let after = |before: &str| or_blank(number.note, |note| format!("{before}{note}"));
        let Some(value) = number.value else {
            return format!("undefined{}", after(": "));
        };
        let interval = match number.ci {
            None => after(", without an interval: "),
            Some(ci) => format!(
                " ({} % interval {})",
                chosen_percent(self.level),
                range_text(ci, self.decimals)
            ),
        };
        format!("{value:.0$}{interval}", self.decimals)
    }

    /// Returns a row for a number.
    pub(super) fn row<'a>(self, label: impl Into<String>, number: impl Into<Number<'a>>) -> DotRow {
        let number = number.into();
        let [low, high] = number.ends();
        DotRow {
            label: label.into(),
            value: number.value,
            low,
            high,
            text: self.words(number),
            ..DotRow::default()
        }
    }

    /// Returns a point of a line.
    pub(super) fn line_point<'a>(self, x: f64, number: impl Into<Number<'a>>) -> LinePoint {
        let number = number.into();
        let [low, high] = number.ends();
        LinePoint {
            x,
            y: number.value,
            text: self.words(number),
            low,
            high,
        }
    }

    /// Returns a point with a name; None where a number is missing.
    pub(super) fn point<'a>(
        self,
        label: impl Into<String>,
        x: f64,
        number: impl Into<Number<'a>>,
    ) -> Option<Point> {
        let number = number.into();
        let [low, high] = number.ends();
        Some(Point {
            label: label.into(),
            group: None,
            x: Some(x).filter(|x| x.is_finite())?,
            y: number.value?,
            low,
            high,
            text: self.words(number),
        })
    }
}

impl DotRow {
    /// Puts the row into a group.
    pub(super) fn in_group(mut self, group: impl Into<String>) -> DotRow {
        self.group = Some(group.into());
        self
    }

    /// Adds to the words of the row, after a comma.
    pub(super) fn saying(mut self, more: &str) -> DotRow {
        if !more.is_empty() {
            self.text = format!("{}, {more}", self.text);
        }
        self
    }

    /// Holds the value against another one.
    pub(super) fn against(mut self, mark: Option<f64>) -> DotRow {
        self.mark = mark.filter(|mark| mark.is_finite());
        self
    }
}

impl LinePoint {
    /// Adds to the words of the point, after a comma.
    pub(super) fn saying(self, more: &str) -> LinePoint {
        let text = format!("{}, {more}", self.text);
        LinePoint { text, ..self }
    }
}

/// Names intervals by their level: `95 % intervals`.
pub(super) fn intervals(level: f64) -> String {
    format!("{} % intervals", chosen_percent(level))
}

/// Returns rows over one axis as a figure; None where no row has anything to draw. A blank note is
/// none.
pub(super) fn dots(
    title: impl Into<String>,
    note: impl Into<String>,
    axis: impl Into<String>,
    rows: impl IntoIterator<Item = DotRow>,
) -> Option<Figure> {
    let rows = rows.into_iter().map(|row| DotRow {
        text: with_minus(&row.text),
        ..row
    });
    let rows: Vec<DotRow> = rows.collect();
    let has_any = |row: &DotRow| row.value.or(row.low).or(row.high).is_some();
    rows.iter().any(has_any).then(|| {
        Figure::Dots(Dots {
            title: title.into(),
            note: Some(with_minus(&note.into())).filter(|note| !note.is_empty()),
            axis: Axis::linear(with_minus(&axis.into())),
            bars: false,
            rows,
        })
    })
}

/// Returns rows as bars in groups by their label, as [`dots`] returns them as dots.
pub(super) fn bars(
    title: impl Into<String>,
    note: impl Into<String>,
    axis: impl Into<String>,
    rows: impl IntoIterator<Item = DotRow>,
) -> Option<Figure> {
    let mut figure = dots(title, note, axis, rows);
    if let Some(Figure::Dots(dots)) = &mut figure {
        dots.bars = true;
    }
    figure
}

/// Returns lines over two axes as a figure, without those that have no value and with those that
/// coincide as one; None where none is left.
pub(super) fn lines(
    title: impl Into<String>,
    note: impl Into<String>,
    [x, y]: [&str; 2],
    mut series: Vec<Series>,
) -> Option<Figure> {
    series.retain(|series| series.points.iter().any(|point| point.y.is_some()));
    for point in series.iter_mut().flat_map(|series| &mut series.points) {
        point.text = with_minus(&point.text);
    }
    let series = merge_coinciding(series);
    (!series.is_empty()).then(|| {
        Figure::Lines(Lines {
            title: title.into(),
            note: Some(with_minus(&note.into())),
            x: Axis::linear(x),
            y: Axis::linear(y),
            drawn: None,
            series,
        })
    })
}

/// Returns the lines with those that coincide as one, which has all their names: drawn over each
/// other, only one would be seen.
fn merge_coinciding(series: Vec<Series>) -> Vec<Series> {
    let is_near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9,
        (a, b) => a == b,
    };
    let coincide = |a: &LinePoint, b: &LinePoint| {
        a.x == b.x && is_near(a.y, b.y) && is_near(a.low, b.low) && is_near(a.high, b.high)
    };
    let mut merged: Vec<Series> = Vec::new();
    for one in series {
        let mut drawn = merged.iter_mut();
        let twin = drawn.find(|drawn| {
            let mut pairs = drawn.points.iter().zip(&one.points);
            drawn.dashed == one.dashed
                && drawn.points.len() == one.points.len()
                && pairs.all(|(a, b)| coincide(a, b))
        });
        match twin {
            Some(twin) => twin.label = format!("{} and {}", twin.label, one.label),
            None => merged.push(one),
        }
    }
    merged
}

/// Returns points between two axes as a figure; None without points.
pub(super) fn points(
    title: impl Into<String>,
    note: impl Into<String>,
    [x, y]: [Axis; 2],
    mut points: Vec<Point>,
) -> Option<Figure> {
    for point in &mut points {
        point.text = with_minus(&point.text);
    }
    (!points.is_empty()).then(|| {
        Figure::Points(Points {
            title: title.into(),
            note: Some(with_minus(&note.into())),
            x,
            y,
            points,
        })
    })
}

/// Returns the cells of rows and columns as a figure, on a scale between two ends.
pub(crate) fn grid(
    title: impl Into<String>,
    note: impl Into<String>,
    [rows, columns]: [Vec<String>; 2],
    mut cells: Vec<Vec<Option<Cell>>>,
    ([low, high], label): ([f64; 2], &str),
) -> Figure {
    for cell in cells.iter_mut().flatten().flatten() {
        cell.text = with_minus(&cell.text);
    }
    Figure::Grid(Grid {
        title: title.into(),
        note: Some(with_minus(&note.into())),
        rows,
        columns,
        cells,
        scale: Scale {
            low,
            high,
            label: label.into(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_with_what_is_missing() {
        let number = |value, ci, note| Number { value, ci, note };
        let share = Written::share(0.95);
        for (number, words) in [
            (
                number(Some(0.5), Some([Some(0.25), None]), None),
                "0.500 (95 % interval 0.250 to +inf)",
            ),
            (
                number(Some(0.5), None, Some("one item")),
                "0.500, without an interval: one item",
            ),
            (number(None, None, Some("no data")), "undefined: no data"),
            (number(None, None, None), "undefined"),
        ] {
            assert_eq!(share.words(number), words);
        }
    }

    #[test]
    fn lines_that_coincide_are_one_with_all_names() {
        let line = |label: &str, y: f64, low| Series {
            label: label.into(),
            dashed: false,
            points: vec![LinePoint {
                x: 1.0,
                y: Some(y),
                low,
                ..LinePoint::default()
            }],
        };
        let series = vec![
            line("bradley-terry", 0.5, Some(0.25)),
            line("mean", 0.5, None),
            line("win-ratio", 0.5 + 1e-15, Some(0.25)),
            line("none", f64::NAN, None),
        ];
        let labels = merge_coinciding(series).into_iter().map(|one| one.label);
        let labels: Vec<String> = labels.collect();
        assert_eq!(labels, ["bradley-terry and win-ratio", "mean", "none"]);
    }

    #[test]
    fn what_is_not_finite_is_missing() {
        let measured = Measured {
            value: Some(f64::NAN),
            ci: Some([Some(f64::NEG_INFINITY), Some(1.0)]),
            note: None,
        };
        let row = Written::share(0.95).row("a", &measured);
        assert_eq!((row.value, row.low, row.high), (None, None, None));
        let point = Written::share(0.95).point("a", f64::INFINITY, &Measured::default());
        assert_eq!(point, None);
    }
}
