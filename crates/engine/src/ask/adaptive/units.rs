//! The units of an adaptive design: pairs of systems or systems, on the items that they have
//! answered, with outcomes from 0 to 1.

use super::options::{AdaptiveOptions, CertainFor};
use crate::{EngineError, Job};
use evenhand_core::{Cause, Judgment, Refusal, Setting, Verdict};
use evenhand_protocols::{Form, Slots};
use evenhand_stats::adaptive::{AdaptiveError, Layout, Order};

/// The share of places that are dealt to items alike, whatever they weigh: docs/design/adaptive.md
/// has what it costs.
const ALIKE: f64 = 0.7;

/// How an outcome from 0 to 1 is made of a judgment.
#[derive(Clone, Copy, Debug)]
pub(super) enum OutcomeScale {
    /// The share of the first of a pair, a tie half.
    Shares,
    /// A score between these bounds.
    Points { low: f64, high: f64 },
}

impl OutcomeScale {
    /// Returns how a job's judgments become outcomes.
    ///
    /// # Errors
    /// A form that compares more than two responses, or scores one without bounds.
    pub(super) fn of_job(job: &Job) -> Result<OutcomeScale, Refusal> {
        let form = job.protocol.form();
        match form.slots() {
            Slots::Two => Ok(OutcomeScale::Shares),
            Slots::One => point_scale(&form).ok_or_else(|| refuse_form(NO_BOUNDS)),
            Slots::Many(_) => Err(refuse_form(LIST_OF_SEVERAL)),
        }
    }

    /// Returns the outcome of a judgment for the first system of its unit; None without a verdict.
    pub(super) fn outcome(self, judgment: &Judgment) -> Option<f64> {
        let verdict = judgment.outcome.as_ref().ok()?;
        match self {
            OutcomeScale::Shares => share_of_first(verdict, &judgment.trial.systems),
            OutcomeScale::Points { low, high } => Some((score_of(verdict)? - low) / (high - low)),
        }
    }
}

const NO_BOUNDS: &str = "its bounds hold for outcomes on a scale, and a likelihood or a checklist has none; use a \
                         pairwise form or a score";
const LIST_OF_SEVERAL: &str =
    "it compares two responses, or scores one; a list of several is neither";

/// The scale of a form that scores one response, if it has bounds.
fn point_scale(form: &Form) -> Option<OutcomeScale> {
    let scale = form.scale()?;
    let Form::Pointwise(..) = form else {
        return None;
    };
    Some(OutcomeScale::Points {
        low: scale.low(),
        high: scale.high(),
    })
}

fn score_of(verdict: &Verdict) -> Option<f64> {
    match verdict {
        Verdict::Pointwise { score, .. } => Some(*score),
        _ => None,
    }
}

/// The share of the system with the lower number, which is the first of its unit in whatever order
/// the two were shown.
fn share_of_first(verdict: &Verdict, systems: &[u32]) -> Option<f64> {
    let [first, second] = systems else {
        return None;
    };
    let [wins, ties, _] = verdict.preference()?;
    let share = wins + ties / 2.0;
    Some(if first < second { share } else { 1.0 - share })
}

fn refuse_form(why: &str) -> Refusal {
    let cause = Cause::Conflict(Setting::Protocol);
    Refusal::new(Setting::Design, cause, why).with_value("adaptive")
}

/// Why items have no weights where they are a sample.
fn refuse_weights() -> Refusal {
    let other = Setting::CertainFor;
    let why = format!(
        "a claim about a population needs items that are drawn alike; leave the weights out, or \
         use {other} items"
    );
    Refusal::new(Setting::ItemWeights, Cause::Conflict(other), why)
}

/// The items of each unit: of every pair of systems in the order of [`pair_place`], or of all
/// systems together.
pub(super) struct Units {
    pub(super) scale: OutcomeScale,
    items: Vec<Vec<u32>>,
    systems: usize,
}

impl Units {
    pub(super) fn of_job(job: &Job) -> Result<Units, EngineError> {
        let scale = OutcomeScale::of_job(job)?;
        Ok(Units {
            scale,
            items: items_of_units(job, scale),
            systems: job.dataset.systems.len(),
        })
    }

    pub(super) fn count(&self) -> usize {
        self.items.len()
    }

    /// Returns the item of this number of a unit.
    pub(super) fn item(&self, unit: usize, number: usize) -> u32 {
        let items = self.items.get(unit);
        let item = items.and_then(|items| items.get(number));
        item.copied().unwrap_or_default()
    }

    /// Returns the unit of a pair of systems.
    pub(super) fn of_pair(&self, a: usize, b: usize) -> usize {
        pair_place(a, b, self.systems)
    }

    /// Returns how many outcomes there are in all.
    pub(super) fn outcomes(&self) -> usize {
        let items = self.items.iter().map(Vec::len).sum();
        match self.scale {
            OutcomeScale::Shares => items,
            OutcomeScale::Points { .. } => items * self.systems,
        }
    }

    /// Draws the order in which each unit goes through its items.
    pub(super) fn draw_layout(
        &self,
        options: &AdaptiveOptions,
        seed: u64,
    ) -> Result<Layout, EngineError> {
        check_weights(options)?;
        let mut orders = self.draw_orders(options, seed)?;
        Ok(match self.scale {
            OutcomeScale::Shares => Layout::Pairs(orders),
            // All systems walk through one order of the items that all have answered.
            OutcomeScale::Points { .. } => Layout::Arms(orders.swap_remove(0)),
        })
    }

    fn draw_orders(
        &self,
        options: &AdaptiveOptions,
        seed: u64,
    ) -> Result<Vec<Order>, AdaptiveError> {
        let units = (0..).zip(&self.items);
        units
            .map(|(unit, items)| order_items(items, options, seed, unit))
            .collect()
    }
}

fn check_weights(options: &AdaptiveOptions) -> Result<(), Refusal> {
    if options.weights.is_some() && options.certain_for == CertainFor::Population {
        return Err(refuse_weights());
    }
    Ok(())
}

fn items_of_units(job: &Job, scale: OutcomeScale) -> Vec<Vec<u32>> {
    let systems = job.dataset.systems.len();
    match scale {
        OutcomeScale::Points { .. } => vec![answered_by(job, &Vec::from_iter(0..systems))],
        OutcomeScale::Shares => pairs(systems).map(|pair| answered_by(job, &pair)).collect(),
    }
}

/// The items that all of these systems have answered.
fn answered_by(job: &Job, systems: &[usize]) -> Vec<u32> {
    let mut items = Vec::from_iter(0..job.dataset.items.len() as u32);
    items.retain(|item| is_answered_by(job, *item, systems));
    items
}

fn is_answered_by(job: &Job, item: u32, systems: &[usize]) -> bool {
    let mut systems = systems.iter();
    systems.all(|system| job.dataset.has_response(item as usize, *system))
}

/// All pairs of systems: (0, 1), (0, 2), ..., (1, 2), ...
fn pairs(systems: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..systems).flat_map(move |a| (a + 1..systems).map(move |b| [a, b]))
}

/// The place of a pair among [`pairs`].
fn pair_place(a: usize, b: usize, systems: usize) -> usize {
    a * (2 * systems - a - 1) / 2 + b - a - 1
}

fn order_items(
    items: &[u32],
    options: &AdaptiveOptions,
    seed: u64,
    unit: u64,
) -> Result<Order, AdaptiveError> {
    match &options.weights {
        None => Order::random(items.len(), options.certain_for.population(), seed, unit),
        Some(weights) => Order::informative(&weights_of(items, weights), ALIKE, seed, unit),
    }
}

/// The weights of these items, of the weights of all.
fn weights_of(items: &[u32], weights: &[f64]) -> Vec<f64> {
    let weight_of = |item: &u32| weights.get(*item as usize).copied();
    let items = items.iter();
    items
        .map(|item| weight_of(item).unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::options::Until;
    use super::*;

    #[test]
    fn pairs_are_numbered_in_order() {
        for (at, [a, b]) in pairs(5).enumerate() {
            assert_eq!(pair_place(a, b, 5), at);
        }
    }

    #[test]
    fn items_with_large_weights_come_early() {
        let (items, weights): (Vec<u32>, Vec<f64>) = (0..200)
            .map(|item| (item, f64::from(u8::from(item < 20))))
            .unzip();
        let early = |weights: Option<&[f64]>| {
            let weights = weights.map(<[f64]>::to_vec);
            let options = AdaptiveOptions {
                until: Until::All,
                certain_for: CertainFor::Items,
                certainty: 0.95,
                budget: None,
                weights,
            };
            order_items(&items, &options, 1, 0).unwrap().places()[..50]
                .iter()
                .filter(|place| place.item < 20)
                .count()
        };
        // A tenth of the items, and so 5 of 50 places are expected to be theirs; by weight nearly a
        // third of the places is.
        assert!(early(None) < 10 && early(Some(&weights[..])) > 12);
    }
}
