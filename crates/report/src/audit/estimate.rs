//! What an audit would ask and cost, in the figures of `estimate`, protocol by protocol.

use crate::estimate::counts;
use crate::table::{lines, plain};
use crate::{EstimateReport, dollars, grouped};
use comfy_table::CellAlignment;
use evenhand_engine::{Estimate, PriceTable, expected};
use evenhand_studies::audit::AuditEstimate;
use serde_json::{Map, Value, json};

/// What the reader must know.
const NOTE: &str = "An estimate: which questions follow (flips are asked about where there is a \
                    preference) depends on the verdicts, and is taken from a simulated judge that \
                    never contradicts itself on a pair.";

/// What is said of a part and of the whole.
const FIGURES: [&str; 10] = [
    "trials",
    "calls",
    "calls_stored",
    "prompt_tokens",
    "tokens_approximate",
    "completion_tokens_at_most",
    "cost_usd_at_least",
    "cost_usd_expected",
    "cost_usd",
    "cost_usd_batch",
];

fn of(audit: &AuditEstimate, estimate: &Estimate, prices: &PriceTable) -> EstimateReport {
    let (items, systems) = (audit.items as usize, audit.systems as usize);
    let report = EstimateReport {
        judge: audit.judge.clone(),
        items,
        systems,
        ..EstimateReport::default()
    };
    report
        .with(estimate)
        .costing(estimate, &expected(estimate, prices))
}

/// For people.
pub fn audit_estimate_table(audit: &AuditEstimate, prices: &PriceTable) -> String {
    let mut table = plain();
    table.add_row(["judge".to_string(), audit.judge.clone()]);
    counts(&of(audit, &audit.total(), prices))
        .into_iter()
        .for_each(|row| table.add_row(row));
    format!("{}\n\n{}\n\n{NOTE}\n", lines(&table), parts(audit, prices))
}

fn parts(audit: &AuditEstimate, prices: &PriceTable) -> String {
    let mut table = plain();
    table.set_header([
        "protocol",
        "trials",
        "calls",
        "left",
        "prompt tokens",
        "written, at most",
        "cost, at most",
    ]);
    for (name, estimate) in &audit.parts {
        let report = of(audit, estimate, prices);
        let left = report.calls - report.calls_stored;
        let figures = [
            report.trials,
            report.calls,
            left,
            report.prompt_tokens,
            report.completion_tokens_at_most,
        ]
        .map(grouped);
        let cost = report.cost_usd.map_or("-".into(), dollars);
        table.add_row([name.clone()].into_iter().chain(figures).chain([cost]));
    }
    for column in 1..7 {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    lines(&table)
}

/// As one JSON object: the whole, then its parts and its judges.
///
/// # Errors
/// None that is known; those of the JSON writer.
pub fn audit_estimate_json(
    audit: &AuditEstimate,
    prices: &PriceTable,
) -> Result<String, serde_json::Error> {
    let total = of(audit, &audit.total(), prices);
    let part = |(name, estimate): &(String, Estimate)| -> Result<Value, serde_json::Error> {
        let mut map = Map::from_iter([("protocol".to_string(), json!(name))]);
        map.extend(figures(&of(audit, estimate, prices))?);
        Ok(Value::Object(map))
    };
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.into(), value);
    put("judge", json!(audit.judge));
    put("items", json!(audit.items));
    put("systems", json!(audit.systems));
    figures(&total)?
        .into_iter()
        .for_each(|(key, value)| _ = put(&key, value));
    put("prices_date", json!(total.prices_date));
    put(
        "protocols",
        audit.parts.iter().map(part).collect::<Result<_, _>>()?,
    );
    put("judges", serde_json::to_value(&total.judges)?);
    put("note", json!(NOTE));
    serde_json::to_string_pretty(&object).map(|text| text + "\n")
}

fn figures(report: &EstimateReport) -> Result<Map<String, Value>, serde_json::Error> {
    let all = serde_json::to_value(report)?;
    Ok(FIGURES
        .iter()
        .map(|key| (key.to_string(), all[*key].clone()))
        .collect())
}

/// A row for each protocol.
///
/// # Errors
/// None that is known; those of the CSV writer.
pub fn audit_estimate_csv(
    audit: &AuditEstimate,
    prices: &PriceTable,
) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["protocol"].iter().chain(&FIGURES))?;
    for (name, estimate) in &audit.parts {
        let figures = figures(&of(audit, estimate, prices)).map_err(std::io::Error::from)?;
        let cell = |key: &&str| {
            figures
                .get(*key)
                .filter(|value| !value.is_null())
                .map_or(String::new(), Value::to_string)
        };
        writer.write_record([name.clone()].into_iter().chain(FIGURES.iter().map(cell)))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
