//! Responses in parts: paragraphs by divider or by blank line, and two responses.

use crate::format_marks::first_token;
use crate::pattern::compile_fixed;
use crate::python::{SPACE, strip_space};
use regex::Regex;
use std::sync::LazyLock;

static DIVIDER: LazyLock<Regex> =
    LazyLock::new(|| compile_fixed(&format!(r"{SPACE}?\*\*\*{SPACE}?")));

/// Counts the paragraphs between `***`: an empty one first or last is not counted, and one elsewhere makes
/// the count `None`.
pub(crate) fn count_paragraphs(text: &str) -> Option<usize> {
    Some(full_parts(&DIVIDER.split(text).collect::<Vec<_>>())?.len())
}

pub(crate) fn are_two_responses(text: &str) -> bool {
    let parts = text.split("******").collect::<Vec<_>>();
    full_parts(&parts)
        .is_some_and(|parts| parts.len() == 2 && strip_space(parts[0]) != strip_space(parts[1]))
}

/// Returns the parts that are not white space alone; `None` if one that is stands between others.
fn full_parts<'t>(parts: &[&'t str]) -> Option<Vec<&'t str>> {
    let inner = parts.get(1..parts.len().saturating_sub(1));
    if inner.unwrap_or_default().iter().any(|part| is_blank(part)) {
        return None;
    }
    let full = parts.iter().copied().filter(|part| !is_blank(part));
    Some(full.collect())
}

fn is_blank(part: &str) -> bool {
    strip_space(part).is_empty()
}

/// Whether there are so many paragraphs between blank lines, and the nth starts with the word.
/// Empty ones do not count, but they keep their place: with one before it, the nth is another.
pub(crate) fn has_first_word(text: &str, number: usize, nth: usize, word: &str) -> bool {
    let parts: Vec<&str> = text.split("\n\n").map(strip_space).collect();
    let full = parts.iter().filter(|part| !part.is_empty()).count();
    let first = parts.get(nth - 1).and_then(|part| first_token(part));
    full == number && nth <= full && first.is_some_and(|token| bare_word(token) == word)
}

/// Returns the word up to a mark, in lower case.
fn bare_word(token: &str) -> String {
    let bare = token.trim_start_matches('\'').trim_start_matches('"');
    let word = bare.split(['.', ',', '?', '!', '\'', '"']).next();
    let word = word.unwrap_or_default();
    word.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_between_dividers() {
        assert_eq!(count_paragraphs("a\n***\nb"), Some(2));
        assert_eq!(count_paragraphs("***\na\n***"), Some(1));
        assert_eq!(count_paragraphs("a\n\n***\n\n***\n\nb"), None);
        assert_eq!(
            count_paragraphs("a\n****\nb"),
            Some(2),
            "the fourth asterisk is of the second paragraph"
        );
        assert_eq!(count_paragraphs("a\n\nb"), Some(1));
    }

    #[test]
    fn two_responses_differ() {
        assert!(are_two_responses("a\n******\nb") && are_two_responses("******a******b******"));
        assert!(
            !are_two_responses("a ****** a ")
                && !are_two_responses("a")
                && !are_two_responses("a******b******c")
        );
        assert!(
            !are_two_responses("a************b"),
            "an empty part between"
        );
    }

    #[test]
    fn first_words_are_bare() {
        assert!(
            has_first_word("a\n\n\"'Then, b", 2, 2, "'then")
                || has_first_word("a\n\n'\"Then, b", 2, 2, "then")
        );
        assert!(
            has_first_word("a\n\nTHEN", 2, 2, "then")
                && !has_first_word("a\n\nthen-so", 2, 2, "then")
        );
        assert!(
            !has_first_word("a\n\n\n\nThen b", 2, 2, "then"),
            "the empty one is the second"
        );
        assert!(has_first_word("a\n\nThen b\n\n\n", 2, 2, "then"));
    }
}
