//! Confidence sequences of all pairs together.

use super::contest::Side;
use super::order::Order;
use super::wealth::Test;

/// How often an end of an interval is halved: it is then within 2^-21 of where it should be, on the outer side.
const HALVINGS: usize = 22;

/// What is known of the difference of a pair when it is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairInterval {
    /// The system with the smaller number.
    pub first: usize,
    /// The system with the larger number.
    pub second: usize,
    /// On how many places the pair has been judged.
    pub judged: usize,
    /// The lower end of the interval, from -1.
    pub low: f64,
    /// The upper end of the interval, up to 1.
    pub high: f64,
    /// The certified order, if there is one.
    pub certified: Option<Side>,
}

/// The largest mean known to be too small: one that a test rejects whose wealth has reached `bar`.
///
/// The wealth falls as the mean goes up, in every factor: so the means rejected are all those up to a number.
pub(super) fn lower(order: &Order, differences: impl Iterator<Item = f64> + Clone, bar: f64) -> f64 {
    let rejected = |mean: f64| {
        let mut test = Test::at_most(mean);
        differences.clone().any(|difference| {
            test.observe(order, difference);
            test.peak() >= bar
        })
    };
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        *(if rejected(middle) { &mut low } else { &mut high }) = middle;
    }
    low
}
