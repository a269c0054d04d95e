//! Verdicts after a fixed phrase: `[RESULT] A`, `[RESULT] 4`, "the final decision is Response 1".

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::{parse_number, split_words, texts_of};
use super::{Reading, Stated};
use crate::Scale;

/// Reads `[RESULT] A` (Kim et al., "Prometheus 2", relative grading). No tie.
pub(super) fn read_result_letter(reply: &ReplyText) -> Reading {
    let statements = find_statements(reply.text, "[result]", |words| match words {
        ["a" | "(a)", ..] => Some(Stated::First),
        ["b" | "(b)", ..] => Some(Stated::Second),
        _ => None,
    });
    find_verdict(reply, statements)
}

/// Reads `[RESULT] 4` (Prometheus 2, direct assessment).
pub(super) fn read_result_number(reply: &ReplyText, scale: Scale) -> Reading {
    let top = scale.values().last();
    let statements = find_statements(reply.text, "[result]", |words| parse_score(words, top));
    find_verdict(reply, statements)?.check_scale(scale)
}

/// Reads `4`, `4/5` or `4 out of 5` on a scale up to `top`. Of another top it is another scale's.
fn parse_score(words: &[&str], top: Option<f64>) -> Option<Stated> {
    let (score, of) = match words {
        [score, "/" | "of", of, ..] | [score, "out", "of", of, ..] => (*score, Some(*of)),
        [word, ..] => match word.split_once('/') {
            Some((score, of)) => (score, Some(of)),
            None => (*word, None),
        },
        [] => return None,
    };
    let is_ours = of.is_none_or(|of| parse_number(of) == top);
    parse_number(score).filter(|_| is_ours).map(Stated::Score)
}

/// Reads "So, the final decision is Response 1" (or 2, or tie; Li et al., "Generative Judge for
/// Evaluating Alignment").
pub(super) fn read_final_decision(reply: &ReplyText) -> Reading {
    let statements = find_statements(reply.text, "final decision is", |words| match words {
        ["response", "1", ..] => Some(Stated::First),
        ["response", "2", ..] => Some(Stated::Second),
        ["tie", ..] | ["a", "tie", ..] => Some(Stated::Tie),
        _ => None,
    });
    find_verdict(reply, statements)
}

/// Finds every place of the phrase (in lower case) whose next words `parse`.
fn find_statements(
    text: &str,
    phrase: &str,
    parse: impl Fn(&[&str]) -> Option<Stated>,
) -> Vec<Statement> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (at, _) in lower.match_indices(phrase) {
        let start = at + phrase.len();
        let behind = &lower[start..];
        let end = behind.char_indices().nth(LONGEST_VERDICT);
        let words = split_words(end.map_or(behind, |(end, _)| &behind[..end]));
        if let (Some(first), Some(stated)) = (words.first(), parse(&texts_of(&words))) {
            let at = at..start + first.at + 1;
            found.push(Statement { at, stated });
        }
    }
    found
}

/// How far after the phrase a verdict is looked for, in characters.
const LONGEST_VERDICT: usize = 40;
