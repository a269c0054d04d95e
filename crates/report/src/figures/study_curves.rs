//! The curves of a study: the benchers of a judge on an input set, in one figure with a line for
//! each evaluation type, and in a figure for each type with a line for each aggregation.

use super::bencher::tau_points;
use super::words::{Written, intervals, lines, points};
use super::{Axis, Figure, LinePoint, NamedFigure, Point, Series, file_name, named};
use crate::numbers::or_blank;
use evenhand_core::in_order;
use evenhand_studies::study::{StudyReport, StudyRow};
use std::collections::BTreeSet;

pub(super) const RHO: &str = "Spearman's rho with people's ratings";
pub(super) const MEAN_RHO: &str = "Spearman's rho with people's ratings (mean)";

/// Returns a note that says what the intervals are over.
pub(super) fn spread_note(report: &StudyReport, drawn: &str) -> String {
    format!(
        "bands and bars: {} over {drawn}",
        intervals(report.plan.level)
    )
}

/// Returns the figures of every evaluation type of every judge on every input set: input sets and
/// judges in alphabetical order, types in the order of the study.
pub(super) fn curve_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let rows = report.rows.iter();
    let groups: BTreeSet<(&str, &str)> = rows.map(|row| (&*row.input, &*row.judge)).collect();
    let mut figures = Vec::new();
    for (input, judge) in groups {
        let own = report.rows.iter().enumerate();
        let own = own.filter(|(_, row)| row.input == input && row.judge == judge);
        let own: Vec<(usize, &StudyRow)> = own.collect();
        let types = one_row_of_each_type(&own);
        if types.len() > 1 {
            let panel = Panel {
                report,
                input,
                judge,
                rows: &types,
            };
            figures.extend(panel.shares());
            figures.extend(panel.tau_u());
        }
        let without_reference = own.iter().filter(|(_, row)| row.reference.is_none());
        for kind in &in_order(without_reference.map(|(_, row)| row.kind.as_str())) {
            let curves = Curves {
                report,
                input,
                judge,
                kind,
                is_only: types.len() == 1,
            };
            figures.extend(curves.shares());
            figures.extend(curves.tau_u());
            figures.extend(curves.references());
            figures.extend(curves.budget());
        }
    }
    figures
}

/// Returns the first row of each evaluation type, and of each type against a reference: its
/// aggregation is the first of the study's that the type has.
fn one_row_of_each_type<'a>(rows: &[(usize, &'a StudyRow)]) -> Vec<(usize, &'a StudyRow)> {
    let mut first: Vec<(usize, &StudyRow)> = Vec::new();
    for (at, row) in rows {
        let is_same = |(_, other): &(usize, &StudyRow)| {
            (&other.kind, &other.reference) == (&row.kind, &row.reference)
        };
        if !first.iter().any(is_same) {
            first.push((*at, row));
        }
    }
    first
}

/// The evaluation types of a judge on an input set, as the lines of one figure: whether they differ
/// is what figures 2, 11 to 13, 15 and 16 of RealRank are about. Each has one aggregation, so that
/// the lines differ in the type alone where all have the same.
#[derive(Clone, Copy)]
struct Panel<'a> {
    report: &'a StudyReport,
    input: &'a str,
    judge: &'a str,
    /// A row of each type, each with its place in the study.
    rows: &'a [(usize, &'a StudyRow)],
}

impl<'a> Panel<'a> {
    fn shares(self) -> Option<NamedFigure> {
        let (what, drawn) = SHARES;
        let points_of = |at, _| share_points(self.report, at);
        self.lines("shares", what, drawn, ["inputs", MEAN_RHO], points_of)
    }

    fn tau_u(self) -> Option<NamedFigure> {
        let (what, drawn) = TAU_U;
        let points_of = |_, row| tau_u_points(self.report, row);
        self.lines("tau-u", what, drawn, [U, "tau_u"], points_of)
    }

    fn lines(
        self,
        file: &str,
        what: &str,
        drawn: &str,
        axes: [&str; 2],
        points_of: impl Fn(usize, &'a StudyRow) -> Vec<LinePoint>,
    ) -> Option<NamedFigure> {
        let aggregations = in_order(self.rows.iter().map(|(_, row)| row.aggregation.to_string()));
        let series = self.rows.iter().map(|(at, row)| {
            let reference = row.reference.as_ref();
            let against = or_blank(reference, |system| format!(", against {system}"));
            let by = match aggregations.len() {
                1 => String::new(),
                _ => format!(", {}", row.aggregation),
            };
            Series {
                label: format!("{}{against}{by}", row.kind),
                dashed: false,
                points: points_of(*at, row),
            }
        });
        let (judge, input) = (self.judge, self.input);
        let by = match &aggregations[..] {
            [one] => format!(", by {one}"),
            _ => String::new(),
        };
        let title = format!("{what}: {judge} on {input}{by}");
        let figure = lines(
            title,
            spread_note(self.report, drawn),
            axes,
            series.collect(),
        );
        let [input, judge] = [input, judge].map(file_name);
        named(format!("{file}-{input}-{judge}"), figure)
    }
}

/// What the curves over shares of the inputs are, and what their intervals are over.
const SHARES: (&str, &str) = (
    "Agreement and the number of inputs",
    "draws of inputs with replacement",
);
/// The same of the curves of tau_u.
const TAU_U: (&str, &str) = ("Agreement on close systems", "items");
const U: &str = "u: largest difference of the ratings (in their unit)";

/// Returns the agreement of a row on shares of the inputs.
fn share_points(report: &StudyReport, at: usize) -> Vec<LinePoint> {
    let written = Written::share(report.plan.level);
    let shares = report.shares.get(at).into_iter().flatten();
    let points = shares.map(|point| {
        let drawn = written.line_point(point.items as f64, &point.spread.rho);
        drawn.saying(&format!("{} of {} inputs", point.items, point.of))
    });
    points.collect()
}

/// Returns the agreement of a row on the pairs of systems that are so close.
fn tau_u_points(report: &StudyReport, row: &StudyRow) -> Vec<LinePoint> {
    let taus = row.bencher.tau_u.iter().map(|tau| (tau.u, tau));
    tau_points(taus, Written::share(report.plan.level))
}

/// The benchers of a judge on an input set, of one evaluation type.
#[derive(Clone, Copy)]
struct Curves<'a> {
    report: &'a StudyReport,
    input: &'a str,
    judge: &'a str,
    kind: &'a str,
    /// Whether the judge has no other type on this input set, and none against a reference.
    is_only: bool,
}

impl<'a> Curves<'a> {
    /// Returns the rows that have no reference, each with its place in the study.
    fn rows(self) -> impl Iterator<Item = (usize, &'a StudyRow)> {
        let rows = self.report.rows.iter().enumerate();
        rows.filter(move |(_, row)| {
            self.has(row) && row.kind == self.kind && row.reference.is_none()
        })
    }

    fn has(self, row: &StudyRow) -> bool {
        row.input == self.input && row.judge == self.judge
    }

    fn written(self) -> Written {
        Written::share(self.report.plan.level)
    }

    /// Returns a figure with a name for its file: the type is in it where there are several.
    fn named(self, file: &str, figure: Option<Figure>) -> Option<NamedFigure> {
        let [input, judge] = [self.input, self.judge].map(file_name);
        let kind = if self.is_only {
            String::new()
        } else {
            format!("-{}", file_name(self.kind))
        };
        named(format!("{file}-{input}-{judge}{kind}"), figure)
    }

    fn title(self, what: &str) -> String {
        format!("{what}: {} on {}, {}", self.judge, self.input, self.kind)
    }

    fn lines(
        self,
        file: &str,
        what: &str,
        drawn: &str,
        axes: [&str; 2],
        series: Vec<Series>,
    ) -> Option<NamedFigure> {
        let note = spread_note(self.report, drawn);
        self.named(file, lines(self.title(what), note, axes, series))
    }

    /// Returns a line for each row that has no reference.
    fn series(self, points_of: impl Fn(usize, &'a StudyRow) -> Vec<LinePoint>) -> Vec<Series> {
        let series = self.rows().map(|(at, row)| Series {
            label: row.aggregation.to_string(),
            dashed: false,
            points: points_of(at, row),
        });
        series.collect()
    }

    fn shares(self) -> Option<NamedFigure> {
        let series = self.series(|at, _| share_points(self.report, at));
        let (what, drawn) = SHARES;
        self.lines("shares", what, drawn, ["inputs", MEAN_RHO], series)
    }

    fn tau_u(self) -> Option<NamedFigure> {
        let series = self.series(|_, row| tau_u_points(self.report, row));
        let (what, drawn) = TAU_U;
        self.lines("tau-u", what, drawn, [U, "tau_u"], series)
    }

    /// Returns the agreement by reference (figures 4 to 6).
    fn references(self) -> Option<NamedFigure> {
        let mut drawn = Vec::new();
        for (at, row) in self.rows() {
            let own = self.report.references.iter();
            let own = own.filter(|(row, _)| *row == at);
            for point in own.flat_map(|(_, found)| &found.points) {
                let placed = self
                    .written()
                    .point(&*point.system, point.rating, &point.rho);
                drawn.extend(placed.map(|placed| Point {
                    group: Some(row.aggregation.to_string()),
                    text: format!("rho {}, {} comparisons", placed.text, point.comparisons),
                    ..placed
                }));
            }
        }
        let figure = points(
            self.title("Agreement and the reference system"),
            spread_note(self.report, "items"),
            [
                Axis::linear("people's rating of the reference system"),
                Axis::linear(RHO),
            ],
            drawn,
        );
        self.named("references", figure)
    }

    /// Returns the curves of a fixed budget, and the horizontal lines of figure 1: benchers that
    /// spend it on one look at each response, or on comparisons with one reference.
    fn budget(self) -> Option<NamedFigure> {
        let mut series = self.series(|at, _| {
            let own = self.report.budgets.iter().filter(|(row, _)| *row == at);
            let points = own.flat_map(|(_, splits)| splits).map(|split| {
                let x = split.comparisons as f64;
                let drawn = self.written().line_point(x, &split.spread.rho);
                drawn.saying(&format!("{} inputs", split.items))
            });
            points.collect()
        });
        let places = series.iter().flat_map(|series| &series.points);
        let places = places.map(|point| point.x);
        let (low, high) = places
            .clone()
            .reduce(f64::min)
            .zip(places.reduce(f64::max))?;
        for row in &self.report.rows {
            let is_level = row.pointwise || (row.reference.is_some() && row.kind == self.kind);
            let rho = &row.bencher.figures.spearman;
            if !self.has(row) || !is_level || rho.value.is_none() {
                continue;
            }
            let points = [low, high].map(|x| LinePoint {
                low: None,
                high: None,
                ..self.written().line_point(x, rho)
            });
            series.push(Series {
                label: match &row.reference {
                    Some(system) => format!("{}, against {system}", row.aggregation),
                    None => format!("{}, {}", row.aggregation, row.kind),
                },
                dashed: true,
                points: points.to_vec(),
            });
        }
        let drawn = "draws of inputs and comparisons with replacement";
        let x = "comparisons on each input (with as many fewer inputs)";
        let what = "A fixed number of judgments";
        self.lines("budget", what, drawn, [x, MEAN_RHO], series)
    }
}
