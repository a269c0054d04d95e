//! The beginning of a text, for a table.

/// Characters of an excerpt.
const LENGTH: usize = 160;

/// Returns the beginning of a text, with line breaks and runs of white space as one space.
pub(crate) fn cut_excerpt(text: &str) -> String {
    // Four bytes a character at most, and as many again for white space that falls away.
    let start = &text[..text.floor_char_boundary(8 * LENGTH)];
    let words = start.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LENGTH) {
        Some((end, _)) => words[..end].to_owned(),
        None => words,
    }
}
