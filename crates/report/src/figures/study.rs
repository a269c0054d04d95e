//! The figures of a study: a figure for each measure of all benchers, then those of RealRank:
//! agreement against the inputs, the reference, the split of a budget, the cost, and how close
//! systems are.

use super::ranking::number_of;
use super::study_curves::groups_of;
use super::study_settings::{concordance_figures, judge_rank_figure};
use super::study_words::{MEAN_RHO, RHO, named, spread_note};
use super::words::Written;
use super::{Axis, DotRow, Dots, Figure, NamedFigure, Point, Points, file_name, without_names};
use evenhand_studies::Figure as Measured;
use evenhand_studies::bencher::{Figures, SystemRow};
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{CostUnit, FrontierPoint, StudyReport, StudyRow};
use std::collections::{BTreeMap, BTreeSet};

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

/// Returns a figure for each measure, with a row for each method and a group for each input set.
fn measure_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let all = [
        ("spearman", spearman_figure(report)),
        ("kendall", kendall_figure(report)),
        ("accuracy", accuracy_figure(report)),
        ("judges", judge_rank_figure(report)),
    ];
    let all = all.into_iter();
    all.filter_map(|(name, figure)| named(name, figure))
        .collect()
}

fn spearman_figure(report: &StudyReport) -> Option<Figure> {
    bencher_figure(report, RHO, |figures| &figures.spearman)
}

fn kendall_figure(report: &StudyReport) -> Option<Figure> {
    let title = "Kendall's tau-b with people's ratings";
    bencher_figure(report, title, |figures| &figures.kendall_tau_b)
}

fn bencher_figure(
    report: &StudyReport,
    title: &str,
    of: impl Fn(&Figures) -> &Measured,
) -> Option<Figure> {
    let level = report.plan.level;
    let rows = report.rows.iter();
    let rows = rows.map(|row| bencher_row(row, of(&row.bencher.figures), level));
    let dots = Dots {
        title: title.into(),
        note: Some(interval_note(level)),
        axis: Axis::linear(title),
        rows: rows.collect(),
    };
    dots.if_any()
}

fn bencher_row(row: &StudyRow, figure: &Measured, level: f64) -> DotRow {
    let drawn = Written::share(level).row(method_name(row), figure);
    let drawn = drawn.saying(&format!("{} systems", row.bencher.n));
    drawn.in_group(row.input.as_str())
}

fn interval_note(level: f64) -> String {
    format!("points and {:.0} % intervals", 100.0 * level)
}

/// Returns a bencher's name without its input set.
pub(super) fn method_name(row: &StudyRow) -> String {
    let reference = reference_words(row);
    let StudyRow { judge, kind, .. } = row;
    format!("{judge}: {kind}, {}{reference}", row.aggregation)
}

fn reference_words(row: &StudyRow) -> String {
    let reference = row.reference.as_ref();
    let words = reference.map(|system| format!(", against {system}"));
    words.unwrap_or_default()
}

/// Returns the accuracy of the judges of labelled sets.
fn accuracy_figure(report: &StudyReport) -> Option<Figure> {
    let dots = Dots {
        title: "Accuracy on people's labels".into(),
        note: Some("the tick is at chance between two responses".into()),
        axis: Axis::linear("accuracy"),
        rows: accuracy_rows(report),
    };
    dots.if_any()
}

fn accuracy_rows(report: &StudyReport) -> Vec<DotRow> {
    let labelled = report.labelled.iter().chain(&report.totals);
    let rows = labelled.map(|(input, judge)| accuracy_row(judge, input, report.plan.level));
    rows.collect()
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
    let figures = inputs.filter_map(|input| named_frontier(report, input));
    figures.collect()
}

fn named_frontier(report: &StudyReport, input: &str) -> Option<NamedFigure> {
    let name = format!("frontier-{}", file_name(input));
    named(&name, frontier_figure(report, input))
}

fn frontier_figure(report: &StudyReport, input: &str) -> Option<Figure> {
    let points = Points {
        title: format!("The best bencher at every cost: {input}"),
        note: Some(spread_note(report, "draws of inputs with replacement")),
        x: Axis::logarithmic(format!("cost in {}", unit_name(report.unit))),
        y: Axis::linear(MEAN_RHO),
        points: frontier_points(report, input),
    };
    points.if_any()
}

fn frontier_points(report: &StudyReport, input: &str) -> Vec<Point> {
    // A cost of nothing has no place on a logarithmic axis.
    let own = report.frontier.iter();
    let own = own.filter(|point| point.input == input && point.cost > 0.0);
    let points = own.filter_map(|point| frontier_point(report, point));
    points.collect()
}

fn frontier_point(report: &StudyReport, point: &FrontierPoint) -> Option<Point> {
    let row = report.rows.get(point.row)?;
    let drawn = draw_frontier_point(point, report.plan.level)?;
    Some(Point {
        group: Some(method_name(row)),
        text: format!("rho {}, cost {:.4}", drawn.text, point.cost),
        ..drawn
    })
}

fn draw_frontier_point(point: &FrontierPoint, level: f64) -> Option<Point> {
    let label = format!("{} of {} inputs", point.items, point.of);
    Written::share(level).point(label, point.cost, &point.rho)
}

fn unit_name(unit: CostUnit) -> &'static str {
    match unit {
        CostUnit::Usd => "US dollars",
        CostUnit::Tokens => "tokens",
    }
}

/// Returns people's ratings of the systems with their intervals, the best first (Gao et al. 2024,
/// figure 14); None where no rating has an interval.
fn ratings_figure(report: &StudyReport) -> Option<Figure> {
    let systems = rated_systems(report);
    let has_intervals = systems.iter().any(|system| system.rating_ci.is_some());
    let dots = rating_dots(&systems, report.plan.level);
    dots.if_any().filter(|_| has_intervals)
}

fn rating_dots(systems: &[&SystemRow], level: f64) -> Dots {
    let rows = systems.iter().map(|system| rating_row(system, level));
    Dots {
        title: "People's ratings of the systems".into(),
        note: Some("bars: the intervals in the table of ratings".into()),
        axis: Axis::linear("rating"),
        rows: rows.collect(),
    }
}

/// Returns the systems of all benchers that have a rating, each once, the best first.
fn rated_systems(report: &StudyReport) -> Vec<&SystemRow> {
    let mut systems: Vec<&SystemRow> = rated_by_name(report).into_values().collect();
    systems.sort_by(|a, b| rating_of(b).total_cmp(&rating_of(a)));
    systems
}

fn rated_by_name(report: &StudyReport) -> BTreeMap<&str, &SystemRow> {
    let systems = report.rows.iter().flat_map(|row| &row.bencher.systems);
    let rated = systems.filter(|system| system.rating.is_some());
    rated
        .map(|system| (system.rated_as.as_str(), system))
        .collect()
}

fn rating_of(system: &SystemRow) -> f64 {
    system.rating.unwrap_or(f64::NEG_INFINITY)
}

/// The table of ratings does not say what level its intervals have.
fn rating_row(system: &SystemRow, level: f64) -> DotRow {
    let number = number_of(rating_of(system), system.rating_ci);
    let row = Written { decimals: 2, level }.row(system.rated_as.as_str(), number);
    let text = rating_text(system);
    DotRow { text, ..row }
}

fn rating_text(system: &SystemRow) -> String {
    let interval = system.rating_ci;
    let interval = interval.map(|[low, high]| format!(" ({low:.2} to {high:.2})"));
    let interval = interval.unwrap_or_default();
    format!("rating {:.2}{interval}", rating_of(system))
}
