//! The curves of a study: the benchers of a judge on an input set, a figure for each evaluation
//! type, a line for each aggregation.

use super::words::Written;
use super::{Axis, Figure, LinePoint, Lines, NamedFigure, Point, Points, Series, file_name, named};
use crate::order::{in_order, sort_by_number};
use evenhand_studies::study::{StudyReport, StudyRow};
use std::collections::BTreeSet;

pub(super) const RHO: &str = "Spearman's rho with people's ratings";
pub(super) const MEAN_RHO: &str = "Spearman's rho with people's ratings (mean)";

/// Returns a note that says what the intervals are over.
pub(super) fn spread_note(report: &StudyReport, drawn: &str) -> String {
    format!(
        "bands and bars: {:.0} % intervals over {drawn}",
        100.0 * report.plan.level
    )
}

/// The words around a figure.
struct Around {
    file: &'static str,
    title: &'static str,
    /// The units that were drawn anew for the intervals.
    drawn: &'static str,
    x_label: &'static str,
    y_label: &'static str,
}

const SHARES: Around = Around {
    file: "shares",
    title: "Agreement and the number of inputs",
    drawn: "draws of inputs with replacement",
    x_label: "inputs",
    y_label: MEAN_RHO,
};

const TAU_U: Around = Around {
    file: "tau-u",
    title: "Agreement on close systems",
    drawn: "items",
    x_label: "u: largest difference of the ratings (in their unit)",
    y_label: "tau_u",
};

const REFERENCES: Around = Around {
    file: "references",
    title: "Agreement and the reference system",
    drawn: "items",
    x_label: "people's rating of the reference system",
    y_label: RHO,
};

const BUDGET: Around = Around {
    file: "budget",
    title: "A fixed number of judgments",
    drawn: "draws of inputs and comparisons with replacement",
    x_label: "comparisons on each input (with as many fewer inputs)",
    y_label: MEAN_RHO,
};

/// Returns the figures of every evaluation type of every judge on every input set: input sets and
/// judges in alphabetical order, types in the order of the study.
pub(super) fn curve_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let rows = report.rows.iter();
    let groups: BTreeSet<(&str, &str)> = rows.map(|row| (&*row.input, &*row.judge)).collect();
    let mut figures = Vec::new();
    for (input, judge) in groups {
        let own = report.rows.iter();
        let own = own.filter(|row| row.input == input && row.judge == judge);
        let without_reference = own.filter(|row| row.reference.is_none());
        let kinds = in_order(without_reference.map(|row| row.kind.as_str()));
        for kind in &kinds {
            let curves = Curves {
                report,
                input,
                judge,
                kind,
                is_only: kinds.len() == 1,
            };
            figures.extend(curves.lines(&SHARES, curves.share_series()));
            figures.extend(curves.lines(&TAU_U, curves.tau_series()));
            figures.extend(curves.references());
            figures.extend(curves.lines(&BUDGET, curves.budget_series()));
        }
    }
    figures
}

/// The benchers of a judge on an input set, of one evaluation type.
#[derive(Clone, Copy)]
struct Curves<'a> {
    report: &'a StudyReport,
    input: &'a str,
    judge: &'a str,
    kind: &'a str,
    /// Whether the judge has no other type on this input set.
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
    fn named(self, around: &Around, figure: Option<Figure>) -> Option<NamedFigure> {
        let [input, judge] = [self.input, self.judge].map(file_name);
        let kind = if self.is_only {
            String::new()
        } else {
            format!("-{}", file_name(self.kind))
        };
        named(format!("{}-{input}-{judge}{kind}", around.file), figure)
    }

    fn title(self, around: &Around) -> String {
        let Curves {
            input, judge, kind, ..
        } = self;
        format!("{}: {judge} on {input}, {kind}", around.title)
    }

    fn lines(self, around: &Around, series: Vec<Series>) -> Option<NamedFigure> {
        let lines = Lines {
            title: self.title(around),
            note: Some(spread_note(self.report, around.drawn)),
            x: Axis::linear(around.x_label),
            y: Axis::linear(around.y_label),
            series,
        };
        self.named(around, lines.if_any())
    }

    fn share_series(self) -> Vec<Series> {
        let series = self.rows().map(|(at, row)| {
            let shares = self.report.shares.get(at).into_iter().flatten();
            let points = shares.map(|point| {
                let drawn = self
                    .written()
                    .line_point(point.items as f64, &point.spread.rho);
                drawn.saying(&format!("{} of {} inputs", point.items, point.of))
            });
            solid(row, points.collect())
        });
        series.collect()
    }

    fn tau_series(self) -> Vec<Series> {
        let series = self.rows().map(|(_, row)| {
            let taus = row.bencher.tau_u.iter();
            let placed = taus.filter_map(|tau| Some((tau.u.filter(|u| u.is_finite())?, tau)));
            let points = sort_by_number(placed).into_iter().map(|(u, tau)| {
                let drawn = self.written().line_point(u, &tau.tau);
                drawn.saying(&format!("{} pairs", tau.pairs))
            });
            solid(row, points.collect())
        });
        series.collect()
    }

    /// Returns the agreement by reference (figures 4 to 6).
    fn references(self) -> Option<NamedFigure> {
        let mut points = Vec::new();
        for (at, row) in self.rows() {
            let own = self.report.references.iter();
            let own = own.filter(|(row, _)| *row == at);
            for point in own.flat_map(|(_, found)| &found.points) {
                let drawn = self
                    .written()
                    .point(&*point.system, point.rating, &point.rho);
                points.extend(drawn.map(|drawn| Point {
                    group: Some(row.aggregation.to_string()),
                    text: format!("rho {}, {} comparisons", drawn.text, point.comparisons),
                    ..drawn
                }));
            }
        }
        let points = Points {
            title: self.title(&REFERENCES),
            note: Some(spread_note(self.report, REFERENCES.drawn)),
            x: Axis::linear(REFERENCES.x_label),
            y: Axis::linear(REFERENCES.y_label),
            points,
        };
        self.named(&REFERENCES, points.if_any())
    }

    /// Returns the curves of a fixed budget, and the horizontal lines of figure 1: benchers that
    /// spend it on one look at each response, or on comparisons with one reference.
    fn budget_series(self) -> Vec<Series> {
        let curves = self.rows().map(|(at, row)| {
            let own = self.report.budgets.iter().filter(|(row, _)| *row == at);
            let points = own.flat_map(|(_, splits)| splits).map(|split| {
                let x = split.comparisons as f64;
                let drawn = self.written().line_point(x, &split.spread.rho);
                drawn.saying(&format!("{} inputs", split.items))
            });
            solid(row, points.collect())
        });
        let mut series: Vec<Series> = curves.collect();
        let places = series.iter().flat_map(|series| &series.points);
        let places = places.map(|point| point.x);
        let ends = places.clone().reduce(f64::min).zip(places.reduce(f64::max));
        let Some((low, high)) = ends else {
            return series;
        };
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
        series
    }
}

fn solid(row: &StudyRow, points: Vec<LinePoint>) -> Series {
    Series {
        label: row.aggregation.to_string(),
        dashed: false,
        points,
    }
}
