//! Regular expressions: those of the checks, and those that a constraint's own words are.
//!
//! The reference uses keywords, forbidden words, markers and splitters unescaped, as patterns. So
//! do we; a text without any of `\ . ^ $ * + ? { } [ ] | ( )` stands for itself.

use crate::python::SPACE;
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// Characters that mean something else than themselves in a pattern.
const SPECIAL: [char; 14] = [
    '\\', '.', '^', '$', '*', '+', '?', '{', '}', '[', ']', '|', '(', ')',
];

/// A pattern that a constraint gave, with the text it was made of. Two are equal if their texts
/// are.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    regex: Regex,
    literal: bool,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.source == other.source
    }
}

impl Pattern {
    /// Compiles a pattern that matches `source` in any case.
    pub(crate) fn any_case(source: &str) -> Option<Pattern> {
        Pattern::compile(source, &escape_literal(source), true)
    }

    /// Compiles a pattern that matches `source` in any case where a word starts and ends.
    pub(crate) fn whole_word(source: &str) -> Option<Pattern> {
        let bounded = if is_literal(source) {
            escape_literal(source)
        } else {
            format!(r"\b{source}\b")
        };
        Pattern::compile(source, &bounded, true)
    }

    /// Compiles a pattern that matches `source` in lower case, in a text that is in lower case
    /// already.
    pub(crate) fn lower_case(source: &str) -> Option<Pattern> {
        Pattern::compile(source, &escape_literal(&source.to_lowercase()), false)
    }

    /// Compiles a pattern that matches `source` and a number after it, with a space between or
    /// none.
    pub(crate) fn before_number(source: &str) -> Option<Pattern> {
        Pattern::compile(
            source,
            &format!(r"{SPACE}?{}{SPACE}?\d+{SPACE}?", escape_literal(source)),
            false,
        )
    }

    fn compile(source: &str, pattern: &str, any_case: bool) -> Option<Pattern> {
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(any_case)
            .multi_line(!any_case)
            .build()
            .ok()?;
        Some(Pattern {
            source: source.to_owned(),
            regex,
            literal: is_literal(source),
        })
    }

    /// Returns the text the pattern was made of.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Counts the matches that do not overlap.
    pub(crate) fn count_matches(&self, text: &str) -> usize {
        self.regex.find_iter(text).count()
    }

    /// Whether it is in the text as a word: a character that `\w` of `re` has stands on one side of
    /// both ends, and not on the other.
    pub(crate) fn is_in_as_word(&self, text: &str) -> bool {
        if !self.literal {
            return self.regex.is_match(text);
        }
        let mut start = 0;
        while let Some(found) = self.regex.find_at(text, start) {
            if is_boundary(text, found.start()) && is_boundary(text, found.end()) {
                return true;
            }
            // Matches may overlap: the next is looked for one character on.
            let first = text[found.start()..].chars().next();
            start = found.start() + first.map_or(1, char::len_utf8);
        }
        false
    }
}

fn is_literal(source: &str) -> bool {
    !source.contains(SPECIAL)
}

fn escape_literal(source: &str) -> String {
    if is_literal(source) {
        regex::escape(source)
    } else {
        source.to_owned()
    }
}

/// Whether `\b` of `re` matches at this byte.
pub(crate) fn is_boundary(text: &str, at: usize) -> bool {
    // Whether `\w` of `re` matches: a letter or number of any kind, or the underscore.
    let is_word = |c: char| match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || c == '_',
        false => WORD_CHARACTER.is_match(c.encode_utf8(&mut [0; 4])),
    };
    text[..at].ends_with(is_word) != text[at..].starts_with(is_word)
}

/// Whether `\d` of `re` matches: a decimal digit of any script.
pub(crate) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && DIGIT.is_match(c.encode_utf8(&mut [0; 4])))
}

static DIGIT: LazyLock<Regex> = LazyLock::new(|| compile_fixed(r"\d"));
/// `\w` of `re`: letters, numbers of every kind and the underscore. Combining marks are not among
/// them, so that `\b` stands inside most words of the Indic scripts.
static WORD_CHARACTER: LazyLock<Regex> = LazyLock::new(|| compile_fixed(r"[\p{L}\p{N}_]"));

/// Compiles a pattern that is written in this crate.
#[allow(
    clippy::expect_used,
    reason = "the patterns are constants, and each is compiled by a test"
)]
pub(crate) fn compile_fixed(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of this crate is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbids(word: &str, text: &str) -> bool {
        Pattern::whole_word(word).unwrap().is_in_as_word(text)
    }

    #[test]
    fn a_forbidden_word_stands_alone() {
        assert!(forbids("field", "A Field, no?"));
        assert!(!forbids("field", "fields, a_field, field²"));
        assert!(forbids("field", "fields field"));
        assert!(forbids("aa", "aaa aa"));
        assert!(forbids("no.e", "a node") && !forbids("no.e", "nodes"));
    }

    #[test]
    fn marks_are_not_of_words() {
        // In Python, re.search(r"\bहिन\b", "हिन्दी") finds the letters before the virama.
        assert!(forbids("हिन", "हिन्दी"));
    }

    #[test]
    fn keywords_are_patterns() {
        assert_eq!(
            Pattern::any_case("a.c").unwrap().count_matches("ABC adc"),
            2
        );
        assert_eq!(
            Pattern::any_case("a-c").unwrap().count_matches("A-C abc"),
            1
        );
        assert!(Pattern::any_case("c++").is_some() && Pattern::any_case("(").is_none());
    }
}
