//! Which of a reply's statements is its verdict: one rule for every notation.

use super::quotations::ReplyText;
use super::words::{Word, sentence_ends, split_words};
use super::{NoVerdict, Reading, Stated};
use std::ops::Range;

/// A verdict as it is stated somewhere in a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    /// Its bytes in the reply's text.
    pub(super) at: Range<usize>,
    pub(super) stated: Stated,
}

/// Returns the verdict of statements in the order of the text: what all of them say that are the
/// judge's own words; if they differ, the one in the reply's last sentence, unless the reply opens
/// with another. A quoted statement counts only where there is no other and the reply ends with it.
pub(super) fn find_verdict(reply: &ReplyText, statements: Vec<Statement>) -> Reading {
    let (quoted, own): (Vec<Statement>, Vec<Statement>) = statements
        .into_iter()
        .filter(|one| !is_reported(reply.text, one))
        .partition(|one| reply.find_quotation(one.at.start).is_some());
    match (own.as_slice(), quoted.last()) {
        ([], Some(last)) if is_given_in_quotes(reply, last) => Ok(last.stated),
        ([], _) => Err(explain_absence(reply.text)),
        ([first, ..], _) => agree(&own).or_else(|_| read_closing(reply.text, first, &own)),
    }
}

/// Returns why a reply without a statement has none.
pub(super) fn explain_absence(text: &str) -> NoVerdict {
    let last = text.trim_end().chars().next_back();
    if last.is_some_and(leaves_open) {
        NoVerdict::CutShort
    } else {
        NoVerdict::Nothing
    }
}

/// Whether a text that ends with this goes on, most likely: a reply ends with a mark.
fn leaves_open(last: char) -> bool {
    last.is_alphanumeric() || ",([{:;-".contains(last)
}

/// Returns what all statements say.
fn agree(statements: &[Statement]) -> Reading {
    let [first, rest @ ..] = statements else {
        return Err(NoVerdict::Nothing);
    };
    match rest.iter().find(|other| other.stated != first.stated) {
        Some(other) => Err(NoVerdict::Contradictory(first.stated, other.stated)),
        None => Ok(first.stated),
    }
}

/// Returns what the last sentence says, unless the reply opens with something else.
fn read_closing(text: &str, first: &Statement, statements: &[Statement]) -> Reading {
    let closing = keep_closing(text, statements);
    if closing.is_empty() {
        return agree(statements);
    }
    let stated = agree(&closing)?;
    if first.stated != stated && opens_reply(text, first) {
        return Err(NoVerdict::Contradictory(first.stated, stated));
    }
    Ok(stated)
}

fn keep_closing(text: &str, statements: &[Statement]) -> Vec<Statement> {
    let last_sentence = find_last_sentence(text);
    let statements = statements.iter();
    let closing = statements.filter(|one| one.at.end > last_sentence);
    closing.cloned().collect()
}

/// Returns the byte at which the last sentence begins.
fn find_last_sentence(text: &str) -> usize {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    sentence_ends(text).last().unwrap_or(0)
}

/// Whether nothing stands before the statement.
fn opens_reply(text: &str, statement: &Statement) -> bool {
    let before = text.get(..statement.at.start);
    !before.is_some_and(has_words)
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Whether the judge gives its verdict as a quotation (`"My final verdict is: [[A]]"`): the reply
/// ends with it, it is one sentence, and the words before it do not report what somebody else
/// wrote; before a block they announce the verdict.
fn is_given_in_quotes(reply: &ReplyText, statement: &Statement) -> bool {
    let Some(quotation) = reply.find_quotation(statement.at.start) else {
        return false;
    };
    let before = reply.text.get(..quotation.start).unwrap_or_default();
    let quoted = reply.text.get(quotation.clone()).unwrap_or_default();
    let after = reply.text.get(statement.at.end..).unwrap_or_default();
    let label = reply.text.get(quotation.start..statement.at.start);
    !has_words(after)
        && is_one_sentence(label.unwrap_or_default())
        && may_introduce(before, quoted.contains('\n'))
}

/// Whether what stands between an opening mark and a statement belongs to the statement's sentence.
fn is_one_sentence(label: &str) -> bool {
    let label = label.trim().trim_start_matches('`').trim();
    !label.contains(['\n', '.'])
}

/// Whether a text that goes on with a quotation may introduce the judge's own verdict.
fn may_introduce(before: &str, is_block: bool) -> bool {
    let start = sentence_ends(before.trim_end()).last().unwrap_or(0);
    let words = split_words(skip_to(before, start));
    !holds_any(&words, &REPORTING) && (!is_block || holds_any(&words, &ANNOUNCING))
}

fn holds_any(words: &[Word], list: &[&str]) -> bool {
    words.iter().any(|word| word.is_any_of(list))
}

/// Whether the words right before the statement, in its sentence, say that somebody else wrote it
/// (`its last line says [[B]]`), or deny it (`not [[B]]`).
fn is_reported(text: &str, statement: &Statement) -> bool {
    let before = text.get(..statement.at.start).unwrap_or_default();
    let near = take_end(before, REPORT_WITHIN);
    let start = sentence_ends(near).last().unwrap_or(0);
    let words = split_words(skip_to(near, start));
    let denies = |word: &Word| {
        let is_denial = word.is_any_of(&DENYING) || word.text.ends_with("n't");
        is_denial && !word.colon && !word.comma
    };
    let mut before = words
        .iter()
        .rev()
        .skip_while(|word| word.is_any_of(&["the", "a"]));
    holds_any(&words[words.len().saturating_sub(3)..], &REPORTED)
        || before.next().is_some_and(denies)
}

/// Returns the end of a text, this many characters and one more.
fn take_end(text: &str, characters: usize) -> &str {
    let start = text.char_indices().rev().nth(characters);
    start.map_or(text, |(at, _)| skip_to(text, at))
}

fn skip_to(text: &str, start: usize) -> &str {
    text.get(start..).unwrap_or_default()
}

/// How far back the words of reporting are looked for, in characters.
const REPORT_WITHIN: usize = 60;
const REPORTED: [&str; 10] = [
    "says", "said", "saying", "claims", "claimed", "claiming", "writes", "wrote", "contains",
    "ending",
];
const DENYING: [&str; 5] = ["not", "never", "neither", "nor", "cannot"];
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
