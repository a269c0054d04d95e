//! Finds the spans of a paragraph that are never cut: inline code and links.

use std::collections::BTreeMap;
use std::ops::Range;

/// The longest address of a link that is looked for, in bytes.
const LONGEST_LINK: usize = 2048;

/// Returns the spans of a paragraph, in bytes.
pub(super) fn find_uncut_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = inline_code_spans(text);
    spans.extend(link_spans(text));
    spans
}

/// Returns the spans of inline code: from a run of backticks to the next run of the same length.
fn inline_code_spans(text: &str) -> Vec<Range<usize>> {
    let runs = backtick_runs(text);
    // For each run the index of the next one of the same length, in one pass from the end: looking
    // on from each run takes quadratic time where none is closed.
    let mut next_of_length = BTreeMap::new();
    let mut closing = vec![None; runs.len()];
    for ((index, run), close) in runs.iter().enumerate().zip(&mut closing).rev() {
        *close = next_of_length.insert(run.len(), index);
    }
    let (mut spans, mut index) = (Vec::new(), 0);
    while let Some(run) = runs.get(index) {
        let close = closing.get(index).copied().flatten();
        if let Some(end) = close.and_then(|close| runs.get(close)) {
            spans.push(run.start..end.end);
        }
        // What stands between the runs is code: runs in it open nothing.
        index = close.unwrap_or(index) + 1;
    }
    spans
}

fn backtick_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Returns the spans of links: `[text](address)`, and `<address>`.
fn link_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open = None;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '<' => open = Some((at, c)),
            '\n' => open = None,
            ']' | '>' => {
                let (start, end) = match (open.take(), c) {
                    (Some((start, '<')), '>') => (start, Some(at + 1)),
                    (Some((start, '[')), ']') => (start, address_end(text, at + 1)),
                    _ => continue,
                };
                spans.extend(end.map(|end| start..end));
            }
            _ => {}
        }
    }
    spans
}

/// Returns where the address in round brackets that begins here ends.
fn address_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    let near = rest.get(..LONGEST_LINK).unwrap_or(rest);
    let line = near.split(|&byte| byte == b'\n').next().unwrap_or(near);
    line.first().filter(|&&byte| byte == b'(')?;
    let closing = line.iter().position(|&byte| byte == b')')?;
    Some(at + closing + 1)
}
