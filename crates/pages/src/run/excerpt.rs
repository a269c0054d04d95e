//! The beginning of a text, for a table.

/// Characters of an excerpt.
const LENGTH: usize = 160;

/// Returns the beginning of a text, with line breaks and runs of white space as one space.
pub(crate) fn cut_excerpt(text: &str) -> String {
    // Four bytes a character at most, and as many again for white space that falls away.
    let start = &text[..floor_char_boundary(text, 8 * LENGTH)];
    let words = start.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LENGTH) {
        Some((end, _)) => words[..end].to_owned(),
        None => words,
    }
}

/// Returns the last place up to this one at which a text can be cut.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut places = (0..=at.min(text.len())).rev();
    places
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut_excerpt("  a\n\tb  "), "a b");
        assert_eq!(
            cut_excerpt(&"\u{1f9ea}".repeat(2000)).chars().count(),
            LENGTH
        );
        assert_eq!(floor_char_boundary("a\u{e9}", 2), 1);
    }
}
