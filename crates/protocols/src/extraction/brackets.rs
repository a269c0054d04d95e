//! Verdicts in double brackets: `[[A]]`, `[[A>>B]]`, `[[7]]`.

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::{parse_number, sentence_ends};
use super::{Reading, Stated, Strength};
use crate::Scale;
use crate::replies::goes_against;
use evenhand_core::Side;
use std::ops::Range;

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

/// Finds every `[[inner]]` whose inner text is as short as a verdict, parses, and is not denied by
/// its own sentence: `The worse one is [[A]]`, `Assistant A is better: [[B>A]]`.
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
            let side = stated.preferred().map(|side| match side {
                Stated::First => Side::First,
                Stated::Second => Side::Second,
                _ => Side::Tie,
            });
            let [before, behind] = sentence_around(text, &at);
            if !side.is_some_and(|side| goes_against(before, &text[at.clone()], behind, side)) {
                found.push(Statement { at, stated });
            }
        }
    }
    found
}

/// Returns what stands before and behind a range in its sentence, as far as it is near.
fn sentence_around<'t>(text: &'t str, at: &Range<usize>) -> [&'t str; 2] {
    let (before, behind) = (&text[..at.start], &text[at.end..]);
    let from = before.char_indices().rev().nth(NEAR);
    let before = &before[from.map_or(0, |(from, _)| from)..];
    let begin = sentence_ends(before).last().unwrap_or(0);
    let end = behind.char_indices().nth(NEAR);
    let behind = &behind[..end.map_or(behind.len(), |(end, _)| end)];
    let end = sentence_ends(behind).next().unwrap_or(behind.len());
    [&before[begin..], &behind[..end]]
}

/// How far around a mark its sentence is looked at, in characters.
const NEAR: usize = 200;

/// No verdict between brackets is longer, in characters.
const LONGEST_VERDICT: usize = 24;
