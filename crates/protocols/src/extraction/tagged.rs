//! Verdicts after a fixed phrase: `[RESULT] A`, `[RESULT] 4`, "the final decision is Response 1".

use super::decide::{Statement, decide};
use super::own_words::Reply;
use super::words::{number as number_of, placed_words};
use super::{NoVerdict, Stated};
use crate::Scale;

/// `[RESULT] A` (Kim et al., "Prometheus 2", relative grading). No tie.
pub(super) fn result_letter(reply: &Reply) -> Result<Stated, NoVerdict> {
    let meaning = |words: &[&str]| match words {
        ["a" | "(a)", ..] => Some(Stated::First),
        ["b" | "(b)", ..] => Some(Stated::Second),
        _ => None,
    };
    decide(reply, statements(reply.text, "[result]", meaning))
}

/// `[RESULT] 4` (Prometheus 2, direct assessment).
pub(super) fn result_number(reply: &Reply, scale: Scale) -> Result<Stated, NoVerdict> {
    let meaning = |words: &[&str]| {
        words
            .first()
            .and_then(|word| number_of(word))
            .map(Stated::Score)
    };
    decide(reply, statements(reply.text, "[result]", meaning))?.on(scale)
}

/// "So, the final decision is Response 1" (or 2, or tie; Li et al., "Generative Judge for
/// Evaluating Alignment").
pub(super) fn final_decision(reply: &Reply) -> Result<Stated, NoVerdict> {
    let meaning = |words: &[&str]| match words {
        ["response", "1", ..] => Some(Stated::First),
        ["response", "2", ..] => Some(Stated::Second),
        ["tie", ..] | ["a", "tie", ..] => Some(Stated::Tie),
        _ => None,
    };
    decide(reply, statements(reply.text, "final decision is", meaning))
}

/// Every place of the phrase (in lower case) whose next words mean something.
fn statements(
    text: &str,
    phrase: &str,
    meaning: impl Fn(&[&str]) -> Option<Stated>,
) -> Vec<Statement> {
    let lower = text.to_ascii_lowercase();
    let stated = |at: usize| {
        let after = at + phrase.len();
        let near = lower
            .get(after..)?
            .char_indices()
            .nth(LONGEST)
            .map_or(lower.len(), |(end, _)| after + end);
        let words = placed_words(lower.get(after..near)?);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let stated = meaning(&texts)?;
        Some(Statement {
            at: at..after + words.first()?.at + 1,
            stated,
        })
    };
    lower
        .match_indices(phrase)
        .filter_map(|(at, _)| stated(at))
        .collect()
}

/// How far after the phrase a verdict is looked for, in characters.
const LONGEST: usize = 40;
