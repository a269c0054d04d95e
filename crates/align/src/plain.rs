//! The plain rule: where a sentence ends by its punctuation, or a line ends.

/// Byte offsets strictly inside the text where it may be cut
/// ([`Segmentation::Plain`](crate::Segmentation::Plain)).
pub(crate) fn plain(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(found) = next_mark(text, at) {
        let (end, is_cut) = boundary(text, found);
        if is_cut && end < text.len() && end > 0 {
            places.push(end);
        }
        at = end;
    }
    places
}

/// The next byte at which a boundary may begin: a sentence mark or white space.
fn next_mark(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    rest.find(|c| is_stop(c) || is_space(c))
        .map(|offset| at + offset)
}

/// Where the boundary that may begin here ends, and whether it is one; if not, where to look on.
fn boundary(text: &str, start: usize) -> (usize, bool) {
    let spaces = after(text, start, is_space);
    if spaces > start {
        return (
            spaces,
            text.as_bytes()
                .get(start..spaces)
                .is_some_and(|run| run.contains(&b'\n')),
        );
    }
    let stops = after(text, start, is_stop);
    let closed = after(text, stops, is_closing);
    let end = after(text, closed, is_space);
    // Nothing between the marks and where they fail to end a sentence can begin another boundary.
    (end, end > closed && !ends_list_number(text, start))
}

/// The first offset from `start` on whose character is not of this kind.
fn after(text: &str, start: usize, kind: impl Fn(char) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.find(|c| !kind(c)).unwrap_or(rest.len())
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?')
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '\u{2019}' | '\u{201d}')
}

/// White space as Python's `re` has it: that of Unicode, and the four separators of ASCII.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Whether the mark at this offset is the full stop of a number that begins a line.
fn ends_list_number(text: &str, mark: usize) -> bool {
    let before = text.get(..mark).unwrap_or_default();
    let indent = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let line = indent.trim_end_matches(is_space);
    let begins = line.is_empty()
        || indent
            .get(line.len()..)
            .is_some_and(|spaces| spaces.contains('\n'));
    text.get(mark..).is_some_and(|rest| rest.starts_with('.'))
        && indent.len() < before.len()
        && begins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, pieces: &[&str]) {
        let mut ends = plain(text);
        ends.push(text.len());
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let found: Vec<&str> = starts
            .zip(&ends)
            .map(|(start, end)| &text[start..*end])
            .collect();
        assert_eq!(found, pieces);
    }

    #[test]
    fn sentences_end_with_their_marks_and_white_space() {
        check(
            "One. Two!  Three?\u{a0}Four",
            &["One. ", "Two!  ", "Three?\u{a0}", "Four"],
        );
        check(
            "He said (\"so.\") Then ... no?! Yes",
            &["He said (\"so.\") ", "Then ... ", "no?! ", "Yes"],
        );
        check("a.b 3.14 x", &["a.b 3.14 x"]);
        check("a.).) b", &["a.).) ", "b"]);
        check("", &[""]);
        check(" \n x. ", &[" \n ", "x. "]);
    }

    #[test]
    fn lines_end_sentences_and_list_numbers_do_not() {
        check(
            "Title\n\n  1. One. 2. Two\n",
            &["Title\n\n  ", "1. One. ", "2. ", "Two\n"],
        );
        check(
            "12. One\r\n3.\nx 4.\ny",
            &["12. One\r\n", "3.\nx 4.\n", "y"],
        );
        check("7! x", &["7! ", "x"]);
    }
}
