//! Confidence sequences of all pairs together.

use super::contest::Leader;
use super::order::{Order, Population};
use super::wealth::Test;
use crate::special::halve_range;

/// How often an end of an interval is halved: it is then within 2^-21 of where it should be, on the
/// outer side.
const HALVINGS: u32 = 22;

/// The interval of the difference of a pair, in [-1, 1]: of mean outcomes
/// ([`Layout::Arms`](super::Layout::Arms)), or the net preference for the first, 2 y - 1
/// ([`Layout::Pairs`](super::Layout::Pairs)).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairInterval {
    /// The system with the smaller number.
    pub first: usize,
    /// The system with the larger number.
    pub second: usize,
    /// On how many places the pair has been judged.
    pub judged: usize,
    /// The lower end of the interval, from -1; 0, which is not part of it, where only the certified
    /// order says that the difference is above it.
    pub low: f64,
    /// The upper end of the interval, up to 1; 0 as for `low`.
    pub high: f64,
    /// The certified order, if there is one.
    pub certified: Option<Leader>,
}

/// The interval of a mean of which `differences` have been seen: its ends by tests whose wealth has
/// reached `bar`, and by what the differences leave possible in a finite population.
///
/// With a chance below alpha the tests reject the true mean, and may leave none that is possible;
/// what is possible is the answer then, and once all is seen it is the mean alone.
pub(super) fn mean_interval(order: &Order, differences: &[f64], bar: f64) -> (f64, f64) {
    let (least, most) = match order.population() {
        Population::Superpopulation => (-1.0, 1.0),
        Population::Finite => {
            let items = order.len() as f64;
            let sum = differences.iter().sum::<f64>();
            let left = items - differences.len() as f64;
            ((sum - left) / items, (sum + left) / items)
        }
    };
    let negated = differences.iter().map(|difference| -difference);
    let low = rejected_up_to(order, differences.iter().copied(), bar).min(most);
    let high = (-rejected_up_to(order, negated, bar)).max(least);
    // The tests may have rejected every mean that is possible; see above.
    if low <= high {
        (low, high)
    } else {
        (least, most)
    }
}

/// The largest mean known to be too small: one that a test rejects whose wealth has reached `bar`.
///
/// The wealth falls as the mean goes up, in every factor: so the means rejected are all those up to
/// a number.
fn rejected_up_to(order: &Order, differences: impl Iterator<Item = f64> + Clone, bar: f64) -> f64 {
    let is_rejected = |mean: f64| {
        let mut test = Test::at_most(mean);
        differences.clone().any(|difference| {
            test.observe(order, difference);
            test.peak() >= bar
        })
    };
    halve_range((-1.0, 1.0), HALVINGS, is_rejected).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_where_the_test_stops_rejecting() {
        let differences = [0.5, 0.3, 0.6, -0.1, 0.4, 0.5, 0.7, 0.2];
        for population in [Population::Superpopulation, Population::Finite] {
            let order = Order::random(12, population, 0, 0).unwrap();
            let peak = |mean: f64| {
                let mut test = Test::at_most(mean);
                differences
                    .iter()
                    .for_each(|difference| test.observe(&order, *difference));
                test.peak()
            };
            let low = rejected_up_to(&order, differences.iter().copied(), 10.0);
            assert!(
                peak(low) >= 10.0 && peak(low + 1e-6) < 10.0 && low > -0.5,
                "{low}"
            );
        }
    }

    #[test]
    fn certain_bounds_of_a_finite_population() {
        // Two of four are 1: the mean is at least (2 - 2) / 4, and that needs no bet.
        let order = Order::random(4, Population::Finite, 0, 0).unwrap();
        let low = rejected_up_to(&order, [1.0, 1.0].into_iter(), 1e300);
        assert!(low <= 0.0 && low > -1e-6, "{low}");
        assert_eq!(rejected_up_to(&order, [].into_iter(), 10.0), -1.0);
    }

    #[test]
    fn a_true_mean_that_was_rejected_comes_back_when_all_is_seen() {
        // Twelve differences of 0.9 first, then -1 to the end: an order as unlikely as can be.
        let order = Order::random(40, Population::Finite, 0, 0).unwrap();
        let differences: Vec<f64> = (0..40)
            .map(|place| if place < 12 { 0.9 } else { -1.0 })
            .collect();
        let mean = differences.iter().sum::<f64>() / 40.0;
        assert!(
            rejected_up_to(&order, differences.iter().copied(), 10.0) > mean + 0.1,
            "rejected"
        );
        let (low, high) = mean_interval(&order, &differences, 10.0);
        assert!(
            low <= mean && mean <= high && high - low < 1e-5,
            "{low} {mean} {high}"
        );
        for seen in 0..40 {
            let (low, high) = mean_interval(&order, &differences[..seen], 10.0);
            assert!(
                (-1.0..=high).contains(&low) && high <= 1.0,
                "{seen} {low} {high}"
            );
        }
    }
}
