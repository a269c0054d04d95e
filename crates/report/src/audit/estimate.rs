//! The calls and costs of an audit before it is made, protocol by protocol, in the figures of
//! `estimate`.

use crate::EstimateReport;
use crate::columns::{Column, table_of};
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

/// A part with the name of its protocol.
type Part<'a> = (&'a str, EstimateReport);

/// Returns an audit's estimate, or a part of it, as the estimate of a run.
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

fn part_reports<'a>(
    audit: &'a AuditEstimate,
    prices: &'a PriceTable,
) -> impl Iterator<Item = Part<'a>> {
    let parts = audit.parts.iter();
    parts.map(|(name, part)| (name.as_str(), report_of(audit, part, prices)))
}

/// Returns the estimate for people.
pub fn audit_estimate_table(audit: &AuditEstimate, prices: &PriceTable) -> String {
    let columns: [Column<Part<'_>>; 7] = [
        ("protocol", |(name, _)| name.to_string()),
        ("trials", |(_, part)| group_digits(part.trials)),
        ("calls", |(_, part)| group_digits(part.calls)),
        ("left", |(_, part)| group_digits(part.calls_left())),
        ("prompt tokens", |(_, part)| {
            group_digits(part.tokens.prompt_tokens)
        }),
        ("written, at most", |(_, part)| {
            group_digits(part.tokens.completion_tokens_at_most)
        }),
        ("cost, at most", |(_, part)| {
            or_dash(part.cost.cost_usd, format_usd)
        }),
    ];
    let parts = table_of(&columns, part_reports(audit, prices)).with_numbers_from(1);
    let whole = TextTable::new()
        .with_rows([["judge", &audit.judge]])
        .with_rows(count_rows(&report_of(audit, &audit.total(), prices)));
    format!("{}\n\n{}\n\n{NOTE}\n", whole.to_text(), parts.to_text())
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
    let mut parts = Vec::new();
    for (name, part) in part_reports(audit, prices) {
        let mut object = object_of(json!({"protocol": name}));
        object.extend(figures_of(&part)?);
        parts.push(object);
    }
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
    let mut rows = Vec::new();
    for (name, part) in part_reports(audit, prices) {
        let figures = figures_of(&part).map_err(std::io::Error::from)?;
        let mut cells = vec![name.to_string()];
        cells.extend(figures.values().map(value_cell));
        rows.push(cells);
    }
    csv_text(["protocol"].iter().chain(&FIGURES), rows)
}
