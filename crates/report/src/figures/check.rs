//! The figures of verifiable constraints: how often each system keeps them.

use super::words::Written;
use super::{Axis, Cell, DotRow, Dots, Figure, Grid, Scale};
use crate::slices::deviations_figure;
use evenhand_studies::check::{CheckReport, SystemChecked};
use std::collections::BTreeSet;

/// Returns the figures of a check, the accuracies first.
pub fn figures_of_check(report: &CheckReport) -> Vec<Figure> {
    let figures = [
        accuracies_figure(report),
        types_figure(report),
        slices_figure(report),
    ];
    figures.into_iter().flatten().collect()
}

fn accuracies_figure(report: &CheckReport) -> Option<Figure> {
    let systems = report.systems.iter();
    let dots = Dots {
        title: "Constraints that are kept".into(),
        note: Some(format!(
            "points and {:.0} % intervals; loose: in one of eight forms of the response",
            100.0 * report.level
        )),
        axis: Axis::linear("share"),
        rows: systems
            .flat_map(|system| accuracy_rows(system, report.level))
            .collect(),
    };
    dots.if_any()
}

fn accuracy_rows(system: &SystemChecked, level: f64) -> [DotRow; 4] {
    let SystemChecked {
        prompts,
        instructions,
        ..
    } = system;
    let named = [
        ("prompts, strict", &system.prompt_strict, prompts),
        ("prompts, loose", &system.prompt_loose, prompts),
        (
            "instructions, strict",
            &system.instruction_strict,
            instructions,
        ),
        (
            "instructions, loose",
            &system.instruction_loose,
            instructions,
        ),
    ];
    named.map(|(group, figure, n)| {
        let row = Written::share(level).row(system.system.as_str(), figure);
        row.saying(&format!("of {n}")).in_group(group)
    })
}

/// Returns how far each slice is from what is expected, where there are any.
fn slices_figure(report: &CheckReport) -> Option<Figure> {
    let systems = report.systems.iter().map(|system| system.system.clone());
    let values = report.slices.iter().map(|slice| slice.value.as_str());
    let values: Vec<&str> = values.collect();
    let found = report.interaction.as_ref()?;
    deviations_figure(found, systems.collect(), &values, report.level)
}

/// Returns how often each system keeps each type of constraint.
fn types_figure(report: &CheckReport) -> Option<Figure> {
    let types = type_names(report);
    let systems = report.systems.iter();
    let row = |name: &&str| {
        let systems = report.systems.iter();
        systems.map(|system| type_cell(system, name)).collect()
    };
    (!types.is_empty()).then(|| {
        Figure::Grid(Grid {
            title: "Constraints that are kept, by type".into(),
            note: Some("share kept strictly, of so many".into()),
            columns: systems.map(|system| system.system.clone()).collect(),
            cells: types.iter().map(row).collect(),
            rows: types.into_iter().map(String::from).collect(),
            scale: Scale {
                low: 0.0,
                high: 1.0,
                label: "share kept".into(),
            },
        })
    })
}

fn type_names(report: &CheckReport) -> BTreeSet<&str> {
    let systems = report.systems.iter();
    let names = systems.flat_map(|system| system.types.keys());
    names.map(String::as_str).collect()
}

fn type_cell(system: &SystemChecked, name: &str) -> Option<Cell> {
    let [n, strict, _] = *system.types.get(name)?;
    let share = (n > 0).then(|| strict as f64 / n as f64)?;
    Some(Cell {
        value: Some(share),
        text: format!("{share:.2} of {n}"),
    })
}
