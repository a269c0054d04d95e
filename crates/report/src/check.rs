//! How well systems keep constraints: table, JSON, CSV.

use crate::View;
use crate::meta::{figure_cells, insert_figure, interval_columns, percent_with_interval};
use crate::numbers::group_digits;
use crate::serialize::{array_of, csv_text, json_text, object_of};
use crate::slices::{
    SLICE_COLUMNS, deviation_of, deviation_table, slice_columns_of, slice_heading, slices_answer,
};
use crate::terminal::printable;
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::check::{CheckReport, CheckSlice, SystemChecked};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Columns of the table: the accuracies of prompts, then those of single instructions.
const HEADER: [&str; 7] = [
    "system",
    "prompts",
    "strict",
    "loose",
    "instructions",
    "strict",
    "loose",
];

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

/// Returns a line for each system, the types of constraints below, then the same lines for each
/// slice and who differs where.
pub fn check_table(report: &CheckReport) -> String {
    format!(
        "{}{}\n\n{}{}\n\nIn per cent, with {:.0} % intervals.{}\n",
        slices_answer(report.interaction.as_ref()),
        accuracy_table(&report.systems).to_text(),
        type_table(report).to_text(),
        slice_tables(report),
        100.0 * report.level,
        unconstrained_text(report.unconstrained)
    )
}

fn slice_tables(report: &CheckReport) -> String {
    let Some(found) = &report.interaction else {
        return String::new();
    };
    let tables = report.slices.iter().map(|slice| {
        let heading = slice_heading(&found.field, &slice.value, [slice.n_items; 2], None);
        let table = accuracy_table(&slice.systems).to_text();
        format!("\n\n{}\n{table}", printable(&heading))
    });
    tables.collect::<String>() + &deviation_table(found, "system", View::default())
}

fn unconstrained_text(items: u64) -> String {
    match items {
        0 => String::new(),
        n => format!("\n{} items have no constraints.", group_digits(n)),
    }
}

fn accuracy_table(systems: &[SystemChecked]) -> TextTable {
    TextTable::with_header(HEADER)
        .with_rows(systems.iter().map(accuracy_row))
        .with_numbers_from(1)
}

fn accuracy_row(system: &SystemChecked) -> Vec<String> {
    let percents = accuracies(system).map(percent_with_interval);
    let (of_prompts, of_instructions) = percents.split_at(2);
    let mut cells = vec![system.system.clone(), group_digits(system.prompts)];
    cells.extend_from_slice(of_prompts);
    cells.push(group_digits(system.instructions));
    cells.extend_from_slice(of_instructions);
    cells
}

/// Shows how often each type of constraint is kept, by system.
fn type_table(report: &CheckReport) -> TextTable {
    let systems = report.systems.iter().map(|system| system.system.as_str());
    let rows = type_names(report).into_iter();
    TextTable::with_header(std::iter::once("strict, of so many").chain(systems))
        .with_rows(rows.map(|name| type_row(report, name)))
        .with_numbers_from(1)
}

fn type_row(report: &CheckReport, name: &str) -> Vec<String> {
    let shares = report.systems.iter().map(|system| kept_share(system, name));
    std::iter::once(name.to_string()).chain(shares).collect()
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
        None | Some([0, ..]) => "-".into(),
        Some([n, strict, _]) => format!("{:.1} of {n}", 100.0 * *strict as f64 / *n as f64),
    }
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
        object.insert("slices".into(), array_of(&report.slices, slice_json));
        object.insert("interaction".into(), json!(found));
    }
    json_text(&Value::Object(object))
}

fn slice_json(slice: &CheckSlice) -> Value {
    json!({
        "value": slice.value,
        "n_items": slice.n_items,
        "too_small": slice.too_small,
        "systems": array_of(&slice.systems, system_json),
    })
}

fn system_json(system: &SystemChecked) -> Value {
    let mut object = counts_json(system);
    for (name, figure) in ACCURACIES.into_iter().zip(accuracies(system)) {
        insert_figure(&mut object, name, figure);
    }
    object.insert("types".into(), types_json(system));
    Value::Object(object)
}

fn counts_json(system: &SystemChecked) -> Map<String, Value> {
    object_of(json!({
        "system": system.system,
        "prompts": system.prompts,
        "instructions": system.instructions,
    }))
}

fn types_json(system: &SystemChecked) -> Value {
    let types = system.types.iter();
    types
        .map(|(name, counts)| (name.clone(), type_json(counts)))
        .collect()
}

fn type_json([n, strict, loose]: &[u64; 3]) -> Value {
    json!({"n": n, "strict": strict, "loose": loose})
}

/// Returns a row for each system, and where there are slices one for each system in each of them,
/// named in a column of its own.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn check_csv(report: &CheckReport) -> Result<String, csv::Error> {
    let whole = report.systems.iter().map(system_cells);
    let Some(found) = &report.interaction else {
        return csv_text(csv_header(), whole);
    };
    let header = csv_header()
        .into_iter()
        .chain(SLICE_COLUMNS.map(String::from));
    let whole = whole.map(|cells| with_slice(cells, [const { String::new() }; 5]));
    let slices = report.slices.iter().flat_map(|slice| {
        slice.systems.iter().map(move |system| {
            let own = deviation_of(Some(found), &system.system, &slice.value);
            let columns = slice_columns_of(&slice.value, slice.n_items, own);
            with_slice(system_cells(system), columns)
        })
    });
    csv_text(header, whole.chain(slices))
}

fn with_slice(mut cells: Vec<String>, columns: [String; 5]) -> Vec<String> {
    cells.extend(columns);
    cells
}

fn csv_header() -> Vec<String> {
    let mut header = ["system", "prompts", "instructions"]
        .map(String::from)
        .to_vec();
    header.extend(
        ACCURACIES
            .iter()
            .flat_map(|name| interval_columns(name, ["ci_low", "ci_high"])),
    );
    header
}

fn system_cells(system: &SystemChecked) -> Vec<String> {
    let counts = [system.prompts, system.instructions];
    let mut cells = vec![system.system.clone()];
    cells.extend(counts.map(|count| count.to_string()));
    cells.extend(accuracies(system).into_iter().flat_map(figure_cells));
    cells
}
