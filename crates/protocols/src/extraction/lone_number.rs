//! A number alone, on a line of its own, or after a label.

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::{Word, parse_number, sentences, split_words, texts_of};
use super::{NoVerdict, Reading, Stated, Strength};
use crate::Scale;
use std::ops::Range;

/// Reads the score on a line of its own ("7", "7/10", "7 out of 10") or in a sentence of its own
/// ("Score: 7") (LLMBar's rating prompts ask for the number alone).
pub(super) fn read_score(reply: &ReplyText, scale: Scale) -> Reading {
    find_verdict(reply, find_statements(reply.text))?.check_scale(scale)
}

/// Reads a whole number from 1 to 5 (Gao et al., "Re-evaluating Automatic LLM System Ranking", the
/// 5-point prompt).
pub(super) fn read_five_point(reply: &ReplyText) -> Reading {
    let Stated::Score(value) = read_score(reply, Scale::whole(1, 5))? else {
        return Err(NoVerdict::Nothing);
    };
    let strength = find_strength(value).ok_or(NoVerdict::OutOfRange(value))?;
    Ok(Stated::Strength(strength))
}

fn find_strength(value: f64) -> Option<Strength> {
    let mut points = (1u8..).map(f64::from).zip(STRENGTHS);
    let (_, strength) = points.find(|(point, _)| *point == value)?;
    Some(strength)
}

const STRENGTHS: [Strength; 5] = [
    Strength::FirstMuch,
    Strength::FirstSlightly,
    Strength::Equal,
    Strength::SecondSlightly,
    Strength::SecondMuch,
];

fn find_statements(text: &str) -> Vec<Statement> {
    let sentences = sentences(text);
    sentences
        .filter_map(|range| read_statement(text, range))
        .collect()
}

fn read_statement(text: &str, at: Range<usize>) -> Option<Statement> {
    let sentence = text.get(at.clone())?;
    let alone = || fills_line(text, &at).then(|| parse_alone(sentence));
    let value = parse_labelled(sentence).or_else(|| alone().flatten())?;
    Some(Statement {
        at,
        stated: Stated::Score(value),
    })
}

/// Whether the sentence is a whole line, unlike the "1." of a list.
fn fills_line(text: &str, at: &Range<usize>) -> bool {
    let ends_line = at.end >= text.len() || ends_with_break(text, at.end);
    ends_line && (at.start == 0 || ends_with_break(text, at.start))
}

/// Whether a line ends right before this byte.
fn ends_with_break(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with('\n'))
}

/// Parses "Final score: 7".
fn parse_labelled(sentence: &str) -> Option<f64> {
    let words = split_words(&sentence.replace(':', ": "));
    let label = words.iter().position(|word| !word.is_any_of(&LABELS))?;
    if label == 0 {
        return None;
    }
    parse_score(words.get(label..)?)
}

/// Parses "7", "7/10", "7 out of 10".
fn parse_alone(sentence: &str) -> Option<f64> {
    parse_score(&split_words(sentence))
}

fn parse_score(words: &[Word]) -> Option<f64> {
    match texts_of(words).as_slice() {
        [value] => parse_fraction(value),
        [value, "out", "of", top] if parse_number(top).is_some() => parse_number(value),
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
