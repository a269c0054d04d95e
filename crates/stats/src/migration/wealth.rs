//! Testing by betting, with the old judge's verdicts as a control.

/// The gain or loss of each bet for a difference of 1 above the hypothesis while all places are
/// left; the wealth is shared evenly between them at first.
const BETS: [f64; 6] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0];
/// The largest share of its wealth that a bet can lose in one step.
const MOST: f64 = 0.95;
/// A wealth beyond which it is not followed any more.
const PLENTY: f64 = 1e100;
/// Sums of differences are compared within this.
const ROUNDING: f64 = 1e-9;
/// The places that the first guess of the slope counts for, and that guess.
const PRIOR: (f64, f64) = (4.0, 0.5);

/// The old judge's differences at all places of a pair, in the order in which they are asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Control {
    old: Vec<f64>,
    /// Of the places from each on: their sum, the least and the largest.
    rest: Vec<(f64, f64, f64)>,
    mean: f64,
    square: f64,
}

impl Control {
    pub(super) fn new(old: Vec<f64>) -> Control {
        let places = old.len() as f64;
        let mut rest = vec![(0.0, f64::INFINITY, f64::NEG_INFINITY)];
        for value in old.iter().rev() {
            let (sum, least, most) = rest[rest.len() - 1];
            rest.push((sum + value, least.min(*value), most.max(*value)));
        }
        rest.reverse();
        let mean = old.iter().sum::<f64>() / places.max(1.0);
        let squares: f64 = old.iter().map(|value| (value - mean).powi(2)).sum();
        Control {
            mean,
            square: squares / places.max(1.0),
            old,
            rest,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.old.len()
    }

    /// The same differences of the other system less this one.
    pub(super) fn negated(&self) -> Control {
        Control::new(self.old.iter().map(|value| -value).collect())
    }
}

/// A one-sided test, at all times together, that the mean of the new judge's differences at all N
/// places is at most `mean`.
///
/// With b_s the new difference at place s and a_s the old one, the wealth after t places is the
/// mean over bets β of Π over s up to t of (1 + λ_s(β) g_s), where
/// - g_s = (b_s - m_s) - γ_s (a_s - ā_s): m_s = (N mean - Σ b before s) / (N - s + 1) is the mean
///   of what is left if the hypothesis is just true, and ā_s that of the old differences left;
/// - γ_s is the slope of the new on the old differences before s, held within 0 and 1;
/// - λ_s(β) = min(β N / (N - s + 1), 0.95 / (B_s + m_s)), where -B_s is the least that
///   b - γ_s (a - ā_s) can be at any place left. So no factor is below 0.05.
///
/// Given what came before, s is any of the places left, so that E[g_s] <= 0 where the hypothesis is
/// true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ControlledTest {
    mean: f64,
    capitals: [f64; BETS.len()],
    seen: usize,
    sum: f64,
    /// Σ (a - mean of a) and Σ (a - mean of a)², and Σ (a - mean of a) b.
    moments: (f64, f64, f64),
    peak: f64,
}

impl ControlledTest {
    pub(super) fn at_most(mean: f64) -> ControlledTest {
        ControlledTest {
            mean,
            capitals: [1.0; BETS.len()],
            seen: 0,
            sum: 0.0,
            moments: (0.0, 0.0, 0.0),
            peak: 1.0,
        }
    }

    /// The new judge's difference at the next place; nothing beyond the last.
    pub(super) fn observe(&mut self, control: &Control, difference: f64) {
        let Some((old, rest)) = control.old.get(self.seen).zip(control.rest.get(self.seen)) else {
            return;
        };
        let (places, left) = (control.len() as f64, (control.len() - self.seen) as f64);
        if self.peak < PLENTY {
            let mean_left = (places * self.mean - self.sum) / left;
            let (old_left, slope) = (rest.0 / left, self.slope(control));
            let gain = (difference - mean_left) - slope * (old - old_left);
            let worst = 1.0 + slope * (rest.2 - old_left);
            let bound = MOST / (worst + mean_left).max(ROUNDING);
            for (capital, bet) in self.capitals.iter_mut().zip(BETS) {
                *capital *= 1.0 + (bet * places / left).min(bound) * gain;
            }
        }
        let off = old - control.mean;
        self.moments.0 += off;
        self.moments.1 += off * off;
        self.moments.2 += off * difference;
        self.seen += 1;
        self.sum += difference;
        // Whether all that is left, were it -1, leaves the mean above the hypothesis.
        let is_impossible = self.sum - (left - 1.0) > places * self.mean + ROUNDING;
        self.peak = match is_impossible {
            true => f64::INFINITY,
            false => self.peak.max(self.wealth()),
        };
    }

    /// The slope of the new differences on the old ones so far, near the first guess at first.
    fn slope(&self, control: &Control) -> f64 {
        let (count, guess) = PRIOR;
        let (off, square, product) = self.moments;
        let mean = self.sum / (self.seen as f64).max(1.0);
        let prior = count * control.square;
        let slope = (product - off * mean + prior * guess) / (square + prior);
        if slope.is_finite() {
            slope.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    pub(super) fn wealth(&self) -> f64 {
        self.capitals.iter().sum::<f64>() / BETS.len() as f64
    }

    /// The largest wealth so far, at least 1; infinite where what is left cannot make the
    /// hypothesis true any more.
    pub(super) fn peak(&self) -> f64 {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(control: &Control, mean: f64, new: &[f64]) -> ControlledTest {
        let mut test = ControlledTest::at_most(mean);
        new.iter().for_each(|new| test.observe(control, *new));
        test
    }

    #[test]
    fn by_hand() {
        // Without a lean of the old judge there is no slope. Of two places, the mean of what is
        // left is 0 and then -1; bets are at most 0.95 and then 0.95 / 1e-9, and twice as high.
        let control = Control::new(vec![0.0, 0.0]);
        let one = told(&control, 0.0, &[1.0]);
        let first = [0.0625, 0.125, 0.25, 0.5, 0.95, 0.95].map(|bet| 1.0 + bet);
        assert!((one.wealth() - first.iter().sum::<f64>() / 6.0).abs() < 1e-12);
        let two = told(&control, 0.0, &[1.0, -0.5]);
        let second = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0].map(|bet| 1.0 + bet * 0.5);
        let both: f64 = first.iter().zip(second).map(|(one, two)| one * two).sum();
        assert!((two.wealth() - both / 6.0).abs() < 1e-12);
        assert_eq!(two.peak(), f64::INFINITY);
        // Equal means are never certain.
        assert_eq!(told(&control, 0.0, &[1.0, -1.0]).peak(), one.peak());
    }

    #[test]
    fn a_judge_that_says_the_same_is_found_out_sooner() {
        let old: Vec<f64> = (0..200)
            .map(|k| if k % 5 < 2 { -1.0 } else { 1.0 })
            .collect();
        let needed = |control: &Control| {
            let mut test = ControlledTest::at_most(0.0);
            let passed = |new: &f64| {
                test.observe(control, *new);
                test.peak() >= 20.0
            };
            old.iter().position(passed).unwrap()
        };
        let (controlled, plain) = (
            needed(&Control::new(old.clone())),
            needed(&Control::new(vec![0.0; 200])),
        );
        assert!(controlled * 2 < plain, "{controlled} {plain}");
    }

    /// The definition, from the start for every place.
    fn slow_peak(old: &[f64], mean: f64, new: &[f64]) -> f64 {
        let places = old.len() as f64;
        let old_mean = old.iter().sum::<f64>() / places;
        let spread = old.iter().map(|a| (a - old_mean).powi(2)).sum::<f64>() / places;
        let slope_before = |s: usize| {
            let new_mean = if s == 0 {
                0.0
            } else {
                new[..s].iter().sum::<f64>() / s as f64
            };
            let square: f64 = old[..s].iter().map(|a| (a - old_mean).powi(2)).sum();
            let product: f64 = (0..s)
                .map(|k| (old[k] - old_mean) * (new[k] - new_mean))
                .sum();
            let slope = (product + 4.0 * spread * 0.5) / (square + 4.0 * spread);
            if slope.is_nan() {
                0.0
            } else {
                slope.clamp(0.0, 1.0)
            }
        };
        let factor = |bet: f64, s: usize| {
            let left = places - s as f64;
            let rest = (places * mean - new[..s].iter().sum::<f64>()) / left;
            let old_rest = old[s..].iter().sum::<f64>() / left;
            let slope = slope_before(s);
            let least = old[s..]
                .iter()
                .map(|a| -1.0 - slope * (a - old_rest))
                .fold(f64::INFINITY, f64::min);
            let bound = 0.95 / (rest - least).max(1e-9);
            1.0 + f64::min(bet * places / left, bound)
                * (new[s] - rest - slope * (old[s] - old_rest))
        };
        let wealth = |t: usize| {
            let sum: f64 = new[..t].iter().sum();
            if t > 0 && sum - (places - t as f64) > places * mean + 1e-9 {
                return f64::INFINITY;
            }
            let of_bet = |bet: f64| (0..t).map(|s| factor(bet, s)).product::<f64>();
            BETS.map(of_bet).iter().sum::<f64>() / 6.0
        };
        (0..=new.len()).map(wealth).fold(1.0, f64::max)
    }

    proptest! {
        #[test]
        fn it_is_the_definition(
            pairs in proptest::collection::vec((-1.0f64..1.0, -1.0f64..1.0), 1..40),
            seen in 0usize..40, mean in -0.9f64..0.9,
        ) {
            let (old, new): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let new = &new[..seen.min(old.len())];
            let slow = slow_peak(&old, mean, new);
            let found = told(&Control::new(old), mean, new).peak();
            prop_assert!(found == slow || (found / slow - 1.0).abs() < 1e-6, "{found} {slow}");
        }

        /// So that the means rejected are all those below a number.
        #[test]
        fn it_falls_with_the_mean(
            pairs in proptest::collection::vec((-1.0f64..=1.0, -1.0f64..=1.0), 1..40),
            seen in 0usize..40, low in -1.0f64..1.0, step in 0.0f64..0.5,
        ) {
            let (old, new): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let new = &new[..seen.min(old.len())];
            let control = Control::new(old);
            let peak = |mean: f64| told(&control, mean, new).peak();
            prop_assert!(peak(low) >= peak((low + step).min(1.0)) * (1.0 - 1e-9));
        }

        #[test]
        fn the_wealth_is_never_negative(
            pairs in proptest::collection::vec((-1.0f64..=1.0, -1.0f64..=1.0), 1..60),
            mean in -1.0f64..1.0,
        ) {
            let (old, new): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let control = Control::new(old);
            for seen in 0..=new.len() {
                let test = told(&control, mean, &new[..seen]);
                prop_assert!(test.peak() == f64::INFINITY || test.wealth() >= 0.0);
            }
        }
    }

    /// Every order of small populations: the expected wealth is at most 1 at every place, where the
    /// hypothesis is true.
    #[test]
    fn over_every_order_the_wealth_is_fair() {
        let populations: [&[(f64, f64)]; 4] = [
            &[
                (1.0, 1.0),
                (1.0, -1.0),
                (-1.0, -1.0),
                (0.0, 1.0),
                (1.0, 0.0),
            ],
            &[
                (1.0, -1.0),
                (1.0, 1.0),
                (1.0, 1.0),
                (-1.0, -1.0),
                (-1.0, 1.0),
                (0.5, -1.0),
            ],
            &[(0.2, 0.9), (0.4, -0.9), (-1.0, 0.1)],
            &[(1.0, 1.0), (-1.0, -1.0)],
        ];
        for population in populations {
            let count = population.len();
            let mean = population.iter().map(|(_, new)| new).sum::<f64>() / count as f64;
            let mut order: Vec<usize> = (0..count).collect();
            let (mut orders, mut sums) = (0.0, vec![0.0; count]);
            let mut reached = 0.0;
            loop {
                let control = Control::new(order.iter().map(|k| population[*k].0).collect());
                let mut test = ControlledTest::at_most(mean);
                for (place, k) in order.iter().enumerate() {
                    test.observe(&control, population[*k].1);
                    sums[place] += test.wealth();
                }
                orders += 1.0;
                reached += f64::from(test.peak() >= 2.0);
                // The next order, by the letters.
                let Some(at) = (1..count).rev().find(|k| order[k - 1] < order[*k]) else {
                    break;
                };
                let next = (at..count)
                    .rev()
                    .find(|k| order[*k] > order[at - 1])
                    .unwrap();
                order.swap(at - 1, next);
                order[at..].reverse();
            }
            assert!(
                sums.iter().all(|sum| sum / orders <= 1.0 + 1e-9),
                "{sums:?} {orders}"
            );
            assert!(
                reached / orders <= 0.5,
                "Ville's bound: {reached} of {orders}"
            );
        }
    }
}
