//! The second stage: a model says which verdict a text expresses that the strict reader cannot read
//! (PORTIA, appendix E).

use crate::ask::{Ask, Stop, VerdictOrStop};
use crate::form::Form;
use crate::prompts::{Prompts, Shown};
use crate::reading::read_second_stage;
use evenhand_core::{Failure, Reply};

/// The answer that stands for no verdict.
const NONE: &str = "NONE";

/// Asks the second stage's model for the verdict in a reply.
///
/// # Errors
/// The failure that the strict reader met, where the model finds no verdict or no model is asked.
pub(crate) fn ask_second_stage(
    prompts: &Prompts,
    shown: &Shown,
    reply: &Reply,
    failure: Failure,
    ask: &Ask,
) -> VerdictOrStop {
    let form = shown.form;
    let Some(options) = list_options(form) else {
        return Err(failure.into());
    };
    // Of a reply without a word a model could only make a verdict up.
    if reply.text.trim().is_empty() {
        return Err(failure.into());
    }
    let Some(answer) = ask_model(prompts, shown, reply, &options, ask) else {
        return Err(failure.into());
    };
    let count = shown.scene.responses.len();
    read_second_stage(form, count, &options, &answer?).ok_or_else(|| failure.into())
}

/// Asks which of the options a reply expresses; None where no model is to be asked.
fn ask_model(
    prompts: &Prompts,
    shown: &Shown,
    reply: &Reply,
    options: &[String],
    ask: &Ask,
) -> Option<Result<Reply, Stop>> {
    ask.second_stage(|breaks_marks| {
        let shown = Shown {
            reply: &reply.text,
            breaks_marks,
            ..*shown
        };
        Ok(prompts.ask_extraction(&shown, options.to_vec())?)
    })
}

/// Returns the answers between which the model decides: none for an order, which has too many. None
/// where there is no verdict to find.
fn list_options(form: Form) -> Option<Vec<String>> {
    match form {
        Form::Likelihood(_) => None,
        Form::Listwise(_) => Some(form.second_stage_options()),
        _ => {
            let mut options = form.second_stage_options();
            options.push(NONE.into());
            Some(options)
        }
    }
}
