//! Sentences and words of a reply, without the marks that judges put around them.

use crate::lexicon::{List, Lists};
use std::ops::Range;

/// Returns where sentences end: after a line, and after a full stop, question or exclamation mark
/// (with the marks that follow it) before white space. Ascending; the end of the text is not among
/// them unless a line ends there.
pub(super) fn sentence_ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut stopped = false;
    text.char_indices().filter_map(move |(at, c)| {
        let ends = c == '\n' || (stopped && c.is_whitespace());
        stopped = matches!(c, '.' | '!' | '?' | '。' | '！' | '？') || (stopped && is_mark(c));
        ends.then(|| at + c.len_utf8())
    })
}

/// Splits a text into sentences, as byte ranges that cover it.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    let ends = sentence_ends(text).chain([text.len()]);
    ends.map(move |end| std::mem::replace(&mut start, end)..end)
        .filter(|range| !range.is_empty())
}

/// A word and where it stands.
pub(super) struct Word {
    /// The byte of the sentence at which it begins, marks included.
    pub(super) at: usize,
    pub(super) text: String,
    /// Whether a colon follows it.
    pub(super) colon: bool,
    /// Whether a comma or semicolon follows it.
    pub(super) comma: bool,
}

/// Splits a sentence into its words in lower case (ASCII), without the marks around them; a word
/// that is nothing but marks is left out.
pub(super) fn split_words(sentence: &str) -> Vec<Word> {
    let mut at = 0;
    let pieces = sentence.split_inclusive(char::is_whitespace);
    let words = pieces.map(|piece| {
        let start = at;
        at += piece.len();
        Word::new(start, piece)
    });
    words.filter(|word| !word.text.is_empty()).collect()
}

pub(super) fn texts_of(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

impl Word {
    /// Whether it is one of these words (in lower case).
    pub(super) fn is_any_of(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }

    /// Whether it is a word of this list.
    pub(super) fn is_in(&self, list: List) -> bool {
        Lists::of(&self.text).contain(list)
    }

    fn new(at: usize, piece: &str) -> Word {
        let tail = piece.trim_end().trim_end_matches(is_mark);
        Word {
            at,
            text: strip_marks(piece).to_ascii_lowercase(),
            colon: tail.ends_with(':'),
            comma: tail.ends_with([',', ';']),
        }
    }
}

/// Returns a text without the white space, emphasis, quotation marks and punctuation around it.
/// Brackets stay.
pub(super) fn strip_marks(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || is_mark(c) || ".,:;!?#".contains(c))
}

fn is_mark(c: char) -> bool {
    "*_`\"'”“’‘".contains(c)
}

/// Parses a number alone: digits, at most one point with digits around it. No sign, no exponent,
/// not "inf".
pub(super) fn parse_number(word: &str) -> Option<f64> {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    word.parse().ok()
}

fn is_digits(part: &str) -> bool {
    (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_a_text() {
        let text = "One. **Two!** 3.5 is\nfour. \"Five.\" Six";
        let found: Vec<&str> = sentences(text).map(|range| &text[range]).collect();
        assert_eq!(
            found,
            [
                "One. ",
                "**Two!** ",
                "3.5 is\n",
                "four. ",
                "\"Five.\" ",
                "Six"
            ]
        );
    }

    #[test]
    fn words_without_marks() {
        assert_eq!(
            texts_of(&split_words("## **Output (A)** is — \"better\".")),
            ["output", "(a)", "is", "—", "better"]
        );
    }

    #[test]
    fn numbers() {
        assert_eq!(
            ["7", "8.5", "10"].map(parse_number),
            [Some(7.0), Some(8.5), Some(10.0)]
        );
        for word in [
            "",
            ".",
            "7.",
            ".5",
            "-1",
            "+1",
            "1e3",
            "inf",
            "nan",
            "1.2.3",
            "٣",
            "9999999999",
        ] {
            assert_eq!(parse_number(word), None, "{word}");
        }
    }
}
