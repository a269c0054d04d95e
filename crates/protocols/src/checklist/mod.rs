//! Checklists: of each criterion of an item whether a response meets it, and the weighted share.

mod share;
mod written;

use crate::ask::{Ask, Stop, VerdictOrStop, invalid, settle, settled};
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
        return Some("no criteria");
    }
    let has_merit = item.criteria.iter().any(|one| !one.is_fault());
    (!has_merit).then_some("no criterion with a weight above 0")
}

/// A look at a response by the criteria of its item.
pub(crate) struct Checklist<'a> {
    pub(crate) looker: &'a Looker<'a>,
    pub(crate) calls: ChecklistCalls,
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) ask: &'a Ask<'a>,
}

/// What is asked for an item before its criteria are judged.
struct Asked {
    criteria: Vec<JudgedCriterion>,
    context: Context,
}

impl Checklist<'_> {
    /// Asks for criteria and reference where the judge writes them, then whether each criterion is
    /// met. What came of each is kept as a look, also where another could not be read and the
    /// judgment fails for that.
    pub(crate) fn look(&self) -> Result<Seen, Stop> {
        let asked = self.ask_before()?;
        let outcomes = self.ask_verdicts(&asked)?;
        self.note_criteria(&asked, &outcomes);
        Ok(Seen {
            verdict: weigh_outcomes(&asked.criteria, &outcomes)?,
            text: String::new(),
        })
    }

    fn ask_before(&self) -> Result<Asked, Stop> {
        let context = self.looker.ask_reference(self.scene, self.ask);
        let (context, criteria) = join(context, self.ask_criteria())?;
        Ok(Asked { criteria, context })
    }

    /// Returns the criteria of the item: its own, or those that the judge writes.
    fn ask_criteria(&self) -> Result<Vec<JudgedCriterion>, Stop> {
        Ok(if self.looker.reasoning.metrics {
            number_criteria(&self.ask_written()?, true)
        } else {
            number_criteria(self.own_criteria()?, false)
        })
    }

    /// Asks the judge to write criteria: once, whatever the responses and samples are.
    fn ask_written(&self) -> Result<Vec<Criterion>, Stop> {
        let item = self.scene.without_responses();
        let writer = self.looker.writer();
        writer.ask_list(METRICS, &item, &self.ask.once(), read_written)
    }

    fn own_criteria(&self) -> Result<&[Criterion], Failure> {
        let item = self.scene.item;
        match find_unusable_criteria(item) {
            Some(why) => Err(invalid(format!("the item has {why}"))),
            None => Ok(&item.criteria),
        }
    }

    fn ask_verdicts(&self, asked: &Asked) -> Result<Vec<Outcome>, Stop> {
        match self.calls {
            ChecklistCalls::Together => self.ask_together(asked),
            ChecklistCalls::Each => self.ask_each(asked),
        }
    }

    /// Asks for all verdicts in one call. Without a reply, each criterion fails.
    fn ask_together(&self, asked: &Asked) -> Result<Vec<Outcome>, Stop> {
        let count = asked.criteria.len();
        Ok(match settle(self.ask_list(asked))? {
            Ok(reply) => self.read_list(count, &reply),
            Err(failure) => vec![Err(failure); count],
        })
    }

    fn ask_list(&self, asked: &Asked) -> Result<Reply, Stop> {
        let (count, prompts) = (asked.criteria.len(), self.looker.prompts);
        let shown = self.show(asked, &asked.criteria);
        self.ask.whole(prompts.ask_verdict(&shown)?, |reply| {
            !read_criteria(count, reply, prompts)
                .iter()
                .any(is_cut_short)
        })
    }

    /// Reads the verdicts of a list; where one cannot be read, the call is to blame.
    fn read_list(&self, count: usize, reply: &Reply) -> Vec<Outcome> {
        let outcomes = read_criteria(count, reply, self.looker.prompts);
        let failure = outcomes.iter().find_map(|outcome| outcome.as_ref().err());
        if let (Some(failure), Some(asked)) = (failure, self.ask.last_call()) {
            self.ask.blame(failure.kind, asked);
        }
        outcomes
    }

    fn ask_each(&self, asked: &Asked) -> Result<Vec<Outcome>, Stop> {
        let criteria = asked.criteria.chunks(1);
        settled(criteria.map(|one| self.ask_one(asked, one)))
    }

    fn ask_one(&self, asked: &Asked, one: &[JudgedCriterion]) -> VerdictOrStop {
        let shown = self.show(asked, one);
        let prompt = self.looker.prompts.ask_verdict(&shown)?;
        Ok(self.looker.ask_verdict(prompt, &shown, self.ask)?.verdict)
    }

    fn show<'s>(&'s self, asked: &'s Asked, checklist: &'s [JudgedCriterion]) -> Shown<'s> {
        let (form, breaks_marks) = (self.looker.form, self.ask.breaks_marks());
        Shown {
            checklist,
            ..Shown::new(form, self.scene, &asked.context, breaks_marks)
        }
    }

    fn note_criteria(&self, asked: &Asked, outcomes: &[Outcome]) {
        for (criterion, outcome) in asked.criteria.iter().zip(outcomes) {
            self.ask.note_criterion(criterion, outcome.clone());
        }
    }
}

/// Returns what two asks gave, or why to stop: pending before a failure.
fn join<A, B>(one: Result<A, Stop>, other: Result<B, Stop>) -> Result<(A, B), Stop> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(stop @ Stop::Pending(_)), _) | (_, Err(stop @ Stop::Pending(_))) => Err(stop),
        (Err(stop), _) | (_, Err(stop)) => Err(stop),
    }
}

fn number_criteria(criteria: &[Criterion], model_written: bool) -> Vec<JudgedCriterion> {
    let numbered = (1..).zip(criteria.iter().cloned());
    let judged = numbered.map(|(number, criterion)| JudgedCriterion {
        number,
        criterion,
        model_written,
    });
    judged.collect()
}

fn is_cut_short(outcome: &Outcome) -> bool {
    matches!(outcome, Err(failure) if failure.kind == FailureKind::Truncated)
}
