//! Scores, steps and preferences: a number, where the prompt asks for one.

use super::json;
use super::lines::{Line, find_own_part, split_lines};
use super::statements::{Statement, Unread, agree_on_values, agree_on_verdict};
use super::tokens::{CORES, LABELS, Leading, Token, split_tokens};
use crate::extraction::parse_number;

/// Reads which of the `options` (numbers as they are asked for) the reply states: its place among
/// them.
pub(crate) fn read_number(text: &str, options: &[String]) -> Result<usize, Unread> {
    let stated = read_stated_number(text, options)?;
    let mut values = options.iter().map(|option| option.parse());
    let place = values.position(|value| value == Ok(stated));
    place.ok_or_else(|| Unread::OffScale(stated.to_string()))
}

fn read_stated_number(text: &str, options: &[String]) -> Result<f64, Unread> {
    if let Some(values) = json::read_verdict_fields(text) {
        let stated = values.iter().filter_map(|word| parse_score(word, options));
        return agree_on_values(stated, f64::to_string);
    }
    let text = find_own_part(text);
    let statements = split_lines(text).flat_map(|line| find_statements(&line, options));
    agree_on_verdict(text, statements.collect(), f64::to_string)
}

/// Finds the statements of a line: at its beginning, and in each of its sentences.
fn find_statements(line: &Line, options: &[String]) -> Vec<Statement<f64>> {
    let opening = read_opening(line, options);
    let opening = opening.map(|stated| Statement::without_label(line.at, stated));
    let in_sentences = line.sentences().filter_map(|(at, sentence)| {
        let stated = read_sentence(sentence, options)?;
        Some(Statement::with_label(at, stated))
    });
    opening.into_iter().chain(in_sentences).collect()
}

/// Reads a number that is the whole line; in the first line also before a remark (`4 - good`). The
/// `1.` of a list does not count.
fn read_opening(line: &Line, options: &[String]) -> Option<f64> {
    let tokens = split_tokens(&line.text);
    let number = lead_with_number(&tokens, options)?;
    let is_whole_line = number.rest.is_empty();
    (is_whole_line || (line.is_first && precedes_remark(&number))).then_some(number.stated)
}

fn precedes_remark(number: &Leading<f64>) -> bool {
    let is_closed = matches!(number.last.closing_stop(), Some(':' | ',' | ';'));
    is_closed || number.rest.first().is_some_and(opens_remark)
}

fn opens_remark(next: &Token) -> bool {
    next.opens_remark() || next.is_any_of(&["because", "since"])
}

/// Reads the number behind a label: `Score: 4`, `My rating is 4 out of 5`, `Final verdict: 2
/// (slightly)`.
fn read_sentence(sentence: &str, options: &[String]) -> Option<f64> {
    let tokens = split_tokens(sentence);
    if sentence.trim_end().ends_with('?') || tokens.iter().any(|token| token.is_any_of(&DOUBTS)) {
        return None;
    }
    let (label, rest) = tokens.split_at(count_label(&tokens));
    let number = lead_with_number(rest, options)?;
    (leads_to_number(label) && ends_statement(&number)).then_some(number.stated)
}

/// Returns how many words at the beginning may belong to a label.
fn count_label(tokens: &[Token]) -> usize {
    let tokens = tokens.iter();
    let label = tokens.take_while(|token| token.is_filler() || token.is_any_of(&LABELS));
    label.count()
}

fn leads_to_number(label: &[Token]) -> bool {
    let names_verdict = label.iter().any(|token| token.is_any_of(&CORES));
    names_verdict && (is_bare_label(label) || label.last().is_some_and(leads_on))
}

/// Whether a label is one word that needs no colon: `Score 4`.
fn is_bare_label(label: &[Token]) -> bool {
    matches!(label, [only] if only.is_any_of(&BARE_LABELS))
}

fn leads_on(last: &Token) -> bool {
    last.closing_stop() == Some(':') || last.is_dash() || last.is_any_of(&["is"])
}

fn ends_statement(number: &Leading<f64>) -> bool {
    number.rest.first().is_none_or(opens_reason) || number.last.closing_stop().is_some()
}

fn opens_reason(next: &Token) -> bool {
    next.opens_remark() || next.is_any_of(&REASONS)
}

/// Returns the number that the words begin with: `4`, `4/5`, `4 out of 5`. Another range than that
/// of the options is another scale.
fn lead_with_number<'t>(tokens: &'t [Token<'t>], options: &[String]) -> Option<Leading<'t, f64>> {
    let (stated, last, rest) = match tokens {
        [value, out, of, top, rest @ ..] if joins_top(out, of) => {
            let stated = parse_number(value.bare).filter(|_| is_top(top.bare, options));
            (stated?, top, rest)
        }
        [_, next, ..] if goes_on(next) => return None,
        [value, rest @ ..] => (parse_score(value.bare, options)?, value, rest),
        [] => return None,
    };
    Some(Leading { stated, last, rest })
}

/// `4 out of 5`
fn joins_top(out: &Token, of: &Token) -> bool {
    out.is_any_of(&["out"]) && of.is_any_of(&["of"])
}

/// Whether the word behind a number makes it a part of something else.
fn goes_on(next: &Token) -> bool {
    next.is_any_of(&["or", "to", "and", "points"]) || next.raw.starts_with('/')
}

/// Parses `4`, or `4/5` where 5 is the top of the scale.
fn parse_score(word: &str, options: &[String]) -> Option<f64> {
    match word.split_once('/') {
        None => parse_number(word),
        Some((value, top)) => parse_number(value).filter(|_| is_top(top, options)),
    }
}

/// Whether a word is the last of the options.
fn is_top(word: &str, options: &[String]) -> bool {
    let top = options.last().and_then(|option| option.parse().ok());
    top.is_some() && parse_number(word) == top
}

/// Words that leave open what a sentence states.
const DOUBTS: [&str; 6] = ["if", "not", "would", "could", "says", "said"];
/// Words that by themselves announce the number behind them.
const BARE_LABELS: [&str; 4] = ["score", "rating", "verdict", "grade"];
const REASONS: [&str; 4] = ["because", "since", "as", "for"];
