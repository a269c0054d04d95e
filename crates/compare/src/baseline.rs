//! A baseline's file: a side of a comparison that is small enough to be committed.

use super::side::SideData;
use evenhand_core::{LARGEST_SCORE, Refusal};
use evenhand_engine::{EngineError, open_buffered, unreadable_input};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// How a baseline's file begins; later versions will have another number.
const FORMAT: &str = "evenhand baseline 1";

/// How much of a file is looked at to see whether it is a baseline.
const HEAD: u64 = 64;

#[derive(Serialize, Deserialize)]
struct BaselineFile {
    format: String,
    #[serde(flatten)]
    side: SideData,
}

/// Returns the text of a baseline's file: one line for each part, so that a commit shows what
/// changed. It has no texts, no keys and no paths.
///
/// # Errors
/// Numbers that JSON cannot hold.
pub fn baseline_text(side: &SideData) -> serde_json::Result<String> {
    let file = BaselineFile {
        format: FORMAT.into(),
        side: side.clone(),
    };
    let value = serde_json::to_value(&file)?;
    let parts = [
        "format",
        "settings",
        "answered_by",
        "systems",
        "items",
        "responses",
        "answers",
        "score_range",
        "verdicts",
        "failures",
        "failed",
        "run",
        "begun",
    ];
    // A side without a run, or without failures, has no such part. Parts without a place come last.
    let all = value.as_object().into_iter().flat_map(|all| all.keys());
    let others = all.map(String::as_str).filter(|part| !parts.contains(part));
    let lines: Vec<String> = parts
        .into_iter()
        .chain(others)
        .filter_map(|part| Some(format!("\"{part}\": {}", value.get(part)?)))
        .collect();
    Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

/// Whether a file is a baseline's.
pub(super) fn is_baseline(path: &Path) -> Result<bool, EngineError> {
    let mut head = Vec::new();
    let read = open_buffered(path)?.take(HEAD).read_to_end(&mut head);
    read.map_err(|error| unreadable_input(path, &error))?;
    let head = String::from_utf8_lossy(&head);
    Ok(head
        .trim_start()
        .trim_start_matches('{')
        .trim_start()
        .starts_with("\"format\": \"evenhand baseline"))
}

pub(super) fn read_baseline(path: &Path) -> Result<SideData, EngineError> {
    let mut text = String::new();
    let read = open_buffered(path)?.read_to_string(&mut text);
    read.map_err(|error| unreadable_input(path, &error))?;
    let BaselineFile { format, side } =
        serde_json::from_str(&text).map_err(|error| unreadable_input(path, &error))?;
    let path = path.display();
    if format != FORMAT {
        return Err(Refusal::of_input(format!(
            "{path}: it says {format:?}; this version reads {FORMAT:?}: save it again"
        ))
        .into());
    }
    let item = |number: u32| (number as usize) < side.items.len();
    let system = |number: u32| (number as usize) < side.systems.len();
    let verdicts = side.verdicts.iter().all(|verdict| {
        item(verdict.item)
            && system(verdict.first)
            && verdict.second.is_none_or(system)
            && verdict.value.abs() <= LARGEST_SCORE
    });
    let mut failed = side.failed.iter();
    let failed = failed.all(|one| item(one.item) && one.systems.iter().all(|one| system(*one)));
    let mut responses = side.responses.iter();
    let responses = responses.all(|response| item(response.item) && system(response.system));
    let mut answers = side.answers.iter();
    let answers = answers.all(|answer| item(answer.item) && system(answer.system));
    if !(verdicts && failed && responses && answers) {
        return Err(Refusal::of_input(format!(
            "{path}: a judgment is of an item or a system that the file does not list: it was \
             changed; save it again"
        ))
        .into());
    }
    Ok(side)
}
