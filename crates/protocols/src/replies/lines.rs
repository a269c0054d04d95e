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
        text: text[range].replace(['\n', '\r'], " "),
        is_first: row == 0,
    })
}

/// Returns the part of a reply in which a verdict may stand: all of it, or the last line where it
/// shows the fences of our prompt, since it then repeats what was put between them.
pub(super) fn find_own_part(text: &str) -> &str {
    match behind_fences(text) {
        Some(behind) => behind.trim_end().lines().next_back().unwrap_or_default(),
        None => text,
    }
}

/// Returns the part of a reply behind the last fence of our prompt, where it shows one.
pub(super) fn behind_fences(text: &str) -> Option<&str> {
    let fence = text.lines().rev().find(|line| {
        let line = line.trim_start();
        line.starts_with("<<<<") || line.starts_with(">>>>")
    })?;
    let (_, behind) = text.rsplit_once(fence)?;
    Some(behind)
}

/// Returns the byte ranges of the lines that say something, without the white space around them.
pub(super) fn find_lines(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let start = at + line.len() - line.trim_start().len();
        let end = start + line.trim().len();
        at += line.len();
        if !has_words(line) {
            continue;
        }
        // A line that only announces a verdict goes on with this one.
        match found.last_mut() {
            Some(last) if announces_verdict(&text[last.clone()]) => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}

/// Quotes the end of a text, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let text = text.trim();
    let start = text.char_indices().rev().nth(LONGEST - 1);
    match &text[start.map_or(0, |(at, _)| at)..] {
        "" => "an empty reply".into(),
        shown => format!("{shown:?}"),
    }
}
