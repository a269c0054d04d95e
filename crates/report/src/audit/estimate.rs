//! What an audit would ask and cost, in the figures of `estimate`, protocol by protocol.

use crate::EstimateReport;
use crate::estimate::{count_rows, value_cell};
use crate::numbers::{format_usd, group_digits, or_dash};
use crate::serialize::{csv_text, json_text, object_of};
use crate::text_table::TextTable;
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

/// Returns a part of an audit's estimate as the estimate of a run.
fn report_of(audit: &AuditEstimate, estimate: &Estimate, prices: &PriceTable) -> EstimateReport {
    EstimateReport {
        judge: audit.judge.clone(),
        items: audit.items as usize,
        systems: audit.systems as usize,
        ..EstimateReport::default()
    }
    .with_counts(estimate)
    .with_costs(estimate, &expected(estimate, prices))
}

/// Returns the estimate for people.
pub fn audit_estimate_table(audit: &AuditEstimate, prices: &PriceTable) -> String {
    let mut table = TextTable::new();
    table.add_row(["judge", &audit.judge]);
    for row in count_rows(&report_of(audit, &audit.total(), prices)) {
        table.add_row(row);
    }
    format!(
        "{}\n\n{}\n\n{NOTE}\n",
        table.to_text(),
        table_of_parts(audit, prices).to_text()
    )
}

fn table_of_parts(audit: &AuditEstimate, prices: &PriceTable) -> TextTable {
    let mut table = TextTable::with_header([
        "protocol",
        "trials",
        "calls",
        "left",
        "prompt tokens",
        "written, at most",
        "cost, at most",
    ]);
    for (name, estimate) in &audit.parts {
        table.add_row(part_row(name, &report_of(audit, estimate, prices)));
    }
    table.align_right_from(1);
    table
}

fn part_row(name: &str, report: &EstimateReport) -> Vec<String> {
    let mut cells = vec![name.to_string()];
    cells.extend(
        [
            report.trials,
            report.calls,
            report.calls_left(),
            report.tokens.prompt_tokens,
            report.tokens.completion_tokens_at_most,
        ]
        .map(group_digits),
    );
    cells.push(or_dash(report.cost.cost_usd, format_usd));
    cells
}

/// Returns one JSON object: the whole, then its parts and its judges.
///
/// # Errors
/// Those of the JSON writer; no estimate is known to cause one.
pub fn audit_estimate_json(
    audit: &AuditEstimate,
    prices: &PriceTable,
) -> Result<String, serde_json::Error> {
    let total = report_of(audit, &audit.total(), prices);
    let parts = audit
        .parts
        .iter()
        .map(|(name, estimate)| part_json(name, &report_of(audit, estimate, prices)))
        .collect::<Result<Value, _>>()?;
    let mut object = object_of(json!({
        "judge": audit.judge,
        "items": audit.items,
        "systems": audit.systems,
    }));
    object.extend(figures_of(&total)?);
    object.extend(object_of(json!({
        "prices_date": total.prices_date,
        "protocols": parts,
        "judges": total.judges,
        "note": NOTE,
    })));
    json_text(&object)
}

fn part_json(name: &str, report: &EstimateReport) -> Result<Value, serde_json::Error> {
    let mut object = object_of(json!({"protocol": name}));
    object.extend(figures_of(report)?);
    Ok(Value::Object(object))
}

fn figures_of(report: &EstimateReport) -> Result<Map<String, Value>, serde_json::Error> {
    let mut all = report.to_object()?;
    Ok(FIGURES
        .iter()
        .map(|key| (key.to_string(), all.remove(*key).unwrap_or_default()))
        .collect())
}

/// Returns a row for each protocol.
///
/// # Errors
/// Those of the writers; no estimate is known to cause one.
pub fn audit_estimate_csv(
    audit: &AuditEstimate,
    prices: &PriceTable,
) -> Result<String, csv::Error> {
    let rows = audit
        .parts
        .iter()
        .map(|(name, estimate)| part_cells(name, &report_of(audit, estimate, prices)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(std::io::Error::from)?;
    csv_text(["protocol"].iter().chain(&FIGURES), rows)
}

fn part_cells(name: &str, report: &EstimateReport) -> Result<Vec<String>, serde_json::Error> {
    let figures = figures_of(report)?;
    Ok(std::iter::once(name.to_string())
        .chain(figures.values().map(value_cell))
        .collect())
}
