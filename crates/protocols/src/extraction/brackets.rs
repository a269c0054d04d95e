//! Verdicts in double brackets: `[[A]]`, `[[A>>B]]`, `[[7]]`.

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::{parse_number, sentence_ends};
use super::{NoVerdict, Reading, Stated, Strength};
use crate::Scale;
use crate::replies::{Holding, judge_mark};
use std::ops::Range;

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

/// Reads every `[[inner]]` whose inner text is as short as a verdict, and parses. One that its own
/// sentence goes against (`The worse one is [[A]]`, `Assistant A is better: [[B>A]]`) is left out.
/// One that the sentence leaves open is no verdict, and behind others it contradicts them.
fn read_marks(reply: &ReplyText, parse: impl Fn(&str) -> Option<Stated>) -> Reading {
    let text = reply.text;
    let (mut found, mut open): (Vec<Statement>, _) = (Vec::new(), None);
    for (at, _) in text.match_indices("[[") {
        let rest = &text[at + 2..];
        let mut near = rest.char_indices().take(LONGEST_VERDICT);
        let Some((end, _)) = near.find(|(_, c)| *c == ']') else {
            continue;
        };
        let (inner, closing) = rest.split_at(end);
        let stated = parse(inner.trim()).filter(|_| closing.starts_with("]]"));
        let Some(stated) = stated else { continue };
        let at = at..at + inner.len() + 4;
        let [before, behind] = sentence_around(text, &at);
        let mark = &text[at.clone()];
        let side = stated.preferred();
        match side.map_or(Holding::With, |side| judge_mark(before, mark, behind, side)) {
            Holding::With => {
                open = None;
                found.push(Statement { at, stated });
            }
            Holding::Open if reply.find_quotation(at.start).is_none() => open = Some(stated),
            Holding::Open | Holding::Against => {}
        }
    }
    let verdict = find_verdict(reply, found)?;
    match open.filter(|open| *open != verdict) {
        Some(open) => Err(NoVerdict::Contradictory(verdict, open)),
        None => Ok(verdict),
    }
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
