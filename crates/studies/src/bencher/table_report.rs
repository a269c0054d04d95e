//! Reports of rankings as JSON, which are tables of systems too.

use super::source::open_decompressed;
use evenhand_core::{Refusal, Setting};
use evenhand_engine::EngineError;
use serde::Deserialize;
use serde_json::{Deserializer, Map, Value};
use std::io::{BufRead, Read};
use std::path::Path;

/// The most bytes of a report that are read, decompressed.
const MOST_BYTES: u64 = 64 << 20;

/// The part of a report of `evenhand rank` or `leaderboard` that is read; all else is passed over
/// and not kept.
#[derive(Deserialize)]
struct JsonReport {
    ranking: Vec<Map<String, Value>>,
}

impl JsonReport {
    fn rows(self) -> Vec<Value> {
        self.ranking.into_iter().map(Value::Object).collect()
    }
}

/// Returns the `ranking` of a report as JSON; None where the file is no report.
pub(super) fn ranking_of(path: &Path) -> Result<Option<Vec<Value>>, EngineError> {
    let mut file = open_decompressed(path)?;
    if begins_with_object(&mut file) {
        rows_of_report(path, file)
    } else {
        Ok(None)
    }
}

fn begins_with_object(file: &mut impl BufRead) -> bool {
    let begin = file.fill_buf();
    begin.is_ok_and(|text| text.trim_ascii_start().starts_with(b"{"))
}

fn rows_of_report(path: &Path, file: impl Read) -> Result<Option<Vec<Value>>, EngineError> {
    let mut values = Deserializer::from_reader(file.take(MOST_BYTES)).into_iter::<JsonReport>();
    let Some(Ok(report)) = values.next() else {
        return Ok(None);
    };
    let end = values.byte_offset();
    match values.next() {
        Some(_) => Err(more_after_report(path, end).into()),
        None => Ok(Some(report.rows())),
    }
}

fn more_after_report(path: &Path, end: usize) -> Refusal {
    Refusal::of_input(format!(
        "{}: there is more after the report, which ends at byte {end}; expected one report of \
         `{} json` and nothing else",
        path.display(),
        Setting::Format
    ))
}
