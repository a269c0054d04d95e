//! Verdicts on several criteria in one reply.

use super::probabilities::make_choice;
use super::{KNOWN_MARKERS, no_verdict, own_text_of};
use crate::form::{ChecklistCalls, Form};
use crate::prompts::Prompts;
use crate::replies::read_numbered;
use evenhand_core::{Outcome, Reply, Verdict, VerdictSource};
use std::borrow::Cow;

/// Reads of each of `count` criteria whether the reply says that it is met: a score of 0 or 1, or
/// the failure of that criterion.
pub(crate) fn read_criteria(count: usize, reply: &Reply, prompts: &Prompts) -> Vec<Outcome> {
    let mut text = match own_text_of(reply) {
        Ok(text) => text,
        Err(failure) => return vec![Err(failure); count],
    };
    let marker = prompts.marker();
    if !KNOWN_MARKERS.contains(&marker) {
        text = Cow::Owned(text.replace(marker, "Verdicts:"));
    }
    let mut outcomes = Vec::new();
    for (number, met) in (1..).zip(read_numbered(&text, count)) {
        outcomes.push(met.map(make_verdict).map_err(|why| {
            let expected = format!("yes or no for criterion {number}");
            no_verdict(reply, &expected, &why.to_string())
        }));
    }
    outcomes
}

/// Returns the verdict on a criterion that is met, or is not.
pub(super) fn make_verdict(met: bool) -> Verdict {
    let form = Form::Checklist(ChecklistCalls::Each);
    make_choice(form, usize::from(!met), 2, VerdictSource::Text)
}
