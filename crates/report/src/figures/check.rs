//! The figures of verifiable constraints: how often each system keeps them.

use super::words::{Written, dots, grid, intervals};
use super::{Cell, Figure};
use crate::slices::deviations_figure;
use evenhand_studies::check::CheckReport;
use std::collections::BTreeSet;

/// Returns the figures of a check, the accuracies first.
pub fn figures_of_check(report: &CheckReport) -> Vec<Figure> {
    let mut figures = Vec::new();
    figures.extend(accuracies_figure(report));
    figures.extend(types_figure(report));
    if let Some(found) = &report.interaction {
        let systems = report.systems.iter().map(|system| system.system.clone());
        let values = report.slices.iter().map(|slice| slice.value.as_str());
        let values: Vec<&str> = values.collect();
        let figure = deviations_figure(found, systems.collect(), &values, report.level);
        figures.extend(figure);
    }
    figures
}

fn accuracies_figure(report: &CheckReport) -> Option<Figure> {
    let written = Written::share(report.level);
    let rows = report.systems.iter().flat_map(|system| {
        let (prompts, instructions) = (system.prompts, system.instructions);
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
            let row = written.row(system.system.as_str(), figure);
            row.saying(&format!("of {n}")).in_group(group)
        })
    });
    let note = format!(
        "points and {}; loose: in one of eight forms of the response",
        intervals(report.level)
    );
    dots("Constraints that are kept", note, "share", rows)
}

/// Returns how often each system keeps each type of constraint.
fn types_figure(report: &CheckReport) -> Option<Figure> {
    let systems = &report.systems;
    let types: BTreeSet<&String> = systems.iter().flat_map(|one| one.types.keys()).collect();
    if types.is_empty() {
        return None;
    }
    let row = |name: &&String| {
        let cells = systems.iter().map(|system| {
            let [n, strict, _] = *system.types.get(*name)?;
            let share = (n > 0).then(|| strict as f64 / n as f64)?;
            Some(Cell {
                value: Some(share),
                text: format!("{share:.2} of {n}"),
            })
        });
        cells.collect()
    };
    let names = [
        types.iter().map(|name| (*name).clone()).collect(),
        systems.iter().map(|one| one.system.clone()).collect(),
    ];
    Some(grid(
        "Constraints that are kept, by type",
        "share kept strictly, of so many",
        names,
        types.iter().map(row).collect(),
        ([0.0, 1.0], "share kept"),
    ))
}
