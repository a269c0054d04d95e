//! The systems of a ranking, pair by pair: a grid of differences, and their intervals.

use super::words::{Number, Written, dots, grid};
use super::{Cell, DotRow, Figure};
use crate::numbers::or_blank;
use crate::ranking::score_decimals;
use evenhand_core::p_value_or_bound_text;
use evenhand_ranking::{PairRow, Report};
use std::collections::BTreeMap;

/// Pairs whose intervals are drawn, a row each; those of more systems have the grid alone.
const ROWS: usize = 66;

/// Returns the differences of all pairs as a grid; None where none is known, or all are 0.
pub(super) fn differences_grid(report: &Report) -> Option<Figure> {
    let pairs = report.differences.iter();
    let known = pairs.filter_map(|pair| pair.difference);
    let sizes = known.map(f64::abs).filter(|size| size.is_finite());
    let most = sizes.reduce(f64::max).filter(|most| *most > 0.0)?;
    let pairs = report.differences.iter();
    let pairs: BTreeMap<(&str, &str), &PairRow> =
        pairs.map(|pair| ((&*pair.a, &*pair.b), pair)).collect();
    let decimals = score_decimals(report.unit);
    let alpha = 1.0 - report.ci.level;
    // The difference of two systems in either order; none of a system with itself.
    let cell = |a: &str, b: &str| {
        let (sign, pair) = match pairs.get(&(a, b)) {
            Some(pair) => (1.0, pair),
            None => (-1.0, pairs.get(&(b, a))?),
        };
        let value = pair.difference.filter(|value| value.is_finite());
        let value = value.map(|value| sign * value);
        let is_clear = pair.p_adjusted.is_some_and(|p| p <= alpha * (1.0 + 1e-9));
        let mark = if is_clear { "*" } else { "" };
        let text = match value {
            Some(value) => format!("{value:+.decimals$}{mark}"),
            None => "-".into(),
        };
        Some(Cell { value, text })
    };
    let ranked = report.ranking.iter().map(|row| row.system.clone());
    let systems: Vec<String> = ranked.collect();
    let row = |a: &String| systems.iter().map(|b| cell(a, b)).collect();
    let cells = systems.iter().map(row).collect();
    Some(grid(
        "Differences between systems",
        format!(
            "the row's score minus the column's; * where the adjusted p-value is at most {alpha:.2}"
        ),
        [systems.clone(), systems],
        cells,
        ([-most, most], &report.unit.to_string()),
    ))
}

/// Returns the differences of all pairs with their intervals, where there are not too many.
pub(super) fn differences_dots(report: &Report) -> Option<Figure> {
    if report.differences.len() > ROWS {
        return None;
    }
    let written = Written {
        decimals: score_decimals(report.unit),
        level: report.ci.level,
    };
    let rows = report.differences.iter().map(|pair| {
        let number = Number::of(pair.difference, pair.ci, pair.note.as_deref());
        let p = or_blank(pair.p_adjusted, |p| {
            let p = p_value_or_bound_text(p, pair.p_adjusted_is_bound);
            format!("adjusted p {p}")
        });
        let row = written.row(format!("{} - {}", pair.a, pair.b), number);
        row.against(Some(0.0)).saying(&p)
    });
    dots(
        "Differences with their intervals",
        "the first system's score minus the second's; the tick is at no difference",
        report.unit.to_string(),
        rows,
    )
}

/// Returns how far apart the systems of an adaptive design are: the interval of each pair alone,
/// for the design gives no estimate.
pub(super) fn certain_figure(report: &Report) -> Option<Figure> {
    let found = report.adaptive.as_ref()?;
    if found.differences.len() > ROWS {
        return None;
    }
    let rows = found.differences.iter().map(|pair| {
        let [low, high] = pair.ci;
        let order = if pair.certified { "certain" } else { "open" };
        // An end that the certified order alone sets is open.
        let range = match (pair.certified, low == 0.0, high == 0.0) {
            (true, true, false) => format!("above 0 to {high:.3}"),
            (true, false, true) => format!("{low:.3} to below 0"),
            _ => format!("{low:.3} to {high:.3}"),
        };
        DotRow {
            label: format!("{} - {}", pair.a, pair.b),
            low: Some(low).filter(|end| end.is_finite()),
            high: Some(high).filter(|end| end.is_finite()),
            text: format!("{range} on {} items, order {order}", pair.judged),
            group: Some(format!("order {order}")),
            mark: Some(0.0),
            ..DotRow::default()
        }
    });
    // An end at 0 is the order's: as they are drawn, intervals hold where the orders do as well.
    let together = 1.0 - 1.5 * (1.0 - found.certainty);
    let note = format!(
        "whenever the run is stopped, the orders hold with chance {}, and so do all intervals but \
         for ends at 0, which are the orders'; both together with chance {}",
        found.certainty,
        (1e4 * together).round() / 1e4
    );
    dots(
        "How far apart the systems are",
        note,
        "mean difference",
        rows,
    )
}
