//! What a run would ask, for people and programs.

use crate::table::{lines, plain};
use crate::{dollars, grouped};
use evenhand_engine::{ASSUMED_REPLY_TOKENS, CostRange, Estimate, Expected, JudgeEstimate};
use serde::Serialize;
use serde_json::{Map, Value};

/// An estimate with the plan it is of.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// Distinct calls where the judge never contradicts itself; the same for protocols that ask
    /// nothing again.
    pub calls_at_least: u64,
    /// Of these, calls that the run directory answers already.
    pub calls_stored: u64,
    /// Tokens of the prompts of the calls that are left.
    pub prompt_tokens: u64,
    /// Whether those of any judge were counted by approximation, as it has no tokenizer at hand.
    pub tokens_approximate: bool,
    /// The most tokens that they may write.
    pub completion_tokens_at_most: u64,
    /// USD at most: all calls, replies as long as they may be. None where a judge has no price, as
    /// local ones without a row.
    pub cost_usd: Option<f64>,
    /// USD at least: the fewest calls, and nothing written.
    pub cost_usd_at_least: Option<f64>,
    /// USD of all calls with replies of 150 tokens, or their limit where that is less.
    pub cost_usd_expected: Option<f64>,
    /// USD at most at the price of batches; None where a judge has none.
    pub cost_usd_batch: Option<f64>,
    /// The day of the oldest price that was used.
    pub prices_date: Option<String>,
    /// Judge by judge; not in CSV.
    #[serde(skip)]
    pub judges: Vec<JudgeEstimateRow>,
    /// The smallest difference between two systems' win ratios that the plan finds with power 0.8
    /// at the level asked for, if the difference on one item has a standard deviation of 1 (the
    /// largest that a share of wins and losses can have).
    pub detectable_difference: Option<f64>,
    /// The level.
    pub level: f64,
}

/// What one judge would be asked, and what it would cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JudgeEstimateRow {
    /// The judge's identity.
    pub judge: String,
    /// Distinct calls that are left, at most.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Whether they were counted by approximation.
    pub tokens_approximate: bool,
    /// The most tokens that they may write.
    pub completion_tokens_at_most: u64,
    /// USD at most; None where the judge has no price.
    pub cost_usd: Option<f64>,
    /// USD at least.
    pub cost_usd_at_least: Option<f64>,
    /// USD with replies of 150 tokens, or their limit where that is less.
    pub cost_usd_expected: Option<f64>,
    /// USD at most at the price of batches.
    pub cost_usd_batch: Option<f64>,
}

impl JudgeEstimateRow {
    fn new(judge: &JudgeEstimate, cost: Option<CostRange>) -> Self {
        JudgeEstimateRow {
            judge: judge.judge.to_string(),
            calls: judge.calls,
            prompt_tokens: judge.prompt_tokens,
            tokens_approximate: judge.approximate,
            completion_tokens_at_most: judge.completion_tokens_at_most,
            cost_usd: cost.map(|cost| cost.at_most),
            cost_usd_at_least: cost.map(|cost| cost.at_least),
            cost_usd_expected: cost.map(|cost| cost.expected),
            cost_usd_batch: cost.and_then(|cost| cost.at_most_in_batches),
        }
    }
}

impl EstimateReport {
    /// Puts the counts in.
    pub fn with(mut self, estimate: &Estimate) -> Self {
        self.trials = estimate.trials;
        self.calls = estimate.calls;
        self.calls_at_least = estimate.calls_at_least;
        self.calls_stored = estimate.stored;
        self.prompt_tokens = estimate.prompt_tokens();
        self.tokens_approximate = estimate.approximate();
        self.completion_tokens_at_most = estimate.completion_tokens_at_most();
        self
    }

    /// Puts the costs in.
    pub fn costing(mut self, estimate: &Estimate, expected: &Expected) -> Self {
        self.cost_usd = expected.total.map(|cost| cost.at_most);
        self.cost_usd_at_least = expected.total.map(|cost| cost.at_least);
        self.cost_usd_expected = expected.total.map(|cost| cost.expected);
        self.cost_usd_batch = expected.total.and_then(|cost| cost.at_most_in_batches);
        self.prices_date = expected.date.clone();
        let costs = expected
            .judges
            .iter()
            .copied()
            .chain(std::iter::repeat(None));
        self.judges = estimate
            .judges
            .iter()
            .zip(costs)
            .map(|(judge, cost)| JudgeEstimateRow::new(judge, cost))
            .collect();
        self
    }
}

/// As one JSON object, with the judges last.
pub fn estimate_json(report: &EstimateReport) -> Result<String, serde_json::Error> {
    let mut object = match serde_json::to_value(report)? {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.insert("judges".into(), serde_json::to_value(&report.judges)?);
    serde_json::to_string_pretty(&object).map(|text| text + "\n")
}

/// As a header and one row.
pub fn estimate_csv(report: &EstimateReport) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.serialize(report)?;
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// For people.
pub fn estimate_table(report: &EstimateReport) -> String {
    let mut table = plain();
    table.add_row(["judge".to_string(), report.judge.clone()]);
    table.add_row([
        "protocol".to_string(),
        format!("{}, {}", report.protocol, report.design),
    ]);
    counts(report)
        .into_iter()
        .for_each(|row| table.add_row(row));
    let difference = report.detectable_difference.map_or("undefined below two items".into(), |difference| {
        format!(
            "{difference:.2} between two win ratios (power 0.8, level {}; the worst case, where \
             each item is won or lost whole)",
            report.level
        )
    });
    table.add_row(["detectable".to_string(), difference]);
    lines(&table)
}

/// Trials, calls, tokens and costs, each with its name.
pub(crate) fn counts(report: &EstimateReport) -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    let mut line = |key: &str, value: String| rows.push([key.to_string(), value]);
    line(
        "trials",
        format!(
            "{} ({} systems, {} items)",
            grouped(report.trials),
            report.systems,
            grouped(report.items as u64)
        ),
    );
    let left = report.calls - report.calls_stored;
    line(
        "calls",
        format!(
            "{}{}, of which {} are answered already and {} are left",
            if report.calls_at_least < report.calls {
                format!("{} to ", grouped(report.calls_at_least))
            } else {
                String::new()
            },
            grouped(report.calls),
            grouped(report.calls_stored),
            grouped(left)
        ),
    );
    let about = if report.tokens_approximate {
        "about "
    } else {
        ""
    };
    line(
        "prompt tokens",
        format!("{about}{}", grouped(report.prompt_tokens)),
    );
    line(
        "written tokens",
        format!("at most {}", grouped(report.completion_tokens_at_most)),
    );
    line("cost", total_cost(report));
    let several = report.judges.iter().filter(|_| report.judges.len() > 1);
    several.for_each(|judge| line("", format!("{}: {}", judge.judge, judge_cost(judge))));
    rows
}

fn total_cost(report: &EstimateReport) -> String {
    let costs = [
        report.cost_usd_at_least,
        report.cost_usd,
        report.cost_usd_expected,
        report.cost_usd_batch,
    ];
    let date = report
        .prices_date
        .as_ref()
        .map(|date| format!(" (prices of {date})"))
        .unwrap_or_default();
    let here = |judge: &str| judge.starts_with("gguf:") || judge.starts_with("simulated");
    let local = report.judges.iter().all(|judge| here(&judge.judge));
    match range(costs) {
        Some(range) => range + &date,
        None if local => "none: the judge runs here".into(),
        None => "not known: a judge has no row in the price table (--prices FILE)".into(),
    }
}

fn judge_cost(judge: &JudgeEstimateRow) -> String {
    let costs = [
        judge.cost_usd_at_least,
        judge.cost_usd,
        judge.cost_usd_expected,
        judge.cost_usd_batch,
    ];
    range(costs).unwrap_or("no price".into())
}

/// From the least to the most, with what is between.
fn range([least, most, expected, batch]: [Option<f64>; 4]) -> Option<String> {
    let (least, most, expected) = (dollars(least?), dollars(most?), dollars(expected?));
    let batch = batch
        .map(|usd| format!("; at most {} in batches", dollars(usd)))
        .unwrap_or_default();
    Some(format!(
        "{least} to {most}, {expected} with replies of {ASSUMED_REPLY_TOKENS} tokens{batch}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_with_a_served_judge_of_no_price_has_no_known_cost() {
        let row = |judge: &str| JudgeEstimateRow {
            judge: judge.into(),
            ..JudgeEstimateRow::default()
        };
        let report = |judges| EstimateReport {
            judges,
            ..EstimateReport::default()
        };
        assert_eq!(
            total_cost(&report(vec![row("gguf:m:1")])),
            "none: the judge runs here"
        );
        let mixed = total_cost(&report(vec![row("gguf:m:1"), row("openai:x@http://h")]));
        assert!(mixed.starts_with("not known: "), "{mixed}");
    }
}
