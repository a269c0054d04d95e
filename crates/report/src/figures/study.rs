//! The figures of a study: a figure for each measure of all benchers, then those of RealRank:
//! agreement against the inputs, the reference, the split of a budget, the cost, and how close
//! systems are.

use super::judge::{CHANCE, chance};
use super::study_curves::{MEAN_RHO, RHO, curve_figures, spread_note};
use super::study_methods::coverage_figures;
use super::study_settings::{concordance_dots, concordance_grid, judge_rank_figure};
use super::words::{Number, Written, dots, intervals, points};
use super::{Axis, DotRow, Figure, NamedFigure, Point, file_name, named, without_names};
use crate::numbers::or_blank;
use evenhand_studies::Figure as Measured;
use evenhand_studies::bencher::{Figures, SystemRow};
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{CostUnit, StudyReport, StudyRow};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the figures of a study, its measures of all benchers first.
pub fn figures_of_study(report: &StudyReport) -> Vec<Figure> {
    without_names(study_figures(report))
}

/// Returns all figures that the study has data for, each with a name for its file.
pub fn study_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let spearman = bencher_figure(report, RHO, |figures| &figures.spearman);
    let title = "Kendall's tau-b with people's ratings";
    let kendall = bencher_figure(report, title, |figures| &figures.kendall_tau_b);
    let mut figures = Vec::new();
    figures.extend(named("spearman", spearman));
    figures.extend(named("kendall", kendall));
    figures.extend(named("accuracy", accuracy_figure(report)));
    figures.extend(coverage_figures(report));
    figures.extend(named("judges", judge_rank_figure(report)));
    figures.extend(curve_figures(report));
    // Input sets in alphabetical order.
    let inputs: BTreeSet<&str> = report.rows.iter().map(|row| &*row.input).collect();
    for input in inputs {
        let name = format!("frontier-{}", file_name(input));
        figures.extend(named(name, frontier_figure(report, input)));
    }
    figures.extend(named("ratings", ratings_figure(report)));
    figures.extend(named("concordance", concordance_grid(report)));
    figures.extend(named("concordance-intervals", concordance_dots(report)));
    figures
}

/// Returns a measure of all benchers: a row for each method, a group for each input set.
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
    let note = format!("points and {}", intervals(written.level));
    dots(title, note, title, rows)
}

/// Returns a bencher's name without its input set.
fn method_name(row: &StudyRow) -> String {
    let StudyRow { judge, kind, .. } = row;
    let reference = row.reference.as_ref();
    let against = or_blank(reference, |system| format!(", against {system}"));
    format!("{judge}: {kind}, {}{against}", row.aggregation)
}

/// Returns the accuracy of the judges of labelled sets.
fn accuracy_figure(report: &StudyReport) -> Option<Figure> {
    let written = Written::share(report.plan.level);
    let labelled = report.labelled.iter().chain(&report.totals);
    let rows = labelled.map(|(input, judge)| {
        let measures = &judge.total.measures;
        let row = written.row(judge_label(judge), &measures.accuracy);
        let row = row.saying(&format!("{} pairs", measures.n));
        row.in_group(input.as_str()).against(chance(measures))
    });
    dots("Accuracy on people's labels", CHANCE, "accuracy", rows)
}

/// Returns a judge's name with its protocol, where that is known.
pub(super) fn judge_label(judge: &Evaluation) -> String {
    match judge.protocol.as_str() {
        "" => judge.judge.clone(),
        protocol => format!("{}: {protocol}", judge.judge),
    }
}

fn frontier_figure(report: &StudyReport, input: &str) -> Option<Figure> {
    let written = Written::share(report.plan.level);
    // A cost of nothing has no place on a logarithmic axis.
    let own = report.frontier.iter();
    let own = own.filter(|point| point.input == input && point.cost > 0.0);
    let drawn = own.filter_map(|point| {
        let row = report.rows.get(point.row)?;
        let label = format!("{} of {} inputs", point.items, point.of);
        let drawn = written.point(label, point.cost, &point.rho)?;
        Some(Point {
            group: Some(method_name(row)),
            text: format!("rho {}, cost {:.4}", drawn.text, point.cost),
            ..drawn
        })
    });
    let unit = match report.unit {
        CostUnit::Usd => "US dollars",
        CostUnit::Tokens => "tokens",
    };
    points(
        format!("The best bencher at every cost: {input}"),
        spread_note(report, "draws of inputs with replacement"),
        [
            Axis::logarithmic(format!("cost in {unit}")),
            Axis::linear(MEAN_RHO),
        ],
        drawn.collect(),
    )
}

/// Returns people's ratings of the systems with their intervals, the best first (Gao et al. 2025,
/// figure 14); None where no rating has an interval.
fn ratings_figure(report: &StudyReport) -> Option<Figure> {
    // The systems of all benchers, each once.
    let mut rated: BTreeMap<&str, (f64, &SystemRow)> = BTreeMap::new();
    for system in report.rows.iter().flat_map(|row| &row.bencher.systems) {
        if let Some(rating) = system.rating {
            rated.insert(&system.rated_as, (rating, system));
        }
    }
    let mut rated: Vec<(f64, &SystemRow)> = rated.into_values().collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0));
    if rated.iter().all(|(_, system)| system.rating_ci.is_none()) {
        return None;
    }
    let written = Written {
        decimals: 2,
        level: report.plan.level,
    };
    let rows = rated.into_iter().map(|(rating, system)| {
        let number = Number::closed(rating, system.rating_ci);
        let row = written.row(system.rated_as.as_str(), number);
        // The table of ratings does not say what level its intervals have.
        let interval = or_blank(system.rating_ci, |[low, high]| {
            format!(" ({low:.2} to {high:.2})")
        });
        let text = format!("rating {rating:.2}{interval}");
        DotRow { text, ..row }
    });
    dots(
        "People's ratings of the systems",
        "bars: the intervals in the table of ratings",
        "rating",
        rows,
    )
}
