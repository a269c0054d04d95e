//! Marks of format in a response that constraints count or look for; and its parts: paragraphs by
//! divider or by blank line, and two responses.

use crate::pattern::{Pattern, compile_fixed};
use crate::python::{SPACE, split_words, strip_space};
use regex::Regex;
use std::sync::LazyLock;

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| compile_fixed(r"\[.*?\]"));
static STAR: LazyLock<Regex> = LazyLock::new(|| compile_fixed(&format!(r"(?m)^{SPACE}*\*[^*].*$")));
static DASH: LazyLock<Regex> = LazyLock::new(|| compile_fixed(&format!(r"(?m)^{SPACE}*-.*$")));
static SINGLE: LazyLock<Regex> = LazyLock::new(|| compile_fixed(r"\*[^\n*]*\*"));
static DOUBLE: LazyLock<Regex> = LazyLock::new(|| compile_fixed(r"\*\*[^\n*]*\*\*"));
static TITLE: LazyLock<Regex> = LazyLock::new(|| compile_fixed(r"<<[^\n]+>>"));
static POSTSCRIPT: LazyLock<Regex> = LazyLock::new(|| compile_fixed(&format!(r"p\.{SPACE}?s\.")));
static SECOND_POSTSCRIPT: LazyLock<Regex> =
    LazyLock::new(|| compile_fixed(&format!(r"p\.{SPACE}?p\.{SPACE}?s")));
static WORD: LazyLock<Regex> = LazyLock::new(|| compile_fixed(r"\w+"));

pub(crate) fn count_placeholders(text: &str) -> usize {
    PLACEHOLDER.find_iter(text).count()
}

pub(crate) fn count_bullets(text: &str) -> usize {
    STAR.find_iter(text).count() + DASH.find_iter(text).count()
}

/// Counts passages between two asterisks, and those between two pairs, that hold more than white
/// space. The two kinds are counted apart: in `**a**` the pairs by themselves are passages of the
/// first kind with nothing in them, and the whole is one of the second.
pub(crate) fn count_highlights(text: &str) -> usize {
    count_full(&SINGLE, text) + count_full(&DOUBLE, text)
}

/// Counts the passages of this pattern that hold more than asterisks and white space.
fn count_full(passage: &Regex, text: &str) -> usize {
    let inner = passage
        .find_iter(text)
        .map(|found| found.as_str().trim_matches('*'));
    inner.filter(|inner| !strip_space(inner).is_empty()).count()
}

pub(crate) fn has_title(text: &str) -> bool {
    TITLE.find_iter(text).any(|title| {
        let inner = title.as_str().trim_start_matches('<').trim_end_matches('>');
        !strip_space(inner).is_empty()
    })
}

pub(crate) fn has_postscript(marker: &Pattern, lower: &str) -> bool {
    match marker.source() {
        "P.S." => POSTSCRIPT.is_match(lower),
        "P.P.S" => SECOND_POSTSCRIPT.is_match(lower),
        _ => marker.is_in(lower),
    }
}

/// Takes one code fence off a text: first a fence that names JSON, then a
/// plain one, then one at the end.
pub(crate) fn without_fence(text: &str) -> &str {
    let mut text = strip_space(text);
    for fence in ["```json", "```Json", "```JSON", "```"] {
        text = text.strip_prefix(fence).unwrap_or(text);
    }
    strip_space(text.strip_suffix("```").unwrap_or(text))
}

/// Counts the runs of letters, marks, decimal digits, underscores and joiners (`\w` of Unicode's
/// technical standard 18, which is what the engine under nltk has since its version 3.10; Python's
/// own `re` would part words at combining marks).
pub(crate) fn count_words(text: &str) -> usize {
    WORD.find_iter(text).count()
}

static DIVIDER: LazyLock<Regex> =
    LazyLock::new(|| compile_fixed(&format!(r"{SPACE}?\*\*\*{SPACE}?")));

/// Counts the paragraphs between `***`: an empty one first or last is not counted, and one
/// elsewhere makes the count `None`.
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
    let first = parts.get(nth - 1).and_then(|part| split_words(part).next());
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
    fn bullets_are_lines() {
        assert_eq!(
            count_bullets("* a\n  * b\n- c\n-d\n** e\n*\nf"),
            5,
            "a bare * takes the line break as its character"
        );
        assert_eq!(count_bullets("---\n\n- a\n a - b"), 2);
        assert_eq!(count_bullets("*"), 0);
    }

    #[test]
    fn highlights_hold_something() {
        assert_eq!(count_highlights("*a* and * * and ** and *b c*"), 2);
        assert_eq!(count_highlights("**a**"), 1);
        assert_eq!(count_highlights("*a\nb*"), 0);
        // The middle of "**a** b **c**" is between asterisks too.
        assert_eq!(count_highlights("**a** b **c**"), 2);
        assert_eq!(count_highlights("*a* b *c*"), 2);
    }

    #[test]
    fn titles_hold_something() {
        assert!(
            has_title("<<a>>")
                && has_title("x <<<a>> b")
                && !has_title("<< >>")
                && !has_title("<<>>")
                && !has_title("<a>")
        );
        assert!(!has_title("<<a\nb>>"));
    }

    #[test]
    fn one_fence_is_taken_off() {
        assert_eq!(without_fence("\n```json\n{}\n```\n"), "{}");
        assert_eq!(without_fence("```\n{}"), "{}");
        assert_eq!(without_fence("```python\n{}```"), "python\n{}");
        assert_eq!(
            without_fence("```json```{}"),
            "{}",
            "the fences are taken off in turn"
        );
    }

    #[test]
    fn words_and_placeholders() {
        assert_eq!(count_words("It's a well-known_fact, 3.5 हिन्दी"), 8);
        assert_eq!(count_placeholders("[a] [] [[b]] [c\n]"), 3);
    }

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
