//! Verdicts in double brackets: `[[A]]`, `[[A>>B]]`, `[[7]]`.

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::parse_number;
use super::{Reading, Stated, Strength};
use crate::Scale;

/// Reads `[[A]]`, `[[B]]`, `[[C]]` (Zheng et al., "Judging LLM-as-a-Judge", figure 5).
pub(super) fn read_letter(reply: &ReplyText) -> Reading {
    find_verdict(reply, find_statements(reply.text, parse_letter))
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

fn parse_letter(inner: &str) -> Option<Stated> {
    match inner {
        "A" | "a" => Some(Stated::First),
        "B" | "b" => Some(Stated::Second),
        "C" | "c" => Some(Stated::Tie),
        _ => None,
    }
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

/// Finds every `[[inner]]` whose inner text parses.
fn find_statements(text: &str, parse: impl Fn(&str) -> Option<Stated>) -> Vec<Statement> {
    let opened = text.match_indices("[[");
    opened
        .filter_map(|(at, _)| read_statement(text, at, &parse))
        .collect()
}

fn read_statement(
    text: &str,
    at: usize,
    parse: impl Fn(&str) -> Option<Stated>,
) -> Option<Statement> {
    let inner = find_inner(text.get(at + 2..)?)?;
    Some(Statement {
        at: at..at + inner.len() + 4,
        stated: parse(inner.trim())?,
    })
}

/// Returns what stands before the closing brackets, if it is as short as a verdict.
fn find_inner(rest: &str) -> Option<&str> {
    let mut near = rest.char_indices().take(LONGEST_VERDICT);
    let (end, _) = near.find(|(_, c)| *c == ']')?;
    let (inner, closing) = rest.split_at_checked(end)?;
    closing.starts_with("]]").then_some(inner)
}

/// No verdict between brackets is longer, in characters.
const LONGEST_VERDICT: usize = 24;
