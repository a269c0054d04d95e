//! The calls and costs of an audit before it is made, protocol by protocol, in the figures of
//! `estimate`.

use crate::EstimateReport;
use crate::estimate::{count_rows, value_cell};
use crate::numbers::{format_usd, group_digits, or_dash};
use crate::serialize::{csv_text, json_text, object_of};
use crate::text_table::TextTable;
use evenhand_engine::{Estimate, PriceTable, expected};
use evenhand_studies::audit::AuditEstimate;
use serde_json::{Map, Value, json};

/// A note for the reader below the figures.
const NOTE: &str = "An estimate: which questions follow (flips are asked about where there is a \
                    preference) depends on the verdicts, and is taken from a simulated judge that \
                    never contradicts itself on a pair.";

/// The figures of a part and of the whole.
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

const PART_HEADER: [&str; 7] = [
    "protocol",
    "trials",
    "calls",
    "left",
    "prompt tokens",
    "written, at most",
    "cost, at most",
];

/// Returns a part of an audit's estimate as the estimate of a run.
fn report_of(audit: &AuditEstimate, estimate: &Estimate, prices: &PriceTable) -> EstimateReport {
    let plan = EstimateReport {
        judge: audit.judge.clone(),
        items: audit.items as usize,
        systems: audit.systems as usize,
        ..EstimateReport::default()
    };
    let costs = expected(estimate, prices);
    plan.with_counts(estimate).with_costs(estimate, &costs)
}

fn total_report(audit: &AuditEstimate, prices: &PriceTable) -> EstimateReport {
    report_of(audit, &audit.total(), prices)
}

/// Returns the estimate of each part, with the name of its protocol.
fn part_reports<'a>(
    audit: &'a AuditEstimate,
    prices: &'a PriceTable,
) -> impl Iterator<Item = (&'a str, EstimateReport)> {
    let parts = audit.parts.iter();
    parts.map(|(name, part)| (name.as_str(), report_of(audit, part, prices)))
}

/// Returns the estimate for people.
pub fn audit_estimate_table(audit: &AuditEstimate, prices: &PriceTable) -> String {
    let mut whole = TextTable::new();
    whole.add_row(["judge", &audit.judge]);
    let whole = whole.with_rows(count_rows(&total_report(audit, prices)));
    let parts = table_of_parts(audit, prices);
    format!("{}\n\n{}\n\n{NOTE}\n", whole.to_text(), parts.to_text())
}

fn table_of_parts(audit: &AuditEstimate, prices: &PriceTable) -> TextTable {
    let rows = part_reports(audit, prices).map(|(name, part)| part_row(name, &part));
    TextTable::with_header(PART_HEADER)
        .with_rows(rows)
        .with_numbers_from(1)
}

fn part_row(name: &str, report: &EstimateReport) -> Vec<String> {
    let mut cells = vec![name.to_string()];
    cells.extend(counts_of(report).map(group_digits));
    cells.push(or_dash(report.cost.cost_usd, format_usd));
    cells
}

/// Returns the trials, all calls, the calls that are left, and the tokens of prompts and replies.
fn counts_of(report: &EstimateReport) -> [u64; 5] {
    [
        report.trials,
        report.calls,
        report.calls_left(),
        report.tokens.prompt_tokens,
        report.tokens.completion_tokens_at_most,
    ]
}

/// Returns one JSON object: the whole, then its parts and its judges.
///
/// # Errors
/// Those of the JSON writer; no estimate is known to cause one.
pub fn audit_estimate_json(
    audit: &AuditEstimate,
    prices: &PriceTable,
) -> Result<String, serde_json::Error> {
    let total = total_report(audit, prices);
    let mut object = plan_json(audit);
    object.extend(figures_of(&total)?);
    object.insert("prices_date".into(), json!(total.prices_date));
    object.insert("protocols".into(), parts_json(audit, prices)?);
    object.insert("judges".into(), json!(total.judges));
    object.insert("note".into(), json!(NOTE));
    json_text(&object)
}

fn plan_json(audit: &AuditEstimate) -> Map<String, Value> {
    object_of(json!({
        "judge": audit.judge,
        "items": audit.items,
        "systems": audit.systems,
    }))
}

fn parts_json(audit: &AuditEstimate, prices: &PriceTable) -> Result<Value, serde_json::Error> {
    part_reports(audit, prices)
        .map(|(name, part)| part_json(name, &part))
        .collect()
}

fn part_json(name: &str, report: &EstimateReport) -> Result<Value, serde_json::Error> {
    let mut object = object_of(json!({"protocol": name}));
    object.extend(figures_of(report)?);
    Ok(Value::Object(object))
}

fn figures_of(report: &EstimateReport) -> Result<Map<String, Value>, serde_json::Error> {
    let mut all = report.to_object()?;
    let figures = FIGURES.map(|key| (key.into(), all.remove(key).unwrap_or_default()));
    Ok(figures.into_iter().collect())
}

/// Returns a row for each protocol.
///
/// # Errors
/// Those of the writers; no estimate is known to cause one.
pub fn audit_estimate_csv(
    audit: &AuditEstimate,
    prices: &PriceTable,
) -> Result<String, csv::Error> {
    let rows: Result<Vec<_>, _> = part_reports(audit, prices)
        .map(|(name, part)| part_cells(name, &part))
        .collect();
    let header = ["protocol"].iter().chain(&FIGURES);
    csv_text(header, rows.map_err(std::io::Error::from)?)
}

fn part_cells(name: &str, report: &EstimateReport) -> Result<Vec<String>, serde_json::Error> {
    let figures = figures_of(report)?;
    let mut cells = vec![name.to_string()];
    cells.extend(figures.values().map(value_cell));
    Ok(cells)
}
