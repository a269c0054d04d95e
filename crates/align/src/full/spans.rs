//! What must not be cut inside a paragraph: inline code and links.

use std::collections::BTreeMap;
use std::ops::Range;

/// The longest address of a link that is looked for, in bytes.
const LONGEST_LINK: usize = 2048;

/// The spans of a paragraph, in bytes.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = inline_code(text);
    spans.extend(links(text));
    spans
}

/// From a run of backticks to the next run of the same length.
fn inline_code(text: &str) -> Vec<Range<usize>> {
    let runs = runs(text);
    let mut next_of_length = BTreeMap::new();
    let mut closing = vec![None; runs.len()];
    for (index, run) in runs.iter().enumerate().rev() {
        let next = next_of_length.insert(run.len(), index);
        closing
            .iter_mut()
            .skip(index)
            .take(1)
            .for_each(|closing| *closing = next);
    }
    let (mut spans, mut index) = (Vec::new(), 0);
    while let Some(run) = runs.get(index) {
        let close = closing.get(index).copied().flatten();
        let span = close.and_then(|close| Some(run.start..runs.get(close)?.end));
        index = close.map_or(index, |close| close) + 1;
        spans.extend(span);
    }
    spans
}

/// The runs of backticks.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end = at + 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}

/// `[text](address)`, and `<address>`.
fn links(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open = None;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '<' => open = Some((at, c)),
            '\n' => open = None,
            ']' | '>' => {
                let span = open
                    .take()
                    .filter(|(_, opened)| (*opened == '[') == (c == ']'));
                let end = if c == '>' {
                    Some(at + 1)
                } else {
                    address_end(text, at + 1)
                };
                spans.extend(span.zip(end).map(|((start, _), end)| start..end));
            }
            _ => {}
        }
    }
    spans
}

/// Where the address in round brackets that begins here ends.
fn address_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    let near = rest.get(..rest.len().min(LONGEST_LINK))?;
    let line = near.split(|&byte| byte == b'\n').next()?;
    if line.first() == Some(&b'(') {
        line.iter()
            .position(|&byte| byte == b')')
            .map(|end| at + end + 1)
    } else {
        None
    }
}
