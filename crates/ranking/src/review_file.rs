//! The file of pairs for review: what people filled in is theirs, and stays.

use crate::for_review::{ForReview, ReviewChoice};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, Job, write_whole_file};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines that people filled in, by item and systems.
type FilledLines = BTreeMap<[String; 3], Line>;

/// A line as a JSON object.
type Line = Map<String, Value>;

impl ForReview {
    /// Checks that a file may be written: none is there, or one of ours.
    ///
    /// # Errors
    /// A file that is something else, or that cannot be read.
    pub fn check_file(path: &Path) -> Result<(), EngineError> {
        read_filled_lines(path)?;
        Ok(())
    }

    /// Writes the pairs that are chosen (see [`ForReview::write`]) to a file, in place of those of
    /// an earlier run. What people filled in there is kept: in the line of its pair, or behind all
    /// others where that pair is none of these. Returns how many pairs were written, and how many
    /// filled-in lines were kept.
    ///
    /// # Errors
    /// A file that is something else, or cannot be written.
    pub fn write_file(
        &self,
        job: &Job,
        choice: ReviewChoice,
        path: &Path,
    ) -> Result<(usize, usize), EngineError> {
        let earlier = read_filled_lines(path)?;
        let kept = earlier.len();
        let mut rows = Vec::new();
        let count = self.write(job, choice, &mut rows)?;
        merge_filled_lines(&String::from_utf8_lossy(&rows), earlier)
            .map_err(std::io::Error::from)
            .and_then(|text| write_whole_file(path, &text))
            .map_err(|e| refuse_file(path, format!("cannot be written: {e}")))?;
        Ok((count, kept))
    }
}

/// Puts what people filled in into the new lines, and what belongs to none of them behind.
fn merge_filled_lines(lines: &str, mut earlier: FilledLines) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    for line in lines.lines() {
        let mut row: Line = serde_json::from_str(line)?;
        let filled = line_key(&row).and_then(|key| earlier.remove(&key));
        match filled.and_then(|mut line| line.remove("preferred")) {
            Some(preferred) => {
                row.insert("preferred".into(), preferred);
                push_line(&mut out, &row)?;
            }
            // Byte for byte, so that a file with nothing filled in is written as it was.
            None => {
                out.extend_from_slice(line.as_bytes());
                out.push(b'\n');
            }
        }
    }
    for row in earlier.values() {
        push_line(&mut out, row)?;
    }
    Ok(out)
}

fn push_line(out: &mut Vec<u8>, row: &Line) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *out, row)?;
    out.push(b'\n');
    Ok(())
}

fn line_key(row: &Line) -> Option<[String; 3]> {
    let text = |name: &str| row.get(name)?.as_str().map(String::from);
    Some([text("item")?, text("a")?, text("b")?])
}

/// Reads the lines of an earlier file that hold a verdict; none where there is no file. All of its
/// lines must be such as [`ForReview::write`] writes, filled in or not.
fn read_filled_lines(path: &Path) -> Result<FilledLines, Refusal> {
    let mut filled = FilledLines::new();
    if !path.is_file() {
        return Ok(filled);
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| refuse_file(path, format!("is there and cannot be read: {e}")))?;
    for (number, line) in (1usize..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let row: Line = serde_json::from_str(line).unwrap_or_default();
        let is_ours = FIELDS.iter().all(|name| row.contains_key(*name));
        let Some(key) = line_key(&row).filter(|_| is_ours) else {
            let reason = format!(
                "exists and is not a file of pairs for review (line {number}), so it was left \
                 unchanged; choose another name"
            );
            return Err(refuse_file(path, reason));
        };
        if !row["preferred"].is_null() {
            filled.insert(key, row);
        }
    }
    Ok(filled)
}

/// The fields that tell our lines from others.
const FIELDS: [&str; 6] = [
    "preferred",
    "entropy",
    "preferred_a",
    "preferred_b",
    "output_a",
    "output_b",
];

fn refuse_file(path: &Path, reason: String) -> Refusal {
    Refusal::new(Setting::ForReview, Cause::File, reason).with_value(path.display())
}
