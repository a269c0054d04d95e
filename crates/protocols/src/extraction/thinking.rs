//! Thinking that models write before their reply, by the marks that they are known to use.

use super::NoVerdict;

/// Opening and closing marks: DeepSeek, Qwen and most others; Claude-like prompts; Seed; Mistral;
/// Kimi; Cohere; OpenThoughts.
const MARKS: [(&str, &str); 10] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("\u{25c1}think\u{25b7}", "\u{25c1}/think\u{25b7}"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|thinking|>", "<|/thinking|>"),
];
/// The channels of gpt-oss (harmony), and what is left of their marks where a server strips control
/// tokens.
const CHANNELS: [(&str, &str); 2] = [
    ("<|channel|>analysis", "<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),
];
/// Marks at the end of a message of these channels.
const ENDS: [&str; 2] = ["<|return|>", "<|end|>"];

/// Returns the reply behind the thinking that it opens with. Thinking whose opening mark the server's
/// template wrote, and which only closes here, counts too.
///
/// # Errors
/// [`NoVerdict::Thinking`] where the thinking never ends.
pub(crate) fn after_thinking(text: &str) -> Result<&str, NoVerdict> {
    let trimmed = text.trim_start();
    let mut channels = CHANNELS.iter();
    let reply = channels.find_map(|(open, close)| read_channel(trimmed, open, close));
    reply.unwrap_or_else(|| after_marked(text))
}

/// Returns the reply behind thinking between marks; the whole text where there are none.
fn after_marked(text: &str) -> Result<&str, NoVerdict> {
    for (open, close) in MARKS {
        if let Some(thinking) = text.trim_start().strip_prefix(open) {
            let (_, reply) = thinking.split_once(close).ok_or(NoVerdict::Thinking)?;
            // Some models think again right behind their thinking.
            return after_thinking(reply);
        }
        if let Some(reply) = after_unopened(text, open, close) {
            return Ok(reply);
        }
    }
    Ok(text)
}

/// Returns the reply behind a channel of thinking, or that it never ends; None where the text is not
/// in such a channel.
fn read_channel<'a>(text: &'a str, open: &str, close: &str) -> Option<Result<&'a str, NoVerdict>> {
    match text.split_once(close) {
        Some((before, reply)) => before.starts_with(open).then(|| Ok(strip_end_marks(reply))),
        None => {
            (open.starts_with("<|") && text.starts_with(open)).then_some(Err(NoVerdict::Thinking))
        }
    }
}

/// Returns the reply behind thinking that only closes.
fn after_unopened<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (before, reply) = text.rsplit_once(close)?;
    (!before.contains(open)).then_some(reply)
}

/// Whether the text begins with a mark of thinking.
pub(crate) fn opens_with_thinking(text: &str) -> bool {
    let text = text.trim_start();
    MARKS
        .iter()
        .chain(&CHANNELS)
        .any(|(open, _)| text.starts_with(open))
}

fn strip_end_marks(reply: &str) -> &str {
    ENDS.iter()
        .fold(reply, |reply, end| reply.trim_end().trim_end_matches(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_not_the_reply() {
        for (open, close) in MARKS {
            assert_eq!(
                after_thinking(&format!("\n{open}[[A]]{close} [[B]]")),
                Ok(" [[B]]"),
                "{open}"
            );
            assert_eq!(
                after_thinking(&format!("{open}[[A]]")),
                Err(NoVerdict::Thinking),
                "{open}"
            );
            assert_eq!(
                after_thinking(&format!("I think A.{close}\n\nB")),
                Ok("\n\nB"),
                "{close}"
            );
        }
        assert_eq!(after_thinking("<think></think><think>x</think>A"), Ok("A"));
        assert_eq!(after_thinking("no marks"), Ok("no marks"));
    }

    #[test]
    fn channels_of_harmony() {
        let whole = "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>";
        assert_eq!(after_thinking(whole), Ok("B"));
        assert_eq!(
            after_thinking("<|channel|>analysis<|message|>A?"),
            Err(NoVerdict::Thinking)
        );
        assert_eq!(
            after_thinking("analysisWe compare.assistantfinalB"),
            Ok("B")
        );
        assert_eq!(
            after_thinking("analysis of both: A"),
            Ok("analysis of both: A")
        );
    }
}
