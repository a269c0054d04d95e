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
        put_lines(path, &String::from_utf8_lossy(&rows), earlier)
            .map_err(|e| refuse_file(path, format!("cannot be written: {e}")))?;
        Ok((count, kept))
    }
}

fn put_lines(path: &Path, lines: &str, earlier: FilledLines) -> std::io::Result<()> {
    let text = merge_filled_lines(lines, earlier)?;
    write_whole_file(path, &text)
}

/// Puts what people filled in into the new lines, and what belongs to none of them behind.
fn merge_filled_lines(lines: &str, mut earlier: FilledLines) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    for line in lines.lines() {
        push_filled(&mut out, line, &mut earlier)?;
    }
    for row in earlier.values() {
        push_line(&mut out, row)?;
    }
    Ok(out)
}

/// Adds a new line, with the verdict that people gave in an earlier line of its pair.
fn push_filled(
    out: &mut Vec<u8>,
    line: &str,
    earlier: &mut FilledLines,
) -> Result<(), serde_json::Error> {
    let mut row: Line = serde_json::from_str(line)?;
    let filled = line_key(&row).and_then(|key| earlier.remove(&key));
    if let Some(preferred) = filled.and_then(|mut line| line.remove("preferred")) {
        row.insert("preferred".into(), preferred);
        return push_line(out, &row);
    }
    // Byte for byte, so that a file with nothing filled in is written as it was.
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
    Ok(())
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

/// Reads the lines of an earlier file that hold a verdict; none where there is no file.
fn read_filled_lines(path: &Path) -> Result<FilledLines, Refusal> {
    if !path.is_file() {
        return Ok(FilledLines::new());
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| refuse_file(path, format!("is there and cannot be read: {e}")))?;
    parse_filled_lines(&text).map_err(|line| refuse_foreign(path, line))
}

/// Reads the lines that hold a verdict; the error is the number of a line that is not ours.
fn parse_filled_lines(text: &str) -> Result<FilledLines, usize> {
    let mut filled = FilledLines::new();
    let numbered = (1usize..).zip(text.lines());
    for (number, line) in numbered.filter(|(_, line)| !line.trim().is_empty()) {
        let (key, row) = parse_line(line).ok_or(number)?;
        if !row["preferred"].is_null() {
            filled.insert(key, row);
        }
    }
    Ok(filled)
}

/// Reads a line that [`ForReview::write`] writes, filled in or not; None for any other.
fn parse_line(line: &str) -> Option<([String; 3], Line)> {
    let row: Line = serde_json::from_str(line).ok()?;
    let is_ours = FIELDS.iter().all(|name| row.contains_key(*name));
    let key = line_key(&row)?;
    is_ours.then_some((key, row))
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

fn refuse_foreign(path: &Path, line: usize) -> Refusal {
    let reason = format!(
        "exists and is not a file of pairs for review (line {line}), so it was left unchanged; \
         choose another name"
    );
    refuse_file(path, reason)
}

fn refuse_file(path: &Path, reason: String) -> Refusal {
    Refusal::new(Setting::ForReview, Cause::File, reason).with_value(path.display())
}
