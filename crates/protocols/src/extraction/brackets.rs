//! Verdicts in double brackets: `[[A]]`, `[[A>>B]]`, `[[7]]`.

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::parse_number;
use super::{Reading, Stated, Strength};
use crate::Scale;

/// Reads `[[A]]`, `[[B]]`, `[[C]]` (Zheng et al., "Judging LLM-as-a-Judge", figure 5).
pub(super) fn read_letter(reply: &ReplyText) -> Reading {
    let statements = find_statements(reply.text, |inner| match inner {
        "A" | "a" => Some(Stated::First),
        "B" | "b" => Some(Stated::Second),
        "C" | "c" => Some(Stated::Tie),
        _ => None,
    });
    find_verdict(reply, statements)
}

/// Reads `[[A>>B]]` to `[[B>>A]]` (Arena-Hard).
pub(super) fn read_strength(reply: &ReplyText) -> Reading {
    let parse = |inner: &str| parse_strength(inner).map(Stated::Strength);
    find_verdict(reply, find_statements(reply.text, parse))
}

/// Reads `[[7]]`, `[[8.5]]` (Zheng et al., figure 6).
pub(super) fn read_number(reply: &ReplyText, scale: Scale) -> Reading {
    let parse = |inner: &str| parse_number(inner).map(Stated::Score);
    find_verdict(reply, find_statements(reply.text, parse))?.check_scale(scale)
}

fn parse_strength(inner: &str) -> Option<Strength> {
    let tight: String = inner.chars().filter(|c| !c.is_whitespace()).collect();
    match tight.as_str() {
        "A>>B" | "B<<A" => Some(Strength::FirstMuch),
        "A>B" | "B<A" => Some(Strength::FirstSlightly),
        "A=B" | "B=A" => Some(Strength::Equal),
        "B>A" | "A<B" => Some(Strength::SecondSlightly),
        "B>>A" | "A<<B" => Some(Strength::SecondMuch),
        _ => None,
    }
}

/// Finds every `[[inner]]` whose inner text is as short as a verdict, and parses.
fn find_statements(text: &str, parse: impl Fn(&str) -> Option<Stated>) -> Vec<Statement> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("[[") {
        let rest = &text[at + 2..];
        let mut near = rest.char_indices().take(LONGEST_VERDICT);
        let Some((end, _)) = near.find(|(_, c)| *c == ']') else {
            continue;
        };
        let (inner, closing) = rest.split_at(end);
        if let Some(stated) = parse(inner.trim()).filter(|_| closing.starts_with("]]")) {
            let at = at..at + inner.len() + 4;
            found.push(Statement { at, stated });
        }
    }
    found
}

/// No verdict between brackets is longer, in characters.
const LONGEST_VERDICT: usize = 24;
