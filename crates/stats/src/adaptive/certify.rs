//! Which orders are certain enough: Holm's method on tests that hold at all times.

use super::contest::{Contest, Leader};

/// The pairs certified so far.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    alpha: f64,
    sides: Vec<Option<Leader>>,
    count: usize,
}

/// A pair whose order is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certified {
    /// The system with the larger mean.
    pub above: usize,
    /// The system with the smaller mean.
    pub below: usize,
}

impl Certificate {
    pub(super) fn new(pairs: usize, alpha: f64) -> Certificate {
        Certificate {
            alpha,
            sides: vec![None; pairs],
            count: 0,
        }
    }

    /// The wealth that certifies the next pair: (2 m - r) / alpha with m pairs, two hypotheses
    /// each, of which r are rejected.
    pub(super) fn bar(&self) -> f64 {
        (2 * self.sides.len() - self.count) as f64 / self.alpha
    }

    pub(super) fn side(&self, pair: usize) -> Option<Leader> {
        self.sides[pair]
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Certifies every pair whose wealth has reached the bar. The bar falls with each, so that one
    /// may bring others: after each the search begins again.
    pub(super) fn update(&mut self, contests: &[Contest]) {
        let mut pair = 0;
        while pair < contests.len() {
            let (wealth, side) = contests[pair].evidence();
            if self.sides[pair].is_none() && wealth >= self.bar() {
                self.sides[pair] = Some(side);
                self.count += 1;
                pair = 0;
            } else {
                pair += 1;
            }
        }
    }
}
