//! Which of a reply's statements is its verdict: one rule for every notation.

use super::quotations::ReplyText;
use super::words::{Word, sentence_ends, split_words};
use super::{NoVerdict, Reading, Stated};
use crate::lexicon::List::Quoting;
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
    // A reply ends with a mark: one that ends otherwise goes on, most likely.
    match text.trim_end().chars().next_back() {
        Some(last) if last.is_alphanumeric() || ",([{:;-".contains(last) => NoVerdict::CutShort,
        _ => NoVerdict::Nothing,
    }
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
    let without_end = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let last_sentence = sentence_ends(without_end).last().unwrap_or(0);
    let closing = statements.iter().filter(|one| one.at.end > last_sentence);
    let closing: Vec<Statement> = closing.cloned().collect();
    if closing.is_empty() {
        return agree(statements);
    }
    let stated = agree(&closing)?;
    let opens_reply = !has_words(&text[..first.at.start]);
    if first.stated != stated && opens_reply {
        return Err(NoVerdict::Contradictory(first.stated, stated));
    }
    Ok(stated)
}

pub(super) fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Whether the judge gives its verdict as a quotation (`"My final verdict is: [[A]]"`): the reply
/// ends with it, it is one sentence, and the words before it do not report what somebody else
/// wrote; before a block they announce the verdict.
fn is_given_in_quotes(reply: &ReplyText, statement: &Statement) -> bool {
    let Some(quotation) = reply.find_quotation(statement.at.start) else {
        return false;
    };
    let text = reply.text;
    // The end of a statement may lie within a character.
    let after = text.get(statement.at.end..).unwrap_or_default();
    let label = &text[quotation.start..statement.at.start];
    let label = label.trim().trim_start_matches('`').trim();
    if has_words(after) || label.contains(['\n', '.']) {
        return false;
    }
    let before = &text[..quotation.start];
    let start = sentence_ends(before.trim_end()).last().unwrap_or(0);
    let words = split_words(&before[start..]);
    let is_block = text[quotation.clone()].contains('\n');
    !words.iter().any(|word| word.is_in(Quoting)) && (!is_block || holds_any(&words, &ANNOUNCING))
}

fn holds_any(words: &[Word], list: &[&str]) -> bool {
    words.iter().any(|word| word.is_any_of(list))
}

/// Whether the words right before the statement, in its sentence, say that somebody else wrote it
/// (`its last line says [[B]]`), or deny it (`not [[B]]`, `I would not choose [[B]]`).
fn is_reported(text: &str, statement: &Statement) -> bool {
    let before = &text[..statement.at.start];
    let near = match before.char_indices().rev().nth(REPORT_WITHIN) {
        Some((start, _)) => &before[start..],
        None => before,
    };
    let start = sentence_ends(near).last().unwrap_or(0);
    let words = split_words(&near[start..]);
    let denies = |word: &Word| word.is_any_of(&DENYING) || word.text.ends_with("n't");
    let clause = words
        .iter()
        .rev()
        .take_while(|word| !word.colon && !word.comma);
    let before = clause.skip_while(|word| word.is_any_of(&["the", "a"]));
    // `As you asked`, `in the format you asked` are the judge's own; so is `My judgement ends here`.
    let near = words.len().saturating_sub(3);
    let reports = |at: usize| match words[at].text.as_str() {
        "asked" => at == 0 || !words[at - 1].is_any_of(&["you", "as"]),
        "ends" => words.get(at + 1).is_some_and(|next| next.text == "with"),
        _ => words[at].is_any_of(&REPORTED),
    };
    (near..words.len()).any(reports) || before.take(2).any(denies)
}

/// How far back the words of reporting are looked for, in characters.
const REPORT_WITHIN: usize = 60;
const REPORTED: [&str; 12] = [
    "says", "said", "saying", "claims", "claimed", "claiming", "writes", "wrote", "contains",
    "ending", "includes", "inject",
];
const DENYING: [&str; 5] = ["not", "never", "neither", "nor", "cannot"];
const ANNOUNCING: [&str; 4] = ["verdict", "rating", "decision", "judgment"];
