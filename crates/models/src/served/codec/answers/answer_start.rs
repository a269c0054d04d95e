//! Where in the tokens of a reply its answer is due.

use crate::served::codec::reasoning;
use evenhand_core::ReplySchema;

/// How many bytes may follow the text in its tokens: marks of its end, stop words, white space.
const TAIL: usize = 256;

/// Finds the first token of the answer; `text` is the reply without its reasoning. None where there
/// is no such token.
pub(super) fn find_answer_start(tokens: &[Vec<u8>], text: &str, after: &str) -> Option<usize> {
    let reply = ReplyBytes::new(tokens);
    let start = reply.find_text_start(text.trim())?;
    // The answer is due after the last `after`, or at once where it is empty.
    let from = match after.trim_end() {
        "" => start,
        after => reply.find_due(start, after.as_bytes())?,
    };
    let begins = std::iter::once(&0).chain(&reply.ends);
    let mut tokens = tokens.iter().zip(begins);
    tokens.position(|(token, begin)| *begin >= from && !is_white(token))
}

/// Where an answer begins: in which token, and behind how many of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldPlace {
    pub(super) token: usize,
    pub(super) behind: usize,
}

/// Finds where the text of the verdict begins in a reply that is one JSON object, behind its quote;
/// None where there is no such field, or its value is no text. It is the last field: a name within
/// the reasoning stands before it, and between quotes that are escaped.
pub(super) fn find_verdict_field(tokens: &[Vec<u8>], text: &str) -> Option<FieldPlace> {
    let name = format!("\"{}\"", ReplySchema::VERDICT);
    let behind_name = text.rfind(&name)? + name.len();
    let value = text[behind_name..]
        .trim_start()
        .strip_prefix(':')?
        .trim_start()
        .strip_prefix('"')?;
    let offset = text.len() - value.len();
    TextTokens::new(tokens, text)?.find_place(offset)
}

/// The tokens of a reply, and where its text begins among them.
pub(super) struct TextTokens {
    reply: ReplyBytes,
    /// Where the first byte of the text stands.
    start: usize,
}

impl TextTokens {
    /// None where the tokens do not say the text.
    pub(super) fn new(tokens: &[Vec<u8>], text: &str) -> Option<TextTokens> {
        let reply = ReplyBytes::new(tokens);
        let said = &reply.all[reply.find_text_start(text.trim())?..];
        let white = said.len() - said.trim_ascii_start().len();
        let before = text.len() - text.trim_ascii_start().len();
        let start = (reply.all.len() - said.len() + white).checked_sub(before)?;
        Some(TextTokens { reply, start })
    }

    /// Finds the token that holds the byte at this place of the text.
    pub(super) fn find_place(&self, offset: usize) -> Option<FieldPlace> {
        let at = self.start + offset;
        let token = self.reply.ends.partition_point(|end| *end <= at);
        let begin = self.reply.ends[..token].last().copied().unwrap_or(0);
        (token < self.reply.ends.len()).then_some(FieldPlace {
            token,
            behind: at - begin,
        })
    }
}

/// The bytes of a reply, and where each of its tokens ends.
struct ReplyBytes {
    all: Vec<u8>,
    ends: Vec<usize>,
}

impl ReplyBytes {
    fn new(tokens: &[Vec<u8>]) -> ReplyBytes {
        let mut all = Vec::new();
        let mut ends = Vec::with_capacity(tokens.len());
        for token in tokens {
            all.extend_from_slice(token);
            ends.push(all.len());
        }
        ReplyBytes { all, ends }
    }

    /// Finds where the reply's text begins: at the last token from which on its tokens say it.
    /// Where no token does, since it is written in another way, after the reasoning's mark, or
    /// nowhere.
    fn find_text_start(&self, text: &str) -> Option<usize> {
        if text.is_empty() {
            return None;
        }
        let all = &self.all;
        let begins = std::iter::once(0).chain(self.ends.iter().copied()).rev();
        let mut near = begins.take_while(|begin| all.len() - begin <= text.len() + TAIL);
        let says_text = |bytes: &[u8]| bytes.trim_ascii_start().starts_with(text.as_bytes());
        near.find(|begin| says_text(&all[*begin..]))
            .or_else(|| reasoning::find_reply_start(all))
    }

    /// Finds the end of the last occurrence of a text from `start` on that is followed by nothing
    /// else within its token.
    fn find_due(&self, start: usize, after: &[u8]) -> Option<usize> {
        let last = self.all.len().checked_sub(after.len())?;
        for begin in (start..=last).rev() {
            let end = begin + after.len();
            if self.all[begin..end] != *after {
                continue;
            }
            let token = self.ends.partition_point(|token_end| *token_end < end);
            let token_end = self.ends.get(token);
            if token_end.is_some_and(|token_end| is_white(&self.all[end..*token_end])) {
                return Some(end);
            }
        }
        None
    }
}

fn is_white(text: &[u8]) -> bool {
    text.trim_ascii().is_empty()
}
#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the token at the place, and how many come before it.
    fn placed<'a>(tokens: &[&'a str], text: &str, after: &str) -> Option<(usize, &'a str)> {
        let bytes: Vec<Vec<u8>> = tokens
            .iter()
            .map(|token| token.as_bytes().to_vec())
            .collect();
        find_answer_start(&bytes, text, after).map(|at| (at, tokens[at]))
    }

    #[test]
    fn an_answer_due_at_once_is_the_first_token_that_is_not_white() {
        assert_eq!(placed(&["A"], "A", ""), Some((0, "A")));
        assert_eq!(
            placed(&["\n\n", " ", "", " A", "."], "A.", ""),
            Some((3, " A"))
        );
        assert_eq!(placed(&["\n", " "], "", ""), None);
        assert_eq!(placed(&[], "A", ""), None);
    }

    #[test]
    fn what_was_thought_first_is_passed_over() {
        let tokens = [
            "<think>",
            "A",
            " or",
            " B",
            "</think>",
            "\n\n",
            "B",
            "<|im_end|>",
        ];
        assert_eq!(placed(&tokens, "B", ""), Some((6, "B")));
        let unmarked = ["Is", " it", " A", "?", "A", ""];
        assert_eq!(
            placed(&unmarked, "A", ""),
            Some((4, "A")),
            "the server cut the reasoning off in its own way"
        );
        let rewritten = ["<think>", "A", "</think>", "B"];
        assert_eq!(
            placed(&rewritten, "b", ""),
            Some((3, "B")),
            "the text is not that of the tokens"
        );
        assert_eq!(placed(&["<think>", "A"], "b", ""), None, "it never ends");
        assert_eq!(
            placed(&["A", " thought", "B"], "b", ""),
            None,
            "nobody knows what of it is the reply"
        );
    }

    #[test]
    fn an_answer_due_after_a_text_follows_its_last_stand() {
        let tokens = [
            "Verdict", ":", " none", " yet", ".\n", "Verdict", ":", " ", "\n", "B", "\n",
        ];
        let text = tokens.concat();
        assert_eq!(placed(&tokens, &text, "Verdict: "), Some((9, "B")));
        assert_eq!(placed(&tokens, &text, "Score:"), None);
        assert_eq!(
            placed(&["Verdict", ":"], "Verdict:", "Verdict:"),
            None,
            "cut off before the answer"
        );
        assert_eq!(
            placed(&["Verdict", ":\n", "A"], "Verdict:\nA", "Verdict:"),
            Some((2, "A")),
            "white space within its token"
        );
    }

    #[test]
    fn a_text_that_ends_within_a_token_is_not_where_an_answer_is_due() {
        assert_eq!(placed(&["Verdict", ":A"], "Verdict:A", "Verdict:"), None);
        assert_eq!(
            placed(
                &["Verdict", ":", "B", " Verdict", ":A"],
                "Verdict:B Verdict:A",
                "Verdict:"
            ),
            Some((2, "B"))
        );
    }

    #[test]
    fn the_field_of_the_verdict_is_found_wherever_tokens_end() {
        let text = r#"{"reasoning": "\"verdict\": \"A\"", "verdict" : "B"}"#;
        let value = text.rfind('B').unwrap();
        // Every way to cut the text twice, with and without white space and thinking before it.
        for before in ["", "\n", "<think>\"verdict\": \"A\"</think>"] {
            let all = format!("{before}{text}");
            for first in 1..all.len() {
                for second in first..all.len() {
                    let tokens = [&all[..first], &all[first..second], &all[second..]];
                    let tokens = tokens.map(|token| token.as_bytes().to_vec());
                    let place = find_verdict_field(&tokens, text);
                    let place = place.unwrap_or_else(|| panic!("{tokens:?}"));
                    let begin: usize = tokens[..place.token].iter().map(Vec::len).sum();
                    assert_eq!(begin + place.behind, before.len() + value, "{tokens:?}");
                    assert!(place.behind < tokens[place.token].len());
                }
            }
        }
        let found = |text: &str| find_verdict_field(&[text.as_bytes().to_vec()], text);
        for text in [
            "",
            "{}",
            r#"{"verdict": 3}"#,
            r#"{"verdict""#,
            r#"{"verdict": ""#,
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn the_marker_within_the_reasoning_is_passed_over() {
        let tokens = [
            "<think>", "Verdict", ":", "A", "</think>", "Verdict", ":", "B",
        ];
        assert_eq!(placed(&tokens, "Verdict:B", "Verdict:"), Some((7, "B")));
        assert_eq!(placed(&tokens[..5], "", "Verdict:"), None);
    }
}
