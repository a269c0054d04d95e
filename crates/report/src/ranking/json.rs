//! The ranking as JSON: keys as promised to programs.

use crate::Usage;
use crate::serialize::{json_text, object_of};
use evenhand_engine::Report;
use serde_json::Value;

/// Returns the ranking as one JSON object, with the usage last.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn ranking_json(report: &Report, usage: &Usage) -> Result<String, serde_json::Error> {
    let mut object = object_of(serde_json::to_value(report)?);
    object.insert("warning_kinds".into(), warning_kinds(report));
    object.insert("usage".into(), serde_json::to_value(usage)?);
    json_text(&object)
}

fn warning_kinds(report: &Report) -> Value {
    report
        .warnings
        .iter()
        .map(|warning| warning.kind.name())
        .collect()
}
