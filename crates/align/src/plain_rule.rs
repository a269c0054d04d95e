//! The plain rule: where a sentence ends by its punctuation, or a line ends.

/// Returns the byte offsets strictly inside the text where it may be cut
/// ([`Segmentation::Plain`](crate::Segmentation::Plain)).
pub(crate) fn find_plain_cuts(text: &str) -> Vec<usize> {
    let boundaries = boundaries(text).filter(|boundary| boundary.is_cut);
    let ends = boundaries.map(|boundary| boundary.end);
    ends.filter(|end| (1..text.len()).contains(end)).collect()
}

/// Iterates over the boundaries, each looked for after the one before.
fn boundaries(text: &str) -> impl Iterator<Item = Boundary> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let boundary = read_boundary(text, next_mark(text, at)?);
        at = boundary.end;
        Some(boundary)
    })
}

/// Returns the next byte at which a boundary may begin: a sentence mark or white space.
fn next_mark(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let offset = rest.find(begins_boundary)?;
    Some(at + offset)
}

fn begins_boundary(c: char) -> bool {
    is_stop(c) || is_space(c)
}

/// A run of marks or white space.
struct Boundary {
    /// Where it ends, and the search goes on.
    end: usize,
    is_cut: bool,
}

fn read_boundary(text: &str, start: usize) -> Boundary {
    let end = skip_while(text, start, is_space);
    if end == start {
        return read_stops(text, start);
    }
    let run = text.get(start..end).unwrap_or_default();
    let is_cut = run.contains('\n');
    Boundary { end, is_cut }
}

/// Reads sentence marks with what closes the sentence, and the white space after them.
fn read_stops(text: &str, start: usize) -> Boundary {
    let stops = skip_while(text, start, is_stop);
    let closed = skip_while(text, stops, is_closing);
    // Nothing between the marks and where they fail to end a sentence can begin another boundary.
    let end = skip_while(text, closed, is_space);
    let is_cut = end > closed && !ends_list_number(text, start);
    Boundary { end, is_cut }
}

/// Returns the first offset from `start` on whose character is not of this kind.
pub(crate) fn skip_while(text: &str, start: usize, is_kind: impl Fn(char) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.find(|c| !is_kind(c)).unwrap_or(rest.len())
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?')
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '\u{2019}' | '\u{201d}')
}

/// Whether a character is white space as Python's `re` has it: that of Unicode, and the four
/// separators of ASCII.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Whether the mark at this offset is the full stop of a number that begins a line.
fn ends_list_number(text: &str, mark: usize) -> bool {
    let (before, rest) = text.split_at_checked(mark).unwrap_or_default();
    rest.starts_with('.') && ends_with_first_number(before)
}

/// Whether the text ends with a number that begins a line.
fn ends_with_first_number(text: &str) -> bool {
    let indent = text.trim_end_matches(|c: char| c.is_ascii_digit());
    indent.len() < text.len() && ends_with_line_start(indent)
}

/// Whether only white space stands between the start of a line and the end of this text.
fn ends_with_line_start(text: &str) -> bool {
    let content = text.trim_end_matches(is_space);
    let spaces = text.get(content.len()..).unwrap_or_default();
    content.is_empty() || spaces.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, pieces: &[&str]) {
        let mut ends = find_plain_cuts(text);
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
