//! Texts that the judge writes before its verdict.

use crate::ask::{Ask, Stop};
use crate::form::Form;
use crate::prompts::{Context, Prompts, Shown, TextPrompt};
use crate::reading;
use crate::scene::Scene;
use evenhand_core::{Failure, FailureKind, Finish, Reply};

/// Asks the judge for texts about responses in one form.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub(crate) form: Form,
    pub(crate) prompts: &'a Prompts,
}

impl Writer<'_> {
    /// Asks the judge to write a text.
    pub(crate) fn ask_text(
        &self,
        text: TextPrompt,
        scene: &Scene,
        context: &Context,
        ask: &Ask,
    ) -> Result<String, Stop> {
        let shown = Shown::new(self.form, scene, context, ask.breaks_marks());
        let prompt = self.prompts.ask_text(text, &shown)?;
        let reply = ask.whole(prompt, |reply| !reply.text.trim().is_empty())?;
        self.read_blaming(&reply, ask, read_text)
    }

    /// Asks the judge to write a list, which says too little where it was cut short.
    pub(crate) fn ask_list<T>(
        &self,
        text: TextPrompt,
        scene: &Scene,
        ask: &Ask,
        read: impl Fn(&str) -> Result<T, Failure>,
    ) -> Result<T, Stop> {
        let context = Context::default();
        let shown = Shown::new(self.form, scene, &context, ask.breaks_marks());
        let reply = ask.whole(self.prompts.ask_text(text, &shown)?, |_| false)?;
        self.read_blaming(&reply, ask, |reply| {
            let text = read_text(reply)?;
            if reply.finish == Finish::Length {
                let why = format!(
                    "the list ended at its limit of tokens: {}",
                    reading::excerpt(&text)
                );
                return Err(Failure::new(FailureKind::Truncated, why));
            }
            read(&text)
        })
    }

    /// Reads a reply; where that fails, the call is to blame.
    fn read_blaming<T>(
        &self,
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
}

/// Reads a text that the judge was asked to write.
fn read_text(reply: &Reply) -> Result<String, Failure> {
    let text = reply.text.trim();
    if reply.finish == Finish::Refusal {
        let words = reading::excerpt(&reply.text);
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
