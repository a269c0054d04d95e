//! The figures of a study, as in RealRank: agreement against the inputs, the reference, the split of a budget, the cost, and how close
//! systems are.

use super::{Curve, Curves};
use evenhand_studies::Figure;
use evenhand_studies::study::{FrontierPoint, Row, StudyReport, Unit};
use std::collections::BTreeSet;

/// All figures that the study has data for, each with a name for its file.
pub fn study_plots(report: &StudyReport) -> Vec<(String, Curves)> {
    let groups: BTreeSet<(&str, &str)> = report.rows.iter().map(|row| (row.input.as_str(), row.judge.as_str())).collect();
    let mut plots = Vec::new();
    for (input, judge) in &groups {
        let name = |what: &str| format!("{what}-{}-{}", plain(input), plain(judge));
        let title = |what: &str| format!("{what}: {judge} on {input}");
        plots.push((name("shares"), shares(report, input, judge, title("Agreement and the number of inputs"))));
        plots.push((name("tau-u"), tau_u(report, input, judge, title("Agreement on close systems"))));
        plots.push((name("references"), references(report, input, judge, title("Agreement and the reference system"))));
        plots.push((name("budget"), budget(report, input, judge, title("A fixed number of judgments"))));
    }
    for input in groups.iter().map(|(input, _)| *input).collect::<BTreeSet<_>>() {
        plots.push((format!("frontier-{}", plain(input)), frontier(report, input)));
    }
    plots.retain(|(_, plot)| plot.curves.iter().any(|curve| !curve.points.is_empty()));
    plots
}

/// A name that is a file's on any system.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

/// The rows of a judge on an input set that have no reference, each with its place.
fn rows<'a>(report: &'a StudyReport, input: &'a str, judge: &'a str) -> impl Iterator<Item = (usize, &'a Row)> {
    let of = move |(_, row): &(usize, &Row)| row.input == input && row.judge == judge && row.reference.is_none();
    report.rows.iter().enumerate().filter(of)
}

fn name(row: &Row) -> String {
    format!("{}, {}", row.kind, row.aggregation)
}

fn curve(name: String, points: impl Iterator<Item = (f64, Figure)>) -> Curve {
    let mut curve = Curve { name, ..Curve::default() };
    for (x, figure) in points {
        curve.points.extend(figure.value.map(|value| (x, value)));
        if let Some([Some(low), Some(high)]) = figure.ci {
            curve.band.push((x, low, high));
        }
    }
    curve
}

fn bands(report: &StudyReport, of: &str) -> String {
    format!("bands: {:.0} % intervals over {of}", 100.0 * report.plan.level)
}

fn shares(report: &StudyReport, input: &str, judge: &str, title: String) -> Curves {
    let of = |(at, row): (usize, &Row)| {
        let points = report.shares.get(at).into_iter().flatten();
        curve(name(row), points.map(|point| (point.items as f64, point.spread.rho.clone())))
    };
    Curves {
        title,
        caption: bands(report, "draws of inputs with replacement"),
        x_label: "inputs".into(),
        y_label: "Spearman's rho with people's ratings (mean)".into(),
        curves: rows(report, input, judge).map(of).collect(),
    }
}

fn tau_u(report: &StudyReport, input: &str, judge: &str, title: String) -> Curves {
    let of = |(_, row): (usize, &Row)| {
        let mut points: Vec<(f64, Figure)> =
            row.bencher.tau_u.iter().filter_map(|point| Some((point.u?, point.tau.clone()))).collect();
        points.sort_by(|x, y| x.0.total_cmp(&y.0));
        curve(name(row), points.into_iter())
    };
    Curves {
        title,
        caption: bands(report, "items"),
        x_label: "u: largest difference of the ratings (in their unit)".into(),
        y_label: "tau_u".into(),
        curves: rows(report, input, judge).map(of).collect(),
    }
}

fn references(report: &StudyReport, input: &str, judge: &str, title: String) -> Curves {
    let of = |(at, row): (usize, &Row)| {
        let found = report.references.iter().find(|(row, _)| *row == at).map(|(_, found)| found);
        let points = found.into_iter().flat_map(|found| &found.points);
        curve(name(row), points.map(|point| (point.rating, point.rho.clone())))
    };
    Curves {
        title,
        caption: bands(report, "items"),
        x_label: "people's rating of the reference system".into(),
        y_label: "Spearman's rho with people's ratings".into(),
        curves: rows(report, input, judge).map(of).collect(),
    }
}

fn budget(report: &StudyReport, input: &str, judge: &str, title: String) -> Curves {
    let of = |(at, row): (usize, &Row)| {
        let splits = report.budgets.iter().find(|(row, _)| *row == at).into_iter().flat_map(|(_, splits)| splits);
        curve(name(row), splits.map(|split| (split.comparisons as f64, split.spread.rho.clone())))
    };
    Curves {
        title,
        caption: bands(report, "draws of inputs and comparisons with replacement"),
        x_label: "comparisons on each input (with as many fewer inputs)".into(),
        y_label: "Spearman's rho with people's ratings (mean)".into(),
        curves: rows(report, input, judge).map(of).collect(),
    }
}

fn frontier(report: &StudyReport, input: &str) -> Curves {
    let points = || report.frontier.iter().filter(|point| point.input == input && point.cost > 0.0);
    let at = |point: &FrontierPoint| (point.cost.log10(), point.rho.clone());
    let unit = if report.unit == Unit::Usd { "US dollars" } else { "tokens" };
    Curves {
        title: format!("The best bencher at every cost: {input}"),
        caption: bands(report, "draws of inputs with replacement"),
        x_label: format!("cost in {unit}, power of ten"),
        y_label: "Spearman's rho with people's ratings (mean)".into(),
        curves: vec![curve("frontier".into(), points().map(at))],
    }
}
