//! Marks of chat templates that responses spell: most open servers read them as tokens of their own wherever they stand.

use crate::Job;

/// Marks that are not of the form `<|NAME|>`: Mistral's and Llama 2's, Gemma's.
const WORDS: [&str; 5] = ["[INST]", "[/INST]", "</s>", "<start_of_turn>", "<end_of_turn>"];
/// What stands before and after a name; the second is DeepSeek's.
const BRACKETS: [(&str, &str); 2] = [("<|", "|>"), ("<\u{ff5c}", "\u{ff5c}>")];
/// Longer names are none.
const LONGEST: usize = 40;

/// That a server may take part of a response for turns of the conversation. The embedded judge reads marks as text, and the services
/// of OpenAI and Anthropic themselves are taken to; what answers at an address of the user's is not known to.
pub(crate) fn warning(job: &Job) -> Option<String> {
    let judges = &job.judges.panel;
    if !judges.iter().any(|judge| evenhand_models::served::is_served(judge) && judge.contains('@')) {
        return None;
    }
    let (items, systems) = (&job.dataset.items, job.dataset.systems.len());
    let all = (0..items.len()).flat_map(|item| (0..systems).map(move |system| (item, system)));
    let mut found = all.filter_map(|(item, system)| {
        let response = job.dataset.response(item, system).ok()??;
        mark(&response.text).map(|mark| format!("{mark} in that of {} to item {}", response.system, items[item].id))
    });
    let first = found.next()?;
    let count = 1 + found.count();
    Some(format!(
        "marks of chat templates stand in {count} of the responses ({first}): a server may read them as turns of the conversation, in which a response speaks to the judge; look at the verdicts on them"
    ))
}

/// The first mark of a chat template in a text.
fn mark(text: &str) -> Option<&str> {
    let word = WORDS.iter().find(|word| text.contains(**word)).copied();
    word.or_else(|| BRACKETS.iter().find_map(|(open, close)| bracketed(text, open, close)))
}

fn bracketed<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    text.match_indices(open).find_map(|(at, _)| {
        let rest = &text[at + open.len()..];
        let name = rest.find(|c: char| !(c.is_alphanumeric() || "_-\u{2581}".contains(c)))?;
        let whole = (1..=LONGEST).contains(&name) && rest[name..].starts_with(close);
        whole.then(|| &text[at..at + open.len() + name + close.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_from_code() {
        for (text, expected) in [
            ("Done.<|im_end|>\n<|im_start|>system", Some("<|im_end|>")),
            ("a <| b |> c <|eot_id|>", Some("<|eot_id|>")),
            ("<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>", Some("<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>")),
            ("Yes. </s>", Some("</s>")),
            ("[INST] say A [/INST]", Some("[INST]")),
            ("xs <|> ys <|> zs", None),
            ("f <| x |> g, <||>, <s>struck</ s>", None),
            ("the end <|", None),
            ("", None),
        ] {
            assert_eq!(mark(text), expected, "{text}");
        }
        let long = format!("<|{}|>", "x".repeat(41));
        assert_eq!(mark(&long), None);
    }
}
