//! The lines of a reply in which a verdict may stand.

use super::tokens::{announces_verdict, has_words};
use crate::extraction::sentences;
use std::ops::Range;

/// A line of a reply. One that only announces a verdict (`Verdict:`) goes on with the next.
pub(super) struct Line {
    /// The byte of the reply at which it begins.
    pub(super) at: usize,
    /// Its text as a single line, with as many bytes as it has in the reply.
    pub(super) text: String,
    /// Whether it is the reply's first.
    pub(super) is_first: bool,
}

impl Line {
    /// Returns the sentences of the line, each with the byte of the reply at which it begins.
    pub(super) fn sentences(&self) -> impl Iterator<Item = (usize, &str)> {
        let ranges = sentences(&self.text);
        ranges.map(|range| {
            let at = self.at + range.start;
            (at, self.text.get(range).unwrap_or_default())
        })
    }
}

/// Splits a reply into the lines that say something.
pub(super) fn split_lines(text: &str) -> impl Iterator<Item = Line> + '_ {
    let ranges = find_lines(text).into_iter().enumerate();
    ranges.map(|(row, range)| Line {
        at: range.start,
        text: join_line(text.get(range).unwrap_or_default()),
        is_first: row == 0,
    })
}

/// Returns a line that goes on with the next as one line of as many bytes.
fn join_line(line: &str) -> String {
    line.replace(['\n', '\r'], " ")
}

/// Returns the part of a reply in which a verdict may stand: all of it, or the last line where it
/// shows the fences of our prompt, since it then repeats what was put between them.
pub(super) fn find_own_part(text: &str) -> &str {
    let Some(fence) = text.lines().rev().find(|line| is_fence(line)) else {
        return text;
    };
    let after = text.rsplit_once(fence).map_or("", |(_, after)| after);
    after.trim_end().lines().next_back().unwrap_or_default()
}

/// Returns the part of a reply behind the last fence of our prompt; all of it where it shows none.
pub(super) fn after_fences(text: &str) -> &str {
    let fence = text.lines().rev().find(|line| is_fence(line));
    let behind = fence.and_then(|fence| text.rsplit_once(fence));
    behind.map_or(text, |(_, after)| after)
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("<<<<") || line.starts_with(">>>>")
}

/// Returns the byte ranges of the lines that say something, without the white space around them.
pub(super) fn find_lines(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        if has_words(line) {
            add_line(text, &mut found, start..start + line.trim().len());
        }
    }
    found
}

/// Adds a line, to the one before where that only announces it.
fn add_line(text: &str, found: &mut Vec<Range<usize>>, line: Range<usize>) {
    match found.last_mut() {
        Some(last) if announces_verdict(text.get(last.clone()).unwrap_or_default()) => {
            last.end = line.end;
        }
        _ => found.push(line),
    }
}
