//! The second stage: a model says which verdict a text expresses that the strict reader cannot read (PORTIA, appendix E).

use crate::ask::{Ask, Judged};
use crate::look::prompt;
use crate::prompts::Shown;
use crate::{Form, Protocol, reading};
use evenhand_core::{Failure, Reply};

/// The answer that stands for no verdict.
const NONE: &str = "NONE";

/// The verdicts between which the second stage decides. Of two scores it says only which is higher.
pub(crate) fn options(form: Form) -> Vec<String> {
    match form {
        Form::PairwiseScore(_) => Form::PairwiseTie.options(),
        form => form.options(),
    }
}

/// The verdict that the model reads; the failure that the strict reader met where it reads none, or none is asked.
pub(crate) fn read(protocol: &Protocol, shown: &Shown, reply: &Reply, failure: Failure, ask: &Ask) -> Judged {
    let mut options = options(protocol.form);
    if options.is_empty() {
        return Err(failure.into());
    }
    options.push(NONE.into());
    let shown = |breaks_marks| Shown { reply: &reply.text, breaks_marks, ..*shown };
    match ask.second_stage(|breaks_marks| prompt(protocol.prompts.extract(&shown(breaks_marks), options.clone()))) {
        Some(read) => reading::read_second_stage(protocol.form, &options, &read?).ok_or_else(|| failure.into()),
        None => Err(failure.into()),
    }
}
