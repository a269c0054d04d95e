//! Local models, for people and programs.

use crate::columns::{Column, table_of};
use crate::numbers::{group_digits, or_dash};
use crate::serialize::csv_of_records;
use crate::tryout::recommend;
use evenhand_core::Setting;
use evenhand_studies::tryout::Best;
use schemars::JsonSchema;
use serde::Serialize;

/// One model file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ModelRow {
    /// The model as the setting `judge` takes it.
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
    /// A hint for its owner.
    pub hint: Option<String>,
    /// How right the best way was in which it was tried on this machine (`models try`); None where
    /// it was not tried.
    pub tried_accuracy: Option<f64>,
    /// That way: a protocol.
    pub tried_way: Option<String>,
    /// Whether it was shown to be better than a coin.
    pub tried_above_coin: Option<bool>,
    /// What the table says of it.
    #[serde(skip)]
    pub tried: Option<String>,
}

/// Returns a header and a row each.
///
/// # Errors
/// Those of the CSV writer; no row is known to cause one.
pub fn models_csv(rows: &[ModelRow]) -> Result<String, csv::Error> {
    csv_of_records(&&ModelRow::default(), rows)
}

const COLUMNS: [Column<ModelRow>; 7] = [
    ("judge", |row| row.judge.clone()),
    ("parameters", |row| {
        format!("{} M", in_millions(row.parameters))
    }),
    ("stored as", |row| row.quantisation.clone()),
    ("context", |row| or_dash(row.context_length, group_digits)),
    ("MB", |row| in_millions(row.bytes)),
    ("tried", |row| row.tried.clone().unwrap_or_default()),
    ("note", |row| row.hint.clone().unwrap_or_default()),
];

fn in_millions(count: u64) -> String {
    group_digits(count / 1_000_000)
}

/// Returns the models for people, with how to get one; `cache` is the directory that was looked
/// into, and `best` the best of the models that were tried on this machine.
pub fn models_table(rows: &[ModelRow], cache: &str, best: Option<&Best>) -> String {
    let found = if rows.is_empty() {
        format!("no models in {cache}")
    } else {
        let table = table_of(&COLUMNS, rows).to_text();
        format!("{table}\n\n{}", recommend(best))
    };
    format!(
        "{found}\n\nTo get one: `evenhand models get NAME` fetches qwen2.5-coder-1.5b (1,117 MB), \
         qwen2.5-coder-0.5b (491 MB),\n\
         smollm2-135m (98 MB) or hf:OWNER/REPO into {cache}. Any other GGUF instruct model works \
         as\n\
         {} gguf:PATH; the larger, the better it judges.",
        Setting::Judge
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_models_has_its_header() {
        let csv = models_csv(&[]).unwrap();
        assert!(csv.starts_with("judge,architecture,parameters,"), "{csv}");
        assert_eq!(csv.lines().count(), 1, "{csv}");
    }
}
