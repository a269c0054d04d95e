//! How verdicts depend on the order of presentation.

use evenhand_core::{Look, Side, Stage, average};
use std::collections::BTreeMap;

/// How many of the cases of one item have a property, such as the pairs whose two orders agree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ItemShare {
    /// Cases that have it, in whole or in part: from 0 to `cases`.
    pub with: f64,
    /// All cases.
    pub cases: f64,
}

impl ItemShare {
    pub(crate) fn add(&mut self, with: f64) {
        self.with += with;
        self.cases += 1.0;
    }
}

/// How verdicts depend on the order of presentation, item by item in plan order. Where both
/// responses are the same, both orders are one prompt, in which a judge may have to name one of two
/// equal responses: it does not agree with itself, and is not led by the order. Such pairs count
/// for nothing here.
#[derive(Clone, Debug, Default)]
pub struct PositionShares {
    /// Pairs whose two orders agree, of the pairs with a verdict in both orders.
    pub consistent: Vec<ItemShare>,
    /// Probability given to the first slot (ties half), of the verdicts on pairs.
    pub first_slot: Vec<ItemShare>,
    /// The verdicts of the present item whose other order has not come: whether the lower system
    /// came first, and the side that it prefers, as if that one had.
    waiting: BTreeMap<ShownPair, (bool, Side)>,
}

/// Two systems that were shown, whatever the order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ShownPair {
    /// The systems of the list that the two stood in; none for a pair.
    list: Vec<u32>,
    lower: u32,
    higher: u32,
    replicate: u32,
}

/// A verdict between two systems, in the order in which they were shown.
pub(crate) struct ShownVerdict {
    /// The systems of the list that the two stood in, ascending; none for a pair.
    pub(crate) list: Vec<u32>,
    pub(crate) systems: [u32; 2],
    pub(crate) replicate: u32,
    /// Whether both responses are the same.
    pub(crate) same: bool,
    /// The probabilities that the first is better, that they tie, that the second is better.
    pub(crate) preference: [f64; 3],
}

impl PositionShares {
    /// Begins the next item.
    pub(crate) fn begin_item(&mut self) {
        self.waiting.clear();
        self.consistent.push(ItemShare::default());
        self.first_slot.push(ItemShare::default());
    }

    /// Takes a verdict, and compares it with that of the other order if that has come.
    pub(crate) fn add_verdict(&mut self, shown: ShownVerdict) {
        if shown.same {
            return;
        }
        self.add_first_slot(shown.preference);
        let [a, b] = shown.systems;
        let forward = a <= b;
        let side = Side::of(shown.preference);
        let side = if forward { side } else { side.swapped() };
        let pair = ShownPair {
            list: shown.list,
            lower: a.min(b),
            higher: a.max(b),
            replicate: shown.replicate,
        };
        match self.waiting.get(&pair).copied() {
            Some((other_forward, other_side)) if other_forward != forward => {
                self.waiting.remove(&pair);
                self.add_both_orders(other_side == side);
            }
            // The same order again: the last one counts.
            _ => drop(self.waiting.insert(pair, (forward, side))),
        }
    }

    /// Takes the looks of one judge within one trial; where it looked in both orders, it is
    /// consistent if its last stage is. Returns that stage. `same` is whether both responses are
    /// the same.
    pub(crate) fn add_looks<'a>(&mut self, looks: &[&'a Look], same: bool) -> Option<&'a Stage> {
        if !looks.iter().any(|look| look.swapped) {
            return None;
        }
        let last = &looks.last()?.stage;
        if same {
            return Some(last);
        }
        for look in looks {
            // Looks are kept in the slots of the trial; what counts is the slots of the prompt.
            let preference = match &look.outcome {
                Ok(verdict) if look.swapped => verdict.clone().swapped().preference(),
                Ok(verdict) => verdict.preference(),
                Err(_) => None,
            };
            if let Some(preference) = preference {
                self.add_first_slot(preference);
            }
        }
        let [forward, backward] = [false, true].map(|swapped| mean_side(looks, last, swapped));
        if let (Some(forward), Some(backward)) = (forward, backward) {
            self.add_both_orders(forward == backward);
        }
        Some(last)
    }

    fn add_first_slot(&mut self, [first, tie, _]: [f64; 3]) {
        if let Some(share) = self.first_slot.last_mut() {
            share.add(first + tie / 2.0);
        }
    }

    fn add_both_orders(&mut self, agree: bool) {
        if let Some(share) = self.consistent.last_mut() {
            share.add(f64::from(u8::from(agree)));
        }
    }
}

/// Returns the side that the mean of a stage's looks in one order prefers; None where none has a
/// verdict.
fn mean_side(looks: &[&Look], stage: &Stage, swapped: bool) -> Option<Side> {
    let looks = looks.iter();
    let here = looks.filter(|look| look.stage == *stage && look.swapped == swapped);
    let preferences = here.filter_map(|look| look.outcome.as_ref().ok()?.preference());
    average(preferences).map(Side::of)
}
