//! The second stage: a model says which verdict a text expresses that the strict reader cannot read
//! (PORTIA, appendix E).

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

/// What the second stage is to reply, in words.
pub(crate) fn expected(form: Form) -> String {
    match form {
        Form::Listwise(_) => {
            "the letters of the responses from best to worst, each once, joined by > or =, as in B \
             > A = C"
                .into()
        }
        form => options(form).join(", "),
    }
}

/// The verdict that the model reads; the failure that the strict reader met where it reads none, or
/// none is asked.
pub(crate) fn read(
    protocol: &Protocol,
    shown: &Shown,
    reply: &Reply,
    failure: Failure,
    ask: &Ask,
) -> Judged {
    let mut options = options(protocol.form);
    match protocol.form {
        Form::Likelihood(_) => return Err(failure.into()),
        Form::Listwise(_) => {}
        _ => options.push(NONE.into()),
    }
    let count = shown.scene.responses.len();
    let shown = |breaks_marks| Shown {
        reply: &reply.text,
        breaks_marks,
        ..*shown
    };
    match ask.second_stage(|breaks_marks| {
        prompt(
            protocol
                .prompts
                .extract(&shown(breaks_marks), options.clone()),
        )
    }) {
        Some(read) => reading::read_second_stage(protocol.form, count, &options, &read?)
            .ok_or_else(|| failure.into()),
        None => Err(failure.into()),
    }
}
