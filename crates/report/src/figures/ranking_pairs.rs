//! The systems of a ranking, pair by pair: a grid of differences, and their intervals.

use super::words::{Number, Written, finite_ends};
use super::{Axis, Cell, DotRow, Dots, Figure, Grid, Scale};
use crate::ranking::score_decimals;
use evenhand_engine::{AdaptiveReport, PairBounds, PairRow, Report};
use std::collections::BTreeMap;

/// Pairs whose intervals are drawn, a row each; those of more systems have the grid alone.
const ROWS: usize = 66;

/// Returns the differences of all pairs as a grid, and with their intervals.
pub(super) fn differences_figures(report: &Report) -> Vec<Figure> {
    let grid = differences_grid(report);
    grid.into_iter().chain(differences_dots(report)).collect()
}

fn differences_grid(report: &Report) -> Option<Figure> {
    let most = largest_difference(&report.differences)?;
    let systems: Vec<String> = report
        .ranking
        .iter()
        .map(|row| row.system.clone())
        .collect();
    let pairs = pairs_by_systems(&report.differences);
    let row = |a: &String| {
        let columns = systems.iter();
        columns.map(|b| cell_of(report, &pairs, [a, b])).collect()
    };
    Some(Figure::Grid(Grid {
        title: "Differences between systems".into(),
        note: Some(grid_note(report)),
        cells: systems.iter().map(row).collect(),
        columns: systems.clone(),
        rows: systems,
        scale: Scale {
            low: -most,
            high: most,
            label: report.unit.to_string(),
        },
    }))
}

fn grid_note(report: &Report) -> String {
    format!(
        "the row's score less the column's; * where the adjusted p-value is at most {:.2}",
        1.0 - report.ci.level
    )
}

/// Returns the largest difference that is known; None where none is, or all are 0.
fn largest_difference(pairs: &[PairRow]) -> Option<f64> {
    let known = pairs.iter().filter_map(|pair| pair.difference);
    let most = known.map(f64::abs).filter(|size| size.is_finite());
    most.reduce(f64::max).filter(|most| *most > 0.0)
}

/// The pairs by their two systems.
type ByPair<'a> = BTreeMap<(&'a str, &'a str), &'a PairRow>;

fn pairs_by_systems(pairs: &[PairRow]) -> ByPair<'_> {
    let pairs = pairs.iter();
    pairs.map(|pair| ((&*pair.a, &*pair.b), pair)).collect()
}

/// Returns the difference of two systems in either order; None of a system with itself.
fn cell_of(report: &Report, pairs: &ByPair<'_>, [a, b]: [&str; 2]) -> Option<Cell> {
    let (sign, pair) = match pairs.get(&(a, b)) {
        Some(pair) => (1.0, pair),
        None => (-1.0, pairs.get(&(b, a))?),
    };
    let value = pair.difference.filter(|value| value.is_finite());
    let value = value.map(|value| sign * value);
    Some(Cell {
        value,
        text: cell_text(value, pair, report),
    })
}

fn cell_text(value: Option<f64>, pair: &PairRow, report: &Report) -> String {
    let decimals = score_decimals(report.unit);
    let is_clear = pair
        .p_adjusted
        .is_some_and(|p| p <= (1.0 - report.ci.level) * (1.0 + 1e-9));
    let mark = if is_clear { "*" } else { "" };
    match value {
        Some(value) => format!("{value:+.decimals$}{mark}"),
        None => "-".into(),
    }
}

fn differences_dots(report: &Report) -> Option<Figure> {
    let pairs = &report.differences;
    let written = Written {
        decimals: score_decimals(report.unit),
        level: report.ci.level,
    };
    let dots = Dots {
        title: "Differences with their intervals".into(),
        note: Some(
            "the first system's score less the second's; the tick is at no difference".into(),
        ),
        axis: Axis::linear(report.unit.to_string()),
        rows: pairs.iter().map(|pair| pair_row(pair, written)).collect(),
    };
    dots.if_any().filter(|_| pairs.len() <= ROWS)
}

fn pair_row(pair: &PairRow, written: Written) -> DotRow {
    let number = Number {
        value: pair.difference.filter(|value| value.is_finite()),
        ci: finite_ends(pair.ci),
        note: pair.note.as_deref(),
    };
    let row = written.row(format!("{} - {}", pair.a, pair.b), number);
    row.against(Some(0.0)).saying(&p_words(pair))
}

fn p_words(pair: &PairRow) -> String {
    let bound = if pair.p_adjusted_is_bound { "<" } else { "=" };
    pair.p_adjusted
        .map(|p| format!("adjusted p {bound} {p:.3}"))
        .unwrap_or_default()
}

/// Returns how far apart the systems of an adaptive design are.
pub(super) fn certain_figure(report: &Report) -> Option<Figure> {
    let found = report.adaptive.as_ref()?;
    let dots = Dots {
        title: "How far apart the systems are".into(),
        note: Some(certain_note(found)),
        axis: Axis::linear("mean difference"),
        rows: found.differences.iter().map(bounds_row).collect(),
    };
    dots.if_any().filter(|_| found.differences.len() <= ROWS)
}

fn certain_note(found: &AdaptiveReport) -> String {
    format!(
        "all intervals hold together with chance {}, whenever the run is stopped",
        found.certainty
    )
}

/// Returns the interval of a pair alone: an adaptive design gives no estimate.
fn bounds_row(pair: &PairBounds) -> DotRow {
    let [low, high] = pair.ci;
    let order = if pair.certified { "certain" } else { "open" };
    DotRow {
        label: format!("{} - {}", pair.a, pair.b),
        value: None,
        low: Some(low).filter(|end| end.is_finite()),
        high: Some(high).filter(|end| end.is_finite()),
        text: format!(
            "{low:.3} to {high:.3} on {} items, order {order}",
            pair.judged
        ),
        ..DotRow::default()
    }
    .in_group(format!("order {order}"))
    .against(Some(0.0))
}
