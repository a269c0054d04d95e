//! Statements of a verdict within a reply, and the verdict on which they agree.

use super::lines::find_lines;
use super::tokens::split_tokens;
use crate::extraction::ReplyText;

/// Why no verdict was read from a reply.
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
    /// A list of verdicts has a number that stands for nothing in the list that was asked.
    #[error("it gives a verdict for number {0}, and there are {1} criteria")]
    Miscounted(usize, usize),
    /// What stands in the place of a verdict is none.
    #[error("it says {0:?}, which is neither yes nor no")]
    Unclear(String),
}

/// A verdict as it is stated somewhere in a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement<T> {
    /// The byte of the reply at which its line or sentence begins.
    pub(super) at: usize,
    pub(super) stated: T,
    /// Whether it has the form that was asked for, behind words such as `Verdict:`.
    pub(super) labelled: bool,
}

impl<T> Statement<T> {
    pub(super) fn with_label(at: usize, stated: T) -> Statement<T> {
        Statement {
            at,
            stated,
            labelled: true,
        }
    }

    pub(super) fn without_label(at: usize, stated: T) -> Statement<T> {
        Statement {
            at,
            stated,
            labelled: false,
        }
    }
}

/// Returns the verdict on which the judge's own statements agree; what it quotes or reports is
/// left out. The verdict stands in the first or in the last line; statements behind a label must
/// agree with it wherever they stand. What else is said on the way may weigh the responses.
/// `name` gives a verdict's name for messages.
pub(super) fn agree_on_verdict<T: Clone + PartialEq>(
    text: &str,
    statements: Vec<Statement<T>>,
    name: impl Fn(&T) -> String,
) -> Result<T, Unread> {
    let ends = ReplyEnds::of_text(text);
    let own = keep_own(text, statements, &ends);
    let verdict = own.iter().find(|one| ends.contain(one.at));
    let stated = &verdict.ok_or(Unread::Nothing)?.stated;
    match own.iter().find(|other| other.stated != *stated) {
        Some(other) => Err(Unread::Ambiguous(name(stated), name(&other.stated))),
        None => Ok(stated.clone()),
    }
}

/// Returns the verdict on which the values of a reply's JSON object agree.
pub(super) fn agree_on_values<T: Clone + PartialEq>(
    values: impl Iterator<Item = T>,
    name: impl Fn(&T) -> String,
) -> Result<T, Unread> {
    let statements = values.map(|stated| Statement::with_label(0, stated));
    agree_on_verdict("", statements.collect(), name)
}

/// Keeps the judge's own statements, of those without a label the ones in the first and last line.
fn keep_own<T>(text: &str, statements: Vec<Statement<T>>, ends: &ReplyEnds) -> Vec<Statement<T>> {
    let reply = ReplyText::new(text);
    let statements = statements.into_iter();
    statements
        .filter(|one| is_own(&reply, one.at))
        .filter(|one| one.labelled || ends.contain(one.at))
        .collect()
}

/// Whether what stands at a byte is neither quoted nor reported.
fn is_own(reply: &ReplyText, at: usize) -> bool {
    reply.find_quotation(at).is_none() && !is_reported(reply.text, at)
}

/// The first and the last line of a reply.
struct ReplyEnds<'a> {
    text: &'a str,
    last_line: usize,
}

impl ReplyEnds<'_> {
    fn of_text(text: &str) -> ReplyEnds<'_> {
        let last_line = find_lines(text).last().map_or(0, |line| line.start);
        ReplyEnds { text, last_line }
    }

    /// Whether a byte of the reply lies in one of the two lines.
    fn contain(&self, at: usize) -> bool {
        at >= self.last_line || self.is_in_first_line(at)
    }

    fn is_in_first_line(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        !before.trim_start().contains(['\n', '\r'])
    }
}

/// Whether the line before ends with words that report what somebody else wrote (`One of them
/// says:`).
fn is_reported(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    let words = split_tokens(before.lines().next_back().unwrap_or_default());
    let mut last_words = words.iter().rev().take(3);
    before.ends_with(':') && last_words.any(|word| word.is_any_of(&REPORTING))
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
