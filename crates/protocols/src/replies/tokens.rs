//! Words of a reply, as they stand and as they are compared.

use crate::lexicon::List::{self, *};
use crate::lexicon::Lists;

/// Marks that judges put around a verdict: emphasis, quotes, brackets, headings, mathematics.
const MARKS: &str = "*_`\"'\u{201c}\u{201d}\u{2018}\u{2019}[](){}<>#$";
/// Marks that close a word.
const STOPS: &str = ".,:;!";

/// A word of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    /// As it stands.
    pub(super) raw: &'a str,
    /// Without marks and stops.
    pub(super) bare: &'a str,
    /// The byte of the line at which it begins.
    pub(super) at: usize,
    lists: Lists,
}

impl Token<'_> {
    /// Whether it is one of these words, in any case.
    pub(super) fn is_any_of(&self, words: &[&str]) -> bool {
        let is = |word: &&str| {
            self.bare.eq_ignore_ascii_case(word)
                || (!self.bare.is_ascii() && self.bare.to_lowercase() == **word)
        };
        words.iter().any(is)
    }

    /// Whether it is a word of this list, in any case.
    pub(super) fn is_in(&self, list: List) -> bool {
        self.lists.contain(list)
    }

    /// Whether it may stand in what announces a verdict.
    pub(super) fn may_announce(&self) -> bool {
        self.is_in(Announcing) || self.is_in(VerdictNouns)
    }

    /// Whether it names a verdict.
    pub(super) fn names_verdict(&self) -> bool {
        self.is_in(Announced) || self.is_in(VerdictNouns)
    }

    /// Returns the stop that closes it, marks left out.
    pub(super) fn closing_stop(&self) -> Option<char> {
        self.raw
            .trim_end_matches(|c| MARKS.contains(c))
            .chars()
            .next_back()
            .filter(|c| STOPS.contains(*c))
    }

    /// Whether it says nothing: a dash, or nothing but marks.
    pub(super) fn is_filler(&self) -> bool {
        self.bare.is_empty() || self.is_dash()
    }

    /// Whether it is a dash, an equals sign or an arrow.
    pub(super) fn is_dash(&self) -> bool {
        matches!(
            self.raw,
            "-" | "\u{2013}" | "\u{2014}" | "--" | "=" | "->" | "=>" | "\u{2192}"
        )
    }
}

/// The verdict that words begin with.
pub(super) struct Leading<'t, T> {
    pub(super) stated: T,
    /// Its last word.
    pub(super) last: &'t Token<'t>,
    /// The words behind it.
    pub(super) rest: &'t [Token<'t>],
}

/// Splits a line into words. A colon ends a word even where no space follows (`Verdict:A`), and
/// what stands in `\boxed{}` is a word.
pub(super) fn split_tokens(line: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in line.split_inclusive(|c: char| c.is_whitespace() || c == ':') {
        let raw = piece.trim();
        let bare = strip_marks(raw);
        let token = Token {
            raw,
            bare,
            lists: Lists::of(&bare.to_lowercase()),
            at: at + piece.len() - piece.trim_start().len(),
        };
        if !token.bare.is_empty() || token.is_dash() {
            found.push(token);
        }
        at += piece.len();
    }
    found
}

/// Returns a word without its marks and stops, or what it frames.
pub(super) fn strip_marks(raw: &str) -> &str {
    let inner = raw.trim_matches(|c: char| MARKS.contains(c) || STOPS.contains(c));
    let boxed = inner
        .strip_prefix("\\boxed{")
        .or_else(|| inner.strip_prefix("\\text{"));
    boxed.map_or(inner, |inner| strip_marks(inner.trim_end_matches('}')))
}

/// Whether a line has a letter or a digit, unlike `---` or `**`.
pub(super) fn has_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// Whether a line says that the verdict follows: words that may announce it and a colon at its end,
/// or a heading of such words.
pub(super) fn announces_verdict(line: &str) -> bool {
    let is_heading = line.starts_with('#') || line.starts_with("**");
    if !is_heading && !line.contains(':') {
        return false;
    }
    let words = split_tokens(line);
    let belongs = |word: &Token| word.bare.is_empty() || word.may_announce();
    if !words.iter().any(Token::names_verdict) || !words.iter().all(belongs) {
        return false;
    }
    is_heading || words.last().and_then(Token::closing_stop) == Some(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_what_frames_them() {
        let bares = |line: &str| {
            split_tokens(line)
                .iter()
                .map(|token| token.bare.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(bares("**Verdict:** [[A]]"), ["Verdict", "A"]);
        assert_eq!(bares("Verdict:A"), ["Verdict", "A"]);
        assert_eq!(
            bares("The answer is $\\boxed{B}$."),
            ["The", "answer", "is", "B"]
        );
    }

    #[test]
    fn lines_that_announce() {
        for line in [
            "Verdict:",
            "**Final verdict**",
            "### My verdict:",
            "The better answer is:",
        ] {
            assert!(announces_verdict(line), "{line}");
        }
        for line in ["Answer A:", "It is good:", "The answer", "Verdict: A"] {
            assert!(!announces_verdict(line), "{line}");
        }
    }
}
