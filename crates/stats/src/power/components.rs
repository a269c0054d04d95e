//! Where the outcome of a comparison varies: by item, by order, and by chance.

use crate::checks::{check_clusters, check_numbers};
use crate::{Error, Undefined};
use std::collections::BTreeMap;

/// One judgment of a pair of systems: who won, as its item, order and repeat have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOutcome {
    /// The pair of systems; any number.
    pub pair: u32,
    /// The item; any number.
    pub item: u32,
    /// Whether the pair's second system was shown first.
    pub swapped: bool,
    /// By how much the pair's first system won, from -1 to 1: the chance that it won less the
    /// chance that it lost.
    pub lead: f64,
}

/// Variances of one judgment's lead within a pair of systems, in squared leads (a lead is from -1
/// to 1; 0.01 leads are a point).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct VarianceComponents {
    /// Between items, whatever the order: the systems are good at different ones.
    pub item: f64,
    /// Half the mean difference between the two orders, squared: what a fixed preference for a
    /// place adds where each item is judged in one order by chance. Both orders take it out.
    pub order: f64,
    /// Of an item with its order, beyond that.
    pub item_order: f64,
    /// Of a repeat of the same item in the same order; None where nothing was repeated, and it is
    /// then within `item_order`.
    pub repeat: Option<f64>,
    /// Items that the estimates rest on.
    pub items: usize,
}

impl VarianceComponents {
    /// Assumed components, in squared leads.
    ///
    /// # Errors
    /// A number that is negative or not finite.
    pub fn assumed(item: f64, order: f64, item_order: f64, repeat: f64) -> Result<Self, Error> {
        crate::checks::check_weights("variance", &[item, order, item_order, repeat])?;
        Ok(VarianceComponents {
            item,
            order,
            item_order,
            repeat: Some(repeat),
            items: 0,
        })
    }

    /// The variance of an item's mean lead, judged in `orders` (1 by chance, or 2) orders and
    /// `repeats` times in each.
    pub fn of_item_mean(&self, orders: u32, repeats: u32) -> f64 {
        let (orders_f, repeats) = (f64::from(orders.clamp(1, 2)), f64::from(repeats.max(1)));
        let fixed = if orders < 2 { self.order } else { 0.0 };
        let repeat = self.repeat.unwrap_or(0.0);
        self.item + fixed + self.item_order / orders_f + repeat / (orders_f * repeats)
    }
}

/// Estimates the components by the method of moments: mean squares of the nested layout pair, item,
/// order, repeat are set equal to their expectations (Searle, Casella and McCulloch 1992, chapter
/// 4), pooled over pairs. A component that comes out below 0 is 0.
///
/// Of each pair those items count that were judged in both orders (if any were, else all), with as
/// many repeats as each of its cells has: the mean squares of cells of unequal size are weighted by
/// one over the harmonic mean of their sizes. Judged in one order only, `order` and `item_order`
/// are 0, for they are within `item`.
///
/// # Errors
/// A lead that is not from -1 to 1; fewer than 2 items ([`Undefined::TooFewClusters`]), leads that
/// are all the same ([`Undefined::NoVariance`]).
pub fn variance_components(outcomes: &[PairOutcome]) -> Result<VarianceComponents, Error> {
    let leads: Vec<f64> = outcomes.iter().map(|outcome| outcome.lead).collect();
    check_numbers("lead", &leads)?;
    let mut sums = Sums::default();
    for pair in by_pair(outcomes).values() {
        sums.add_pair(pair);
    }
    check_clusters(sums.items)?;
    sums.components().ok_or(Undefined::NoVariance.into())
}

/// The leads of an item: as the pair is named, and swapped.
type Leads = [Vec<f64>; 2];

fn by_pair(outcomes: &[PairOutcome]) -> BTreeMap<u32, BTreeMap<u32, Leads>> {
    let mut pairs: BTreeMap<u32, BTreeMap<u32, Leads>> = BTreeMap::new();
    for outcome in outcomes {
        let leads = pairs.entry(outcome.pair).or_default();
        let leads = leads.entry(outcome.item).or_default();
        leads[usize::from(outcome.swapped)].push(outcome.lead);
    }
    pairs
}

/// Sums of squares with their degrees of freedom.
#[derive(Default)]
struct Sums {
    items: usize,
    /// Of item means, half differences of orders, and repeats.
    squares: [f64; 3],
    freedom: [f64; 3],
    /// The sum over items of 1 / (orders * harmonic mean of repeats), over both orders if any.
    inverse_repeats: f64,
    judged_items: f64,
    /// Half the mean difference of the orders, squared and summed over pairs, less its own error.
    order: f64,
    pairs_of_orders: f64,
    both: bool,
}

impl Sums {
    fn add_pair(&mut self, items: &BTreeMap<u32, Leads>) {
        let both: Vec<&Leads> = items.values().filter(|leads| is_both(leads)).collect();
        let used = if both.is_empty() {
            items.values().collect()
        } else {
            both
        };
        self.both |= used.iter().any(|leads| is_both(leads));
        self.add_repeats(&used);
        self.add_items(&used);
        self.add_orders(&used);
    }

    fn add_repeats(&mut self, items: &[&Leads]) {
        for cell in items.iter().flat_map(|leads| leads.iter()) {
            if let Some(mean) = mean_of(cell) {
                self.squares[2] += cell.iter().map(|lead| (lead - mean).powi(2)).sum::<f64>();
                self.freedom[2] += cell.len() as f64 - 1.0;
                self.inverse_repeats += 1.0 / cell.len() as f64;
            }
        }
        self.judged_items += items.iter().map(|leads| cells_of(leads)).sum::<f64>();
    }

    fn add_items(&mut self, items: &[&Leads]) {
        let means: Vec<f64> = items.iter().filter_map(|leads| item_mean(leads)).collect();
        self.items += means.len();
        self.add_squares(0, &means);
    }

    /// Half differences between the orders, and what their mean says of a fixed preference.
    fn add_orders(&mut self, items: &[&Leads]) {
        let halves = items.iter().filter_map(|leads| half_difference(leads));
        let halves: Vec<f64> = halves.collect();
        let variance = self.add_squares(1, &halves);
        if let (Some(mean), Some(variance)) = (mean_of(&halves), variance) {
            self.order += mean * mean - variance / halves.len() as f64;
            self.pairs_of_orders += 1.0;
        }
    }

    /// Adds the squares around the mean; returns the variance.
    fn add_squares(&mut self, level: usize, values: &[f64]) -> Option<f64> {
        let mean = mean_of(values)?;
        let squares = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        let freedom = values.len() as f64 - 1.0;
        self.squares[level] += squares;
        self.freedom[level] += freedom;
        (freedom > 0.0).then(|| squares / freedom)
    }

    fn mean_square(&self, level: usize) -> Option<f64> {
        let freedom = self.freedom[level];
        (freedom > 0.0).then(|| self.squares[level] / freedom)
    }

    fn components(&self) -> Option<VarianceComponents> {
        let total = self.mean_square(0)?;
        let repeat = self.mean_square(2);
        // The variance of a cell's mean that repeats alone make.
        let noise = repeat.unwrap_or(0.0) * self.inverse_repeats / self.judged_items;
        // Half a difference of two cells, as the mean of two, has half the variance of one.
        let half = self.mean_square(1).unwrap_or(0.0);
        let item = if self.both {
            total - half
        } else {
            total - noise
        };
        let order = (self.order / self.pairs_of_orders.max(1.0)).max(0.0);
        let found = VarianceComponents {
            item: item.max(0.0),
            order,
            item_order: (2.0 * half - noise).max(0.0) * f64::from(u8::from(self.both)),
            repeat,
            items: self.items,
        };
        (found.of_item_mean(1, 1) > 0.0).then_some(found)
    }
}

fn is_both(leads: &Leads) -> bool {
    leads.iter().all(|cell| !cell.is_empty())
}

fn cells_of(leads: &Leads) -> f64 {
    leads.iter().filter(|cell| !cell.is_empty()).count() as f64
}

fn mean_of(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn item_mean(leads: &Leads) -> Option<f64> {
    let means: Vec<f64> = leads.iter().filter_map(|cell| mean_of(cell)).collect();
    mean_of(&means)
}

fn half_difference(leads: &Leads) -> Option<f64> {
    Some((mean_of(&leads[0])? - mean_of(&leads[1])?) / 2.0)
}
