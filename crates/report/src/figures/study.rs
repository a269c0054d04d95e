//! The figures of a study: a figure for each measure of all benchers, then those of RealRank:
//! agreement against the inputs, the reference, the split of a budget, the cost, and how close
//! systems are.

use super::ranking::number_of;
use super::study_curves::groups_of;
use super::study_settings::{concordance_figures, judge_rank_figure};
use super::words::Written;
use super::{Axis, DotRow, Dots, Figure, NamedFigure, Point, Points, file_name, without_names};
use evenhand_studies::Figure as Measured;
use evenhand_studies::bencher::{Figures, SystemRow};
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{CostUnit, FrontierPoint, StudyReport, StudyRow};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const RHO: &str = "Spearman's rho with people's ratings";
pub(super) const MEAN_RHO: &str = "Spearman's rho with people's ratings (mean)";

/// Returns the figures of a study, its measures of all benchers first.
pub fn figures_of_study(report: &StudyReport) -> Vec<Figure> {
    without_names(study_figures(report))
}

/// Returns all figures that the study has data for, each with a name for its file.
pub fn study_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let mut figures = measure_figures(report);
    figures.extend(groups_of(report).iter().flat_map(|group| group.figures()));
    figures.extend(frontier_figures(report));
    figures.extend(named("ratings", ratings_figure(report)));
    figures.extend(concordance_figures(report));
    figures
}

pub(super) fn named(name: &str, figure: Option<Figure>) -> Option<NamedFigure> {
    figure.map(|figure| (name.to_owned(), figure))
}

/// Returns a figure for each measure, with a row for each method and a group for each input set.
fn measure_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let rho = bencher_figure(report, RHO, |figures| &figures.spearman);
    let tau = bencher_figure(report, "Kendall's tau-b with people's ratings", |figures| {
        &figures.kendall_tau_b
    });
    let all = [
        ("spearman", rho),
        ("kendall", tau),
        ("accuracy", accuracy_figure(report)),
        ("judges", judge_rank_figure(report)),
    ];
    let all = all.into_iter();
    all.filter_map(|(name, figure)| named(name, figure))
        .collect()
}

fn bencher_figure(
    report: &StudyReport,
    title: &str,
    of: impl Fn(&Figures) -> &Measured,
) -> Option<Figure> {
    let written = Written::share(report.plan.level);
    let rows = report.rows.iter().map(|row| {
        let drawn = written.row(method_name(row), of(&row.bencher.figures));
        let drawn = drawn.saying(&format!("{} systems", row.bencher.n));
        drawn.in_group(row.input.as_str())
    });
    let dots = Dots {
        title: title.into(),
        note: Some(format!(
            "points and {:.0} % intervals",
            100.0 * report.plan.level
        )),
        axis: Axis::linear(title),
        rows: rows.collect(),
    };
    dots.if_any()
}

/// Returns a bencher's name without its input set.
pub(super) fn method_name(row: &StudyRow) -> String {
    let reference = row.reference.as_ref();
    let reference = reference.map(|system| format!(", against {system}"));
    format!(
        "{}: {}, {}{}",
        row.judge,
        row.kind,
        row.aggregation,
        reference.unwrap_or_default()
    )
}

/// Returns the accuracy of the judges of labelled sets.
fn accuracy_figure(report: &StudyReport) -> Option<Figure> {
    let labelled = report.labelled.iter().chain(&report.totals);
    let rows = labelled.map(|(input, judge)| accuracy_row(judge, input, report.plan.level));
    let dots = Dots {
        title: "Accuracy on people's labels".into(),
        note: Some("the tick is at chance between two responses".into()),
        axis: Axis::linear("accuracy"),
        rows: rows.collect(),
    };
    dots.if_any()
}

fn accuracy_row(judge: &Evaluation, input: &str, level: f64) -> DotRow {
    let measures = &judge.total.measures;
    let row = Written::share(level).row(judge_label(judge), &measures.accuracy);
    let row = row.saying(&format!("{} pairs", measures.n));
    row.in_group(input).against(Some(0.5))
}

/// Returns a judge's name with its protocol, where that is known.
pub(super) fn judge_label(judge: &Evaluation) -> String {
    match judge.protocol.as_str() {
        "" => judge.judge.clone(),
        protocol => format!("{}: {protocol}", judge.judge),
    }
}

/// Returns the frontier of each input set, in alphabetical order.
fn frontier_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let inputs: BTreeSet<&str> = report.rows.iter().map(|row| &*row.input).collect();
    let inputs = inputs.into_iter();
    let figures = inputs.filter_map(|input| {
        let name = format!("frontier-{}", file_name(input));
        named(&name, frontier_figure(report, input))
    });
    figures.collect()
}

fn frontier_figure(report: &StudyReport, input: &str) -> Option<Figure> {
    // A cost of nothing has no place on a logarithmic axis.
    let own = report.frontier.iter();
    let own = own.filter(|point| point.input == input && point.cost > 0.0);
    let points = Points {
        title: format!("The best bencher at every cost: {input}"),
        note: Some(spread_note(report, "draws of inputs with replacement")),
        x: Axis::logarithmic(format!("cost in {}", unit_name(report.unit))),
        y: Axis::linear(MEAN_RHO),
        points: own
            .filter_map(|point| frontier_point(report, point))
            .collect(),
    };
    points.if_any()
}

fn frontier_point(report: &StudyReport, point: &FrontierPoint) -> Option<Point> {
    let row = report.rows.get(point.row)?;
    let label = format!("{} of {} inputs", point.items, point.of);
    let written = Written::share(report.plan.level);
    let drawn = written.point(label, point.cost, &point.rho)?;
    Some(Point {
        group: Some(method_name(row)),
        text: format!("rho {}, cost {:.4}", drawn.text, point.cost),
        ..drawn
    })
}

fn unit_name(unit: CostUnit) -> &'static str {
    match unit {
        CostUnit::Usd => "US dollars",
        CostUnit::Tokens => "tokens",
    }
}

pub(super) fn spread_note(report: &StudyReport, drawn: &str) -> String {
    format!(
        "bands and bars: {:.0} % intervals over {drawn}",
        100.0 * report.plan.level
    )
}

/// Returns people's ratings of the systems with their intervals, the best first (Gao et al. 2024,
/// figure 14); None where no rating has an interval.
fn ratings_figure(report: &StudyReport) -> Option<Figure> {
    let systems = rated_systems(report);
    let has_intervals = systems.iter().any(|system| system.rating_ci.is_some());
    let rows = systems
        .iter()
        .map(|system| rating_row(system, report.plan.level));
    let dots = Dots {
        title: "People's ratings of the systems".into(),
        note: Some("bars: the intervals in the table of ratings".into()),
        axis: Axis::linear("rating"),
        rows: rows.collect(),
    };
    dots.if_any().filter(|_| has_intervals)
}

/// Returns the systems of all benchers that have a rating, each once, the best first.
fn rated_systems(report: &StudyReport) -> Vec<&SystemRow> {
    let systems = report.rows.iter().flat_map(|row| &row.bencher.systems);
    let by_name: BTreeMap<&str, &SystemRow> = systems
        .filter(|system| system.rating.is_some())
        .map(|system| (system.rated_as.as_str(), system))
        .collect();
    let mut systems: Vec<&SystemRow> = by_name.into_values().collect();
    systems.sort_by(|a, b| rating_of(b).total_cmp(&rating_of(a)));
    systems
}

fn rating_of(system: &SystemRow) -> f64 {
    system.rating.unwrap_or(f64::NEG_INFINITY)
}

/// The table of ratings does not say what level its intervals have.
fn rating_row(system: &SystemRow, level: f64) -> DotRow {
    let number = number_of(rating_of(system), system.rating_ci);
    let row = Written { decimals: 2, level }.row(system.rated_as.as_str(), number);
    let interval = system
        .rating_ci
        .map(|[low, high]| format!(" ({low:.2} to {high:.2})"));
    let text = format!(
        "rating {:.2}{}",
        rating_of(system),
        interval.unwrap_or_default()
    );
    DotRow { text, ..row }
}
