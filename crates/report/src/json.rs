//! The ranking as JSON: keys as promised to programs.

use evenhand_engine::{JudgeCost, Report, Spent};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// Calls in the run directory, whichever process made them.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens they wrote.
    pub completion_tokens: u64,
    /// Of the tokens of the prompts, those that a server found in its cache.
    pub cached_tokens: u64,
    /// Of the tokens written, those of a reasoning before the reply.
    pub reasoning_tokens: u64,
    /// USD of all calls; None where any judge that was asked has no known price, as local and
    /// simulated ones without a row.
    pub cost_usd: Option<f64>,
    /// Judge by judge, in the order of their first calls.
    pub judges: Vec<JudgeUsage>,
    /// Wall time of this process: the only part that differs between two runs with the same inputs
    /// and seed.
    pub seconds: f64,
}

/// What one judge of a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JudgeUsage {
    /// Its identity.
    pub judge: String,
    /// Its calls.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens they wrote.
    pub completion_tokens: u64,
    /// Of the tokens of the prompts, those that a server found in its cache.
    pub cached_tokens: u64,
    /// Of the tokens written, those of a reasoning before the reply.
    pub reasoning_tokens: u64,
    /// USD of its calls; None where its price is not known.
    pub cost_usd: Option<f64>,
}

impl From<&JudgeCost> for JudgeUsage {
    fn from(judge: &JudgeCost) -> Self {
        JudgeUsage {
            judge: judge.judge.clone(),
            calls: judge.calls,
            prompt_tokens: judge.usage.prompt_tokens,
            completion_tokens: judge.usage.completion_tokens,
            cached_tokens: judge.usage.cached_tokens,
            reasoning_tokens: judge.usage.reasoning_tokens,
            cost_usd: judge.usd,
        }
    }
}

impl Usage {
    /// What was spent, in so many seconds.
    pub fn new(spent: &Spent, seconds: f64) -> Self {
        let judges: Vec<JudgeUsage> = spent.judges.iter().map(JudgeUsage::from).collect();
        let sum = |count: fn(&JudgeUsage) -> u64| judges.iter().map(count).sum();
        Usage {
            calls: sum(|judge| judge.calls),
            prompt_tokens: sum(|judge| judge.prompt_tokens),
            completion_tokens: sum(|judge| judge.completion_tokens),
            cached_tokens: sum(|judge| judge.cached_tokens),
            reasoning_tokens: sum(|judge| judge.reasoning_tokens),
            cost_usd: spent.usd,
            judges,
            seconds,
        }
    }
}

/// The ranking as one JSON object, with the usage last.
pub fn ranking_json(report: &Report, usage: &Usage) -> Result<String, serde_json::Error> {
    let mut object = match serde_json::to_value(report)? {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    let kinds: Vec<&str> = report
        .warnings
        .iter()
        .map(|warning| warning.kind.name())
        .collect();
    object.insert("warning_kinds".into(), Value::from(kinds));
    object.insert("usage".into(), serde_json::to_value(usage)?);
    serde_json::to_string_pretty(&object).map(|text| text + "\n")
}
