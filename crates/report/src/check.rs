//! How well systems keep constraints: table, JSON, CSV.

use crate::meta::{figure_cells, insert_figure, interval_columns, percent_with_interval};
use crate::numbers::group_digits;
use crate::serialize::{csv_text, json_text};
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::check::{CheckReport, SystemChecked};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const ACCURACIES: [&str; 4] = [
    "prompt_strict",
    "prompt_loose",
    "instruction_strict",
    "instruction_loose",
];

/// Returns the accuracies of a system, in the order of [`ACCURACIES`].
fn accuracies(system: &SystemChecked) -> [&Figure; 4] {
    [
        &system.prompt_strict,
        &system.prompt_loose,
        &system.instruction_strict,
        &system.instruction_loose,
    ]
}

/// Returns a line for each system, and the types of constraints below.
pub fn check_table(report: &CheckReport) -> String {
    let unconstrained = match report.unconstrained {
        0 => String::new(),
        n => format!("\n{} items have no constraints.", group_digits(n)),
    };
    format!(
        "{}\n\n{}\n\nIn per cent, with {:.0} % intervals.{unconstrained}\n",
        accuracy_table(report).to_text(),
        type_table(report).to_text(),
        100.0 * report.level
    )
}

fn accuracy_table(report: &CheckReport) -> TextTable {
    let mut table = TextTable::with_header([
        "system",
        "prompts",
        "strict",
        "loose",
        "instructions",
        "strict",
        "loose",
    ]);
    for system in &report.systems {
        let [prompt_strict, prompt_loose, strict, loose] =
            accuracies(system).map(percent_with_interval);
        table.add_row([
            system.system.clone(),
            group_digits(system.prompts),
            prompt_strict,
            prompt_loose,
            group_digits(system.instructions),
            strict,
            loose,
        ]);
    }
    table.align_right_from(1);
    table
}

/// Shows how often each type of constraint is kept, by system.
fn type_table(report: &CheckReport) -> TextTable {
    let systems = report.systems.iter().map(|system| system.system.as_str());
    let mut table = TextTable::with_header(std::iter::once("strict, of so many").chain(systems));
    for name in type_names(report) {
        let cells = report.systems.iter().map(|system| kept_share(system, name));
        table.add_row(std::iter::once(name.clone()).chain(cells));
    }
    table.align_right_from(1);
    table
}

fn type_names(report: &CheckReport) -> BTreeSet<&String> {
    report
        .systems
        .iter()
        .flat_map(|system| system.types.keys())
        .collect()
}

fn kept_share(system: &SystemChecked, name: &str) -> String {
    match system.types.get(name) {
        Some([n, strict, _]) if *n > 0 => {
            format!("{:.1} of {n}", 100.0 * *strict as f64 / *n as f64)
        }
        _ => "-".into(),
    }
}

/// Returns one JSON object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn check_json(report: &CheckReport) -> Result<String, serde_json::Error> {
    let systems: Vec<Value> = report.systems.iter().map(system_json).collect();
    json_text(&json!({
        "systems": systems,
        "unconstrained": report.unconstrained,
        "level": report.level,
        "seed": report.seed,
    }))
}

fn system_json(system: &SystemChecked) -> Value {
    let mut object = Map::new();
    object.insert("system".into(), json!(system.system));
    object.insert("prompts".into(), json!(system.prompts));
    object.insert("instructions".into(), json!(system.instructions));
    for (name, figure) in ACCURACIES.into_iter().zip(accuracies(system)) {
        insert_figure(&mut object, name, figure);
    }
    let types = system.types.iter().map(|(name, [n, strict, loose])| {
        (
            name.clone(),
            json!({"n": n, "strict": strict, "loose": loose}),
        )
    });
    object.insert("types".into(), Value::Object(types.collect()));
    Value::Object(object)
}

/// Returns a row for each system.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn check_csv(report: &CheckReport) -> Result<String, csv::Error> {
    let counts = ["system", "prompts", "instructions"].map(String::from);
    let figures = ACCURACIES
        .into_iter()
        .flat_map(|name| interval_columns(name, ["ci_low", "ci_high"]));
    csv_text(
        counts.into_iter().chain(figures),
        report.systems.iter().map(system_cells),
    )
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
