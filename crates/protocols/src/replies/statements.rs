//! Statements of a verdict within a reply, and the verdict on which they agree.

use super::ends::Ends;
use super::lex::{Kind, Piece, any_in, count_while, split};
use super::lines::split_lines;
use super::preference::strip_phrase;
use super::tokens::{Token, split_tokens};
use crate::extraction::ReplyText;
use crate::lexicon::List::{Reporting, Revising};
use crate::lexicon::Phrases;

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

/// Returns the verdict on which statements of a text agree, one of which stands where a verdict may
/// and is not taken back. What else is said on the way may weigh the responses. `name` gives a
/// verdict's name for messages.
pub(super) fn agree_on_verdict<T: Clone + PartialEq>(
    text: &str,
    own: &[Statement<T>],
    name: impl Fn(&T) -> String,
) -> Result<T, Unread> {
    let taken_back = find_retraction(text);
    let stands = |one: &&Statement<T>| taken_back.is_none_or(|at| at <= one.at);
    let verdict = own.iter().find(|one| one.is_verdict && stands(one));
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

/// Returns where the last sentence begins in which the judge takes back what it wrote before:
/// `On second thought, B`, `Revised score: 5`, and a line such as `No, B`.
pub(super) fn find_retraction(text: &str) -> Option<usize> {
    let reply = ReplyText::new(text);
    let mut found = None;
    for line in split_lines(text) {
        for (at, sentence) in line.sentences() {
            let takes_back = takes_back(&split(sentence), at == line.at);
            if takes_back && is_own(&reply, at) {
                found = Some(at);
            }
        }
    }
    found
}

fn takes_back(sentence: &[Piece], begins_line: bool) -> bool {
    let begin = count_while(sentence, |piece| {
        piece.is(&["but", "hm", "hmm"])
            || piece.is_stop(",")
            || piece.is_sign(&["-"])
            || piece.kind == Kind::Open
    });
    let sentence = &sentence[begin..];
    let [first, rest @ ..] = sentence else {
        return false;
    };
    let next = rest.first();
    // `No errors were found` takes nothing back; nor does the `no` of a list (`2. No, it is long`).
    // `A... no, B` does.
    let is_other = matches!(rest, [_, other, behind @ ..]
        if ["A", "B"].contains(&other.raw.as_str())
            && behind.first().is_none_or(|next| next.is_stop(".!")));
    let denies = (begins_line || is_other)
        && first.is(&["no", "nein", "non"])
        && next.is_some_and(|next| next.is_stop(",:") || next.is_sign(&["-"]));
    // `Actually, B`; `Actually answers the question: yes` is a criterion.
    let stops = next.is_some_and(|next| next.is_stop(".,:!") || next.is_sign(&["-"]));
    let starts_again = first.is(&["actually", "wait", "oops"]) && stops;
    // `Revised score: 5`, `Deductions: 3`.
    let revises = first.is_in(Revising) && rest.iter().take(2).any(|piece| piece.is_stop(":"));
    // `After deductions: 5`
    let colon = rest.iter().take(5).position(|piece| piece.is_stop(":"));
    let revises = revises
        || first.is(&["after"]) && colon.is_some_and(|colon| any_in(&rest[..colon], Revising));
    let takes_off = first.is(&["minus"]) && next.is_some_and(|next| next.number().is_some());
    let takes_back = strip_phrase(sentence, Phrases::TakingBack.list()).is_some();
    denies || starts_again || revises || takes_off || takes_back
}

/// Whether the line before reports what somebody else wrote: with its last words (`One of them
/// says:`), or with any where nothing in it is the judge's own (`It ends with this line:`).
pub(super) fn is_reported(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    // The fence of an object is no line of words.
    let before = match before.rsplit_once('\n') {
        Some((above, fence)) if fence.trim_start().starts_with("```") => above.trim_end(),
        _ => before,
    };
    // Most sentences have no colon before them, and need no look at the whole line.
    if !before.ends_with(':') {
        return false;
    }
    let words = split_tokens(before.lines().next_back().unwrap_or_default());
    let reports = |word: &Token| word.is_in(Reporting);
    let judges_own = [
        "i", "my", "we", "our", "verdict", "better", "best", "winner",
    ];
    let is_own = words.iter().any(|word| word.is_any_of(&judges_own));
    words.iter().rev().take(3).any(reports) || !is_own && words.iter().any(reports)
}
