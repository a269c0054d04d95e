//! The second stage: a model says which verdict a text expresses that the strict reader cannot read
//! (PORTIA, appendix E).

use crate::ask::{Ask, VerdictOrStop};
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
    // Of a reply without a word a model could only make a verdict up.
    if form.asks_nothing() || reply.text.trim().is_empty() {
        return Err(failure.into());
    }
    // There are none for an order, which has too many.
    let mut options = form.second_stage_options();
    if !matches!(form, Form::Listwise(_)) {
        options.push(NONE.into());
    }
    let answer = ask.second_stage(|breaks_marks| {
        let shown = Shown {
            reply: &reply.text,
            breaks_marks,
            ..*shown
        };
        Ok(prompts.ask_extraction(&shown, options.clone())?)
    });
    let Some(answer) = answer else {
        return Err(failure.into());
    };
    let count = shown.scene.responses.len();
    read_second_stage(form, count, &options, &answer?).ok_or_else(|| failure.into())
}
