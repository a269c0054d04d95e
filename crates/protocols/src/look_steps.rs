//! The steps of a look: what is asked for an item, and a verdict.

use crate::ask::{Ask, Prompt, Stop, all};
use crate::form::Form;
use crate::prompts::{Context, METRICS, Prompts, REFERENCE, Shown, TextPrompt};
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use crate::structured::Shape;
use crate::writer::Writer;
use crate::{reading, second_stage};
use evenhand_core::{Failure, FailureKind, Reply, Verdict, VerdictSource};

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

/// Takes looks at responses in one form, with one reasoning.
#[derive(Clone, Copy)]
pub(crate) struct Looker<'a> {
    pub(crate) form: Form,
    pub(crate) reasoning: Reasoning,
    pub(crate) prompts: &'a Prompts,
}

impl<'a> Looker<'a> {
    pub(crate) fn writer(&self) -> Writer<'a> {
        Writer {
            form: self.form,
            prompts: self.prompts,
        }
    }
}

impl Looker<'_> {
    pub(crate) fn ask_verdict(
        &self,
        prompt: Prompt,
        shown: &Shown,
        ask: &Ask,
    ) -> Result<Seen, Stop> {
        let count = shown.scene.responses.len();
        let (prompt, shape) = ask.hold(prompt, self.prompts.shape(count));
        let reply = ask.whole(prompt, |reply| self.says_verdict(shown, reply, shape))?;
        self.read_verdict(shown, reply, shape, ask)
    }

    /// Returns whether a reply that was cut short had said its verdict all the same.
    fn says_verdict(&self, shown: &Shown, reply: &Reply, shape: Option<Shape>) -> bool {
        let read = self.read_strictly(shown, reply, shape);
        !matches!(read, Err(failure) if failure.kind == FailureKind::Truncated)
    }

    /// Reads the verdict that a reply expresses, by the strict reader or else by the second stage,
    /// where one is wanted.
    fn read_verdict(
        &self,
        shown: &Shown,
        reply: Reply,
        shape: Option<Shape>,
        ask: &Ask,
    ) -> Result<Seen, Stop> {
        // Before the second stage asks: a failure to read is the fault of the judge's own reply.
        let asked = ask.last_call();
        let seen = match self.read_strictly(shown, &reply, shape) {
            Err(failure) if failure.kind == FailureKind::Unparsed => {
                second_stage::ask_second_stage(self.prompts, shown, &reply, failure, ask)
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
                reading::excerpt(&text)
            );
            return Err(Stop::Failed(Failure::new(FailureKind::Unparsed, why)));
        }
        Ok(Seen { verdict, text })
    }

    fn read_strictly(
        &self,
        shown: &Shown,
        reply: &Reply,
        shape: Option<Shape>,
    ) -> Result<(Verdict, String), Failure> {
        let count = shown.scene.responses.len();
        reading::read_reply(self.form, count, reply, self.prompts, shape)
    }

    /// Asks for what belongs to the item: once, whatever the responses and samples are.
    pub(crate) fn ask_context(&self, scene: &Scene, ask: &Ask) -> Result<Context, Stop> {
        let metrics = self.ask_if(self.reasoning.metrics, METRICS, scene, ask);
        let reference = self.ask_or_give_reference(scene, ask);
        let texts = all([metrics, reference])?;
        let [metrics, reference] = <[Option<String>; 2]>::try_from(texts).unwrap_or_default();
        Ok(Context { metrics, reference })
    }

    /// Asks for the reference answer alone, where the reasoning shows one.
    pub(crate) fn ask_reference(&self, scene: &Scene, ask: &Ask) -> Result<Context, Stop> {
        Ok(Context {
            metrics: None,
            reference: self.ask_or_give_reference(scene, ask)?,
        })
    }

    /// Returns the item's own reference answer, or else one that the judge writes, where the
    /// reasoning shows one.
    fn ask_or_give_reference(&self, scene: &Scene, ask: &Ask) -> Result<Option<String>, Stop> {
        match self.given_reference(scene) {
            Some(given) => Ok(Some(given)),
            None => self.ask_if(self.reasoning.reference, REFERENCE, scene, ask),
        }
    }

    /// Returns the item's own reference answer, where the reasoning shows one and it has words.
    fn given_reference(&self, scene: &Scene) -> Option<String> {
        let given = scene.item.reference.as_deref()?;
        let shown = self.reasoning.reference && !given.trim().is_empty();
        shown.then(|| given.to_string())
    }

    /// Asks for a text on the item alone, where it is wanted.
    fn ask_if(
        &self,
        wanted: bool,
        prompt: TextPrompt,
        scene: &Scene,
        ask: &Ask,
    ) -> Result<Option<String>, Stop> {
        if !wanted {
            return Ok(None);
        }
        let item = scene.without_responses();
        let text = self
            .writer()
            .ask_text(prompt, &item, &Context::default(), &ask.once())?;
        Ok(Some(text))
    }
}
