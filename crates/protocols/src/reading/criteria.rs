//! Verdicts on several criteria in one reply.

use super::probabilities::make_choice;
use super::{KNOWN_MARKERS, no_verdict, own_text_of};
use crate::form::{ChecklistCalls, Form};
use crate::prompts::Prompts;
use crate::replies::{Unread, read_numbered};
use evenhand_core::{Failure, Outcome, Reply, Verdict, VerdictSource};

/// Reads of each of `count` criteria whether the reply says that it is met: a score of 0 or 1, or
/// the failure of that criterion.
pub(crate) fn read_criteria(count: usize, reply: &Reply, prompts: &Prompts) -> Vec<Outcome> {
    match find_list(reply, prompts.marker()) {
        Ok(text) => read_list(count, reply, &text),
        Err(failure) => vec![Err(failure); count],
    }
}

/// Returns the text in which the list of verdicts stands.
fn find_list(reply: &Reply, marker: &str) -> Result<String, Failure> {
    let text = own_text_of(reply)?;
    Ok(if KNOWN_MARKERS.contains(&marker) {
        text.into_owned()
    } else {
        text.replace(marker, "Verdicts:")
    })
}

fn read_list(count: usize, reply: &Reply, text: &str) -> Vec<Outcome> {
    let read = read_numbered(text, count).into_iter().enumerate();
    read.map(|(at, met)| {
        met.map(make_verdict)
            .map_err(|why| explain_unread(reply, at + 1, &why))
    })
    .collect()
}

fn explain_unread(reply: &Reply, number: usize, why: &Unread) -> Failure {
    no_verdict(
        reply,
        &format!("yes or no for criterion {number}"),
        &why.to_string(),
    )
}

/// Returns the verdict on a criterion that is met, or is not.
pub(super) fn make_verdict(met: bool) -> Verdict {
    let form = Form::Checklist(ChecklistCalls::Each);
    make_choice(form, usize::from(!met), 2, VerdictSource::Text)
}
