//! The curves of a study: the benchers of a judge on an input set, a figure for each evaluation
//! type, a line for each aggregation.

use super::study_words::{MEAN_RHO, RHO, named, spread_note};
use super::words::Written;
use super::{Axis, LinePoint, Lines, NamedFigure, Point, Points, Series, file_name};
use crate::order::{in_order, sort_by_number};
use evenhand_studies::bencher::TauRow;
use evenhand_studies::study::{
    ReferencePoint, References, SharePoint, Split, StudyReport, StudyRow,
};
use std::collections::BTreeSet;

/// The benchers of a judge on an input set.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    report: &'a StudyReport,
    input: &'a str,
    judge: &'a str,
}

/// The words around a figure of a group.
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

/// Returns the groups of benchers, in alphabetical order of input sets and judges.
pub(super) fn groups_of(report: &StudyReport) -> Vec<Group<'_>> {
    let rows = report.rows.iter();
    let names: BTreeSet<(&str, &str)> = rows.map(|row| (&*row.input, &*row.judge)).collect();
    let names = names.into_iter();
    let groups = names.map(|(input, judge)| Group {
        report,
        input,
        judge,
    });
    groups.collect()
}

/// A row of the study with its place.
type Placed<'a> = (usize, &'a StudyRow);

impl<'a> Group<'a> {
    /// Returns the figures of every evaluation type.
    pub(super) fn figures(self) -> Vec<NamedFigure> {
        let kinds = self.kinds();
        let of_kind = kinds.iter().map(|kind| OfKind {
            group: self,
            kind,
            is_only: kinds.len() == 1,
        });
        of_kind.flat_map(|of_kind| of_kind.figures()).collect()
    }

    /// Returns the rows that have no reference, each with its place.
    fn rows(self) -> impl Iterator<Item = Placed<'a>> {
        let rows = self.report.rows.iter().enumerate();
        rows.filter(move |(_, row)| self.has(row) && row.reference.is_none())
    }

    fn has(self, row: &StudyRow) -> bool {
        row.input == self.input && row.judge == self.judge
    }

    /// Returns the evaluation types, in the order of the study.
    fn kinds(self) -> Vec<&'a str> {
        in_order(self.rows().map(|(_, row)| row.kind.as_str()))
    }
}

/// A group's benchers of one evaluation type.
#[derive(Clone, Copy)]
struct OfKind<'a> {
    group: Group<'a>,
    kind: &'a str,
    /// Whether the group has no other type.
    is_only: bool,
}

impl<'a> OfKind<'a> {
    fn figures(self) -> impl Iterator<Item = NamedFigure> {
        let figures = [
            self.lines(&SHARES, |one, row| one.share_points(row)),
            self.lines(&TAU_U, |one, row| one.tau_points(row)),
            self.references_figure(),
            self.budget_figure(),
        ];
        figures.into_iter().flatten()
    }

    fn rows(self) -> impl Iterator<Item = Placed<'a>> {
        let rows = self.group.rows();
        rows.filter(move |(_, row)| row.kind == self.kind)
    }

    /// Returns the name of a file: the type is in it where there are several.
    fn file(self, around: &Around) -> String {
        let [input, judge] = [self.group.input, self.group.judge].map(file_name);
        let kind = self.kind_in_file();
        format!("{}-{input}-{judge}{kind}", around.file)
    }

    fn kind_in_file(self) -> String {
        if self.is_only {
            return String::new();
        }
        format!("-{}", file_name(self.kind))
    }

    fn title(self, around: &Around) -> String {
        let Group { input, judge, .. } = self.group;
        format!("{}: {judge} on {input}, {}", around.title, self.kind)
    }

    fn note(self, around: &Around) -> Option<String> {
        Some(spread_note(self.group.report, around.drawn))
    }

    fn written(self) -> Written {
        Written::share(self.group.report.plan.level)
    }

    fn lines(
        self,
        around: &Around,
        points: impl Fn(Self, Placed<'a>) -> Vec<LinePoint>,
    ) -> Option<NamedFigure> {
        let series = self.rows().map(|placed| Series {
            label: placed.1.aggregation.to_string(),
            dashed: false,
            points: points(self, placed),
        });
        self.named_lines(around, series.collect())
    }

    fn named_lines(self, around: &Around, series: Vec<Series>) -> Option<NamedFigure> {
        let lines = Lines {
            title: self.title(around),
            note: self.note(around),
            x: Axis::linear(around.x_label),
            y: Axis::linear(around.y_label),
            series,
        };
        named(&self.file(around), lines.if_any())
    }

    fn share_points(self, (at, _): Placed<'_>) -> Vec<LinePoint> {
        let shares = self.group.report.shares.get(at).into_iter().flatten();
        shares.map(|point| self.share_point(point)).collect()
    }

    fn share_point(self, point: &SharePoint) -> LinePoint {
        let x = point.items as f64;
        let drawn = self.written().line_point(x, &point.spread.rho);
        saying(drawn, &format!("{} of {} inputs", point.items, point.of))
    }

    fn tau_points(self, (_, row): Placed<'_>) -> Vec<LinePoint> {
        let taus = row.bencher.tau_u.iter();
        let placed = taus.filter_map(|tau| Some((tau.u.filter(|u| u.is_finite())?, tau)));
        let sorted = sort_by_number(placed).into_iter();
        sorted.map(|(u, tau)| self.tau_point(u, tau)).collect()
    }

    fn tau_point(self, u: f64, tau: &TauRow) -> LinePoint {
        let drawn = self.written().line_point(u, &tau.tau);
        saying(drawn, &format!("{} pairs", tau.pairs))
    }

    /// Returns the agreement by reference (figures 4 to 6).
    fn references_figure(self) -> Option<NamedFigure> {
        let points = self.reference_dots();
        named(&self.file(&REFERENCES), points.if_any())
    }

    fn reference_dots(self) -> Points {
        let rows = self.rows();
        let points = rows.flat_map(|placed| self.reference_points(placed));
        Points {
            title: self.title(&REFERENCES),
            note: self.note(&REFERENCES),
            x: Axis::linear(REFERENCES.x_label),
            y: Axis::linear(REFERENCES.y_label),
            points: points.collect(),
        }
    }

    fn reference_points(self, (at, row): Placed<'_>) -> Vec<Point> {
        let found = found_for(&self.group.report.references, at);
        let points = found.flat_map(|found: &References| &found.points);
        let drawn = points.filter_map(|point| self.reference_point(row, point));
        drawn.collect()
    }

    fn reference_point(self, row: &StudyRow, point: &ReferencePoint) -> Option<Point> {
        let written = self.written();
        let drawn = written.point(&*point.system, point.rating, &point.rho)?;
        Some(Point {
            group: Some(row.aggregation.to_string()),
            text: format!("rho {}, {} comparisons", drawn.text, point.comparisons),
            ..drawn
        })
    }

    fn budget_figure(self) -> Option<NamedFigure> {
        let splits = self.rows().map(|placed| self.split_line(placed));
        let mut series: Vec<Series> = splits.collect();
        series.extend(self.level_lines(&series));
        self.named_lines(&BUDGET, series)
    }

    fn split_line(self, (at, row): Placed<'_>) -> Series {
        Series {
            label: row.aggregation.to_string(),
            dashed: false,
            points: self.split_points(at),
        }
    }

    fn split_points(self, at: usize) -> Vec<LinePoint> {
        let splits = found_for(&self.group.report.budgets, at).flatten();
        splits.map(|split| self.split_point(split)).collect()
    }

    fn split_point(self, split: &Split) -> LinePoint {
        let x = split.comparisons as f64;
        let drawn = self.written().line_point(x, &split.spread.rho);
        saying(drawn, &format!("{} inputs", split.items))
    }

    /// Returns the horizontal lines of figure 1: benchers that spend the budget on one look at each
    /// response, or on comparisons with one reference.
    fn level_lines(self, series: &[Series]) -> Vec<Series> {
        let Some(ends) = x_range(series) else {
            return Vec::new();
        };
        let rows = self.level_rows();
        rows.filter_map(|row| self.level_line(row, ends)).collect()
    }

    fn level_rows(self) -> impl Iterator<Item = &'a StudyRow> {
        let rows = self.group.report.rows.iter();
        rows.filter(move |row| self.group.has(row) && is_level_in(row, self.kind))
    }

    fn level_line(self, row: &StudyRow, ends: [f64; 2]) -> Option<Series> {
        let rho = &row.bencher.figures.spearman;
        rho.value?;
        let points = ends.map(|x| without_interval(self.written().line_point(x, rho)));
        Some(Series {
            label: level_name(row),
            dashed: true,
            points: points.to_vec(),
        })
    }
}

fn without_interval(point: LinePoint) -> LinePoint {
    LinePoint {
        low: None,
        high: None,
        ..point
    }
}

fn saying(point: LinePoint, more: &str) -> LinePoint {
    LinePoint {
        text: format!("{}, {more}", point.text),
        ..point
    }
}

/// Whether a bencher has one way to spend the budget: a level line in the figure of this type.
fn is_level_in(row: &StudyRow, kind: &str) -> bool {
    row.pointwise || (row.reference.is_some() && row.kind == kind)
}

/// Returns the least and the greatest x of all lines; None without points.
fn x_range(series: &[Series]) -> Option<[f64; 2]> {
    let points = series.iter().flat_map(|series| &series.points);
    let places = points.map(|point| point.x);
    let low = places.clone().reduce(f64::min)?;
    Some([low, places.reduce(f64::max)?])
}

fn level_name(row: &StudyRow) -> String {
    match &row.reference {
        Some(system) => format!("{}, against {system}", row.aggregation),
        None => format!("{}, {}", row.aggregation, row.kind),
    }
}

/// Returns what the study computed for the row at this place.
fn found_for<T>(all: &[(usize, T)], at: usize) -> impl Iterator<Item = &T> {
    let own = all.iter().filter(move |(row, _)| *row == at);
    own.map(|(_, found)| found)
}
