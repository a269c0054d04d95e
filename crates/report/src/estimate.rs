//! What a run would ask, for people and programs.

use crate::grouped;
use crate::table::{lines, plain};
use evenhand_engine::Estimate;
use serde::Serialize;

/// An estimate with the plan it is of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimateReport {
    /// The judge's identity.
    pub judge: String,
    /// The protocol.
    pub protocol: String,
    /// The design.
    pub design: String,
    /// Items.
    pub items: usize,
    /// Systems.
    pub systems: usize,
    /// Planned judgments.
    pub trials: u64,
    /// Distinct calls, at most.
    pub calls: u64,
    /// Distinct calls where the judge never contradicts itself; the same for protocols that ask nothing again.
    pub calls_at_least: u64,
    /// Of these, calls that the run directory answers already.
    pub calls_stored: u64,
    /// Tokens of the prompts of the calls that are left; None where the judge has no tokenizer at hand.
    pub prompt_tokens: Option<u64>,
    /// The most tokens that they may write.
    pub completion_tokens_at_most: u64,
    /// Unknown for local and simulated judges.
    pub cost_usd: Option<f64>,
    /// The smallest difference between two systems' win ratios that the plan finds with power 0.8 at the level asked for, if
    /// the difference on one item has a standard deviation of 1 (the largest that a share of wins and losses can have).
    pub detectable_difference: Option<f64>,
    /// The level.
    pub level: f64,
}

impl EstimateReport {
    /// Puts the counts in.
    pub fn with(mut self, estimate: &Estimate) -> Self {
        self.trials = estimate.trials;
        self.calls = estimate.calls;
        self.calls_at_least = estimate.calls_at_least;
        self.calls_stored = estimate.stored;
        self.prompt_tokens = estimate.prompt_tokens;
        self.completion_tokens_at_most = estimate.completion_tokens_at_most;
        self
    }
}

/// As one JSON object.
pub fn estimate_json(report: &EstimateReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}

/// As a header and one row.
pub fn estimate_csv(report: &EstimateReport) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.serialize(report)?;
    let bytes = out.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// For people.
pub fn estimate_table(report: &EstimateReport) -> String {
    let mut table = plain();
    let mut line = |key: &str, value: String| {
        table.add_row([key.to_string(), value]);
    };
    line("judge", report.judge.clone());
    line("protocol", format!("{}, {}", report.protocol, report.design));
    line("trials", format!("{} ({} systems, {} items)", grouped(report.trials), report.systems, grouped(report.items as u64)));
    let left = report.calls - report.calls_stored;
    line(
        "calls",
        format!(
            "{}{}, of which {} are in the run directory and {} are left",
            if report.calls_at_least < report.calls { format!("{} to ", grouped(report.calls_at_least)) } else { String::new() },
            grouped(report.calls),
            grouped(report.calls_stored),
            grouped(left)
        ),
    );
    let tokens = report.prompt_tokens.map_or("unknown: this judge has no tokenizer at hand".into(), grouped);
    line("prompt tokens", tokens);
    line("written tokens", format!("at most {}", grouped(report.completion_tokens_at_most)));
    line("cost", report.cost_usd.map_or("none: the judge runs here".into(), |cost| format!("{cost:.2} USD")));
    let difference = report.detectable_difference.map_or("undefined below two items".into(), |difference| {
        format!(
            "{difference:.2} between two win ratios (power 0.8, level {}; the worst case, where each item is won or lost whole)",
            report.level
        )
    });
    line("detectable", difference);
    lines(&table)
}
