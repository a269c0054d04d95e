//! Checklists: of each criterion of an item whether a response meets it, and the weighted share.

mod share;
mod written;

use crate::ask::{Ask, Stop, VerdictOrStop, invalid, join, settle, settled};
use crate::form::ChecklistCalls;
use crate::look_steps::{Looker, Seen};
use crate::prompts::{Context, METRICS, Shown};
use crate::scene::Scene;
use crate::writer::ask_list;
use evenhand_core::{FailureKind, Item, JudgedCriterion, Outcome};
use share::weigh_outcomes;
pub use written::MOST_WRITTEN_CRITERIA;
use written::read_written;

/// Returns why a response to this item cannot be judged by the item's own criteria, if it cannot.
pub fn find_unusable_criteria(item: &Item) -> Option<&'static str> {
    if item.criteria.is_empty() {
        return Some("no criteria");
    }
    let has_merit = item.criteria.iter().any(|one| !one.is_fault());
    (!has_merit).then_some("no criterion with a weight above 0")
}

/// Looks at a response by the criteria of its item.
///
/// Asks for criteria and reference where the judge writes them, then whether each criterion is met.
/// What came of each is kept as a look, also where another could not be read and the judgment fails
/// for that.
pub(crate) fn look_by_criteria(
    looker: &Looker,
    calls: ChecklistCalls,
    scene: &Scene,
    ask: &Ask,
) -> Result<Seen, Stop> {
    let (reference, criteria) = join(
        looker.ask_reference(scene, ask),
        ask_criteria(looker, scene, ask),
    )?;
    let context = Context {
        metrics: None,
        reference,
    };
    let shown = Shown {
        checklist: &criteria,
        ..Shown::new(looker.prompts.form(), scene, &context, ask.breaks_marks())
    };
    let outcomes = match calls {
        ChecklistCalls::Together => ask_together(looker, &shown, ask)?,
        ChecklistCalls::Each(_) => settled(criteria.chunks(1).map(|checklist| -> VerdictOrStop {
            let shown = Shown { checklist, ..shown };
            Ok(looker.ask_verdict(None, &shown, ask)?.verdict)
        }))?,
    };
    see_outcomes(&criteria, &outcomes, ask)
}

/// Notes what came of each criterion, and weighs all of them.
pub(crate) fn see_outcomes(
    criteria: &[JudgedCriterion],
    outcomes: &[Outcome],
    ask: &Ask,
) -> Result<Seen, Stop> {
    for (criterion, outcome) in criteria.iter().zip(outcomes) {
        ask.note_criterion(criterion, outcome.clone());
    }
    Ok(Seen {
        verdict: weigh_outcomes(criteria, outcomes)?,
        text: String::new(),
    })
}

/// Returns the criteria of the item: its own, or those that the judge writes, once, whatever the
/// responses and samples are.
fn ask_criteria(looker: &Looker, scene: &Scene, ask: &Ask) -> Result<Vec<JudgedCriterion>, Stop> {
    let model_written = looker.reasoning.metrics;
    let criteria = if model_written {
        let item = scene.without_responses();
        ask_list(looker.prompts, METRICS, &item, &ask.once(), read_written)?
    } else if let Some(why) = find_unusable_criteria(scene.item) {
        return Err(invalid(format!("the item has {why}")).into());
    } else {
        scene.item.criteria.to_vec()
    };
    let judged = (1..)
        .zip(criteria)
        .map(|(number, criterion)| JudgedCriterion {
            number,
            criterion,
            model_written,
        });
    Ok(judged.collect())
}

/// Asks for all verdicts in one call. Without a reply, each criterion fails; where one cannot be
/// read, the call is to blame.
fn ask_together(looker: &Looker, shown: &Shown, ask: &Ask) -> Result<Vec<Outcome>, Stop> {
    let count = shown.checklist.len();
    let reader = looker.prompts.reader(count);
    let read = |reply: &_| reader.read_criteria(reply);
    let is_cut_short = |outcome: &Outcome| matches!(outcome, Err(failure) if failure.kind == FailureKind::Truncated);
    let prompt = looker.prompts.ask_verdict(shown).map_err(Stop::from);
    let reply =
        prompt.and_then(|prompt| ask.whole(prompt, |reply| !read(reply).iter().any(is_cut_short)));
    let outcomes = match settle(reply)? {
        Ok(reply) => read(&reply),
        Err(failure) => return Ok(vec![Err(failure); count]),
    };
    let failure = outcomes.iter().find_map(|outcome| outcome.as_ref().err());
    if let (Some(failure), Some(asked)) = (failure, ask.last_call()) {
        ask.blame(failure.kind, asked);
    }
    Ok(outcomes)
}
