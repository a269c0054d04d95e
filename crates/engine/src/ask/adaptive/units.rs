//! The units of an adaptive design: pairs of systems or systems, on the items that they have
//! answered, with outcomes from 0 to 1.

use super::options::{AdaptiveOptions, CertainFor};
use crate::ask::chosen::share_of_lower;
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
        let why = match (form.slots(), form.scale()) {
            (Slots::Two, _) => return Ok(OutcomeScale::Shares),
            (Slots::One, Some(scale)) if matches!(form, Form::Pointwise(..)) => {
                return Ok(OutcomeScale::Points {
                    low: scale.low(),
                    high: scale.high(),
                });
            }
            (Slots::One, _) => format!(
                "its bounds hold for outcomes on a scale, and {form} has none; use a pairwise form \
                 or a score"
            ),
            (Slots::Many(_), _) => {
                "it compares two responses, or scores one; a list of several is neither".into()
            }
        };
        let cause = Cause::Conflict(Setting::Protocol);
        Err(Refusal::new(Setting::Design, cause, why).with_value("adaptive"))
    }

    /// Returns the outcome of a judgment for the first system of its unit; None without a verdict.
    pub(super) fn outcome(self, judgment: &Judgment) -> Option<f64> {
        match (self, judgment.outcome.as_ref().ok()?) {
            // The first of its unit has the lower number, in whatever order the two were shown.
            (OutcomeScale::Shares, _) => share_of_lower(judgment),
            (OutcomeScale::Points { low, high }, Verdict::Pointwise { score, .. }) => {
                Some((score - low) / (high - low))
            }
            _ => None,
        }
    }
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
        let systems = job.dataset.systems.len();
        // The items that all of these systems have answered.
        let answered_by = |systems: &[usize]| {
            let mut items = Vec::from_iter(0..job.dataset.items.len() as u32);
            items.retain(|item| {
                let mut systems = systems.iter();
                systems.all(|system| job.dataset.has_response(*item as usize, *system))
            });
            items
        };
        let items = match scale {
            OutcomeScale::Points { .. } => vec![answered_by(&Vec::from_iter(0..systems))],
            OutcomeScale::Shares => pairs(systems).map(|pair| answered_by(&pair)).collect(),
        };
        Ok(Units {
            scale,
            items,
            systems,
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
        if options.weights.is_some() && options.certain_for == CertainFor::Population {
            let other = Setting::CertainFor;
            let why = format!(
                "a claim about a population needs items that are drawn alike; leave the weights \
                 out, or use {other} items"
            );
            let cause = Cause::Conflict(other);
            return Err(Refusal::new(Setting::ItemWeights, cause, why).into());
        }
        let mut orders = Vec::with_capacity(self.items.len());
        for (unit, items) in (0..).zip(&self.items) {
            orders.push(order_items(items, options, seed, unit)?);
        }
        Ok(match self.scale {
            OutcomeScale::Shares => Layout::Pairs(orders),
            // All systems walk through one order of the items that all have answered.
            OutcomeScale::Points { .. } => Layout::Arms(orders.swap_remove(0)),
        })
    }
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
        None => Ok(Order::random(
            items.len(),
            options.certain_for.population(),
            seed,
            unit,
        )?),
        Some(weights) => {
            let weight_of = |item: &u32| weights.get(*item as usize).copied().unwrap_or_default();
            let weights: Vec<f64> = items.iter().map(weight_of).collect();
            Ok(Order::informative(&weights, ALIKE, seed, unit)?)
        }
    }
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
