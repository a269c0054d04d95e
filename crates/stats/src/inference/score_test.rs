//! The score test of a mean difference over clusters, which allows for what was not seen.

use super::ClusterDifference;
use crate::special::{narrow_range, normal_below};

/// Clusters that say the same, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kind {
    pub(super) sum: f64,
    pub(super) pairs: f64,
    pub(super) count: usize,
}

/// The score test z = sum(e) / sqrt(G s^2) of a mean difference d, with the residual e = sum - d
/// pairs of each of G clusters, against the normal distribution.
///
/// s^2 is the variance of a cluster's residual by the distribution of greatest likelihood that has
/// mean d, over what was seen and the most that a cluster can be. So the values that it keeps reach
/// far where hardly any cluster differs from the others, and nothing was seen on one side. With one
/// pair a cluster and differences of -1, 0, 1 this is Tango's (1998, "Equivalence test and
/// confidence interval for the difference in proportions"), and McNemar's at 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScoreTest {
    /// The rarest first; sums in units of the most that a pair can differ by.
    pub(super) kinds: Vec<Kind>,
    /// Over all clusters.
    pub(super) sum: f64,
    pub(super) pairs: f64,
    clusters: usize,
    /// The pairs of a cluster that was not seen.
    unseen: f64,
    /// The most that a pair can differ by.
    most: f64,
    /// The least and the most that a pair of an unseen cluster can be, in these units.
    bounds: [f64; 2],
    /// The least and the most that a pair of a cluster that was seen is, 0 among them.
    seen: [f64; 2],
}

impl ScoreTest {
    /// The test of differences in [-1, 1].
    pub(super) fn of(clusters: impl Iterator<Item = ClusterDifference>) -> ScoreTest {
        let mut sorted: Vec<ClusterDifference> = clusters.collect();
        sorted.sort_by(|x, y| x.sum.total_cmp(&y.sum).then(x.pairs.total_cmp(&y.pairs)));
        let clusters = sorted.len();
        let mut kinds: Vec<Kind> = Vec::new();
        for ClusterDifference { sum, pairs } in sorted {
            match kinds.last_mut() {
                Some(kind) if kind.sum == sum && kind.pairs == pairs => kind.count += 1,
                _ => kinds.push(Kind {
                    sum,
                    pairs,
                    count: 1,
                }),
            }
        }
        kinds.sort_by_key(|kind| kind.count);
        ScoreTest {
            sum: snapped(kinds.iter().map(|kind| kind.sum * kind.count as f64).sum()),
            pairs: kinds
                .iter()
                .map(|kind| kind.pairs * kind.count as f64)
                .sum(),
            clusters,
            // As many as the largest has.
            unseen: kinds.iter().map(|kind| kind.pairs).fold(0.0, f64::max),
            most: 1.0,
            bounds: [-1.0, 1.0],
            seen: [-1.0, 1.0],
            kinds,
        }
    }

    /// The test of differences on a scale whose ends nobody knows, from the sum and the pairs of
    /// each cluster, with how much of the data is in it, in the unit of pairs: none is further from
    /// 0 for its size than the one that was seen the furthest. One that was not seen may have as
    /// many pairs as the one with the most. None where all are 0.
    pub(crate) fn of_scores(clusters: &[(ClusterDifference, f64)]) -> Option<ScoreTest> {
        let there = clusters.iter().filter(|(_, size)| *size > 0.0);
        let each = there.map(|(one, size)| one.sum / size);
        let [low, high] = each.fold([0.0, 0.0], |[low, high]: [f64; 2], one| {
            [low.min(one), high.max(one)]
        });
        let most = high.max(-low);
        let differences = clusters.iter().map(|(one, _)| *one);
        (most > 0.0 && most.is_finite()).then(|| ScoreTest {
            seen: [low / most, high / most],
            ..ScoreTest::within(most, &Vec::from_iter(differences))
        })
    }

    /// The test of differences of which none can be further from 0 than `most`, which is above 0.
    /// One that was not seen may have as many pairs as the one with the most.
    pub(crate) fn within(most: f64, clusters: &[ClusterDifference]) -> ScoreTest {
        let there = clusters
            .iter()
            .filter(|one| one.pairs > 0.0 || one.sum != 0.0);
        let scaled = there.map(|&ClusterDifference { sum, pairs }| ClusterDifference {
            sum: sum / most,
            pairs,
        });
        ScoreTest {
            most,
            ..ScoreTest::of(scaled)
        }
    }

    /// The mean difference found.
    pub(crate) fn estimate(&self) -> f64 {
        self.most * self.sum / self.pairs
    }

    /// The two-sided p-value of a value.
    pub(crate) fn p_value(&self, value: f64) -> f64 {
        let value = value / self.most;
        let score = snapped(self.sum - value * self.pairs);
        if score == 0.0 {
            return 1.0;
        }
        let variance = self.variance_at(value, score.signum());
        if variance <= 0.0 {
            return 0.0;
        }
        2.0 * normal_below(-score.abs() / (self.clusters as f64 * variance).sqrt())
    }

    /// The variance of a residual by the likeliest distribution with mean 0. `side` is the side on
    /// which the residuals' sum lies, so that weight must move to the other.
    fn variance_at(&self, value: f64, side: f64) -> f64 {
        let clusters = self.clusters as f64;
        let residuals: Vec<(f64, f64)> = (self.kinds.iter())
            .map(|kind| {
                (
                    -side * (kind.sum - value * kind.pairs),
                    kind.count as f64 / clusters,
                )
            })
            .collect();
        // The most that a cluster's residual can be on the other side.
        let seen = residuals.iter().map(|(e, _)| *e).fold(0.0, f64::max);
        let reach = if side > 0.0 {
            value - self.bounds[0]
        } else {
            self.bounds[1] - value
        };
        let most = seen.max(self.unseen * reach);
        if most <= 0.0 {
            return 0.0;
        }
        // Each weight becomes share / (1 - tilt * residual), with the mean that this gives.
        let weights = |tilt: f64| {
            let tilted = move |&(e, share): &(f64, f64)| (e, share / (1.0 - tilt * e));
            residuals.iter().map(tilted)
        };
        let mean = |tilt: f64| weights(tilt).map(|(e, weight)| e * weight).sum::<f64>();
        let reached = seen >= most * (1.0 - 1e-12);
        let steepest = 1.0 / most;
        if !reached && mean(steepest) < 0.0 {
            // What was seen cannot have mean 0: the rest of the weight is on the most.
            let seen: f64 = weights(steepest).map(|(_, weight)| weight).sum();
            let spread: f64 = weights(steepest).map(|(e, weight)| e * e * weight).sum();
            return spread + (1.0 - seen).max(0.0) * most * most;
        }
        // Newton's steps; where one leads out of what is known to hold the root, half of that.
        let (mut low, mut high, mut tilt) = (0.0, steepest, 0.0);
        for _ in 0..60 {
            let slope: f64 = residuals
                .iter()
                .map(|(e, share)| share * (e / (1.0 - tilt * e)).powi(2))
                .sum();
            let mean = mean(tilt);
            if mean < 0.0 {
                low = tilt;
            } else {
                high = tilt;
            }
            let mut next = tilt - mean / slope;
            if !(next > low && next < high) {
                next = (low + high) / 2.0;
            }
            let is_found = (next - tilt).abs() <= 1e-15 * steepest;
            tilt = next;
            if is_found {
                break;
            }
        }
        weights(tilt).map(|(e, weight)| e * e * weight).sum()
    }

    /// Widens an interval, given by what another test keeps, to all values that this one keeps too:
    /// those whose p-value is at least alpha.
    pub(crate) fn widened(&self, ends: [f64; 2], alpha: f64) -> [f64; 2] {
        let [low, high] = [0, 1].map(|at| {
            let (side, end) = ([-1.0, 1.0][at], ends[at]);
            let furthest = side * self.most;
            let estimate = self.estimate();
            let start = if side * (end - estimate) > 0.0 {
                end
            } else {
                estimate
            };
            // Most often it keeps nothing beyond the end.
            if side * (furthest - start) <= 0.0 || self.p_value(start) < alpha {
                return end;
            }
            if self.p_value(furthest) >= alpha {
                return furthest;
            }
            let (kept, _) =
                narrow_range((start, furthest), 40, |value| self.p_value(value) - alpha);
            snapped(kept)
        });
        [low.min(ends[0]), high.max(ends[1])]
    }

    /// Widens as [`ScoreTest::widened`] an interval that says what its own test says of 0: an end
    /// that leaves out 0 goes on doing so. For it no unseen cluster is further to the other side of
    /// 0 than any that was seen. An end that would cross 0 all the same stays; where the heaviest
    /// clusters weigh more than others, nothing is known of it but that it leaves out 0, and it is
    /// [`BARELY`] of where it was.
    ///
    /// Such an end stands for an open one at 0, which a closed interval cannot have. It errs no
    /// more often than the test that leaves out 0: a difference beyond it lies between 0 and
    /// [`BARELY`] of an end that this test gave, so that this test has missed it as well.
    pub(crate) fn widened_beyond_zero(self, ends: [f64; 2], alpha: f64) -> [f64; 2] {
        let [low, high] = self.widened(ends, alpha);
        if ends[0] <= 0.0 && ends[1] >= 0.0 {
            return [low, high];
        }
        let bounds = self.seen;
        let is_unlike = self.unseen * self.clusters as f64 > self.pairs * (1.0 + 1e-9);
        let near = ScoreTest { bounds, ..self }.widened(ends, alpha);
        let kept = |near: f64, end: f64| match near * end > 0.0 {
            true => near,
            false if is_unlike => BARELY * end,
            false => end,
        };
        if ends[0] > 0.0 {
            [kept(near[0], ends[0]), high]
        } else {
            [low, kept(near[1], ends[1])]
        }
    }
}

/// The share of an end that leaves out 0 and no more.
const BARELY: f64 = 1e-3;

/// A number that is 0 but for rounding is 0: sums of thirds that cancel must do so.
pub(super) fn snapped(number: f64) -> f64 {
    if number.abs() < 1e-12 { 0.0 } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the sizes of clusters and the ends: an interval is widened, never past 0, and one
    /// that has 0 keeps it.
    #[test]
    fn an_end_that_leaves_out_zero_goes_on_doing_so() {
        for (at, heavy) in [1.0, 3.0, 30.0, 300.0].into_iter().enumerate() {
            for moved in 0..=12 {
                let clusters = (0..12).map(|number| {
                    let pairs = if number == at { heavy } else { 1.0 };
                    let sum = if number < moved { -pairs } else { 0.1 * pairs };
                    (ClusterDifference { sum, pairs }, pairs)
                });
                let score = ScoreTest::of_scores(&Vec::from_iter(clusters)).unwrap();
                let middle = score.estimate();
                for reach in [0.0, 0.01, 0.1, 0.5, 0.9, 0.999, 1.5] {
                    let ends = [-1.0, 1.0].map(|side| middle + side * reach * middle.abs());
                    let [low, high] = score.clone().widened_beyond_zero(ends, 0.05);
                    assert!(low <= ends[0] && high >= ends[1], "{heavy} {moved} {reach}");
                    let has_zero = |[low, high]: [f64; 2]| low <= 0.0 && high >= 0.0;
                    assert_eq!(
                        has_zero([low, high]),
                        has_zero(ends),
                        "{heavy} {moved} {reach}: {low} {high}"
                    );
                }
            }
        }
    }
}
