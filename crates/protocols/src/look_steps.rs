//! The steps of a look: what is asked for an item, and a verdict.

use crate::ask::{Ask, Stop, join};
use crate::prompts::{Beside, Context, METRICS, Prompts, REFERENCE, Shown, TextPrompt};
use crate::reasonings::Reasoning;
use crate::replies::excerpt;
use crate::scene::Scene;
use crate::second_stage::ask_second_stage;
use crate::verdicts::mean;
use crate::writer::ask_text;
use evenhand_core::{Failure, FailureKind, Reply, Verdict, VerdictSource};
use std::cmp::Ordering;

/// The result of a look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// In the slots that were shown.
    pub(crate) verdict: Verdict,
    /// The judge's reply.
    pub(crate) text: String,
}

impl Seen {
    /// Returns this in the slots of the other order.
    pub(crate) fn swapped(self) -> Seen {
        Seen {
            verdict: self.verdict.swapped(),
            text: self.text,
        }
    }
}

/// Takes looks at responses by one form's prompts, with one reasoning.
#[derive(Clone, Copy)]
pub(crate) struct Looker<'a> {
    pub(crate) reasoning: Reasoning,
    pub(crate) prompts: &'a Prompts,
    /// How many looks a pair has: as many questions about one state share a call, where the judge
    /// answers such.
    pub(crate) together: u32,
}

impl Looker<'_> {
    /// Asks for a verdict, and reads it by the strict reader or else by the second stage, where one
    /// is wanted. `file` is the prompt's; None for the form's own.
    pub(crate) fn ask_verdict(
        &self,
        file: Option<&str>,
        shown: &Shown,
        ask: &Ask,
    ) -> Result<Seen, Stop> {
        let count = shown.scene.responses.len();
        let reader = self.prompts.reader(count);
        // A reply that was cut short may have said its verdict all the same.
        let says_enough = |reply: &Reply, shape| {
            let read = reader.read_reply(reply, shape);
            !matches!(read, Err(failure) if failure.kind == FailureKind::Truncated)
        };
        let make_prompt = || match file {
            None => Ok(self.prompts.ask_verdict(shown)?),
            Some(file) => Ok(self.prompts.ask_verdict_by(file, shown)?),
        };
        let shape = self.prompts.shape(count);
        let (reply, shape) = ask.whole_in_shape(make_prompt, shape, says_enough)?;
        // Before the second stage asks: a failure to read is the fault of the judge's own reply.
        let asked = ask.last_call();
        let seen = match reader.read_reply(&reply, shape) {
            Err(failure) if failure.kind == FailureKind::Unparsed => {
                ask_second_stage(self.prompts, shown, &reply, failure, ask)
                    .map(|verdict| (verdict, reply.text))
            }
            read => read.map_err(Stop::from),
        };
        if let (Err(Stop::Failed(failure)), Some(asked)) = (&seen, asked) {
            ask.blame(failure.kind, asked);
        }
        let (verdict, text) = seen?;
        if self.prompts.strict_reading && verdict.source() == VerdictSource::AgainstText {
            let why = format!(
                "the most probable answer is not what the text states: {}",
                excerpt(&text)
            );
            return Err(Stop::Failed(Failure::new(FailureKind::Unparsed, why)));
        }
        Ok(Seen { verdict, text })
    }

    /// Asks about two responses side by side. Which is shown first is no part of what is asked, so
    /// the verdict is mirrored where the scene is.
    pub(crate) fn look_beside(&self, scene: &Scene, ask: &Ask) -> Result<Verdict, Stop> {
        let context = Context::default();
        let shown = Shown::new(self.prompts.form(), scene, &context, ask.breaks_marks());
        let Beside { prompt, order } = self.prompts.ask_beside(&shown)?;
        let reply = ask.one(prompt)?;
        let read = self.prompts.reader(2).read_verdict(&reply);
        if let (Err(failure), Some(asked)) = (&read, ask.last_call()) {
            ask.blame(failure.kind, asked);
        }
        let verdict = read?;
        Ok(match order {
            Ordering::Less => verdict,
            Ordering::Greater => verdict.swapped(),
            // Two that are alike are equally good, whatever the last bits say.
            Ordering::Equal => {
                mean(&[verdict.clone(), verdict.clone().swapped()]).unwrap_or(verdict)
            }
        })
    }

    /// Asks for what belongs to the item: once, whatever the responses and samples are.
    pub(crate) fn ask_context(&self, scene: &Scene, ask: &Ask) -> Result<Context, Stop> {
        let metrics = match self.reasoning.metrics {
            true => self.ask_for_item(METRICS, scene, ask).map(Some),
            false => Ok(None),
        };
        let (metrics, reference) = join(metrics, self.ask_reference(scene, ask))?;
        Ok(Context { metrics, reference })
    }

    /// Returns the item's own reference answer, or else one that the judge writes, where the
    /// reasoning shows one.
    pub(crate) fn ask_reference(&self, scene: &Scene, ask: &Ask) -> Result<Option<String>, Stop> {
        if !self.reasoning.reference {
            return Ok(None);
        }
        match scene.item.reference.as_deref() {
            Some(given) if !given.trim().is_empty() => Ok(Some(given.to_string())),
            _ => self.ask_for_item(REFERENCE, scene, ask).map(Some),
        }
    }

    /// Asks for a text on the item alone.
    fn ask_for_item(&self, prompt: TextPrompt, scene: &Scene, ask: &Ask) -> Result<String, Stop> {
        let item = scene.without_responses();
        ask_text(
            self.prompts,
            prompt,
            &item,
            &Context::default(),
            &ask.once(),
        )
    }
}
