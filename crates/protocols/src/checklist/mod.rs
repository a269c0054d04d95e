//! Checklists: of each criterion of an item whether a response meets it, and the weighted share.

mod share;
mod written;

use crate::ask::{Ask, Stop, all, invalid, settled};
use crate::form::ChecklistCalls;
use crate::look_steps::{Looker, Seen};
use crate::prompts::{Context, METRICS, Shown};
use crate::reading::read_criteria;
use crate::scene::Scene;
use evenhand_core::{Criterion, Failure, FailureKind, Item, JudgedCriterion, Outcome, Reply};
use share::weigh_outcomes;
use written::read_written;

/// Returns why a response to this item cannot be judged by the item's own criteria, if it cannot.
pub fn find_unusable_criteria(item: &Item) -> Option<&'static str> {
    if item.criteria.is_empty() {
        Some("no criteria")
    } else if item.criteria.iter().all(Criterion::is_fault) {
        Some("no criterion with a weight above 0")
    } else {
        None
    }
}

/// Looks at a response by the criteria of its item.
pub(crate) struct Checklist<'a> {
    looker: &'a Looker<'a>,
    calls: ChecklistCalls,
}

/// What is asked for an item before its criteria are judged.
struct Asked {
    criteria: Vec<JudgedCriterion>,
    context: Context,
}

impl<'a> Checklist<'a> {
    pub(crate) fn new(looker: &'a Looker<'a>, calls: ChecklistCalls) -> Checklist<'a> {
        Checklist { looker, calls }
    }

    /// Asks for criteria and reference where the judge writes them, then whether each criterion is
    /// met. What came of each is kept as a look, also where another could not be read and the
    /// judgment fails for that.
    pub(crate) fn look(&self, scene: &Scene, ask: &Ask) -> Result<Seen, Stop> {
        let asked = self.ask_before(scene, ask)?;
        let outcomes = match self.calls {
            ChecklistCalls::Together => self.ask_together(scene, &asked, ask)?,
            ChecklistCalls::Each => self.ask_each(scene, &asked, ask)?,
        };
        for (criterion, outcome) in asked.criteria.iter().zip(&outcomes) {
            ask.note_criterion(criterion, outcome.clone());
        }
        Ok(Seen {
            verdict: weigh_outcomes(&asked.criteria, &outcomes)?,
            text: String::new(),
        })
    }

    fn ask_before(&self, scene: &Scene, ask: &Ask) -> Result<Asked, Stop> {
        let context = self.looker.ask_reference(scene, ask);
        let criteria = self.ask_criteria(scene, ask);
        if context.is_err() || criteria.is_err() {
            all([context.map(drop), criteria.map(drop)])?;
            return Err(invalid("neither criteria nor a reference came").into());
        }
        Ok(Asked {
            criteria: criteria?,
            context: context?,
        })
    }

    /// Returns the criteria of the item: its own, or those that the judge writes.
    fn ask_criteria(&self, scene: &Scene, ask: &Ask) -> Result<Vec<JudgedCriterion>, Stop> {
        if self.looker.reasoning.metrics {
            return Ok(number_criteria(&self.ask_written(scene, ask)?, true));
        }
        if let Some(why) = find_unusable_criteria(scene.item) {
            return Err(invalid(format!("the item has {why}")).into());
        }
        Ok(number_criteria(&scene.item.criteria, false))
    }

    /// Asks the judge to write criteria: once, whatever the responses and samples are.
    fn ask_written(&self, scene: &Scene, ask: &Ask) -> Result<Vec<Criterion>, Stop> {
        let item = scene.without_responses();
        let writer = self.looker.writer();
        writer.ask_list(METRICS, &item, &ask.once(), read_written)
    }

    fn ask_together(&self, scene: &Scene, asked: &Asked, ask: &Ask) -> Result<Vec<Outcome>, Stop> {
        let shown = self.show(scene, asked, &asked.criteria, ask);
        let read = |reply: &Reply| read_criteria(asked.criteria.len(), reply, self.looker.prompts);
        let prompt = self.looker.prompts.ask_verdict(&shown)?;
        let reply = ask.whole(prompt, |reply| !read(reply).iter().any(is_cut_short));
        // A call without a reply is a failure of each criterion.
        let [reply] = <[Result<Reply, Failure>; 1]>::try_from(settled([reply])?)
            .map_err(|_| invalid("one call did not give one reply"))?;
        let outcomes = match reply {
            Ok(reply) => read(&reply),
            Err(failure) => return Ok(vec![Err(failure); asked.criteria.len()]),
        };
        blame_call(&outcomes, ask);
        Ok(outcomes)
    }

    fn ask_each(&self, scene: &Scene, asked: &Asked, ask: &Ask) -> Result<Vec<Outcome>, Stop> {
        let criteria = asked.criteria.iter();
        settled(criteria.map(|one| {
            let shown = self.show(scene, asked, std::slice::from_ref(one), ask);
            let prompt = self.looker.prompts.ask_verdict(&shown)?;
            Ok(self.looker.ask_verdict(prompt, &shown, ask)?.verdict)
        }))
    }

    fn show<'s>(
        &self,
        scene: &'s Scene<'s>,
        asked: &'s Asked,
        checklist: &'s [JudgedCriterion],
        ask: &Ask,
    ) -> Shown<'s> {
        let form = self.looker.form;
        Shown {
            checklist,
            ..Shown::new(form, scene, &asked.context, ask.breaks_marks())
        }
    }
}

fn number_criteria(criteria: &[Criterion], model_written: bool) -> Vec<JudgedCriterion> {
    let numbered = (1..).zip(criteria);
    let judged = numbered.map(|(number, criterion)| JudgedCriterion {
        number,
        criterion: criterion.clone(),
        model_written,
    });
    judged.collect()
}

fn is_cut_short(outcome: &Outcome) -> bool {
    matches!(outcome, Err(failure) if failure.kind == FailureKind::Truncated)
}

/// Blames the last call for the first criterion that could not be read from its reply.
fn blame_call(outcomes: &[Outcome], ask: &Ask) {
    let failure = outcomes.iter().find_map(|outcome| outcome.as_ref().err());
    if let (Some(failure), Some(asked)) = (failure, ask.last_call()) {
        ask.blame(failure.kind, asked);
    }
}
