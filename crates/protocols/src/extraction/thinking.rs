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

/// Returns the reply behind the thinking that it opens with. Thinking whose opening mark the
/// server's template wrote, and which only closes here, counts too.
///
/// # Errors
/// [`NoVerdict::Thinking`] where the thinking never ends.
pub(crate) fn after_thinking(text: &str) -> Result<&str, NoVerdict> {
    let trimmed = text.trim_start();
    for (open, close) in CHANNELS {
        match trimmed.split_once(close) {
            Some((before, reply)) if before.starts_with(open) => {
                return Ok(ENDS
                    .iter()
                    .fold(reply, |reply, end| reply.trim_end().trim_end_matches(end)));
            }
            None if open.starts_with("<|") && trimmed.starts_with(open) => {
                return Err(NoVerdict::Thinking);
            }
            _ => {}
        }
    }
    for (open, close) in MARKS {
        if let Some(thinking) = trimmed.strip_prefix(open) {
            let (_, reply) = thinking.split_once(close).ok_or(NoVerdict::Thinking)?;
            // Some models think again right behind their thinking.
            return after_thinking(reply);
        }
        if let Some((before, reply)) = text.rsplit_once(close)
            && !before.contains(open)
        {
            return Ok(reply);
        }
    }
    Ok(text)
}

/// Whether the text begins with a mark of thinking.
pub(crate) fn opens_with_thinking(text: &str) -> bool {
    let text = text.trim_start();
    MARKS
        .iter()
        .chain(&CHANNELS)
        .any(|(open, _)| text.starts_with(open))
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
