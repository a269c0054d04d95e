//! How well systems keep constraints: table, JSON, CSV.

use crate::grouped;
use crate::meta::{figure_cells, percent, put};
use crate::table::{lines, plain};
use comfy_table::CellAlignment;
use evenhand_studies::check::{CheckReport, SystemChecked};
use serde_json::{Map, Value, json};

fn figures(system: &SystemChecked) -> [(&'static str, &evenhand_studies::Figure); 4] {
    [
        ("prompt_strict", &system.prompt_strict),
        ("prompt_loose", &system.prompt_loose),
        ("instruction_strict", &system.instruction_strict),
        ("instruction_loose", &system.instruction_loose),
    ]
}

/// A line for each system, and the types below.
pub fn check_table(report: &CheckReport) -> String {
    let mut table = plain();
    table.set_header([
        "system",
        "prompts",
        "strict",
        "loose",
        "instructions",
        "strict",
        "loose",
    ]);
    for system in &report.systems {
        let [a, b, c, d] = figures(system).map(|(_, figure)| percent(figure));
        table.add_row([
            system.system.clone(),
            grouped(system.prompts),
            a,
            b,
            grouped(system.instructions),
            c,
            d,
        ]);
    }
    for column in 1..7 {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    let without = match report.unconstrained {
        0 => String::new(),
        n => format!("\n{} items have no constraints.", grouped(n)),
    };
    format!(
        "{}\n\n{}\n\nIn per cent, with {:.0} % intervals.{without}\n",
        lines(&table),
        types(report),
        100.0 * report.level
    )
}

/// How often each type is kept, by system.
fn types(report: &CheckReport) -> String {
    let mut names: Vec<&String> = report
        .systems
        .iter()
        .flat_map(|system| system.types.keys())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut table = plain();
    table.set_header(
        ["strict, of so many"]
            .into_iter()
            .chain(report.systems.iter().map(|system| system.system.as_str())),
    );
    for name in names {
        let cell = |system: &SystemChecked| match system.types.get(name) {
            Some([n, strict, _]) if *n > 0 => {
                format!("{:.1} of {n}", 100.0 * *strict as f64 / *n as f64)
            }
            _ => "-".into(),
        };
        table.add_row(
            [name.clone()]
                .into_iter()
                .chain(report.systems.iter().map(cell)),
        );
    }
    for column in 1..=report.systems.len() {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    lines(&table)
}

/// One object.
///
/// # Errors
/// None that is known; those of the JSON writer.
pub fn check_json(report: &CheckReport) -> Result<String, serde_json::Error> {
    let system = |system: &SystemChecked| {
        let mut map = Map::new();
        map.insert("system".into(), json!(system.system));
        map.insert("prompts".into(), json!(system.prompts));
        map.insert("instructions".into(), json!(system.instructions));
        figures(system)
            .into_iter()
            .for_each(|(name, figure)| put(&mut map, name, figure));
        let kind = |(name, [n, strict, loose]): (&String, &[u64; 3])| {
            (
                name.clone(),
                json!({"n": n, "strict": strict, "loose": loose}),
            )
        };
        map.insert(
            "types".into(),
            Value::Object(system.types.iter().map(kind).collect()),
        );
        Value::Object(map)
    };
    let systems: Vec<Value> = report.systems.iter().map(system).collect();
    let value = json!({"systems": systems, "unconstrained": report.unconstrained, "level": report.level, "seed": report.seed});
    serde_json::to_string_pretty(&value).map(|text| text + "\n")
}

/// A row for each system.
///
/// # Errors
/// None that is known; those of the CSV writer.
pub fn check_csv(report: &CheckReport) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = [
        "prompt_strict",
        "prompt_loose",
        "instruction_strict",
        "instruction_loose",
    ];
    let columns = names.iter().flat_map(|name| {
        [
            name.to_string(),
            format!("{name}_ci_low"),
            format!("{name}_ci_high"),
        ]
    });
    writer.write_record(
        ["system", "prompts", "instructions"]
            .map(String::from)
            .into_iter()
            .chain(columns),
    )?;
    for system in &report.systems {
        let numbers = figures(system)
            .into_iter()
            .flat_map(|(_, figure)| figure_cells(figure));
        let first = [
            system.system.clone(),
            system.prompts.to_string(),
            system.instructions.to_string(),
        ];
        writer.write_record(first.into_iter().chain(numbers))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
