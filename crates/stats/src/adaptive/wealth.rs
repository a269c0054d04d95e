//! Testing by betting: a gambler whose wealth grows only if the hypothesis is false.

use super::order::{Order, Population};

/// The gain or loss of each bet for a difference of 1 above the hypothesis; the wealth is shared
/// evenly between them at first.
const BETS: [f64; 5] = [0.0625, 0.125, 0.25, 0.5, 0.95];
/// The largest share of its wealth that a bet can lose in one step.
const MOST: f64 = 0.95;
/// A wealth beyond which it is not followed any more: no alpha above 1e-90 asks for as much.
const PLENTY: f64 = 1e100;
/// Sums of differences are compared within this.
const ROUNDING: f64 = 1e-9;

/// A one-sided test, at all times together, that the mean of differences in [-1, 1] is at most
/// `mean`.
///
/// The wealth after t places is W_t = (1/5) Σ over bets b of Π over s up to t of (1 + λ_s(b) (w_s
/// d_s - m_s)), where
/// - w_s is the weight of the place (1 in a plain order) and d_s the difference there;
/// - m_s is the mean that the differences not yet seen have if the hypothesis is just true: `mean`
///   in a superpopulation, and (N mean - Σ d before s) / (N - s + 1) in a finite population of N
///   items;
/// - λ_s(b) = min(b N / (N - s + 1), 0.95 / (B_s + m_s)), without the factor in a superpopulation,
///   with the bound B_s of the weight: it is known before d_s is, and no factor is below 0.05.
///
/// Where the mean is at most `mean`, the expectation of each factor given the past is at most 1, so
/// that the chance that the largest wealth of all times reaches 1/a is at most a (Ville 1939).
/// Waudby-Smith and Ramdas 2024 (JRSS B 86, 1-27), sections 4 and 5 and their "diversified" bets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Test {
    mean: f64,
    capitals: [f64; BETS.len()],
    seen: usize,
    sum: f64,
    peak: f64,
}

impl Test {
    pub(super) fn at_most(mean: f64) -> Test {
        Test {
            mean,
            capitals: [1.0; BETS.len()],
            seen: 0,
            sum: 0.0,
            peak: 1.0,
        }
    }

    /// The difference at the next place; nothing beyond the last.
    pub(super) fn observe(&mut self, order: &Order, difference: f64) {
        let Some(place) = order.places().get(self.seen) else {
            return;
        };
        if self.peak < PLENTY {
            // The mean of what is not yet seen, were the hypothesis just true, and how fast it
            // moves away from the hypothesis.
            let (mean, pace) = match order.population() {
                Population::Superpopulation => (self.mean, 1.0),
                Population::Finite => {
                    let items = order.len() as f64;
                    let left = self.places_left(order);
                    ((items * self.mean - self.sum) / left, items / left)
                }
            };
            let bound = MOST / (place.bound + mean).max(ROUNDING);
            let gain = place.weight * difference - mean;
            for (capital, bet) in self.capitals.iter_mut().zip(BETS) {
                *capital *= 1.0 + (bet * pace).min(bound) * gain;
            }
        }
        self.seen += 1;
        self.sum += difference;
        // Whether all that is left, were it -1, leaves the mean above the hypothesis.
        let least = self.sum - self.places_left(order);
        let is_impossible = order.population() == Population::Finite
            && least > order.len() as f64 * self.mean + ROUNDING;
        self.peak = if is_impossible {
            f64::INFINITY
        } else {
            self.peak.max(self.wealth())
        };
    }

    /// The wealth now.
    pub(super) fn wealth(&self) -> f64 {
        self.capitals.iter().sum::<f64>() / BETS.len() as f64
    }

    /// The largest wealth so far, at least 1; infinite where what is left cannot make the
    /// hypothesis true any more.
    pub(super) fn peak(&self) -> f64 {
        self.peak
    }

    fn places_left(&self, order: &Order) -> f64 {
        (order.len() - self.seen) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(items: usize, population: Population) -> Order {
        Order::random(items, population, 0, 0).unwrap()
    }

    fn told(order: &Order, mean: f64, differences: &[f64]) -> Test {
        let mut test = Test::at_most(mean);
        differences
            .iter()
            .for_each(|difference| test.observe(order, *difference));
        test
    }

    #[test]
    fn a_superpopulation_by_hand() {
        // Factors 1.0625, 1.125, 1.25, 1.5, 1.95, then 0.9375, 0.875, 0.75, 0.5, 0.05.
        let order = plain(3, Population::Superpopulation);
        let one = told(&order, 0.0, &[1.0]);
        assert!((one.wealth() - 6.8875 / 5.0).abs() < 1e-15 && one.peak() == one.wealth());
        let two = told(&order, 0.0, &[1.0, -1.0]);
        assert!((two.wealth() - 3.765_468_75 / 5.0).abs() < 1e-15 && two.peak() == one.peak());
        // Against a mean of 0.2 no bet may be above 0.95 / 1.2: 1 + 0.8 b, and 1 + 0.95 / 1.2 *
        // 0.8.
        let high = told(&order, 0.2, &[1.0]);
        assert!((high.wealth() - (1.05 + 1.1 + 1.2 + 1.4 + 1.0 + 0.76 / 1.2) / 5.0).abs() < 1e-15);
    }

    #[test]
    fn a_finite_population_by_hand() {
        // What is left after 1 of two is -1 if the mean is 0: a gain of 1/2 at twice the bets.
        let order = plain(2, Population::Finite);
        let one = told(&order, 0.0, &[1.0]);
        assert!((one.wealth() - 6.8875 / 5.0).abs() < 1e-15);
        let two = told(&order, 0.0, &[1.0, -0.5]);
        assert!(
            (two.wealth()
                - (1.0625 * 1.0625 + 1.125 * 1.125 + 1.25 * 1.25 + 1.5 * 1.5 + 1.95 * 1.95) / 5.0)
                .abs()
                < 1e-12
        );
        assert_eq!(two.peak(), f64::INFINITY);
        // Equal means are never certain, and the last item settles anything else.
        assert_eq!(told(&order, 0.0, &[1.0, -1.0]).peak(), one.peak());
        assert_eq!(told(&order, 0.0, &[-1.0, 1.0 - 1e-6]).peak(), 1.0);
        // Three of four differences of 1 leave no way to a mean of 0.4; two leave one to a mean
        // of 0.
        let order = plain(4, Population::Finite);
        assert_eq!(told(&order, 0.4, &[1.0; 3]).peak(), f64::INFINITY);
        assert!(told(&order, 0.0, &[1.0; 2]).peak().is_finite());
    }

    /// The definition, from the start for every bet and every step.
    fn slow_peak(order: &Order, mean: f64, differences: &[f64]) -> f64 {
        let n = order.len() as f64;
        let finite = order.population() == Population::Finite;
        let log_factor = |bet: f64, s: usize| {
            let before: f64 = differences[..s].iter().sum();
            let rest = if finite {
                (n * mean - before) / (n - s as f64)
            } else {
                mean
            };
            let pace = if finite { n / (n - s as f64) } else { 1.0 };
            let place = order.places()[s];
            (1.0 + f64::min(bet * pace, MOST / (place.bound + rest))
                * (place.weight * differences[s] - rest))
                .ln()
        };
        let wealth = |t: usize| {
            let each = BETS.map(|bet| (0..t).map(|s| log_factor(bet, s)).sum::<f64>().exp());
            let sum: f64 = differences[..t].iter().sum();
            if finite && sum - (n - t as f64) > n * mean + 1e-9 {
                f64::INFINITY
            } else {
                each.iter().sum::<f64>() / 5.0
            }
        };
        (0..=differences.len()).map(wealth).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn it_is_the_definition(
            differences in proptest::collection::vec(-1.0f64..1.0, 1..40),
            more in 0usize..10, mean in -0.9f64..0.9, seed in 0u64..100, kind in 0..3,
        ) {
            let items = differences.len() + more;
            let weights: Vec<f64> = (0..items).map(|i| (i % 5) as f64).collect();
            let order = match kind {
                0 => plain(items, Population::Superpopulation),
                1 => plain(items, Population::Finite),
                _ => Order::informative(&weights, 0.25, seed, 0).unwrap(),
            };
            let (found, slow) = (told(&order, mean, &differences).peak(), slow_peak(&order, mean, &differences));
            prop_assert!(found == slow || (found / slow - 1.0).abs() < 1e-9, "{found} {slow}");
        }

        /// So that the means rejected are all those below a number.
        #[test]
        fn it_falls_with_the_mean(
            differences in proptest::collection::vec(-1.0f64..1.0, 1..40), low in -1.0f64..1.0, step in 0.0f64..0.5, finite: bool,
        ) {
            let population = if finite { Population::Finite } else { Population::Superpopulation };
            let order = plain(differences.len() + 3, population);
            let peak = |mean: f64| told(&order, mean, &differences).peak();
            prop_assert!(peak(low) >= peak((low + step).min(1.0)) * (1.0 - 1e-12));
        }
    }
}
