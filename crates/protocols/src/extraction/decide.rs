//! Which of a reply's statements is its verdict. The same rule for every notation.

use super::own_words::Reply;
use super::words::{sentence_ends, words};
use super::{NoVerdict, Stated};
use std::ops::Range;

/// A verdict as it is stated somewhere in a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    /// Its bytes in the reply's text.
    pub(super) at: Range<usize>,
    pub(super) stated: Stated,
}

/// The verdict of statements in the order of the text: what all of them say that are the judge's
/// own words; if they differ, the one in the reply's last sentence, unless the reply opens with
/// another. A quoted statement counts only where there is no other and the reply ends with it.
pub(super) fn decide(reply: &Reply, statements: Vec<Statement>) -> Result<Stated, NoVerdict> {
    let (quoted, own): (Vec<Statement>, Vec<Statement>) = statements
        .into_iter()
        .filter(|s| !is_reported(reply.text, s))
        .partition(|s| reply.quotation(s.at.start).is_some());
    match (own.as_slice(), quoted.last()) {
        ([], Some(last)) if is_given_in_quotes(reply, last) => Ok(last.stated),
        ([], _) => Err(nothing(reply.text)),
        ([first, ..], _) => agreed(&own).or_else(|_| last_word(reply.text, first, &own)),
    }
}

/// Why a reply without a statement has none.
pub(super) fn nothing(text: &str) -> NoVerdict {
    match text.trim_end().chars().next_back() {
        Some(last) if last.is_alphanumeric() || ",([{:;-".contains(last) => NoVerdict::CutShort,
        _ => NoVerdict::Nothing,
    }
}

fn agreed(statements: &[Statement]) -> Result<Stated, NoVerdict> {
    let [first, rest @ ..] = statements else {
        return Err(NoVerdict::Nothing);
    };
    match rest.iter().find(|other| other.stated != first.stated) {
        Some(other) => Err(NoVerdict::Contradictory(first.stated, other.stated)),
        None => Ok(first.stated),
    }
}

fn last_word(text: &str, first: &Statement, statements: &[Statement]) -> Result<Stated, NoVerdict> {
    let last_sentence = last_sentence(text);
    let closing: Vec<Statement> = statements
        .iter()
        .filter(|s| s.at.end > last_sentence)
        .cloned()
        .collect();
    let stated = match closing.as_slice() {
        [] => return agreed(statements),
        closing => agreed(closing)?,
    };
    match opens(text, first) && first.stated != stated {
        true => Err(NoVerdict::Contradictory(first.stated, stated)),
        false => Ok(stated),
    }
}

/// Where the last sentence begins.
fn last_sentence(text: &str) -> usize {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    sentence_ends(text).last().unwrap_or(0)
}

/// Nothing stands before the statement.
fn opens(text: &str, statement: &Statement) -> bool {
    !text
        .get(..statement.at.start)
        .is_some_and(|before| before.contains(char::is_alphanumeric))
}

/// The reply ends with the quotation, which is one sentence that ends with the statement (`"My
/// final verdict is: [[A]]"`). The words before it do not report what somebody else wrote; before a
/// block they announce the verdict.
fn is_given_in_quotes(reply: &Reply, statement: &Statement) -> bool {
    let Some(quotation) = reply.quotation(statement.at.start) else {
        return false;
    };
    let text = |range: Range<usize>| reply.text.get(range).unwrap_or_default();
    let is_block = text(quotation.clone()).contains('\n');
    let label = text(quotation.start..statement.at.start).trim();
    let introduction = introduction(text(0..quotation.start));
    let has = |list: &[&str]| {
        introduction
            .iter()
            .any(|word| list.contains(&word.as_str()))
    };
    let is_last = !text(statement.at.end..reply.text.len()).contains(char::is_alphanumeric);
    is_last
        && !label.trim_start_matches('`').trim().contains(['\n', '.'])
        && !has(&REPORTING)
        && (!is_block || has(&ANNOUNCING))
}

/// The words of the last sentence of a text that goes on with a quotation.
fn introduction(before: &str) -> Vec<String> {
    let start = sentence_ends(before.trim_end()).last().unwrap_or(0);
    words(before.get(start..).unwrap_or_default())
}

/// The words right before the statement, in its sentence, say that somebody else wrote it (`its
/// last line says [[B]]`).
fn is_reported(text: &str, statement: &Statement) -> bool {
    let before = text.get(..statement.at.start).unwrap_or_default();
    let near = before
        .char_indices()
        .rev()
        .nth(REPORT_WITHIN)
        .map_or(0, |(at, _)| at);
    let near = before.get(near..).unwrap_or_default();
    let sentence = near
        .get(sentence_ends(near).last().unwrap_or(0)..)
        .unwrap_or_default();
    words(sentence)
        .iter()
        .rev()
        .take(3)
        .any(|word| REPORTED.contains(&word.as_str()))
}

/// How far back the words of reporting are looked for, in characters.
const REPORT_WITHIN: usize = 60;
const REPORTED: [&str; 10] = [
    "says", "said", "saying", "claims", "claimed", "claiming", "writes", "wrote", "contains",
    "ending",
];
const REPORTING: [&str; 17] = [
    "says",
    "said",
    "states",
    "stated",
    "claims",
    "claimed",
    "writes",
    "wrote",
    "reads",
    "contains",
    "includes",
    "ends",
    "ending",
    "argues",
    "quotes",
    "instructs",
    "inserted",
];
const ANNOUNCING: [&str; 4] = ["verdict", "rating", "decision", "judgment"];
