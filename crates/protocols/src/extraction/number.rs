//! A number alone, on a line of its own, or after a label.

use super::decide::{Statement, decide};
use super::own_words::Reply;
use super::words::{number, sentences, words};
use super::{NoVerdict, Stated, Strength};
use crate::Scale;
use std::ops::Range;

/// The score on a line of its own ("7", "7/10", "7 out of 10") or in a sentence of its own ("Score:
/// 7") (LLMBar's rating prompts ask for the number alone).
pub(super) fn score(reply: &Reply, scale: Scale) -> Result<Stated, NoVerdict> {
    decide(reply, statements(reply.text))?.on(scale)
}

/// A whole number from 1 to 5 (Gao et al., "Re-evaluating Automatic LLM System Ranking", the
/// 5-point prompt).
pub(super) fn five_point(reply: &Reply) -> Result<Stated, NoVerdict> {
    let Stated::Score(value) = score(reply, Scale::whole(1, 5))? else {
        return Err(NoVerdict::Nothing);
    };
    let strengths = [
        Strength::FirstMuch,
        Strength::FirstSlightly,
        Strength::Equal,
        Strength::SecondSlightly,
        Strength::SecondMuch,
    ];
    let named = (1u8..)
        .zip(strengths)
        .find(|(point, _)| f64::from(*point) == value);
    named
        .map(|(_, strength)| Stated::Strength(strength))
        .ok_or(NoVerdict::OutOfRange(value))
}

fn statements(text: &str) -> Vec<Statement> {
    let stated = |at: Range<usize>| {
        let value = labelled(text.get(at.clone())?).or_else(|| {
            fills_line(text, &at)
                .then(|| alone(text.get(at.clone())?))
                .flatten()
        })?;
        Some(Statement {
            at,
            stated: Stated::Score(value),
        })
    };
    sentences(text).filter_map(stated).collect()
}

/// The sentence is a whole line: the "1." of a list is none.
fn fills_line(text: &str, at: &Range<usize>) -> bool {
    let (before, after) = (
        text.get(..at.start).unwrap_or_default(),
        text.get(at.end..).unwrap_or_default(),
    );
    let ends = after.is_empty()
        || text
            .get(at.clone())
            .is_some_and(|sentence| sentence.ends_with('\n'));
    ends && (before.is_empty() || before.ends_with('\n'))
}

/// "Final score: 7".
fn labelled(sentence: &str) -> Option<f64> {
    let words = words(&sentence.replace(':', ": "));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let after_label = words
        .iter()
        .position(|word| !LABELS.contains(word))
        .filter(|at| *at > 0)?;
    value(words.get(after_label..)?)
}

/// "7", "7/10", "7 out of 10".
fn alone(sentence: &str) -> Option<f64> {
    let words = words(sentence);
    value(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn value(words: &[&str]) -> Option<f64> {
    match words {
        [value] => out_of(value),
        [value, "out", "of", maximum] if number(maximum).is_some() => number(value),
        _ => None,
    }
}

/// "7" or "7/10": the maximum is a whole number, five at least, so that most fractions are none.
pub(super) fn out_of(word: &str) -> Option<f64> {
    let Some((value, maximum)) = word.split_once('/') else {
        return number(word);
    };
    let maximum = number(maximum).filter(|maximum| *maximum >= 5.0 && maximum.fract() == 0.0)?;
    number(value).filter(|value| *value <= maximum)
}

/// The words before a score on its line.
const LABELS: [&str; 12] = [
    "score", "rating", "verdict", "answer", "final", "overall", "my", "the", "is", "output",
    "decision", "total",
];
