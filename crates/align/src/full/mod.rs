//! The full segmentation: sentences, list items, table rows, statements of code.

mod blocks;
mod code;
#[cfg(feature = "code")]
mod languages;
mod sentences;
mod spans;

use crate::plain::is_space;
use blocks::{Block, blocks};

/// Byte offsets strictly inside the text where it may be cut.
pub(crate) fn full(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    for block in blocks(text) {
        match block {
            Block::Code { start, end, info, inside } => {
                places.push(past_space(text, start));
                places.extend(code::cuts(text.get(inside.clone()).unwrap_or_default(), info).map(|at| inside.start + at));
                places.push(past_space(text, end));
            }
            Block::Prose { lines } => places.extend(sentences::cuts(text, &lines).into_iter().map(|at| past_space(text, at))),
        }
    }
    places.sort_unstable();
    places.dedup();
    let first = past_space(text, 0);
    places.retain(|&place| place > first && place < text.len());
    places
}

/// The first offset from here on that is not white space: white space belongs to what is before it.
fn past_space(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !is_space(c)).unwrap_or(rest.len())
}
