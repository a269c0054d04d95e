//! The calls that a run would make, for people and programs.

use crate::numbers::{format_usd, group_digits, or_blank, or_dash};
use crate::serialize::{csv_of_records, json_text};
use crate::text_table::TextTable;
use evenhand_core::{JudgeKind, Setting, items_in_words};
use evenhand_engine::{ASSUMED_REPLY_TOKENS, CostRange, Estimate, Expected};
use evenhand_ranking::DifferenceUnit;
use schemars::JsonSchema;
use serde::Serialize;
use std::iter::repeat;

/// An estimate with the plan it is of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    /// Distinct calls, at least; as many as `calls` where none depends on what the judge says.
    pub calls_at_least: u64,
    /// Of these, calls that the run directory answers already.
    pub calls_stored: u64,
    /// The requests that the calls that are left go out in: fewer where the questions about one
    /// state share a request.
    pub requests: u64,
    /// Judges that answer with probabilities and no text: a few in a hundred of the same requests
    /// are answered otherwise when they are asked again.
    pub deciding_judges: usize,
    /// Whether single responses are scored, and no pairs are judged.
    pub are_scores: bool,
    /// Tokens of the calls that are left.
    #[serde(flatten)]
    pub tokens: EstimatedTokens,
    /// Their cost.
    #[serde(flatten)]
    pub cost: EstimatedCost,
    /// The day of the oldest price that was used.
    pub prices_date: Option<String>,
    /// Judge by judge; not in CSV.
    #[serde(skip)]
    pub judges: Vec<JudgeEstimateRow>,
    /// The smallest difference between two systems' win ratios that the exact sign test of the
    /// questions finds with power 0.8 at the level asked for, if each is won or lost whole, which
    /// is the worst case; None where it does not find even 1, and of scores, whose spread nobody
    /// knows before.
    pub detectable_difference: Option<f64>,
    /// The level.
    pub level: f64,
    /// Groups of items that ask the same: the test counts them.
    #[serde(skip)]
    pub questions: usize,
}

/// Tokens of calls that are still to be made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EstimatedTokens {
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens of the shortest of these prompts; null where no call is left.
    pub prompt_tokens_shortest: Option<u64>,
    /// Tokens of a prompt on average.
    pub prompt_tokens_mean: Option<f64>,
    /// Tokens of the longest.
    pub prompt_tokens_longest: Option<u64>,
    /// Whether those of any judge were counted by approximation, as it has no tokenizer at hand.
    pub tokens_approximate: bool,
    /// The most tokens that they may write, those that the judge may use to think included.
    pub completion_tokens_at_most: u64,
    /// Of these, the tokens that judges which are known to think may use for it.
    pub thinking_tokens_at_most: u64,
}

/// The cost of calls, in US dollars. None where a judge has no price, as local ones without a
/// row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EstimatedCost {
    /// At most: all calls, replies as long as they may be.
    pub cost_usd: Option<f64>,
    /// At least: the fewest calls, and nothing written.
    pub cost_usd_at_least: Option<f64>,
    /// All calls with replies of 150 tokens, or their limit where that is less.
    pub cost_usd_expected: Option<f64>,
    /// At most at the price of batches; None where a judge has none.
    pub cost_usd_batch: Option<f64>,
}

/// The calls of one judge, and their cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct JudgeEstimateRow {
    /// The judge's identity.
    pub judge: String,
    /// Distinct calls that are left, at most.
    pub calls: u64,
    /// Their tokens.
    #[serde(flatten)]
    pub tokens: EstimatedTokens,
    /// Their cost.
    #[serde(flatten)]
    pub cost: EstimatedCost,
    /// The model with a price that may have been meant, where this one has none.
    #[serde(skip)]
    pub nearest: Option<String>,
}

impl EstimatedTokens {
    /// Returns the tokens of the prompts of so many calls, with the shortest and the longest.
    fn of_prompts(tokens: u64, calls: u64, lengths: Option<[u64; 2]>) -> Self {
        EstimatedTokens {
            prompt_tokens: tokens,
            prompt_tokens_shortest: lengths.map(|[shortest, _]| shortest),
            prompt_tokens_mean: lengths.map(|_| tokens as f64 / calls.max(1) as f64),
            prompt_tokens_longest: lengths.map(|[_, longest]| longest),
            ..EstimatedTokens::default()
        }
    }
}

impl EstimatedCost {
    fn of_range(range: Option<CostRange>) -> Self {
        range.map_or_else(Self::default, |range| EstimatedCost {
            cost_usd: Some(range.at_most),
            cost_usd_at_least: Some(range.at_least),
            cost_usd_expected: Some(range.expected),
            cost_usd_batch: range.at_most_in_batches,
        })
    }

    /// Returns the cost from the least to the most; None where it is not known.
    fn range_text(&self) -> Option<String> {
        let (least, most) = (self.cost_usd_at_least?, self.cost_usd?);
        // No reply may be longer than what would be expected of it: there is nothing between.
        let expected = self.cost_usd_expected.filter(|usd| *usd < most);
        let expected = or_blank(expected, |usd| {
            let usd = format_usd(usd);
            format!(", {usd} with replies of {ASSUMED_REPLY_TOKENS} tokens or their limit")
        });
        let [least, most] = [least, most].map(format_usd);
        let batch = or_blank(self.cost_usd_batch, |usd| {
            format!("; at most {} in batches", format_usd(usd))
        });
        Some(format!("{least} to {most}{expected}{batch}"))
    }
}

impl EstimateReport {
    /// Puts the counts in.
    #[must_use]
    pub fn with_counts(mut self, estimate: &Estimate) -> Self {
        self.trials = estimate.trials;
        self.calls = estimate.calls;
        self.calls_at_least = estimate.calls_at_least;
        self.calls_stored = estimate.stored;
        self.requests = estimate.requests();
        let left = estimate.judges.iter().map(|judge| judge.calls).sum();
        self.tokens = EstimatedTokens {
            tokens_approximate: estimate.is_approximate(),
            completion_tokens_at_most: estimate.completion_tokens_at_most(),
            thinking_tokens_at_most: estimate.tokens_to_think(),
            ..EstimatedTokens::of_prompts(estimate.prompt_tokens(), left, estimate.prompt_lengths())
        };
        self
    }

    /// Puts the costs in.
    #[must_use]
    pub fn with_costs(mut self, estimate: &Estimate, expected: &Expected) -> Self {
        self.cost = EstimatedCost::of_range(expected.total);
        self.prices_date = expected.date.clone();
        // A judge without a price has no cost; there may be fewer costs than judges.
        let costs = expected.judges.iter().copied().chain(repeat(None));
        let nearest = expected.nearest.iter().cloned().chain(repeat(None));
        let judges = estimate.judges.iter().zip(costs.zip(nearest));
        let rows = judges.map(|(judge, (cost, nearest))| JudgeEstimateRow {
            judge: judge.judge.to_string(),
            calls: judge.calls,
            tokens: EstimatedTokens {
                tokens_approximate: judge.approximate,
                completion_tokens_at_most: judge.completion_tokens_at_most,
                thinking_tokens_at_most: judge.tokens_to_think,
                ..EstimatedTokens::of_prompts(
                    judge.prompt_tokens,
                    judge.calls,
                    judge.prompt_lengths,
                )
            },
            cost: EstimatedCost::of_range(cost),
            nearest,
        });
        self.judges = rows.collect();
        self
    }

    /// Returns the calls that are still to be made.
    pub(crate) fn calls_left(&self) -> u64 {
        self.calls - self.calls_stored
    }
}

/// The calls that a run would make, and their cost.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EstimateJson<'a> {
    #[serde(flatten)]
    report: &'a EstimateReport,
    /// Judge by judge.
    judges: &'a [JudgeEstimateRow],
}

/// Returns one JSON object, with the judges last.
///
/// # Errors
/// Those of the JSON writer; no estimate is known to cause one.
pub fn estimate_json(report: &EstimateReport) -> Result<String, serde_json::Error> {
    let judges = &report.judges;
    json_text(&EstimateJson { report, judges })
}

/// Returns a header and one row.
///
/// # Errors
/// Those of the writers; no estimate is known to cause one.
pub fn estimate_csv(report: &EstimateReport) -> Result<String, csv::Error> {
    csv_of_records(&report, [report])
}

/// Returns the estimate for people.
pub fn estimate_table(report: &EstimateReport) -> String {
    let protocol = format!("{}, {}", report.protocol, report.design);
    let items = items_in_words(report.items as u64, report.questions as u64);
    let detectable = match report.detectable_difference {
        None if report.are_scores => {
            "not known before there are scores: `plan` says it of a first run on some items".into()
        }
        // The sign test of items that are all won has the p-value 2 / 2^n.
        None if 2.0 * 0.5_f64.powf(report.questions as f64) < 1.0 - report.level => format!(
            "on {items} a system must win nearly every one to be found better (level {})",
            report.level
        ),
        None => format!(
            "{items} cannot show any difference (level {})",
            report.level
        ),
        Some(difference) => format!(
            "{items} detect a lead of {:.0} points of win rate ({:.0} % won) in 8 of 10 cases, or \
             usually a smaller one; this is the worst case, where every item is won or lost whole \
             (level {})",
            // A lead of 1, all won and nothing lost, is 50 points from even.
            DifferenceUnit::WinRate.factor() * difference,
            50.0 + DifferenceUnit::WinRate.factor() * difference,
            report.level
        ),
    };
    TextTable::new()
        .with_rows([["judge", &report.judge], ["protocol", &protocol]])
        .with_rows(count_rows(report))
        .with_rows([["detectable", &detectable]])
        .with_rows((report.deciding_judges > 0).then(|| ["note".to_string(), repeatable_text()]))
        .to_text()
}

/// Says that the same request may be answered otherwise, and what shows by how much.
fn repeatable_text() -> String {
    format!(
        "a judge that answers with probabilities changes its answer on 2 to 3 in 100 pairs when it \
         is asked again; {} 3 averages three answers, which is steadier",
        Setting::Repeats
    )
}

/// Returns trials, calls, tokens and costs, each with its name.
pub(crate) fn count_rows(report: &EstimateReport) -> Vec<[String; 2]> {
    let trials = format!(
        "{} ({} systems, {} items)",
        group_digits(report.trials),
        report.systems,
        group_digits(report.items as u64)
    );
    let at_least = if report.calls_at_least < report.calls {
        format!("{} to ", group_digits(report.calls_at_least))
    } else {
        String::new()
    };
    let calls = format!(
        "{at_least}{}, of which {} are answered already and {} are left",
        group_digits(report.calls),
        group_digits(report.calls_stored),
        group_digits(report.calls_left())
    );
    // Equal texts make equal questions, which are asked once.
    let calls = match report.calls < report.trials && report.calls_at_least == report.calls {
        true => format!("{calls} (fewer than trials: identical questions are asked once)"),
        false => calls,
    };
    let calls = match report.requests < report.calls_left() {
        true => format!("{calls} in {} requests", group_digits(report.requests)),
        false => calls,
    };
    let tokens = &report.tokens;
    let about = if tokens.tokens_approximate {
        "about "
    } else {
        ""
    };
    let prompts = format!("{about}{}", group_digits(tokens.prompt_tokens));
    let thought = match tokens.thinking_tokens_at_most {
        0 => String::new(),
        thought => format!(", {} of them to think", group_digits(thought)),
    };
    let written = group_digits(tokens.completion_tokens_at_most);
    let written = format!("at most {written}{thought}");
    let mut rows = vec![
        ["trials".into(), trials],
        ["calls".into(), calls],
        ["prompt tokens".into(), prompts],
        ["written tokens".into(), written],
        ["one prompt".into(), one_prompt_text(tokens)],
        ["cost".into(), total_cost_text(report)],
    ];
    // The cost of a single judge is the total.
    if report.judges.len() > 1 {
        for row in &report.judges {
            let cost = match (row.cost.range_text(), row.calls) {
                (_, 0) => "none".into(),
                (Some(range), _) => range,
                (None, _) => "no price".into(),
            };
            rows.push(["".into(), format!("{}: {cost}", row.judge)]);
        }
    }
    rows
}

/// Returns the length of a prompt: its range and its mean.
fn one_prompt_text(tokens: &EstimatedTokens) -> String {
    let range = tokens
        .prompt_tokens_shortest
        .zip(tokens.prompt_tokens_longest);
    or_dash(
        range.zip(tokens.prompt_tokens_mean),
        |((shortest, longest), mean)| {
            let [shortest, longest] = [shortest, longest].map(group_digits);
            format!("{shortest} to {longest} tokens, {mean:.0} on average")
        },
    )
}

fn total_cost_text(report: &EstimateReport) -> String {
    if report.calls > 0 && report.calls_left() == 0 {
        return "none: every call is answered already".into();
    }
    if let Some(range) = report.cost.range_text() {
        return range
            + &or_blank(report.prices_date.as_ref(), |date| {
                format!(" (prices of {date})")
            });
    }
    // Calls of a judge that runs on this machine cost no money.
    let is_local = |row: &JudgeEstimateRow| JudgeKind::of(&row.judge).is_local();
    if report.judges.iter().all(is_local) {
        return "none: the judge runs here".into();
    }
    let unpriced = |row: &&JudgeEstimateRow| row.cost.cost_usd.is_none() && !is_local(row);
    let judge = report.judges.iter().find(unpriced);
    let judge = or_blank(judge, |row| {
        let nearest = or_blank(row.nearest.as_ref(), |model| {
            format!("; did you mean `{model}`?")
        });
        format!(" of {}{nearest}", row.judge)
    });
    format!(
        "not known: the price table has no price{judge} ({} FILE adds one)",
        Setting::Prices
    )
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
            total_cost_text(&report(vec![row("gguf:m:1")])),
            "none: the judge runs here"
        );
        let mixed = total_cost_text(&report(vec![row("gguf:m:1"), row("openai:x@http://h")]));
        assert!(
            mixed.starts_with("not known: the price table has no price of openai:x@http://h ("),
            "{mixed}"
        );
        let answered = EstimateReport {
            calls: 60,
            calls_stored: 60,
            ..report(vec![row("openai:x@http://h")])
        };
        assert_eq!(
            total_cost_text(&answered),
            "none: every call is answered already"
        );
    }

    #[test]
    fn what_can_be_found_and_why_calls_are_fewer_is_said_in_words() {
        let report = EstimateReport {
            items: 60,
            questions: 60,
            systems: 2,
            trials: 120,
            calls: 98,
            calls_at_least: 98,
            requests: 98,
            detectable_difference: Some(0.3617),
            level: 0.95,
            ..EstimateReport::default()
        };
        let table = estimate_table(&report);
        for words in [
            "60 items detect a lead of 18 points of win rate (68 % won) in 8 of 10 cases",
            "98 are left (fewer than trials: identical questions are asked once)",
        ] {
            assert!(table.contains(words), "{table}");
        }
        let whole = EstimateReport {
            calls: 120,
            calls_at_least: 120,
            ..report
        };
        assert!(!estimate_table(&whole).contains("fewer than"));
    }

    #[test]
    fn csv_and_json_have_the_same_keys_in_the_same_order() {
        let report = EstimateReport {
            judge: "a, b".into(),
            level: 0.95,
            ..EstimateReport::default()
        };
        let csv = estimate_csv(&report).unwrap();
        let (header, row) = csv.split_once('\n').unwrap();
        assert!(header.starts_with("judge,protocol,design,items,systems,trials,calls,"));
        assert!(header.ends_with("cost_usd_batch,prices_date,detectable_difference,level"));
        assert_eq!(
            row,
            "\"a, b\",,,0,0,0,0,0,0,0,0,false,0,,,,false,0,0,,,,,,,0.95\n"
        );
    }
}
