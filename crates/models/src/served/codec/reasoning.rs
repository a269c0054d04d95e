//! The reasoning that a model wrote before its reply and apart from it.

use evenhand_core::Finish;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A text without its reasoning, and the reasoning.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SplitText {
    pub(super) reasoning: Option<String>,
    pub(super) text: String,
}

/// Takes a leading `<think>…</think>` off a text.
///
/// Where the chat template wrote the opening mark, the text begins without it: then all up to a
/// single closing mark is reasoning, unless the server gave the reasoning by itself (`separate`). A
/// mark that is never closed counts only where the tokens ran out: then all of it is reasoning and
/// the text is empty.
pub(super) fn split_reasoning(text: &str, finish: Finish, separate: Option<String>) -> SplitText {
    let inline = match text.trim_start().strip_prefix(OPEN) {
        Some(opened) => match opened.split_once(CLOSE) {
            None if finish == Finish::Length => Some((opened, "")),
            closed => closed,
        },
        None if separate.is_none() => text.split_once(CLOSE).filter(|(reasoning, rest)| {
            // Its only mark.
            !rest.contains(CLOSE) && !reasoning.contains(OPEN)
        }),
        None => None,
    };
    let (inline, text) = match inline {
        Some((reasoning, rest)) => (Some(reasoning), rest.trim_start()),
        None => (None, text),
    };
    // The server's part comes first.
    let thought = [separate.as_deref(), inline].into_iter().flatten();
    let thought: Vec<&str> = thought
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    SplitText {
        reasoning: (!thought.is_empty()).then(|| thought.join("\n\n")),
        text: text.to_owned(),
    }
}

/// Finds where the reply begins in the bytes of all tokens: after the mark of a reasoning's end, by
/// the same rules. None without one.
pub(super) fn find_reply_start(bytes: &[u8]) -> Option<usize> {
    let first = find_bytes(bytes, CLOSE.as_bytes()).map(|at| at + CLOSE.len());
    if bytes.trim_ascii_start().starts_with(OPEN.as_bytes()) {
        return first;
    }
    first.filter(|end| find_bytes(&bytes[*end..], CLOSE.as_bytes()).is_none())
}

fn find_bytes(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(text: &str, finish: Finish) -> (Option<String>, String) {
        let SplitText { reasoning, text } = split_reasoning(text, finish, None);
        (reasoning, text)
    }

    fn some(reasoning: &str, text: &str) -> (Option<String>, String) {
        (Some(reasoning.into()), text.into())
    }

    #[test]
    fn a_think_block_is_taken_off_the_reply() {
        assert_eq!(
            parted("<think>\nB is wrong.\n</think>\n\nA", Finish::Stop),
            some("B is wrong.", "A")
        );
        assert_eq!(parted("\n <think>x</think>A", Finish::Stop), some("x", "A"));
        assert_eq!(parted("<think></think>A", Finish::Stop), (None, "A".into()));
    }

    #[test]
    fn a_think_block_that_the_template_opened_is_taken_off_too() {
        assert_eq!(
            parted("B is wrong.\n</think>\n\nA", Finish::Stop),
            some("B is wrong.", "A")
        );
        let twice = "a </think> b </think> c";
        assert_eq!(
            parted(twice, Finish::Stop),
            (None, twice.into()),
            "two marks: someone quotes them"
        );
    }

    #[test]
    fn a_think_block_cut_off_by_the_limit_leaves_no_text() {
        assert_eq!(parted("<think>Let me", Finish::Length), some("Let me", ""));
        assert_eq!(
            parted("<think>Let me", Finish::Stop),
            (None, "<think>Let me".into()),
            "the model was done: it is its text"
        );
    }

    #[test]
    fn a_reasoning_given_by_itself_is_kept_and_the_text_left_alone() {
        let separate = split_reasoning(
            "they end with </think> here: A",
            Finish::Stop,
            Some(" x ".into()),
        );
        assert_eq!(
            separate,
            SplitText {
                reasoning: Some("x".into()),
                text: "they end with </think> here: A".into()
            }
        );
    }

    #[test]
    fn the_reply_begins_after_the_reasoning_in_the_tokens() {
        assert_eq!(find_reply_start(b"<think>x</think>A"), Some(16));
        assert_eq!(find_reply_start(b"x</think>A"), Some(9));
        assert_eq!(find_reply_start(b"<think>x"), None);
        assert_eq!(find_reply_start(b"A"), None);
    }
}
