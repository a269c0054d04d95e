//! One look at the responses: what comes before the verdict, and the verdict.

pub(crate) use crate::look_steps::{Looker, Seen};

use crate::ask::{Ask, Stop};
use crate::checklist::look_by_criteria;
use crate::decide::look_by_question;
use crate::form::Form;
use crate::prompts::Shown;
use crate::scene::Scene;

impl Looker<'_> {
    /// Asks for criteria and reference, then for analyses, then for the verdict: at most three
    /// rounds, each only where the reasoning has it.
    pub(crate) fn look(&self, scene: &Scene, ask: &Ask) -> Result<Seen, Stop> {
        if let Some(judge) = ask.deciding() {
            return look_by_question(self, judge, scene, ask);
        }
        if let Form::Checklist(calls) = self.prompts.form() {
            return look_by_criteria(self, calls, scene, ask);
        }
        let context = self.ask_context(scene, ask)?;
        let notes = (self.reasoning.kind.take_notes)(self.prompts, scene, &context, ask)?;
        let shown = Shown {
            notes: &notes,
            hides_responses: self.reasoning.analyses_only,
            ..Shown::new(self.prompts.form(), scene, &context, ask.breaks_marks())
        };
        self.ask_verdict(None, &shown, ask)
    }

    /// Asks for the verdict by another prompt file, with two assessments that contradict one
    /// another in view.
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
            ..Shown::new(self.prompts.form(), scene, &context, ask.breaks_marks())
        };
        self.ask_verdict(Some(file), &shown, ask)
    }
}
