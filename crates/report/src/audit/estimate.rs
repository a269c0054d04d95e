//! The calls and costs of an audit before it is made, protocol by protocol, in the figures of
//! `estimate`.

use crate::columns::{Column, table_of};
use crate::estimate::count_rows;
use crate::numbers::{format_usd, group_digits, or_dash};
use crate::serialize::{csv_of_records, json_text};
use crate::text_table::TextTable;
use crate::{EstimateReport, EstimatedTokens, JudgeEstimateRow};
use evenhand_engine::{Estimate, PriceTable, expected};
use evenhand_studies::audit::AuditEstimate;
use schemars::JsonSchema;
use serde::Serialize;

/// A note for the reader below the figures.
const NOTE: &str = "An estimate: later questions depend on the verdicts (flips are asked about \
                    only where there is a preference). Here the verdicts are those of a simulated \
                    judge that never contradicts itself on a pair.";

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

/// The calls and costs of an audit before it is made.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AuditEstimateJson<'a> {
    /// The judge's identity.
    judge: &'a str,
    /// Items of the data.
    items: u64,
    /// Systems of the data.
    systems: u64,
    #[serde(flatten)]
    total: FiguresJson,
    /// The day of the oldest price that was used.
    prices_date: Option<&'a str>,
    /// The same by protocol.
    protocols: Vec<PartJson<'a>>,
    /// Judge by judge.
    judges: &'a [JudgeEstimateRow],
    /// What the reader must know.
    note: &'static str,
}

/// The calls and costs of a protocol.
#[derive(Serialize, JsonSchema)]
struct PartJson<'a> {
    /// The protocol.
    protocol: &'a str,
    #[serde(flatten)]
    figures: FiguresJson,
}

/// The calls and costs of a part, or of the whole.
#[derive(Serialize, JsonSchema)]
struct FiguresJson {
    /// Planned looks.
    trials: u64,
    /// Distinct calls, at most.
    calls: u64,
    /// Of these, calls that the run directory answers already.
    calls_stored: u64,
    #[serde(flatten)]
    tokens: EstimatedTokens,
    /// US dollars at least: the fewest calls, and nothing written.
    cost_usd_at_least: Option<f64>,
    /// All calls with replies of 150 tokens, or their limit where that is less.
    cost_usd_expected: Option<f64>,
    /// At most: all calls, replies as long as they may be.
    cost_usd: Option<f64>,
    /// At most at the price of batches; null where a judge has none.
    cost_usd_batch: Option<f64>,
}

impl<'a> From<Part<'a>> for PartJson<'a> {
    fn from((protocol, part): Part<'a>) -> Self {
        PartJson {
            protocol,
            figures: (&part).into(),
        }
    }
}

impl From<&EstimateReport> for FiguresJson {
    fn from(report: &EstimateReport) -> Self {
        FiguresJson {
            trials: report.trials,
            calls: report.calls,
            calls_stored: report.calls_stored,
            tokens: report.tokens.clone(),
            cost_usd_at_least: report.cost.cost_usd_at_least,
            cost_usd_expected: report.cost.cost_usd_expected,
            cost_usd: report.cost.cost_usd,
            cost_usd_batch: report.cost.cost_usd_batch,
        }
    }
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
    let parts = part_reports(audit, prices);
    json_text(&AuditEstimateJson {
        judge: &audit.judge,
        items: audit.items,
        systems: audit.systems,
        total: (&total).into(),
        prices_date: total.prices_date.as_deref(),
        protocols: parts.map(PartJson::from).collect(),
        judges: &total.judges,
        note: NOTE,
    })
}

/// Returns a row for each protocol.
///
/// # Errors
/// Those of the writers; no estimate is known to cause one.
pub fn audit_estimate_csv(
    audit: &AuditEstimate,
    prices: &PriceTable,
) -> Result<String, csv::Error> {
    let total = report_of(audit, &audit.total(), prices);
    let like = PartJson {
        protocol: "",
        figures: (&total).into(),
    };
    let parts = part_reports(audit, prices).map(PartJson::from);
    csv_of_records(&like, parts)
}
