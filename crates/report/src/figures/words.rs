//! Numbers of figures, in words and as rows: what is not finite never becomes a number.

use super::{DotRow, Dots, Figure, LinePoint, Lines, Point, Points};
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

impl<'a> From<&'a Measured> for Number<'a> {
    fn from(measured: &'a Measured) -> Self {
        Number {
            value: measured.value.filter(|value| value.is_finite()),
            ci: finite_ends(measured.ci),
            note: measured.note.as_deref(),
        }
    }
}

/// Opens the ends that are not finite.
pub(super) fn finite_ends(ci: Ends) -> Ends {
    ci.map(|ends| ends.map(|end| end.filter(|end| end.is_finite())))
}

impl Written {
    /// Returns three decimals, as of shares and correlations.
    pub(super) fn share(level: f64) -> Written {
        Written { decimals: 3, level }
    }

    /// Returns a number with its interval, or why there is none: `0.720 (95 % interval 0.640 to
    /// 0.790)`.
    pub(super) fn words(self, number: Number<'_>) -> String {
        let Some(value) = number.value else {
            return format!("undefined{}", after(": ", number.note));
        };
        let interval = match number.ci {
            Some(ci) => self.interval(ci),
            None => after(", without an interval: ", number.note),
        };
        format!("{value:.0$}{interval}", self.decimals)
    }

    fn interval(self, ci: [Option<f64>; 2]) -> String {
        format!(
            " ({:.0} % interval {})",
            100.0 * self.level,
            range_text(ci, self.decimals)
        )
    }

    /// Returns a row for a number.
    pub(super) fn row<'a>(self, label: impl Into<String>, number: impl Into<Number<'a>>) -> DotRow {
        let number = number.into();
        let [low, high] = ends_of(number);
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
        let [low, high] = ends_of(number);
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
        let [low, high] = ends_of(number);
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

/// Returns the ends of a number's interval; none where there is no number.
fn ends_of(number: Number<'_>) -> [Option<f64>; 2] {
    number.value.and(number.ci).unwrap_or_default()
}

fn after(before: &str, note: Option<&str>) -> String {
    note.map(|note| format!("{before}{note}"))
        .unwrap_or_default()
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

impl Dots {
    /// Returns the figure; None where no row has anything to draw.
    pub(super) fn if_any(self) -> Option<Figure> {
        let mut rows = self.rows.iter();
        let has_any = rows.any(|row| row.value.or(row.low).or(row.high).is_some());
        has_any.then_some(Figure::Dots(self))
    }
}

impl Lines {
    /// Leaves out lines without a value; None where none is left.
    pub(super) fn if_any(mut self) -> Option<Figure> {
        self.series
            .retain(|series| series.points.iter().any(|point| point.y.is_some()));
        (!self.series.is_empty()).then_some(Figure::Lines(self))
    }
}

impl Points {
    /// Returns the figure; None without points.
    pub(super) fn if_any(self) -> Option<Figure> {
        (!self.points.is_empty()).then_some(Figure::Points(self))
    }
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
