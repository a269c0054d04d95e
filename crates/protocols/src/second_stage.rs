//! The second stage: a model says which verdict a text expresses that the strict reader cannot read
//! (PORTIA, appendix E).

use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::prompts::{Prompts, Shown};
use crate::reading;
use evenhand_core::{Failure, Reply};

/// The answer that stands for no verdict.
const NONE: &str = "NONE";

/// Asks the second stage's model for the verdict in a reply.
///
/// # Errors
/// The failure that the strict reader met, where the model finds no verdict or none is asked.
pub(crate) fn read(
    prompts: &Prompts,
    shown: &Shown,
    reply: &Reply,
    failure: Failure,
    ask: &Ask,
) -> VerdictOrStop {
    let form = shown.form;
    let mut options = form.second_stage_options();
    match form {
        Form::Likelihood(_) => return Err(failure.into()),
        Form::Listwise(_) => {}
        _ => options.push(NONE.into()),
    }
    let asked = ask.second_stage(|breaks_marks| {
        let shown = Shown {
            reply: &reply.text,
            breaks_marks,
            ..*shown
        };
        Ok(prompts.extract(&shown, options.clone())?)
    });
    let Some(answer) = asked else {
        return Err(failure.into());
    };
    let count = shown.scene.responses.len();
    reading::read_second_stage(form, count, &options, &answer?).ok_or_else(|| failure.into())
}
