//! The figures of a comparison: how much each system changed, on the whole and by category.

use super::{Axis, DotRow, Dots, Figure};
use evenhand_studies::compare::{Change, Comparison, Measure, SystemChange};

/// Returns the figures of a comparison: one for each unit in which changes are measured.
pub fn figures_of_comparison(comparison: &Comparison) -> Vec<Figure> {
    let units = [true, false].map(|scored| changes_figure(comparison, scored));
    units.into_iter().flatten().collect()
}

fn changes_figure(comparison: &Comparison, scored: bool) -> Option<Figure> {
    let systems = comparison.systems.iter();
    let own = systems.filter(|system| (system.measure == Measure::Score) == scored);
    let dots = Dots {
        title: "How much each system changed".into(),
        note: Some(format!(
            "differences and {:.0} % intervals; right of 0 the later is better",
            100.0 * comparison.level
        )),
        axis: Axis::linear(if scored {
            "difference in score"
        } else {
            "difference in share"
        }),
        rows: own.flat_map(rows_of).collect(),
    };
    dots.if_any()
}

fn rows_of(system: &SystemChange) -> Vec<DotRow> {
    let name = match system.current == system.baseline {
        true => system.current.clone(),
        false => format!("{} against {}", system.current, system.baseline),
    };
    let mut rows = vec![row(name.clone(), "all items", system.change())];
    for one in &system.categories {
        rows.push(row(
            format!("{name}: {}", one.category),
            "by category",
            &one.change,
        ));
    }
    rows
}

fn row(label: String, group: &str, change: &Change) -> DotRow {
    let [low, high] = [0, 1].map(|end| change.interval.map(|ends| ends[end]));
    let interval = change.interval.map_or_else(
        || "no interval".to_string(),
        |[low, high]| format!("{low:.3} to {high:.3}"),
    );
    DotRow {
        label,
        group: Some(group.into()),
        value: Some(change.difference),
        low,
        high,
        text: format!(
            "{:.3} ({interval}) on {} items",
            change.difference, change.items
        ),
        mark: Some(0.0),
    }
}
