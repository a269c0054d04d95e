//! The ranking as JSON: keys as promised to programs.

use evenhand_engine::Report;
use serde::Serialize;
use serde_json::{Map, Value};

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// Calls in the run directory, whichever process made them.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens they wrote.
    pub completion_tokens: u64,
    /// Unknown for local and simulated judges.
    pub cost_usd: Option<f64>,
    /// Wall time of this process: the only part that differs between two runs with the same inputs and seed.
    pub seconds: f64,
}

/// The ranking as one JSON object, with the usage last.
pub fn ranking_json(report: &Report, usage: &Usage) -> Result<String, serde_json::Error> {
    let mut object = match serde_json::to_value(report)? {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.insert("usage".into(), serde_json::to_value(usage)?);
    serde_json::to_string_pretty(&object).map(|text| text + "\n")
}
