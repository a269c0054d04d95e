//! Texts that the judge writes before its verdict.

use crate::ask::{Ask, Stop};
use crate::prompts::{Context, Prompts, Shown, TextPrompt};
use crate::replies::excerpt;
use crate::scene::Scene;
use evenhand_core::{Failure, FailureKind, Finish, Reply};

/// Asks the judge to write a text.
pub(crate) fn ask_text(
    prompts: &Prompts,
    text: TextPrompt,
    scene: &Scene,
    context: &Context,
    ask: &Ask,
) -> Result<String, Stop> {
    let shown = Shown::new(prompts.form(), scene, context, ask.breaks_marks());
    let prompt = prompts.ask_text(text, &shown)?;
    let reply = ask.whole(prompt, |reply| !reply.text.trim().is_empty())?;
    read_blaming(&reply, ask, read_text)
}

/// Asks the judge to write a list, which says too little where it was cut short.
pub(crate) fn ask_list<T>(
    prompts: &Prompts,
    text: TextPrompt,
    scene: &Scene,
    ask: &Ask,
    read: impl Fn(&str) -> Result<T, Failure>,
) -> Result<T, Stop> {
    let context = Context::default();
    let shown = Shown::new(prompts.form(), scene, &context, ask.breaks_marks());
    let reply = ask.whole(prompts.ask_text(text, &shown)?, |_| false)?;
    read_blaming(&reply, ask, |reply| {
        let text = read_text(reply)?;
        if reply.finish == Finish::Length {
            let why = format!("the list ended at its limit of tokens: {}", excerpt(&text));
            return Err(Failure::new(FailureKind::Truncated, why));
        }
        read(&text)
    })
}

/// Reads a reply; where that fails, the call is to blame.
fn read_blaming<T>(
    reply: &Reply,
    ask: &Ask,
    read: impl Fn(&Reply) -> Result<T, Failure>,
) -> Result<T, Stop> {
    let read = read(reply);
    if let (Err(failure), Some(asked)) = (&read, ask.last_call()) {
        ask.blame(failure.kind, asked);
    }
    Ok(read?)
}

/// Reads a text that the judge was asked to write.
fn read_text(reply: &Reply) -> Result<String, Failure> {
    let text = reply.text.trim();
    if reply.finish == Finish::Refusal {
        let words = excerpt(&reply.text);
        return Err(Failure::new(FailureKind::Refused, words));
    }
    if !text.is_empty() {
        return Ok(text.to_string());
    }
    Err(match reply.finish {
        Finish::Length => Failure::new(
            FailureKind::Truncated,
            "an analysis was asked for, and the reply ended before its first word",
        ),
        _ => Failure::new(
            FailureKind::Unparsed,
            "an analysis was asked for, and the reply is empty",
        ),
    })
}
