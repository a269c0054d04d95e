//! How well systems keep constraints: table, JSON, CSV.

use crate::View;
use crate::columns::{Column, table_of};
use crate::meta::{figure_cells, insert_figure, interval_columns, percent_with_interval};
use crate::numbers::group_digits;
use crate::serialize::{array_of, csv_text, json_text, object_of};
use crate::slices::{
    SLICE_COLUMNS, deviation_of, deviation_table, slice_columns_of, slice_heading, slices_answer,
};
use crate::terminal::printable;
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::check::{CheckReport, SystemChecked};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The accuracies of prompts, then those of single instructions.
const COLUMNS: [Column<SystemChecked>; 7] = [
    ("system", |row| row.system.clone()),
    ("prompts", |row| group_digits(row.prompts)),
    ("strict", |row| percent_with_interval(&row.prompt_strict)),
    ("loose", |row| percent_with_interval(&row.prompt_loose)),
    ("instructions", |row| group_digits(row.instructions)),
    ("strict", |row| {
        percent_with_interval(&row.instruction_strict)
    }),
    ("loose", |row| percent_with_interval(&row.instruction_loose)),
];

/// Returns a line for each system, the types of constraints below, then the same lines for each
/// slice and who differs where.
pub fn check_table(report: &CheckReport) -> String {
    let accuracies = |systems: &[SystemChecked]| {
        let table = table_of(&COLUMNS, systems);
        table.with_numbers_from(1).to_text()
    };
    let mut text = slices_answer(report.interaction.as_ref());
    text += &accuracies(&report.systems);
    text += &format!("\n\n{}", type_table(report).to_text());
    if let Some(found) = &report.interaction {
        for slice in &report.slices {
            let heading = slice_heading(&found.field, &slice.value, [slice.n_items; 2], None);
            let table = accuracies(&slice.systems);
            text += &format!("\n\n{}\n{table}", printable(&heading));
        }
        text += &deviation_table(found, "system", View::default());
    }
    let level = 100.0 * report.level;
    text += &format!("\n\nIn per cent, with {level:.0} % intervals.");
    if report.unconstrained > 0 {
        let items = group_digits(report.unconstrained);
        text += &format!("\n{items} items have no constraints.");
    }
    text + "\n"
}

/// Shows how often each type of constraint is kept, by system.
fn type_table(report: &CheckReport) -> TextTable {
    let systems = &report.systems;
    let names: BTreeSet<&String> = systems.iter().flat_map(|one| one.types.keys()).collect();
    let rows = names.into_iter().map(|name| {
        let mut cells = vec![name.clone()];
        for system in systems {
            cells.push(match system.types.get(name) {
                None | Some([0, ..]) => "-".into(),
                Some([n, strict, _]) => format!("{:.1} of {n}", 100.0 * *strict as f64 / *n as f64),
            });
        }
        cells
    });
    let header = systems.iter().map(|system| system.system.as_str());
    TextTable::with_header(["strict, of so many"].into_iter().chain(header))
        .with_rows(rows)
        .with_numbers_from(1)
}

/// The names of the accuracies, in the order of [`accuracies`].
const ACCURACIES: [&str; 4] = [
    "prompt_strict",
    "prompt_loose",
    "instruction_strict",
    "instruction_loose",
];

fn accuracies(system: &SystemChecked) -> [&Figure; 4] {
    [
        &system.prompt_strict,
        &system.prompt_loose,
        &system.instruction_strict,
        &system.instruction_loose,
    ]
}

/// Returns one JSON object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn check_json(report: &CheckReport) -> Result<String, serde_json::Error> {
    let mut object = object_of(json!({
        "systems": array_of(&report.systems, system_json),
        "unconstrained": report.unconstrained,
        "level": report.level,
        "seed": report.seed,
    }));
    if let Some(found) = &report.interaction {
        let slices = array_of(&report.slices, |slice| {
            json!({
                "value": slice.value,
                "n_items": slice.n_items,
                "too_small": slice.too_small,
                "systems": array_of(&slice.systems, system_json),
            })
        });
        object.insert("slices".into(), slices);
        object.insert("interaction".into(), json!(found));
    }
    json_text(&object)
}

fn system_json(system: &SystemChecked) -> Value {
    let mut object = object_of(json!({
        "system": system.system,
        "prompts": system.prompts,
        "instructions": system.instructions,
    }));
    for (name, figure) in ACCURACIES.into_iter().zip(accuracies(system)) {
        insert_figure(&mut object, name, figure);
    }
    let types = system.types.iter().map(|(name, [n, strict, loose])| {
        let counts = json!({"n": n, "strict": strict, "loose": loose});
        (name.clone(), counts)
    });
    object.insert("types".into(), types.collect());
    Value::Object(object)
}

/// Returns a row for each system, and where there are slices one for each system in each of them,
/// named in a column of its own.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn check_csv(report: &CheckReport) -> Result<String, csv::Error> {
    let mut header = ["system", "prompts", "instructions"]
        .map(String::from)
        .to_vec();
    for name in ACCURACIES {
        header.extend(interval_columns(name, ["ci_low", "ci_high"]));
    }
    let mut rows: Vec<Vec<String>> = report.systems.iter().map(system_cells).collect();
    let Some(found) = &report.interaction else {
        return csv_text(header, rows);
    };
    header.extend(SLICE_COLUMNS.map(String::from));
    for row in &mut rows {
        row.extend([const { String::new() }; SLICE_COLUMNS.len()]);
    }
    for slice in &report.slices {
        for system in &slice.systems {
            let own = deviation_of(Some(found), &system.system, &slice.value);
            let mut cells = system_cells(system);
            cells.extend(slice_columns_of(&slice.value, slice.n_items, own));
            rows.push(cells);
        }
    }
    csv_text(header, rows)
}

fn system_cells(system: &SystemChecked) -> Vec<String> {
    let mut cells = vec![
        system.system.clone(),
        system.prompts.to_string(),
        system.instructions.to_string(),
    ];
    cells.extend(accuracies(system).into_iter().flat_map(figure_cells));
    cells
}
