//! Judgments as pairs that are consistent or not, before and after.

use evenhand_core::{Item, Judgment, Look, Response, Side, Stage};
use std::sync::Arc;

/// The step of PORTIA that shows responses as they are.
const ORIGINAL: &str = "original";

/// A pair of responses as one judge compared them.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedPair {
    /// The item's id.
    pub item: Arc<str>,
    /// Who wrote the responses, in the order of the data.
    pub systems: [Arc<str>; 2],
    /// Characters of each response.
    pub lengths: [usize; 2],
    /// What both orders preferred before anything was split: None where that was not asked, the
    /// inner None where the orders disagree or one has no verdict.
    pub first: Option<Option<Side>>,
    /// What both orders of the last step preferred; None where they disagree or one has no verdict.
    pub last: Option<Side>,
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

    /// Returns whether the judge was consistent before anything was split.
    pub(super) fn was_consistent(&self) -> bool {
        self.first.flatten().is_some()
    }

    /// Returns whether it was not, and ended consistent.
    pub(super) fn was_mended(&self) -> bool {
        self.is_inconsistent_at_first() && self.last.is_some()
    }

    pub(super) fn is_inconsistent_at_first(&self) -> bool {
        self.first == Some(None)
    }
}

/// Gathers pairs from judgments as they come.
#[derive(Debug, Default)]
pub struct PairCollector {
    /// The pairs so far, in the order of the plan.
    pub pairs: Vec<ComparedPair>,
    /// Judgments that were not made of two looks a step, one in either order.
    pub unusable: usize,
}

impl PairCollector {
    /// Adds a judgment of a protocol that shows both orders within a trial.
    pub fn add(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        let steps = list_steps(&judgment.looks);
        match (responses, steps.as_deref()) {
            ([a, b], Some([first, .., last])) => self.add_pair(item, [a, b], first, last),
            ([a, b], Some([only])) => self.add_pair(item, [a, b], only, only),
            _ => self.unusable += 1,
        }
    }

    fn add_pair(&mut self, item: &Item, responses: [&Response; 2], first: &Step, last: &Step) {
        self.pairs.push(ComparedPair {
            item: item.id.as_str().into(),
            systems: responses.map(|response| response.system.clone()),
            lengths: responses.map(|response| response.text.chars().count()),
            first: first.shows_whole().then_some(first.preferred),
            last: last.preferred,
        });
    }
}

/// One step of a method.
struct Step<'a> {
    stage: &'a Stage,
    /// What both orders preferred.
    preferred: Option<Side>,
}

impl Step<'_> {
    /// Whether the responses were shown as they are. A method that splits at once has no such step.
    fn shows_whole(&self) -> bool {
        matches!(self.stage, Stage::Only) || self.stage.name() == ORIGINAL
    }
}

/// Returns the steps in the order in which they were taken; None where a step is not two looks, one
/// in either order.
fn list_steps(looks: &[Look]) -> Option<Vec<Step<'_>>> {
    let steps = looks.chunk_by(|look, next| look.stage == next.stage);
    let steps: Option<Vec<Step<'_>>> = steps.map(read_step).collect();
    steps.filter(|steps| !steps.is_empty())
}

fn read_step(looks: &[Look]) -> Option<Step<'_>> {
    let [one, other] = looks else { return None };
    let sides = [one, other].map(preferred_side);
    are_both_orders(one, other).then_some(Step {
        stage: &one.stage,
        preferred: sides[0].filter(|side| sides[1] == Some(*side)),
    })
}

fn are_both_orders(one: &Look, other: &Look) -> bool {
    one.swapped != other.swapped && one.judge == other.judge
}

fn preferred_side(look: &Look) -> Option<Side> {
    look.outcome.as_ref().ok()?.side()
}
