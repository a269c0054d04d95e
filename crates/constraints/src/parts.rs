//! Responses in parts: paragraphs by divider or by blank line, and two responses.

use crate::format::first_token;
use crate::pattern::fixed;
use crate::python::{SPACE, strip};
use regex::Regex;
use std::sync::LazyLock;

static DIVIDER: LazyLock<Regex> = LazyLock::new(|| fixed(&format!(r"{SPACE}?\*\*\*{SPACE}?")));

/// The paragraphs between `***`: an empty one first or last is not counted, and one elsewhere makes
/// it none (`None`).
pub(crate) fn paragraphs(text: &str) -> Option<usize> {
    Some(full_parts(&DIVIDER.split(text).collect::<Vec<_>>())?.len())
}

pub(crate) fn are_two_responses(text: &str) -> bool {
    let parts = text.split("******").collect::<Vec<_>>();
    full_parts(&parts).is_some_and(|parts| parts.len() == 2 && strip(parts[0]) != strip(parts[1]))
}

/// The parts that are not white space alone; `None` if one that is stands between others.
fn full_parts<'t>(parts: &[&'t str]) -> Option<Vec<&'t str>> {
    let empty = |part: &&str| strip(part).is_empty();
    let inner = parts
        .get(1..parts.len().saturating_sub(1))
        .unwrap_or_default();
    (!inner.iter().any(empty)).then(|| parts.iter().copied().filter(|part| !empty(part)).collect())
}

/// Whether there are so many paragraphs between blank lines, and the nth starts with the word.
/// Empty ones do not count, but they keep their place: with one before it, the nth is another.
pub(crate) fn has_first_word(text: &str, number: usize, nth: usize, word: &str) -> bool {
    let parts: Vec<&str> = text.split("\n\n").map(strip).collect();
    let full = parts.iter().filter(|part| !part.is_empty()).count();
    full == number
        && nth <= full
        && parts
            .get(nth - 1)
            .and_then(|part| first_token(part))
            .is_some_and(|token| first_word(token) == word)
}

/// The word up to a mark, in lower case.
fn first_word(token: &str) -> String {
    let bare = token.trim_start_matches('\'').trim_start_matches('"');
    let end = bare
        .find(['.', ',', '?', '!', '\'', '"'])
        .unwrap_or(bare.len());
    bare[..end].chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_between_dividers() {
        assert_eq!(paragraphs("a\n***\nb"), Some(2));
        assert_eq!(paragraphs("***\na\n***"), Some(1));
        assert_eq!(paragraphs("a\n\n***\n\n***\n\nb"), None);
        assert_eq!(
            paragraphs("a\n****\nb"),
            Some(2),
            "the fourth asterisk is of the second paragraph"
        );
        assert_eq!(paragraphs("a\n\nb"), Some(1));
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
