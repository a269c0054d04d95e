//! The figures of slices: every system in every slice, and how far that is from what its score over
//! all items says.

use super::{Cell, Figure, Grid, Scale};
use evenhand_engine::{InteractionReport, Report, SliceDeviation};

/// Returns the deviations as a grid of systems and slices; None where nothing was tested.
pub(super) fn deviations_figure(report: &Report) -> Option<Figure> {
    let found = report.interaction.as_ref()?;
    let sizes = found.deviations.iter().map(|row| row.deviation.abs());
    let most = sizes.reduce(f64::max).filter(|most| *most > 0.0)?;
    let ranked = report.ranking.iter().map(|row| row.system.clone());
    let systems: Vec<String> = ranked.collect();
    let slices = report.slices.iter().map(|slice| slice.value.as_str());
    let slices: Vec<&str> = slices.collect();
    let alpha = 1.0 - report.ci.level;
    let row = |system: &String| {
        let cells = slices.iter();
        cells
            .map(|value| cell_of(found, system, value, alpha))
            .collect()
    };
    Some(Figure::Grid(Grid {
        title: format!("Beyond what scores say, by {}", found.field),
        note: Some(format!(
            "how much better a system is in a slice than over all items; * where the p-value, \
             adjusted for {} tests, is at most {alpha:.2}",
            found.tested
        )),
        cells: systems.iter().map(row).collect(),
        columns: slices.iter().map(|value| named(value)).collect(),
        rows: systems,
        scale: Scale {
            low: -most,
            high: most,
            label: found.unit.into(),
        },
    }))
}

/// Names a slice, be its value blank.
pub(super) fn named(value: &str) -> String {
    match value {
        "" => "(none)".into(),
        value => value.into(),
    }
}

fn cell_of(found: &InteractionReport, system: &str, value: &str, alpha: f64) -> Option<Cell> {
    let is_own = |row: &&SliceDeviation| row.system == system && row.value == value;
    let row = found.deviations.iter().find(is_own)?;
    let is_sure = row.p_adjusted.is_some_and(|p| p <= alpha + 1e-12);
    let star = if is_sure { "*" } else { "" };
    Some(Cell {
        value: Some(row.deviation),
        text: format!("{:+.2}{star}", row.deviation),
    })
}
