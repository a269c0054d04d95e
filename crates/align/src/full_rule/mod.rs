//! The full segmentation: sentences, list items, table rows, statements of code.

mod blocks;
mod clauses;
mod code_cuts;
mod sentence_bounds;
mod sentences;
#[cfg(feature = "code")]
mod statements;
mod uncut_spans;

use crate::plain_rule::{is_space, skip_while};
use blocks::{Block, split_blocks};

/// Returns the byte offsets strictly inside the text where it may be cut.
pub(crate) fn find_full_cuts(text: &str) -> Vec<usize> {
    // A cut after prose is moved past the white space that follows; one in code stays at its line.
    let (mut places, mut ends) = (Vec::new(), Vec::new());
    for block in split_blocks(text) {
        match block {
            Block::Code {
                start,
                end,
                info,
                inside,
            } => {
                let code = text.get(inside.clone()).unwrap_or_default();
                let cuts = code_cuts::find_code_cuts(code, info);
                places.extend(cuts.map(|at| inside.start + at));
                ends.extend([start, end]);
            }
            Block::Prose { lines } => ends.extend(sentences::find_prose_cuts(text, &lines)),
        }
    }
    ends.sort_unstable();
    places.extend(skip_spaces(text, &ends));
    places.sort_unstable();
    places.dedup();
    let first = skip_space(text, 0);
    places.retain(|&place| place > first && place < text.len());
    places
}

/// Returns [`skip_space`] of each of these offsets, which never decrease; each run of white space
/// is gone through once.
fn skip_spaces(text: &str, ends: &[usize]) -> Vec<usize> {
    let mut past = 0;
    let mut skip = |&end: &usize| {
        if end >= past {
            past = skip_space(text, end);
        }
        past
    };
    ends.iter().map(&mut skip).collect()
}

/// Returns the first offset from here on that is not white space: white space belongs to what is
/// before it.
fn skip_space(text: &str, at: usize) -> usize {
    skip_while(text, at, is_space)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn white_space_is_passed_as_place_by_place(text in "[ab \\n\\t\u{3000}]{0,40}") {
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let one_by_one: Vec<usize> = ends.iter().map(|&end| skip_space(&text, end)).collect();
            prop_assert_eq!(skip_spaces(&text, &ends), one_by_one);
        }
    }
}
