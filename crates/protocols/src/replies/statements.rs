//! Statements of a verdict within a reply, and the verdict on which they agree.

use super::ends::Ends;
use super::tokens::split_tokens;
use crate::extraction::ReplyText;
use crate::lexicon::List::Reporting;

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
    /// What stands in the place of a verdict does not say which one it is.
    #[error("it says {0:?}, which leaves open what the verdict is")]
    Vague(String),
    /// Neither is better, where one must be.
    #[error("it says that neither is better, and a verdict of this form names one")]
    NoTie,
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
    /// Whether it stands where a verdict may: in the first or in the last line.
    pub(super) is_verdict: bool,
}

impl<T> Statement<T> {
    pub(super) fn with_label(at: usize, stated: T) -> Statement<T> {
        Statement {
            at,
            stated,
            labelled: true,
            is_verdict: true,
        }
    }

    pub(super) fn without_label(at: usize, stated: T) -> Statement<T> {
        Statement {
            labelled: false,
            ..Statement::with_label(at, stated)
        }
    }
}

/// Keeps the judge's own statements: what it quotes or reports is left out, and of those without a
/// label all that stand neither in the first nor in the last line. Only there is one a verdict.
pub(super) fn keep_own<T>(
    text: &str,
    statements: Vec<Statement<T>>,
    cut: bool,
) -> Vec<Statement<T>> {
    let reply = ReplyText::new(text);
    let ends = Ends::of(text, cut);
    let kept = statements.into_iter().map(|one| Statement {
        is_verdict: one.is_verdict && ends.contain(one.at),
        ..one
    });
    kept.filter(|one| is_own(&reply, one.at) && (one.labelled || ends.contain(one.at)))
        .collect()
}

/// Returns the verdict on which statements agree, one of which stands where a verdict may. What
/// else is said on the way may weigh the responses. `name` gives a verdict's name for messages.
pub(super) fn agree_on_verdict<T: Clone + PartialEq>(
    own: &[Statement<T>],
    name: impl Fn(&T) -> String,
) -> Result<T, Unread> {
    let verdict = own.iter().find(|one| one.is_verdict);
    let stated = &verdict.ok_or(Unread::Nothing)?.stated;
    match own.iter().find(|other| other.stated != *stated) {
        Some(other) => Err(Unread::Ambiguous(name(stated), name(&other.stated))),
        None => Ok(stated.clone()),
    }
}

/// Whether what stands at a byte is neither quoted nor reported.
pub(super) fn is_own(reply: &ReplyText, at: usize) -> bool {
    reply.find_quotation(at).is_none() && !is_reported(reply.text, at)
}

/// Whether the line before ends with words that report what somebody else wrote (`One of them
/// says:`).
fn is_reported(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    // Most sentences have no colon before them, and need no look at the whole line.
    if !before.ends_with(':') {
        return false;
    }
    let words = split_tokens(before.lines().next_back().unwrap_or_default());
    let mut last_words = words.iter().rev().take(3);
    last_words.any(|word| word.is_in(Reporting))
}
