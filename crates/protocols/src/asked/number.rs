//! Scores, steps and preferences: a number, where the prompt asks for one.

use super::token::{CORES, LABELS, Token, tokens};
use super::{Statement, Unread, agree, json, lines, one_line, own_part};
use crate::Scale;
use crate::extraction::{
    NoVerdict, Notation, Reply, Stated, extract, number as plain_number, sentences,
};

/// The place among `options` (numbers as they are asked for) of the one that the reply states.
pub(crate) fn read_number(text: &str, options: &[String]) -> Result<usize, Unread> {
    let stated = stated_number(text, options)?;
    let at = options
        .iter()
        .position(|option| option.parse() == Ok(stated));
    at.ok_or_else(|| Unread::OffScale(stated.to_string()))
}

fn stated_number(text: &str, options: &[String]) -> Result<f64, Unread> {
    if let Some(values) = json::values(text) {
        let found = values
            .iter()
            .filter_map(|value| number(value, options))
            .map(|stated| Statement {
                at: 0,
                stated,
                labelled: true,
            });
        return agree(&Reply::new(""), found.collect(), f64::to_string);
    }
    let text = own_part(text);
    let mut statements = Vec::new();
    for (row, line) in lines(text).into_iter().enumerate() {
        let whole = &one_line(text.get(line.clone()).unwrap_or_default());
        statements.extend(on_line(whole, row == 0, options).map(|stated| Statement {
            at: line.start,
            stated,
            labelled: false,
        }));
        for sentence in sentences(whole) {
            let at = line.start + sentence.start;
            let said = labelled(whole.get(sentence).unwrap_or_default(), options);
            statements.extend(said.map(|stated| Statement {
                at,
                stated,
                labelled: true,
            }));
        }
    }
    agree(&Reply::new(text), statements, f64::to_string)
}

/// A number that is the whole line; in the first line also before a remark (`4 - good`). The `1.`
/// of a list is none.
fn on_line(line: &str, first: bool, options: &[String]) -> Option<f64> {
    let tokens = tokens(line);
    let (stated, rest) = number_at(&tokens, options)?;
    let remark = |next: &Token| next.opens_remark() || next.is(&["because", "since"]);
    let closed = || {
        matches!(
            tokens[tokens.len() - rest.len() - 1].stop(),
            Some(':' | ',' | ';')
        )
    };
    match rest.first() {
        None => Some(stated),
        Some(next) if first && (remark(next) || closed()) => Some(stated),
        Some(_) => None,
    }
}

/// `Score: 4`, `My rating is 4 out of 5`, `Final verdict: 2 (slightly)`.
fn labelled(sentence: &str, options: &[String]) -> Option<f64> {
    let tokens = tokens(sentence);
    if sentence.trim_end().ends_with('?')
        || tokens
            .iter()
            .any(|token| token.is(&["if", "not", "would", "could", "says", "said"]))
    {
        return None;
    }
    let labels = tokens
        .iter()
        .take_while(|token| token.bare.is_empty() || token.is_dash() || token.is(&LABELS))
        .count();
    let (label, rest) = tokens.split_at(labels);
    let leads = label
        .last()
        .is_some_and(|last| last.stop() == Some(':') || last.is_dash() || last.is(&["is"]))
        || (label.len() == 1 && label[0].is(&["score", "rating", "verdict", "grade"]));
    let (stated, after) = number_at(rest, options)?;
    let ends = after
        .first()
        .is_none_or(|next| next.opens_remark() || next.is(&["because", "since", "as", "for"]));
    let stopped = tokens[tokens.len() - after.len() - 1].stop().is_some();
    (leads && label.iter().any(|token| token.is(&CORES)) && (ends || stopped)).then_some(stated)
}

/// The number that the words begin with, and what follows it: `4`, `4/5`, `4 out of 5`. Another
/// range than the one of the options is another scale.
fn number_at<'t, 'a>(
    tokens: &'t [Token<'a>],
    options: &[String],
) -> Option<(f64, &'t [Token<'a>])> {
    match tokens {
        [value, out, of, most, rest @ ..] if out.is(&["out"]) && of.is(&["of"]) => {
            let stated = plain_number(value.bare)?;
            is_most(most.bare, options).then_some((stated, rest))
        }
        [_, next, ..] if next.is(&["or", "to", "and", "points"]) || next.raw.starts_with('/') => {
            None
        }
        [value, rest @ ..] => Some((number(value.bare, options)?, rest)),
        [] => None,
    }
}

/// `4`, or `4/5` where 5 is the top of the scale.
fn number(word: &str, options: &[String]) -> Option<f64> {
    match word.split_once('/') {
        None => plain_number(word),
        Some((value, most)) => plain_number(value).filter(|_| is_most(most, options)),
    }
}

fn is_most(word: &str, options: &[String]) -> bool {
    let top = options.last().and_then(|option| option.parse::<f64>().ok());
    top.is_some() && plain_number(word) == top
}

/// Two scores on the scale, of the first and of the second response: in the first line, in the
/// last, or in the two lines that are the whole reply.
pub(crate) fn read_scores(text: &str, scale: Scale) -> Result<[f64; 2], Unread> {
    if let Some(scores) = json::pair(text) {
        return on_scale(scores, scale);
    }
    let text = own_part(text);
    let rows: Vec<&str> = text
        .trim()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let places: Vec<String> = match rows.as_slice() {
        [] => Vec::new(),
        [first, second] => vec![
            first.to_string(),
            second.to_string(),
            format!("{first}\n{second}"),
        ],
        [first, .., last] => vec![first.to_string(), last.to_string()],
        [line] => vec![line.to_string()],
    };
    let found = places
        .iter()
        .filter_map(|place| in_place(place, scale).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    let [first, rest @ ..] = found.as_slice() else {
        return Err(Unread::Nothing);
    };
    match rest.iter().find(|other| *other != first) {
        Some(other) => Err(Unread::Ambiguous(
            format!("{first:?}"),
            format!("{other:?}"),
        )),
        None => on_scale(*first, scale),
    }
}

/// What a line, or two, say of both scores.
fn in_place(text: &str, scale: Scale) -> Result<Option<[f64; 2]>, Unread> {
    if text.trim_start().starts_with('>') {
        return Ok(None);
    }
    // Our prompts speak of answers where those of that notation speak of assistants.
    let text = without_label(text)
        .replace("Answer ", "Assistant ")
        .replace("Response ", "Assistant ");
    match extract(Notation::ScorePair(scale), &text) {
        Ok(Stated::Scores(a, b)) => Ok(Some([a, b])),
        Err(NoVerdict::OutOfRange(score)) => Err(Unread::OffScale(score.to_string())),
        _ => Ok(None),
    }
}

/// What a line says behind its label, if it has one: the form that the prompt asks for.
fn without_label(line: &str) -> &str {
    let words = tokens(line);
    let is_label = words
        .first()
        .is_some_and(|word| word.is(&["scores", "score", "verdict"]) && word.stop() == Some(':'));
    words
        .get(1)
        .filter(|_| is_label)
        .and_then(|word| line.get(word.at..))
        .unwrap_or(line)
}

fn on_scale(scores: [f64; 2], scale: Scale) -> Result<[f64; 2], Unread> {
    let off = scores
        .iter()
        .find(|score| !(scale.low()..=scale.high()).contains(*score));
    off.map_or(Ok(scores), |off| Err(Unread::OffScale(off.to_string())))
}
