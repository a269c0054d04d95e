//! The figures of a comparison: how much each system changed, on the whole and by category.

use super::words::{dots, intervals};
use super::{DotRow, Figure};
use evenhand_compare::{Change, Comparison, Measure};

/// Returns the figures of a comparison: one for each unit in which changes are measured.
pub fn figures_of_comparison(comparison: &Comparison) -> Vec<Figure> {
    let units = [true, false].map(|scored| changes_figure(comparison, scored));
    units.into_iter().flatten().collect()
}

fn changes_figure(comparison: &Comparison, scored: bool) -> Option<Figure> {
    let mut rows = Vec::new();
    for system in &comparison.systems {
        if (system.measure == Measure::Score) != scored {
            continue;
        }
        let name = system.name();
        rows.push(row(name.clone(), "all items", system.change()));
        for one in &system.categories {
            let label = format!("{name}: {}", one.category);
            rows.push(row(label, "by category", &one.change));
        }
    }
    let note = format!(
        "differences and {}; right of 0 the later is better",
        intervals(comparison.level)
    );
    let axis = if scored {
        "difference in score"
    } else {
        "difference in share"
    };
    dots("How much each system changed", note, axis, rows)
}

fn row(label: String, group: &str, change: &Change) -> DotRow {
    let interval = match change.interval {
        Some([low, high]) => format!("{low:.3} to {high:.3}"),
        None => "no interval".into(),
    };
    DotRow {
        label,
        group: Some(group.into()),
        value: Some(change.difference),
        low: change.interval.map(|[low, _]| low),
        high: change.interval.map(|[_, high]| high),
        text: format!(
            "{:.3} ({interval}) on {} items",
            change.difference, change.items
        ),
        mark: Some(0.0),
    }
}
