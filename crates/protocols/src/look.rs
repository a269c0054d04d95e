//! One look at the responses: what comes before the verdict, and the verdict.

pub(crate) use crate::look_steps::{Looker, Seen};

use crate::ask::{Ask, Stop};
use crate::checklist::Checklist;
use crate::form::{ChecklistCalls, Form};
use crate::prompts::Shown;
use crate::scene::Scene;

impl Looker<'_> {
    /// Asks for criteria and reference, then for analyses, then for the verdict: at most three
    /// rounds, each only where the reasoning has it.
    pub(crate) fn look(&self, scene: &Scene, ask: &Ask) -> Result<Seen, Stop> {
        match self.form {
            Form::Checklist(calls) => self.look_at_checklist(calls, scene, ask),
            _ => self.look_at_once(scene, ask),
        }
    }

    fn look_at_checklist(
        &self,
        calls: ChecklistCalls,
        scene: &Scene,
        ask: &Ask,
    ) -> Result<Seen, Stop> {
        let looker = self;
        let checklist = Checklist {
            looker,
            calls,
            scene,
            ask,
        };
        checklist.look()
    }

    fn look_at_once(&self, scene: &Scene, ask: &Ask) -> Result<Seen, Stop> {
        let context = self.ask_context(scene, ask)?;
        let notes = (self.reasoning.kind.take_notes)(&self.writer(), scene, &context, ask)?;
        let shown = Shown {
            notes: &notes,
            hides_responses: self.reasoning.analyses_only,
            ..Shown::new(self.form, scene, &context, ask.breaks_marks())
        };
        self.ask_verdict(self.prompts.ask_verdict(&shown)?, &shown, ask)
    }

    /// Asks for the verdict by another prompt file, with two assessments that contradict one another
    /// in view.
    pub(crate) fn look_again(
        &self,
        file: &str,
        scene: &Scene,
        assessments: [&str; 2],
        ask: &Ask,
    ) -> Result<Seen, Stop> {
        let context = self.ask_context(scene, ask)?;
        let shown = Shown {
            assessments,
            ..Shown::new(self.form, scene, &context, ask.breaks_marks())
        };
        self.ask_verdict(self.prompts.ask_verdict_by(file, &shown)?, &shown, ask)
    }
}
