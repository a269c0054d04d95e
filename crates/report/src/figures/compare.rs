//! The figures of a comparison: how much each system changed, on the whole and by category.

use super::words::{dots, intervals};
use super::{DotRow, Figure};
use crate::compare::is_fixed;
use evenhand_compare::{Change, Comparison, Measure};

/// Returns the figures of a comparison: one for each unit in which changes are measured.
pub fn figures_of_comparison(comparison: &Comparison) -> Vec<Figure> {
    let units = [true, false].map(|scored| changes_figure(comparison, scored));
    units.into_iter().flatten().collect()
}

fn changes_figure(comparison: &Comparison, scored: bool) -> Option<Figure> {
    let mut rows = Vec::new();
    for system in &comparison.systems {
        if (system.measure == Measure::Score) != scored || is_fixed(system) {
            continue;
        }
        let name = system.name();
        rows.push(row(name.clone(), "all items", system.change(), scored));
        for one in &system.categories {
            let label = format!("{name}: {}", one.category);
            rows.push(row(label, "by category", &one.change, scored));
        }
    }
    let note = format!(
        "differences and {}; right of 0 the later is better",
        intervals(comparison.level)
    );
    let axis = if scored {
        "difference in score"
    } else {
        "difference in points"
    };
    dots("How much each system changed", note, axis, rows)
}

/// Returns a change as a row: of scores as they are, of shares in points of a hundred.
fn row(label: String, group: &str, change: &Change, scored: bool) -> DotRow {
    let (scale, decimals, unit) = match scored {
        true => (1.0, 3, ""),
        false => (100.0, 1, " points"),
    };
    let difference = scale * change.difference;
    let ends = change.interval.map(|ends| ends.map(|end| scale * end));
    let interval = match ends {
        Some([low, high]) => format!("{low:.decimals$} to {high:.decimals$}"),
        None => "no interval".into(),
    };
    let items = change.items;
    DotRow {
        label,
        group: Some(group.into()),
        value: Some(difference),
        low: ends.map(|[low, _]| low),
        high: ends.map(|[_, high]| high),
        text: format!("{difference:.decimals$}{unit} ({interval}) on {items} items"),
        mark: Some(0.0),
    }
}
