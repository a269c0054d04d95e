//! A number alone, on a line of its own, or after a label.

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::{Word, parse_number, sentences, split_words, texts_of};
use super::{NoVerdict, Reading, Stated, Strength};
use crate::Scale;

/// Reads the score on a line of its own ("7", "7/10", "7 out of 10") or in a sentence of its own
/// ("Score: 7") (LLMBar's rating prompts ask for the number alone).
pub(super) fn read_score(reply: &ReplyText, scale: Scale) -> Reading {
    let text = reply.text;
    let mut statements = Vec::new();
    for at in sentences(text) {
        let sentence = &text[at.clone()];
        // A number alone must be a whole line, unlike the "1." of a list.
        let ends_line = at.end >= text.len() || text[..at.end].ends_with('\n');
        let fills_line = ends_line && (at.start == 0 || text[..at.start].ends_with('\n'));
        let top = scale.values().last();
        let alone = || parse_score(&split_words(sentence), top).filter(|_| fills_line);
        if let Some(score) = parse_labelled(sentence, top).or_else(alone) {
            let stated = Stated::Score(score);
            statements.push(Statement { at, stated });
        }
    }
    find_verdict(reply, statements)?.check_scale(scale)
}

/// Reads a whole number from 1 to 5 (Gao et al., "Re-evaluating Automatic LLM System Ranking", the
/// 5-point prompt).
pub(super) fn read_five_point(reply: &ReplyText) -> Reading {
    let Stated::Score(value) = read_score(reply, Scale::whole(1, 5))? else {
        return Err(NoVerdict::Nothing);
    };
    let mut points = (1u8..).map(f64::from).zip(STRENGTHS);
    match points.find(|(point, _)| *point == value) {
        Some((_, strength)) => Ok(Stated::Strength(strength)),
        None => Err(NoVerdict::OutOfRange(value)),
    }
}

const STRENGTHS: [Strength; 5] = [
    Strength::FirstMuch,
    Strength::FirstSlightly,
    Strength::Equal,
    Strength::SecondSlightly,
    Strength::SecondMuch,
];

/// Parses "Final score: 7"; "Answer 2" names a response.
fn parse_labelled(sentence: &str, top: Option<f64>) -> Option<f64> {
    let words = split_words(&sentence.replace(':', ": "));
    let label = words.iter().position(|word| !word.is_any_of(&LABELS))?;
    let last = label.checked_sub(1).and_then(|last| words.get(last))?;
    if last.is_any_of(&["answer", "output"]) && !last.colon {
        return None;
    }
    parse_score(words.get(label..)?, top)
}

/// Parses "7", "7/10", "7 out of 10". Of another top it is another scale's.
fn parse_score(words: &[Word], top: Option<f64>) -> Option<f64> {
    match texts_of(words).as_slice() {
        [value] => match value.split_once('/') {
            Some((_, below)) if parse_number(below) != top => None,
            _ => parse_fraction(value),
        },
        [value, "out", "of", below] if parse_number(below) == top => parse_number(value),
        _ => None,
    }
}

/// Parses "7" or "7/10". The top is a whole number, five at least, so that most fractions are no
/// scores.
pub(super) fn parse_fraction(word: &str) -> Option<f64> {
    let Some((value, top)) = word.split_once('/') else {
        return parse_number(word);
    };
    let top = parse_number(top).filter(|top| *top >= 5.0 && top.fract() == 0.0)?;
    parse_number(value).filter(|value| *value <= top)
}

/// The words before a score on its line.
const LABELS: [&str; 12] = [
    "score", "rating", "verdict", "answer", "final", "overall", "my", "the", "is", "output",
    "decision", "total",
];
