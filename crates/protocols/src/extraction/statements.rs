//! Which of a reply's statements is its verdict: one rule for every notation.

use super::quotations::ReplyText;
use super::words::{Word, sentence_ends, split_words};
use super::{NoVerdict, Reading, Stated};
use crate::lexicon::List::{Correcting, Quoting};
use crate::replies::{Around, Holding, judge_mark};
use evenhand_core::Side;
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

/// Keeps the statements that hold with the side that they state, as far as what stands around them
/// says. One that is left open is no verdict; right beside another, or behind all others, it
/// contradicts it.
pub(super) fn find_held(reply: &ReplyText, statements: Vec<Statement>) -> Reading {
    let (mut held, mut open): (Vec<Statement>, Vec<Statement>) = (Vec::new(), Vec::new());
    for one in statements {
        match judge(reply.text, &one.at, one.stated) {
            Holding::With => {
                let beside = |open: &&Statement| {
                    let between = reply
                        .text
                        .get(open.at.end..one.at.start)
                        .unwrap_or_default();
                    let near = between.split_whitespace().count() < 4;
                    open.stated != one.stated && near && !between.contains(['.', '\n'])
                };
                if let Some(open) = open.last().filter(beside) {
                    return Err(NoVerdict::Contradictory(open.stated, one.stated));
                }
                open.clear();
                held.push(one);
            }
            Holding::Open if reply.find_quotation(one.at.start).is_none() => open.push(one),
            Holding::Open | Holding::Against => {}
        }
    }
    let verdict = match (held.is_empty(), open.first()) {
        (true, Some(first)) => first.stated,
        _ => find_verdict(reply, held.clone())?,
    };
    match open.last().filter(|open| open.stated != verdict) {
        Some(open) => Err(NoVerdict::Contradictory(verdict, open.stated)),
        None if held.is_empty() => Err(explain_absence(reply.text)),
        None => Ok(verdict),
    }
}

/// Judges how far what stands around a mark holds with what it states.
pub(super) fn judge(text: &str, at: &Range<usize>, stated: Stated) -> Holding {
    let side = match stated.preferred() {
        None => return Holding::With,
        Some(Stated::First) => Side::First,
        Some(Stated::Second) => Side::Second,
        Some(_) => Side::Tie,
    };
    judge_mark(look_around(text, at), side)
}

/// Returns what stands around a range, as far as it is near.
fn look_around<'t>(text: &'t str, at: &Range<usize>) -> Around<'t> {
    let (before, behind) = (&text[..at.start], &text[at.end..]);
    let from = before.char_indices().rev().nth(NEAR);
    let before = &before[from.map_or(0, |(from, _)| from)..];
    let begin = sentence_ends(before).last().unwrap_or(0);
    // A sentence with a mark of its own is weighed there.
    let is_weighed = |sentence: &str| sentence.contains("[[") || sentence.contains("utput (");
    let (above, before) = before.split_at(begin);
    let above = above.trim_end();
    let begin = sentence_ends(above).last().unwrap_or(0);
    let end = behind.char_indices().nth(NEAR);
    let line = behind[..end.map_or(behind.len(), |(end, _)| end)]
        .lines()
        .next();
    let line = line.unwrap_or_default();
    let (behind, next) = line.split_at(sentence_ends(line).next().unwrap_or(line.len()));
    let end = sentence_ends(next).next().unwrap_or(next.len());
    let next = &next[..end];
    let above = &above[begin..];
    Around {
        above: if is_weighed(above) { "" } else { above },
        before,
        behind,
        next: if is_weighed(next) { "" } else { next },
    }
}

/// How far around a mark what it belongs to is looked at, in characters.
const NEAR: usize = 200;

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
    let before = statements
        .iter()
        .rev()
        .find(|one| one.at.end <= last_sentence);
    if let Some(before) = before.filter(|before| contradict(text, before, &closing[0])) {
        return Err(NoVerdict::Contradictory(before.stated, stated));
    }
    let opens_reply = !has_words(&text[..first.at.start]);
    if first.stated != stated && opens_reply {
        return Err(NoVerdict::Contradictory(first.stated, stated));
    }
    Ok(stated)
}

/// Whether two verdicts that stand side by side in a line differ, and no word takes the first back.
pub(super) fn contradict(text: &str, one: &Statement, other: &Statement) -> bool {
    let between = &text[one.at.start..other.at.start];
    let begin = sentence_ends(between).last().unwrap_or(between.len());
    let withdraws = |word: &Word| word.is_in(Correcting) || word.is_any_of(&WITHDRAWING);
    one.stated != other.stated
        && !between.contains('\n')
        && sentence_ends(between).count() < 2
        && !split_words(&between[begin..]).iter().any(withdraws)
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
/// Words with which a judge goes back on a verdict.
const WITHDRAWING: [&str; 10] = [
    "no",
    "but",
    "however",
    "yet",
    "reflection",
    "thought",
    "final",
    "finally",
    "end",
    "instead",
];
const REPORTED: [&str; 12] = [
    "says", "said", "saying", "claims", "claimed", "claiming", "writes", "wrote", "contains",
    "ending", "includes", "inject",
];
const DENYING: [&str; 5] = ["not", "never", "neither", "nor", "cannot"];
const ANNOUNCING: [&str; 4] = ["verdict", "rating", "decision", "judgment"];
