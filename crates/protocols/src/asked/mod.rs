//! Reading what a judge answers to our own prompts: a letter, a number, two scores or an order, in
//! the many ways in which judges put them. docs/design/extraction.md has the rules.
//!
//! A file finds the places of a reply that state a verdict; one rule says what they come to: the
//! judge's own statements must agree. A reply that states two verdicts is ambiguous, whichever
//! stands last.

mod json;
mod letter;
mod number;
mod order;
mod token;

pub(crate) use letter::read_letter;
pub(crate) use number::{read_number, read_scores};
pub(crate) use order::read_order;

use crate::extraction::Reply;
use std::ops::Range;

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Unread {
    /// There is no statement.
    #[error("it states no verdict")]
    Nothing,
    /// Statements differ.
    #[error("it states two verdicts: {0} and {1}")]
    Ambiguous(String, String),
    /// A score is none of the scale's.
    #[error("it states {0}, which is not on the scale")]
    OffScale(String),
}

/// A verdict as it is stated somewhere in a reply.
#[derive(Clone, Debug, PartialEq)]
struct Statement<T> {
    at: usize,
    stated: T,
    /// It is in the form that was asked for, behind words such as `Verdict:`.
    labelled: bool,
}

/// What the judge's own statements come to: not what it quotes, nor what it reports. The verdict
/// stands in the first or in the last line; those behind a label must agree with it wherever they
/// stand. What else is said on the way may weigh.
fn agree<T: Clone + PartialEq>(
    reply: &Reply,
    statements: Vec<Statement<T>>,
    name: impl Fn(&T) -> String,
) -> Result<T, Unread> {
    let last = lines(reply.text).last().map_or(0, |line| line.start);
    let at_an_end = |one: &Statement<T>| one.at >= last || is_in_first_line(reply.text, one.at);
    let own =
        |one: &Statement<T>| reply.quotation(one.at).is_none() && !is_reported(reply.text, one.at);
    let own: Vec<Statement<T>> = statements
        .into_iter()
        .filter(|one| own(one) && (one.labelled || at_an_end(one)))
        .collect();
    let found = own
        .iter()
        .find(|one| at_an_end(one))
        .ok_or(Unread::Nothing)?;
    match own.iter().find(|other| other.stated != found.stated) {
        Some(other) => Err(Unread::Ambiguous(name(&found.stated), name(&other.stated))),
        None => Ok(found.stated.clone()),
    }
}

fn is_in_first_line(text: &str, at: usize) -> bool {
    !text
        .get(..at)
        .unwrap_or_default()
        .trim_start()
        .contains(['\n', '\r'])
}

/// The line before ends with words that report what somebody else wrote (`One of them says:`).
fn is_reported(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    let words = token::tokens(before.lines().next_back().unwrap_or_default());
    before.ends_with(':') && words.iter().rev().take(3).any(|word| word.is(&REPORTING))
}

const REPORTING: [&str; 13] = [
    "says",
    "said",
    "saying",
    "claims",
    "claimed",
    "writes",
    "wrote",
    "contains",
    "reads",
    "ends",
    "states",
    "inserted",
    "instructs",
];

/// A line that goes on with the next, as one line of as many bytes.
fn one_line(line: &str) -> String {
    line.replace(['\n', '\r'], " ")
}

/// The part of a reply in which a verdict may stand: all of it, or the last line where it shows the
/// fences of our prompt, for then it repeats what was put between them.
fn own_part(text: &str) -> &str {
    let is_fence = |line: &&str| {
        line.trim_start().starts_with("<<<<") || line.trim_start().starts_with(">>>>")
    };
    let Some(fence) = text.lines().rev().find(is_fence) else {
        return text;
    };
    let after = text.rsplit_once(fence).map_or("", |(_, after)| after);
    after.trim_end().lines().next_back().unwrap_or_default()
}

/// The lines that say something, as byte ranges without the white space around them. A line that
/// only announces a verdict (`Verdict:`) goes on with the next.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let (start, bare) = (at + line.len() - line.trim_start().len(), line.trim());
        at += line.len();
        if bare.is_empty() || token::is_only_marks(bare) {
            continue;
        }
        match found.last_mut() {
            Some(last) if token::announces(text.get(last.clone()).unwrap_or_default()) => {
                last.end = start + bare.len()
            }
            _ => found.push(start..start + bare.len()),
        }
    }
    found
}
