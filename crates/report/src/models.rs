//! Local models, for people and programs.

use crate::grouped;
use crate::table::{lines, plain};
use serde::Serialize;

/// One model file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelRow {
    /// What to give to `--judge`.
    pub judge: String,
    /// The architecture.
    pub architecture: String,
    /// Weights.
    pub parameters: u64,
    /// How they are stored.
    pub quantisation: String,
    /// Tokens it was trained to read at once.
    pub context_length: Option<u64>,
    /// Whether it is an instruct model with a chat template.
    pub chat_template: bool,
    /// Size of the file.
    pub bytes: u64,
    /// The beginning of its SHA-256.
    pub sha256: String,
    /// What its owner may want to know.
    pub hint: Option<String>,
}

/// As a JSON array.
pub fn models_json(rows: &[ModelRow]) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(rows).map(|text| text + "\n")
}

/// As a header and a row each.
pub fn models_csv(rows: &[ModelRow]) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| out.serialize(row))?;
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// For people, with how to get a model; `cache` is the directory that was looked into.
pub fn models_table(rows: &[ModelRow], cache: &str) -> String {
    let mut table = plain();
    table.set_header(["judge", "parameters", "stored as", "context", "MB", "note"]);
    for row in rows {
        let context = row.context_length.map_or("-".into(), grouped);
        let note = row.hint.clone().unwrap_or_default();
        let size = grouped(row.bytes / 1_000_000);
        table.add_row([
            row.judge.clone(),
            millions(row.parameters),
            row.quantisation.clone(),
            context,
            size,
            note,
        ]);
    }
    let found = if rows.is_empty() {
        format!("no models in {cache}\n")
    } else {
        lines(&table) + "\n"
    };
    format!(
        "{found}\nTo get one: `make model` fetches SmolLM2-135M-Instruct into {cache} and stores \
         it as Q8_0, which a CPU reads\n\
         1.7 times as fast as Q4_1. Any other GGUF instruct model works as --judge gguf:PATH; the \
         larger, the better it judges."
    )
}

fn millions(parameters: u64) -> String {
    format!("{} M", grouped(parameters / 1_000_000))
}
