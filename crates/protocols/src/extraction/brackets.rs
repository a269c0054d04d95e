//! Verdicts in double brackets: `[[A]]`, `[[A>>B]]`, `[[7]]`.

use super::decide::{Statement, decide};
use super::own_words::Reply;
use super::words::number as number_of;
use super::{NoVerdict, Stated, Strength};
use crate::Scale;

/// `[[A]]`, `[[B]]`, `[[C]]` (Zheng et al., "Judging LLM-as-a-Judge", figure 5).
pub(super) fn letter(reply: &Reply) -> Result<Stated, NoVerdict> {
    decide(reply, statements(reply.text, letter_of))
}

/// `[[A>>B]]` to `[[B>>A]]` (Arena-Hard).
pub(super) fn strength(reply: &Reply) -> Result<Stated, NoVerdict> {
    decide(
        reply,
        statements(reply.text, |inner| strength_of(inner).map(Stated::Strength)),
    )
}

/// `[[7]]`, `[[8.5]]` (Zheng et al., figure 6).
pub(super) fn number(reply: &Reply, scale: Scale) -> Result<Stated, NoVerdict> {
    decide(
        reply,
        statements(reply.text, |inner| number_of(inner).map(Stated::Score)),
    )?
    .on(scale)
}

fn letter_of(inner: &str) -> Option<Stated> {
    match inner {
        "A" | "a" => Some(Stated::First),
        "B" | "b" => Some(Stated::Second),
        "C" | "c" => Some(Stated::Tie),
        _ => None,
    }
}

fn strength_of(inner: &str) -> Option<Strength> {
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

/// Every `[[inner]]` whose inner text means something.
fn statements(text: &str, meaning: impl Fn(&str) -> Option<Stated>) -> Vec<Statement> {
    let opened = text.match_indices("[[").map(|(at, _)| at);
    let stated = |at: usize| {
        let inner = inner(text.get(at + 2..)?)?;
        Some(Statement {
            at: at..at + inner.len() + 4,
            stated: meaning(inner.trim())?,
        })
    };
    opened.filter_map(stated).collect()
}

/// What stands before the closing brackets, if it is as short as a verdict.
fn inner(rest: &str) -> Option<&str> {
    let (end, _) = rest.char_indices().take(LONGEST).find(|(_, c)| *c == ']')?;
    rest.get(end..)?
        .starts_with("]]")
        .then(|| rest.get(..end))
        .flatten()
}

/// No verdict between brackets is longer, in characters.
const LONGEST: usize = 24;
