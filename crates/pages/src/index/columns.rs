//! The judgments of a run as columns: about 70 bytes each.

use super::entry::{EntryOutcome, JudgmentEntry};
use crate::names::Names;
use evenhand_core::FailureKind;
use rustc_hash::FxHashMap;

/// In place of a number where there is none.
pub(crate) const NONE: u32 = u32::MAX;

/// The kinds of ends that a judgment has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Pair,
    Score,
    Places,
    Failed,
}

/// More than two systems that were shown together, and their places where there is a verdict.
#[derive(Clone, Debug)]
pub(crate) struct ListShown {
    pub(crate) systems: Vec<u32>,
    pub(crate) places: Option<Vec<f64>>,
}

/// The judgments of a run, column by column in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub(crate) trial: Vec<u32>,
    pub(crate) item: Vec<u32>,
    pub(crate) first: Vec<u32>,
    /// [`NONE`] for a single response.
    pub(crate) second: Vec<u32>,
    pub(crate) replicate: Vec<u32>,
    /// The probabilities of first, tie and second; of a score, the score and two zeros.
    pub(crate) figures: Vec<[f64; 3]>,
    states: Vec<u8>,
    calls: Vec<u32>,
    /// Where the calls of each judgment end.
    call_ends: Vec<u32>,
    /// Tokens of its calls.
    pub(crate) tokens: Vec<u32>,
    /// USD of its calls; NaN where that is not known.
    cost: Vec<f64>,
    lists: FxHashMap<u32, ListShown>,
}

const STATE_BITS: u8 = 0b11;
const FLIPPED: u8 = 1 << 2;
const SPLIT: u8 = 1 << 3;
const FAILURE_SHIFT: u8 = 4;
const STATES: [State; 4] = [State::Pair, State::Score, State::Places, State::Failed];

impl Columns {
    pub(crate) fn len(&self) -> usize {
        self.trial.len()
    }

    /// Makes room for this many more judgments.
    pub(crate) fn reserve(&mut self, more: usize) {
        for column in [
            &mut self.trial,
            &mut self.item,
            &mut self.first,
            &mut self.second,
            &mut self.replicate,
            &mut self.call_ends,
            &mut self.tokens,
            &mut self.calls,
        ] {
            column.reserve(more);
        }
        self.figures.reserve(more);
        self.states.reserve(more);
        self.cost.reserve(more);
    }

    /// Adds a judgment of this item, and returns its number.
    pub(crate) fn push(
        &mut self,
        entry: &JudgmentEntry<'_>,
        item: u32,
        systems: &mut Names,
    ) -> u32 {
        let number = self.len() as u32;
        let shown: Vec<u32> = entry
            .systems
            .iter()
            .map(|name| systems.intern(name))
            .collect();
        self.trial.push(u32::try_from(entry.trial).unwrap_or(NONE));
        self.item.push(item);
        self.first.push(shown.first().copied().unwrap_or(NONE));
        self.second.push(shown.get(1).copied().unwrap_or(NONE));
        self.replicate.push(entry.replicate);
        let (state, figures) = match &entry.outcome {
            EntryOutcome::Pair(chances) => (State::Pair as u8, *chances),
            EntryOutcome::Score(score) => (State::Score as u8, [*score, 0.0, 0.0]),
            EntryOutcome::Places(_) => (State::Places as u8, [0.0; 3]),
            EntryOutcome::Failed(kind) => {
                let place = *kind as u8;
                (State::Failed as u8 | (place << FAILURE_SHIFT), [0.0; 3])
            }
        };
        let flipped = if entry.looks.flipped { FLIPPED } else { 0 };
        let split = if entry.looks.split { SPLIT } else { 0 };
        self.states.push(state | flipped | split);
        self.figures.push(figures);
        self.calls.extend_from_slice(&entry.calls);
        self.call_ends.push(self.calls.len() as u32);
        self.tokens.push(0);
        self.cost.push(f64::NAN);
        if shown.len() > 2 {
            let places = match &entry.outcome {
                EntryOutcome::Places(places) => Some(places.clone()),
                _ => None,
            };
            let list = ListShown {
                systems: shown,
                places,
            };
            self.lists.insert(number, list);
        }
        number
    }

    fn state(&self, at: u32) -> State {
        STATES[(self.states[at as usize] & STATE_BITS) as usize]
    }

    /// Returns why a judgment has no verdict; None where it has one.
    pub(crate) fn failure(&self, at: u32) -> Option<FailureKind> {
        let place = self.states[at as usize] >> FAILURE_SHIFT;
        (self.state(at) == State::Failed).then(|| FailureKind::ALL[place as usize])
    }

    pub(crate) fn is_flipped(&self, at: u32) -> bool {
        self.states[at as usize] & FLIPPED != 0
    }

    pub(crate) fn is_split(&self, at: u32) -> bool {
        self.states[at as usize] & SPLIT != 0
    }

    /// Returns the probabilities of first, tie and second, where a pair has a verdict.
    pub(crate) fn chances(&self, at: u32) -> Option<[f64; 3]> {
        (self.state(at) == State::Pair).then(|| self.figures[at as usize])
    }

    /// Returns the score of a single response, where it has one.
    pub(crate) fn score(&self, at: u32) -> Option<f64> {
        (self.state(at) == State::Score).then(|| self.figures[at as usize][0])
    }

    /// Returns the systems that were shown together, where they are more than two.
    pub(crate) fn list(&self, at: u32) -> Option<&ListShown> {
        self.lists.get(&at)
    }

    pub(crate) fn cost(&self, at: u32) -> Option<f64> {
        let cost = self.cost[at as usize];
        (!cost.is_nan()).then_some(cost)
    }

    /// Returns the rows of the calls that a judgment rests on.
    pub(crate) fn calls(&self, at: u32) -> &[u32] {
        let end = self.call_ends[at as usize] as usize;
        let start = (at as usize).checked_sub(1);
        let start = start.map_or(0, |before| self.call_ends[before] as usize);
        &self.calls[start..end]
    }

    pub(crate) fn set_usage(&mut self, at: u32, tokens: u64, cost: Option<f64>) {
        self.tokens[at as usize] = u32::try_from(tokens).unwrap_or(NONE);
        self.cost[at as usize] = cost.unwrap_or(f64::NAN);
    }
}
