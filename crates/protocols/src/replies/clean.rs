//! A reply as it is read: without the marks that servers and templates leave in it.

use crate::lexicon::Phrases;
use std::borrow::Cow;

/// Marks of templates that end a turn, which some servers leave in the text.
const ENDS: [&str; 16] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|return|>",
    "<|eot|>",
    "<|end_of_turn|>",
    "<end_of_turn>",
    "<turn|>",
    "<eos>",
    "</s>",
    "<|END_OF_TURN_TOKEN|>",
    "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
    "[EOS]",
];
/// Marks around an answer that GLM leaves in the text, and those of calls.
const BOXES: [&str; 4] = [
    "<|begin_of_box|>",
    "<|end_of_box|>",
    "<tool_call>",
    "</tool_call>",
];

/// Returns a reply without end marks, boxes and characters that are not seen, with full-width
/// characters as plain ones, and with an element such as `<verdict>B</verdict>` as a line of its
/// own that says `verdict: B`.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if !text.is_ascii() {
        text = Cow::Owned(text.chars().filter_map(plain).collect());
    }
    loop {
        let trimmed = text.trim_end();
        match ENDS.iter().find_map(|end| trimmed.strip_suffix(end)) {
            Some(rest) => text = Cow::Owned(rest.to_string()),
            None => break,
        }
    }
    for mark in BOXES {
        if text.contains(mark) {
            text = Cow::Owned(text.replace(mark, " "));
        }
    }
    if text.contains("</") {
        text = Cow::Owned(spell_out_elements(&text));
    }
    text
}

/// Returns a character as it is read: none for those that are not seen, ASCII for full-width ones.
fn plain(c: char) -> Option<char> {
    match c {
        '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{202a}'..='\u{202e}' => None,
        '\u{feff}' | '\u{ad}' | '\u{fe0e}' | '\u{fe0f}' => None,
        // The mark of DeepSeek's tokens is full-width too, and belongs to them.
        '\u{ff5c}' => Some(c),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        '\u{3000}' | '\u{a0}' | '\u{2007}' | '\u{202f}' => Some(' '),
        '\u{3002}' => Some('.'),
        '\u{3001}' => Some(','),
        '\u{2212}' => Some('-'),
        c => Some(c),
    }
}

/// Returns the text with each whole element of [`Phrases::Elements`], its tags in any case, as a
/// labelled line.
fn spell_out_elements(text: &str) -> String {
    let (mut found, mut at) = (String::with_capacity(text.len()), 0);
    // Where the next closing tag is: it is looked for once, not for each opening one.
    let mut closing = text.find("</");
    while let Some(start) = text[at..].find('<').map(|next| at + next) {
        found.push_str(&text[at..start]);
        if closing.is_some_and(|closing| closing <= start) {
            closing = text[start + 1..].find("</").map(|next| start + 1 + next);
        }
        // `Both give <answer>B</answer>` speaks of an element.
        let before = text[..start].trim_end_matches([' ', '\t']);
        let is_quoted = before.len() > 1 && before.ends_with(['"', '`', '\u{201c}', '\u{ab}']);
        let is_spoken_of =
            is_quoted || before.ends_with(char::is_alphanumeric) && !before.ends_with(" is");
        let element = closing.filter(|_| !is_spoken_of).and_then(|closing| {
            Phrases::Elements.list().iter().find_map(|name| {
                let inner = strip_tag(&text[start..closing], "<", name)?;
                let after = strip_tag(&text[closing..], "</", name)?;
                Some((name, inner, text.len() - after.len()))
            })
        });
        match element {
            Some((name, inner, after)) => {
                found.push_str(&format!("\n{}: {}\n", name.replace('_', " "), inner.trim()));
                at = after;
            }
            None => {
                found.push('<');
                at = start + 1;
            }
        }
    }
    found + &text[at..]
}

fn strip_tag<'a>(text: &'a str, opening: &str, name: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(opening)?;
    let (head, rest) = rest.split_at_checked(name.len())?;
    head.eq_ignore_ascii_case(name).then_some(())?;
    rest.strip_prefix('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_servers_leave_is_taken_off() {
        for (text, expected) in [
            ("A<|im_end|>", "A"),
            ("A</s></s>\n", "A"),
            ("Verdict: B<|eot_id|><|end_of_text|>", "Verdict: B"),
            ("\u{feff}\u{200b}B", "B"),
            ("\u{ff21}", "A"),
            ("Verdict\u{ff1a}B\u{3002}", "Verdict:B."),
            ("<verdict>B</verdict>", "\nverdict: B\n"),
            (
                "<Final_Answer>\n A \n</final_answer>",
                "\nfinal answer: A\n",
            ),
            ("<b>A</b> </x>", "<b>A</b> </x>"),
            ("<verdict>B", "<verdict>B"),
            (
                "Both give <answer>B</answer>",
                "Both give <answer>B</answer>",
            ),
            (
                "It says: \"<answer>B</answer>\"",
                "It says: \"<answer>B</answer>\"",
            ),
            ("<|begin_of_box|>A<|end_of_box|>", " A "),
            ("plain", "plain"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }
}
