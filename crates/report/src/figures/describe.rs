//! What a figure shows, as plain data. The front end reads the same names
//! (`web/src/source/types.ts`), so a report in HTML and a file of SVG cannot differ.

use serde::{Deserialize, Serialize};

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Figure {
    /// A value for each row, with its interval.
    Dots(Dots),
    /// A value for each row and column.
    Grid(Grid),
    /// Values over a number, joined by lines.
    Lines(Lines),
    /// Two numbers of each point.
    Points(Points),
}

/// A value for each row, with its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dots {
    /// What it shows.
    pub title: String,
    /// How to read it, and what is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The axis of the values.
    pub axis: Axis,
    /// Whether values are bars from 0, those of one label side by side, and not dots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bars: bool,
    /// The rows, from the top.
    pub rows: Vec<DotRow>,
}

/// A row with a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DotRow {
    /// What the value is of.
    pub label: String,
    /// Rows of one group have one colour.
    pub group: Option<String>,
    /// The value; None where it is undefined or infinite, with the cause in `text`.
    pub value: Option<f64>,
    /// The lower end of its interval; None where it is open or there is none.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The value and its interval in words.
    pub text: String,
    /// A value to hold this one against, such as that of an unbiased judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<f64>,
}

/// A value for each row and column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// How to read it, and what is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The names of the rows, from the top.
    pub rows: Vec<String>,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// The cells of each row; None where nothing is there.
    pub cells: Vec<Vec<Option<Cell>>>,
    /// The values that have the lightest and the strongest colour.
    pub scale: Scale,
}

/// A cell of a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The value; None where it is undefined.
    pub value: Option<f64>,
    /// The value as it is shown in the cell.
    pub text: String,
}

/// The meaning of a grid's colours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The value of the lightest colour.
    pub low: f64,
    /// The value of the strongest.
    pub high: f64,
    /// What the values are.
    pub label: String,
}

/// Values over a number, joined by lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// What it shows.
    pub title: String,
    /// How to read it, and what is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The axis of the number.
    pub x: Axis,
    /// The axis of the values.
    pub y: Axis,
    /// How many of them are drawn, unless a reader chooses others; None for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<usize>,
    /// The lines, those that matter most first.
    pub series: Vec<Series>,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What the line is of.
    pub label: String,
    /// Whether it is for comparison alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dashed: bool,
    /// Its points, by x.
    pub points: Vec<LinePoint>,
}

/// A point of a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinePoint {
    /// The number.
    pub x: f64,
    /// The value; None where it is undefined: the line has a gap there.
    pub y: Option<f64>,
    /// The value and its interval in words.
    pub text: String,
    /// The lower end of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// Two numbers of each point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Points {
    /// What it shows.
    pub title: String,
    /// How to read it, and what is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The axis of the first number.
    pub x: Axis,
    /// The axis of the second.
    pub y: Axis,
    /// The points.
    pub points: Vec<Point>,
}

/// A point with a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// What it is of.
    pub label: String,
    /// Points of one group have one colour.
    pub group: Option<String>,
    /// The first number.
    pub x: f64,
    /// The second number.
    pub y: f64,
    /// The lower end of the second number's interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Both numbers in words.
    pub text: String,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The quantity, with its unit.
    pub label: String,
    /// Whether equal factors are equally far apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub log: bool,
    /// The day, `YEAR-MONTH-DAY`, that 0 stands for where the numbers count days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The least number where whole numbers alone mean something: 1 of ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<f64>,
}

impl Axis {
    /// Returns an axis on which equal differences are equally far apart.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            ..Axis::default()
        }
    }

    /// Returns an axis on which equal factors are, for numbers above 0.
    pub fn logarithmic(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            log: true,
            ..Axis::default()
        }
    }
}

impl Figure {
    /// Returns what it shows.
    pub fn title(&self) -> &str {
        match self {
            Figure::Dots(dots) => &dots.title,
            Figure::Grid(grid) => &grid.title,
            Figure::Lines(lines) => &lines.title,
            Figure::Points(points) => &points.title,
        }
    }

    /// Returns how to read it, and what is missing.
    pub fn note(&self) -> Option<&str> {
        let note = match self {
            Figure::Dots(dots) => &dots.note,
            Figure::Grid(grid) => &grid.note,
            Figure::Lines(lines) => &lines.note,
            Figure::Points(points) => &points.note,
        };
        note.as_deref().filter(|note| !note.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Asserts that a figure is this JSON, and this JSON the figure.
    fn check(figure: &Figure, expected: Value) {
        assert_eq!(serde_json::to_value(figure).unwrap(), expected);
        assert_eq!(&serde_json::from_value::<Figure>(expected).unwrap(), figure);
    }

    #[test]
    fn dots_have_the_names_of_the_front_end() {
        let row = DotRow {
            label: "l".into(),
            value: Some(0.5),
            low: Some(0.25),
            text: "t".into(),
            ..DotRow::default()
        };
        let dots = Dots {
            title: "a".into(),
            note: Some("n".into()),
            axis: Axis::logarithmic("x"),
            bars: false,
            rows: vec![row],
        };
        check(
            &Figure::Dots(dots),
            json!({
                "kind": "dots", "title": "a", "note": "n", "axis": {"label": "x", "log": true},
                "rows": [{"label": "l", "group": null, "value": 0.5, "low": 0.25, "high": null,
                          "text": "t"}],
            }),
        );
    }

    #[test]
    fn grids_have_the_names_of_the_front_end() {
        let cell = Cell {
            value: None,
            text: "-".into(),
        };
        let grid = Grid {
            title: "a".into(),
            note: None,
            rows: vec!["r".into()],
            columns: vec!["c".into(), "d".into()],
            cells: vec![vec![Some(cell), None]],
            scale: Scale {
                low: -1.0,
                high: 1.0,
                label: "s".into(),
            },
        };
        check(
            &Figure::Grid(grid),
            json!({
                "kind": "grid", "title": "a", "rows": ["r"], "columns": ["c", "d"],
                "cells": [[{"value": null, "text": "-"}, null]],
                "scale": {"low": -1.0, "high": 1.0, "label": "s"},
            }),
        );
    }

    #[test]
    fn lines_have_the_names_of_the_front_end() {
        let point = LinePoint {
            x: 1.0,
            text: "undefined".into(),
            ..LinePoint::default()
        };
        let lines = Lines {
            title: "a".into(),
            x: Axis::linear("x"),
            y: Axis::linear("y"),
            series: vec![Series {
                label: "s".into(),
                dashed: true,
                points: vec![point],
            }],
            ..Lines::default()
        };
        check(
            &Figure::Lines(lines),
            json!({
                "kind": "lines", "title": "a", "x": {"label": "x"}, "y": {"label": "y"},
                "series": [{"label": "s", "dashed": true,
                            "points": [{"x": 1.0, "y": null, "text": "undefined"}]}],
            }),
        );
    }

    #[test]
    fn points_have_the_names_of_the_front_end() {
        let point = Point {
            label: "p".into(),
            group: Some("g".into()),
            x: 1.0,
            y: 2.0,
            low: Some(1.5),
            high: Some(2.5),
            text: "t".into(),
        };
        let points = Points {
            title: "a".into(),
            x: Axis::linear("x"),
            y: Axis::linear("y"),
            points: vec![point],
            ..Points::default()
        };
        check(
            &Figure::Points(points),
            json!({
                "kind": "points", "title": "a", "x": {"label": "x"}, "y": {"label": "y"},
                "points": [{"label": "p", "group": "g", "x": 1.0, "y": 2.0, "low": 1.5,
                            "high": 2.5, "text": "t"}],
            }),
        );
    }
}
