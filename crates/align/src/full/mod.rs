//! The full segmentation: sentences, list items, table rows, statements of code.

mod blocks;
mod bounds;
mod code;
#[cfg(feature = "code")]
mod languages;
mod sentences;
mod spans;

use crate::plain::is_space;
use blocks::{Block, blocks};

/// Byte offsets strictly inside the text where it may be cut.
pub(crate) fn full(text: &str) -> Vec<usize> {
    let (mut ends, mut places) = (Vec::new(), Vec::new());
    for block in blocks(text) {
        match block {
            Block::Code {
                start,
                end,
                info,
                inside,
            } => {
                let code = text.get(inside.clone()).unwrap_or_default();
                places.extend(code::cuts(code, info).map(|at| inside.start + at));
                ends.extend([start, end]);
            }
            Block::Prose { lines } => ends.extend(sentences::cuts(text, &lines)),
        }
    }
    ends.sort_unstable();
    places.extend(past_spaces(text, &ends));
    places.sort_unstable();
    places.dedup();
    let first = past_space(text, 0);
    places.retain(|&place| place > first && place < text.len());
    places
}

/// [`past_space`] of each of these offsets, which never decrease; each run of white space is gone
/// through once.
fn past_spaces(text: &str, ends: &[usize]) -> Vec<usize> {
    let mut past = 0;
    let moved = ends.iter().map(|&end| {
        past = if end < past {
            past
        } else {
            past_space(text, end)
        };
        past
    });
    moved.collect()
}

/// The first offset from here on that is not white space: white space belongs to what is before it.
fn past_space(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !is_space(c)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn white_space_is_passed_as_place_by_place(text in "[ab \\n\\t\u{3000}]{0,40}") {
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let one_by_one: Vec<usize> = ends.iter().map(|&end| past_space(&text, end)).collect();
            prop_assert_eq!(past_spaces(&text, &ends), one_by_one);
        }
    }
}
