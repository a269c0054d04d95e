//! Every kind of figure, drawn.

use super::*;
use crate::figures::*;

const HOSTILE: &str = "<script>alert(1)</script>\u{202e}\"&'\u{1b}[2J";

fn row(label: &str, group: &str, value: f64) -> DotRow {
    DotRow {
        label: label.into(),
        group: Some(group.into()),
        value: Some(value),
        low: Some(value - 0.25),
        high: Some(value + 0.25),
        text: format!("{value:.2}"),
        mark: Some(0.5),
    }
}

fn dots() -> Figure {
    let undefined = DotRow {
        label: "empty".into(),
        text: "undefined: no data".into(),
        ..DotRow::default()
    };
    let open = DotRow {
        low: None,
        ..row("open", "two", 0.75)
    };
    Figure::Dots(Dots {
        title: "Scores".into(),
        note: Some("95 % intervals".into()),
        axis: Axis::linear("share"),
        bars: false,
        rows: vec![
            row("first", "one", 0.5),
            row("first", "two", 0.25),
            open,
            undefined,
        ],
    })
}

fn grid() -> Figure {
    let cell = |value: f64| {
        Some(Cell {
            value: Some(value),
            text: format!("{value:.1}"),
        })
    };
    Figure::Grid(Grid {
        title: "Differences".into(),
        note: None,
        rows: vec!["a".into(), "b".into()],
        columns: vec!["a".into(), "a name that is wider than its column".into()],
        cells: vec![vec![None, cell(0.5)], vec![cell(-0.5), None]],
        scale: Scale {
            low: -0.5,
            high: 0.5,
            label: "points".into(),
        },
    })
}

fn lines() -> Figure {
    let point = |x: f64, y: Option<f64>| LinePoint {
        x,
        y,
        text: "t".into(),
        low: y.map(|y| y - 0.5),
        high: y.map(|y| y + 0.5),
    };
    let series = |label: &str, dashed, points| Series {
        label: label.into(),
        dashed,
        points,
    };
    let measured = [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| point(x, (x != 3.0).then_some(x / 4.0)));
    Figure::Lines(Lines {
        title: "Agreement".into(),
        note: None,
        x: Axis::linear("inputs"),
        y: Axis::linear("rho"),
        drawn: None,
        series: vec![
            series("measured", false, measured.to_vec()),
            series(
                "level",
                true,
                [1.0, 5.0].map(|x| point(x, Some(1.0))).to_vec(),
            ),
        ],
    })
}

fn points() -> Figure {
    let point = |label: &str, x, y| Point {
        label: label.into(),
        group: None,
        x,
        y,
        low: Some(y - 1.0),
        high: Some(y + 1.0),
        text: "t".into(),
    };
    Figure::Points(Points {
        title: "Scores and ratings".into(),
        note: None,
        x: Axis::logarithmic("cost"),
        y: Axis::linear("score"),
        points: vec![
            point("one", 10.0, 1.0),
            point("two", 1e4, 3.0),
            point("none", 0.0, 1.0),
        ],
    })
}

/// Puts a text into every field of a figure that has one.
fn with_texts(figure: &Figure, text: &str) -> Figure {
    fn replace(value: &mut serde_json::Value, text: &str) {
        match value {
            serde_json::Value::String(own) => *own = text.into(),
            serde_json::Value::Array(all) => all.iter_mut().for_each(|one| replace(one, text)),
            serde_json::Value::Object(all) => {
                let others = all.iter_mut().filter(|(key, _)| *key != "kind");
                others.for_each(|(_, one)| replace(one, text));
            }
            _ => {}
        }
    }
    let mut value = serde_json::to_value(figure).unwrap();
    replace(&mut value, text);
    serde_json::from_value(value).unwrap()
}

#[test]
fn each_kind_is_drawn_as_it_was() {
    insta::assert_snapshot!("dots", draw_svg(&dots()));
    insta::assert_snapshot!("grid", draw_svg(&grid()));
    insta::assert_snapshot!("lines", draw_svg(&lines()));
    insta::assert_snapshot!("points", draw_svg(&points()));
}

#[test]
fn hostile_labels_are_words_alone() {
    for figure in [dots(), grid(), lines(), points()] {
        let svg = draw_svg(&with_texts(&figure, HOSTILE));
        assert!(svg.contains("&lt;script&gt;alert(1)"), "{svg}");
        assert!(svg.contains("\\u{202e}"), "{svg}");
        for bad in ["<script", "\u{202e}", "\u{1b}"] {
            assert!(!svg.contains(bad), "{bad:?} in {svg}");
        }
        // Every tag is one of ours.
        let tags = svg
            .split('<')
            .skip(1)
            .map(|tag| tag.split([' ', '>', '/']).next().unwrap());
        let known = [
            "svg", "title", "desc", "style", "rect", "text", "line", "circle", "g",
        ];
        let shapes = ["polyline", "polygon", ""];
        let strange: Vec<&str> = tags
            .filter(|tag| !known.contains(tag) && !shapes.contains(tag))
            .collect();
        assert!(strange.is_empty(), "{strange:?}");
    }
}

#[test]
fn long_labels_are_cut_and_no_figure_grows_with_them() {
    let long = "a name without end ".repeat(200);
    for figure in [dots(), grid(), lines(), points()] {
        let svg = draw_svg(&with_texts(&figure, &long));
        let words = svg.lines().filter(|line| line.starts_with("<text"));
        let longest = words.map(|line| line.chars().count()).max().unwrap();
        assert!(svg.contains('…') && longest < 200, "{longest}: {svg}");
    }
}

/// A renderer that knows no style sheet draws the same, and one that knows them all finds nothing
/// in them but what a dark screen takes.
#[test]
fn every_colour_is_an_attribute_that_all_renderers_know() {
    for figure in [dots(), grid(), lines(), points()] {
        let svg = draw_svg(&figure);
        for needed in ["var(", "light-dark", "currentColor", " style=", "calc("] {
            assert!(!svg.contains(needed), "{needed} in {svg}");
        }
        let (before, rest) = svg.split_once("<style>").unwrap();
        let (sheet, after) = rest.split_once("</style>").unwrap();
        let dark = sheet
            .trim()
            .strip_prefix("@media (prefers-color-scheme:dark){");
        assert!(dark.is_some_and(|dark| dark.ends_with('}')), "{sheet}");
        let plain = format!("{before}{after}");
        assert_eq!(draw_png(&svg).unwrap(), draw_png(&plain).unwrap());
        // Marks whose colour would be a renderer's own: text has that of the group around it.
        for line in plain.lines().filter(|line| line.starts_with('<')) {
            let is_mark = ["<rect", "<circle", "<polygon", "<polyline", "<line"]
                .iter()
                .any(|mark| line.starts_with(mark));
            assert!(
                !is_mark || line.contains(" fill=\"#") || line.contains(" stroke=\"#"),
                "{line}"
            );
        }
    }
}

#[test]
fn a_reader_who_does_not_see_is_told_all() {
    let svg = draw_svg(&dots());
    assert!(svg.contains(" role=\"img\"") && svg.contains("<title>Scores</title>"));
    let words = "95 % intervals; first, one: 0.50; first, two: 0.25; open, two: 0.75; empty: \
                 undefined: no data";
    assert!(svg.contains(&format!("<desc>{words}</desc>")), "{svg}");
}

#[test]
fn nothing_is_drawn_where_nothing_is_known() {
    for kind in ["dots", "grid", "lines", "points"] {
        let empty = match kind {
            "dots" => Figure::Dots(Dots::default()),
            "grid" => Figure::Grid(Grid::default()),
            "lines" => Figure::Lines(Lines::default()),
            _ => Figure::Points(Points::default()),
        };
        let svg = draw_svg(&empty);
        assert!(
            !svg.contains("NaN") && !svg.contains("inf"),
            "{kind}: {svg}"
        );
    }
}

/// One system with few judgments does not hide the intervals of all others.
#[test]
fn an_interval_that_is_far_too_long_ends_in_an_arrow() {
    let mut rows: Vec<DotRow> = (0..4)
        .map(|at| DotRow {
            mark: None,
            ..row(&format!("s{at}"), "one", f64::from(at))
        })
        .collect();
    let draw = |rows: &[DotRow]| {
        draw_svg(&Figure::Dots(Dots {
            rows: rows.to_vec(),
            ..Dots::default()
        }))
    };
    let bars = |svg: &str| svg.matches("stroke-opacity=\"0.5\"").count();
    assert_eq!(bars(&draw(&rows)), 4);
    (rows[3].low, rows[3].high) = (Some(-600.0), Some(300.0));
    let svg = draw(&rows);
    // Four intervals, and two strokes of an arrow at either end of one.
    assert_eq!(bars(&svg), 8, "{svg}");
    assert!(!svg.contains(">100</text>"), "{svg}");
}

#[test]
fn bars_stand_on_zero_and_a_missing_one_is_said() {
    let Figure::Dots(dots) = dots() else {
        panic!("dots")
    };
    let svg = draw_svg(&Figure::Dots(Dots { bars: true, ..dots }));
    // The paper and three values.
    assert_eq!(svg.matches("<rect").count(), 4, "{svg}");
    assert!(svg.contains(">-</text>") && svg.contains("empty"), "{svg}");
    // Three marks, and three intervals, of which one is open below.
    assert_eq!(svg.matches("class=\"mark\"").count(), 6, "{svg}");
}

/// Any number of groups fits a page's width: they stand in rows, and nothing is left out.
#[test]
fn many_groups_of_bars_stand_in_rows() {
    for groups in [1, 2, 7, 8, 30, 100] {
        let label = |at: usize| format!("a judge of a longer name, form {at}");
        let rows = (0..groups).flat_map(|at| {
            let label = label(at);
            (0..8).map(move |number| row(&label, &format!("method {number}"), 0.5))
        });
        let dots = Dots {
            bars: true,
            rows: rows.collect(),
            ..Dots::default()
        };
        let svg = draw_svg(&Figure::Dots(dots));
        assert_eq!(svg.matches("<rect").count(), 1 + 8 * groups);
        // Beyond six colours, bars are outlines.
        assert_eq!(svg.matches("fill=\"none\"").count(), 2 * groups);
        let width = svg.split("width=\"").nth(1).unwrap();
        let width: f64 = width.split('"').next().unwrap().parse().unwrap();
        assert!(width <= 960.0, "{groups} groups: {width}");
    }
}
