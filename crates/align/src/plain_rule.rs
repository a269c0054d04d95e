//! The plain rule: where a sentence ends by its punctuation, or a line ends.

/// Returns the byte offsets strictly inside the text where it may be cut
/// ([`Segmentation::Plain`](crate::Segmentation::Plain)).
pub(crate) fn find_plain_cuts(text: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut at = 0;
    // A boundary begins with a sentence mark or white space, and each is looked for after the one
    // before.
    while let Some(offset) = text[at..].find(|c| is_stop(c) || is_space(c)) {
        let start = at + offset;
        let spaces = skip_while(text, start, is_space);
        let is_cut = if spaces > start {
            at = spaces;
            text[start..spaces].contains('\n')
        } else {
            // Marks, what closes the sentence, and the white space after that. Nothing between the
            // marks and where they fail to end a sentence can begin another boundary.
            let stops = skip_while(text, start, is_stop);
            let closed = skip_while(text, stops, is_closing);
            at = skip_while(text, closed, is_space);
            at > closed && !ends_list_number(text, start)
        };
        if is_cut && (1..text.len()).contains(&at) {
            cuts.push(at);
        }
    }
    cuts
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
    let indent = before.trim_end_matches(|c: char| c.is_ascii_digit());
    if !rest.starts_with('.') || indent.len() == before.len() {
        return false;
    }
    // Only white space may stand between the start of the line and the number.
    let content = indent.trim_end_matches(is_space);
    content.is_empty() || indent[content.len()..].contains('\n')
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
