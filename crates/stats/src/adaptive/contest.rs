//! One pair of systems: its differences so far, and the tests of its order.

use super::order::{Order, Population};
use super::wealth::Test;

/// Which of a pair's two systems has the larger mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leader {
    /// The system with the smaller number.
    First,
    /// The system with the larger number.
    Second,
}

impl Leader {
    /// A pair with the one on this side first.
    pub(super) fn put_first<T>(self, (first, second): (T, T)) -> (T, T) {
        match self {
            Leader::First => (first, second),
            Leader::Second => (second, first),
        }
    }
}

/// The differences of a pair so far, and the two tests of its order.
#[derive(Clone, Debug)]
pub(super) struct Contest {
    first: Test,
    second: Test,
    pub(super) seen: usize,
    pub(super) sum: f64,
    squares: f64,
}

impl Contest {
    pub(super) fn new() -> Contest {
        Contest {
            first: Test::at_most(0.0),
            second: Test::at_most(0.0),
            seen: 0,
            sum: 0.0,
            squares: 0.0,
        }
    }

    pub(super) fn observe(&mut self, order: &Order, difference: f64) {
        self.first.observe(order, difference);
        self.second.observe(order, -difference);
        self.seen += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }

    /// The larger of the two largest wealths, and for whom it speaks.
    pub(super) fn evidence(&self) -> (f64, Leader) {
        let (first, second) = (self.first.peak(), self.second.peak());
        if first >= second {
            (first, Leader::First)
        } else {
            (second, Leader::Second)
        }
    }

    /// About how many places the pair will have been judged on when its wealth reaches `bar`.
    ///
    /// Wealth grows by about μ² / (2 v) a place in logarithm. v is the mean square so far, of one
    /// more difference of size 1/2 too, that it is not 0; μ is the mean, one standard error further
    /// from 0, so that what is little known is looked into. A superpopulation takes e = n + 2 v
    /// log(bar / wealth) / μ² places then. Of a finite population of N items, t places are worth N
    /// t / (N - t), and so it takes N e / (N + e), with N n / (N - n) for n.
    pub(super) fn places_needed(&self, order: &Order, bar: f64) -> f64 {
        let n = self.seen as f64;
        let mean_square = (self.squares + 0.25) / (n + 1.0);
        let mean = self.sum.abs() / (n + 1.0) + (mean_square / (n + 1.0)).sqrt();
        let wealth = self.first.wealth().max(self.second.wealth());
        let log_needed = libm::log(bar / wealth).max(0.0);
        let more = 2.0 * mean_square * log_needed / (mean * mean);
        match order.population() {
            Population::Superpopulation => n + more,
            Population::Finite => {
                let total = order.len() as f64;
                let worth = total * n / (total - n).max(f64::MIN_POSITIVE);
                total - total * total / (total + worth + more)
            }
        }
    }
}
