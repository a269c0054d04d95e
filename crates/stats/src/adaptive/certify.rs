//! Which orders are certain enough: Holm's method on tests that hold at all times.

use super::contest::{Contest, Side};

/// The pairs certified so far.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    alpha: f64,
    sides: Vec<Option<Side>>,
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

impl Certified {
    pub(super) fn new(pair: (usize, usize), side: Side) -> Certified {
        let (above, below) = side.put_first(pair);
        Certified { above, below }
    }
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

    pub(super) fn side(&self, pair: usize) -> Option<Side> {
        self.sides[pair]
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Certifies every pair whose wealth has reached the bar, which falls with each.
    pub(super) fn update(&mut self, contests: &[Contest]) {
        while let Some((pair, side)) = self.find_certain(contests) {
            self.sides[pair] = Some(side);
            self.count += 1;
        }
    }

    /// The first pair whose wealth has reached the bar.
    fn find_certain(&self, contests: &[Contest]) -> Option<(usize, Side)> {
        let mut pairs = contests.iter().enumerate();
        pairs.find_map(|(pair, contest)| self.prove_side(pair, contest))
    }

    /// An undecided pair with the side that its wealth proves to be the better one.
    fn prove_side(&self, pair: usize, contest: &Contest) -> Option<(usize, Side)> {
        let (wealth, side) = contest.evidence();
        self.is_proof(pair, wealth).then_some((pair, side))
    }

    fn is_proof(&self, pair: usize, wealth: f64) -> bool {
        self.sides[pair].is_none() && wealth >= self.bar()
    }
}
