//! Judgments as pairs that are consistent or not, before and after.

use super::answers::{Answer, answer_of};
use evenhand_core::{Item, Judgment, Look, Response, Side, Stage};
use evenhand_ranking::ItemSlices;
use std::sync::Arc;

/// The step of PORTIA that shows responses as they are.
const ORIGINAL: &str = "original";

/// A pair of responses as one judge compared them.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedPair {
    /// The item's id.
    pub item: Arc<str>,
    /// The question that the item asks: its own id where it shares none.
    pub question: Arc<str>,
    /// The value of the field by which figures are parted; blank where there is none.
    pub value: Arc<str>,
    /// Who wrote the responses, in the order of the data.
    pub systems: [Arc<str>; 2],
    /// Characters of each response.
    pub lengths: [usize; 2],
    /// What both orders preferred before anything was split: None where that was not asked, the
    /// inner None where the orders disagree or one has no verdict.
    pub first: Option<Option<Side>>,
    /// What both orders of the last step preferred; None where they disagree or one has no verdict.
    pub last: Option<Side>,
    /// Whether the orders of the first step disagree, or one has no verdict.
    pub disagrees: bool,
    /// What the looks of the first step said.
    pub answers: Vec<Answer>,
}

impl ComparedPair {
    /// Returns the characters of both responses together.
    pub fn length(&self) -> usize {
        self.lengths[0] + self.lengths[1]
    }

    /// Returns by how many characters one response is longer than the other.
    pub fn difference(&self) -> usize {
        self.lengths[0].abs_diff(self.lengths[1])
    }

    /// Whether the judge was inconsistent before anything was split; None where that was not asked.
    pub(super) fn was_inconsistent(&self) -> Option<bool> {
        self.first.map(|side| side.is_none())
    }

    /// Of a pair that was inconsistent at first, whether it ended consistent; None of others.
    pub(super) fn was_fixed(&self) -> Option<bool> {
        (self.was_inconsistent() == Some(true)).then_some(self.last.is_some())
    }
}

/// Gathers pairs from judgments as they come.
#[derive(Debug, Default)]
pub struct PairCollector {
    /// The pairs so far, in the order of the plan.
    pub pairs: Vec<ComparedPair>,
    /// The value of the field of each item, where figures are parted by one.
    pub slices: Option<ItemSlices>,
    /// Judgments of two responses that are the same. Both orders are one prompt, and a judge that
    /// has to name one of the two cannot agree with itself: they are no pairs.
    pub same: usize,
}

impl PairCollector {
    /// Adds a judgment of a protocol that shows both orders within a trial; one that was not made
    /// of two looks a step, one in either order, is no pair.
    pub fn add(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        let steps = judgment
            .looks
            .chunk_by(|look, next| look.stage == next.stage);
        let steps: Option<Vec<Step<'_>>> = steps.map(read_step).collect();
        let ends = steps
            .as_deref()
            .and_then(|steps| Some((steps.first()?, steps.last()?)));
        let ([a, b], Some((first, last))) = (responses, ends) else {
            return;
        };
        if a.is_same_as(b) {
            self.same += 1;
            return;
        }
        // A method that splits at once has no step that shows the responses as they are.
        let shows_whole = matches!(first.stage, Stage::Only) || first.stage.name() == ORIGINAL;
        self.pairs.push(ComparedPair {
            item: item.id.as_str().into(),
            question: item.question.as_deref().unwrap_or(&item.id).into(),
            value: (self.slices.as_ref())
                .map_or(String::new(), |slices| slices.of_item(item))
                .into(),
            systems: [a, b].map(|response| response.system.clone()),
            lengths: [a, b].map(|response| response.text.chars().count()),
            first: shows_whole.then_some(first.preferred),
            last: last.preferred,
            disagrees: first.preferred.is_none(),
            answers: first.answers.clone(),
        });
    }
}

/// One step of a method.
struct Step<'a> {
    stage: &'a Stage,
    /// What both orders preferred.
    preferred: Option<Side>,
    /// What each look said.
    answers: Vec<Answer>,
}

/// Reads the looks of a step; None where they are not two, one in either order.
fn read_step(looks: &[Look]) -> Option<Step<'_>> {
    let [one, other] = looks else { return None };
    if one.swapped == other.swapped || one.judge != other.judge {
        return None;
    }
    let [side, another] = [one, other].map(|look| look.outcome.as_ref().ok()?.side());
    Some(Step {
        stage: &one.stage,
        preferred: side.filter(|_| side == another),
        answers: looks.iter().map(answer_of).collect(),
    })
}
