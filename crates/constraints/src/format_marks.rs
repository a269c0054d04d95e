//! Marks of format and counts, as the reference's patterns find them.

use crate::pattern::compile_fixed;
use crate::python::{SPACE, is_space, strip_space};
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

/// Whether a text in lower case has `P.S.`.
pub(crate) fn has_postscript(lower: &str) -> bool {
    POSTSCRIPT.is_match(lower)
}

/// Whether a text in lower case has `P.P.S`.
pub(crate) fn has_second_postscript(lower: &str) -> bool {
    SECOND_POSTSCRIPT.is_match(lower)
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

/// Returns the first word (`str.split()[0]`), if there is one.
pub(crate) fn first_token(text: &str) -> Option<&str> {
    text.split(is_space).find(|word| !word.is_empty())
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
}
