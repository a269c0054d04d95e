//! Verdicts in double brackets: `[[A]]`, `[[A>>B]]`, `[[7]]`.

use super::quotations::ReplyText;
use super::statements::{Statement, find_held};
use super::words::parse_number;
use super::{Reading, Stated, Strength};
use crate::Scale;

/// Reads `[[A]]`, `[[B]]`, `[[C]]` (Zheng et al., "Judging LLM-as-a-Judge", figure 5).
pub(super) fn read_letter(reply: &ReplyText) -> Reading {
    read_marks(reply, |inner| match inner {
        "A" | "a" => Some(Stated::First),
        "B" | "b" => Some(Stated::Second),
        "C" | "c" => Some(Stated::Tie),
        _ => None,
    })
}

/// Reads `[[A>>B]]` to `[[B>>A]]` (Arena-Hard).
pub(super) fn read_strength(reply: &ReplyText) -> Reading {
    let parse = |inner: &str| parse_strength(inner).map(Stated::Strength);
    read_marks(reply, parse)
}

/// Reads `[[7]]`, `[[8.5]]` (Zheng et al., figure 6).
pub(super) fn read_number(reply: &ReplyText, scale: Scale) -> Reading {
    let parse = |inner: &str| parse_number(inner).map(Stated::Score);
    read_marks(reply, parse)?.check_scale(scale)
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

/// Reads every `[[inner]]` whose inner text is as short as a verdict, and parses.
fn read_marks(reply: &ReplyText, parse: impl Fn(&str) -> Option<Stated>) -> Reading {
    let mut found = Vec::new();
    for (at, _) in reply.text.match_indices("[[") {
        let rest = &reply.text[at + 2..];
        let mut near = rest.char_indices().take(LONGEST_VERDICT);
        let Some((end, _)) = near.find(|(_, c)| *c == ']') else {
            continue;
        };
        let (inner, closing) = rest.split_at(end);
        let stated = parse(inner.trim()).filter(|_| closing.starts_with("]]"));
        let at = at..at + inner.len() + 4;
        found.extend(stated.map(|stated| Statement { at, stated }));
    }
    find_held(reply, found)
}

/// No verdict between brackets is longer, in characters.
const LONGEST_VERDICT: usize = 24;
