//! What an adaptive design judges: pairs of systems or systems, on the items that they have answered,
//! with outcomes from 0 to 1.

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
        match (form.slots(), form.scale(), form) {
            (Slots::Two, ..) => Ok(OutcomeScale::Shares),
            (Slots::One, Some(scale), Form::Pointwise(_)) => Ok(OutcomeScale::Points {
                low: scale.low(),
                high: scale.high(),
            }),
            (Slots::One, ..) => Err(refuse_form(
                "its bounds hold for outcomes on a scale, and a likelihood has none; use a \
                 pairwise form or a score",
            )),
            _ => Err(refuse_form(
                "it compares two responses, or scores one; a list of several is neither",
            )),
        }
    }

    /// Returns the outcome of a judgment for the first system of its unit; None without a verdict.
    pub(super) fn outcome(self, judgment: &Judgment) -> Option<f64> {
        let verdict = judgment.outcome.as_ref().ok()?;
        match (verdict, self, &judgment.trial.systems[..]) {
            (Verdict::Pointwise { score, .. }, OutcomeScale::Points { low, high }, _) => {
                Some((score - low) / (high - low))
            }
            (verdict, OutcomeScale::Shares, [first, second]) => {
                let [wins, ties, _] = verdict.preference()?;
                let share = wins + ties / 2.0;
                Some(if first < second { share } else { 1.0 - share })
            }
            _ => None,
        }
    }
}

fn refuse_form(why: &str) -> Refusal {
    let cause = Cause::Conflict(Setting::Protocol);
    Refusal::new(Setting::Design, cause, why).with_value("adaptive")
}

/// Why items have no weights where they are a sample.
fn refuse_weights() -> Refusal {
    let why = format!(
        "a claim about a population needs items that are drawn alike; leave the weights out, or \
         use {} items",
        Setting::CertainFor
    );
    Refusal::new(
        Setting::ItemWeights,
        Cause::Conflict(Setting::CertainFor),
        why,
    )
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
        let items = match scale {
            OutcomeScale::Points { .. } => vec![answered_by(job, &Vec::from_iter(0..systems))],
            OutcomeScale::Shares => pairs(systems).map(|pair| answered_by(job, &pair)).collect(),
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
        let items: usize = self.items.iter().map(Vec::len).sum();
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
            return Err(refuse_weights().into());
        }
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
        (0..)
            .zip(&self.items)
            .map(|(unit, items)| order_items(items, options, seed, unit))
            .collect()
    }
}

/// The items that all of these systems have answered.
fn answered_by(job: &Job, systems: &[usize]) -> Vec<u32> {
    let dataset = &job.dataset;
    let by_all = |item: &u32| {
        systems
            .iter()
            .all(|system| dataset.has_response(*item as usize, *system))
    };
    (0..dataset.items.len() as u32).filter(by_all).collect()
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
    let population = options.certain_for.population();
    let Some(all_weights) = &options.weights else {
        return Order::random(items.len(), population, seed, unit);
    };
    let mut weights = Vec::with_capacity(items.len());
    for item in items {
        weights.push(all_weights.get(*item as usize).copied().unwrap_or_default());
    }
    Order::informative(&weights, ALIKE, seed, unit)
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
