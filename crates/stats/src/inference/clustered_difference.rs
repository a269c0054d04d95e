//! The mean difference of two who did the same pairs, by clusters of pairs: a test and the interval
//! that is its inversion.

use super::InferenceError;
use super::draws::{SIGNS, repeat_draws};
use super::score_test::{Kind, ScoreTest, snapped};
use crate::Bootstrap;
use crate::checks::{Entry, check_clusters, check_level, check_number};
use rand_chacha::rand_core::RngCore;
use std::collections::BTreeMap;

/// What one cluster says: pairs that share an item stand and fall together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClusterDifference {
    /// The sum over its pairs of the first's figure less the second's, each in [0, 1].
    pub sum: f64,
    /// Its pairs, above 0.
    pub pairs: f64,
}

impl ClusterDifference {
    /// Sums the differences of pairs, each given with its cluster; clusters in their order.
    pub fn of_pairs<K: Ord>(pairs: impl IntoIterator<Item = (K, f64)>) -> Vec<ClusterDifference> {
        let mut clusters: BTreeMap<K, ClusterDifference> = BTreeMap::new();
        for (cluster, difference) in pairs {
            let sums = clusters.entry(cluster).or_default();
            sums.sum += difference;
            sums.pairs += 1.0;
        }
        clusters.into_values().collect()
    }
}

/// The mean difference over pairs, tested against 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusteredDifference {
    /// The mean, in [-1, 1].
    pub difference: f64,
    /// All values that the test does not reject at 1 - level; within [-1, 1]. It leaves out 0
    /// exactly where `p_value` is below 1 - level.
    pub interval: [f64; 2],
    /// The larger of the next two, two-sided.
    pub p_value: f64,
    /// Of the sign-flip permutation test.
    pub p_flip: f64,
    /// Of the score test.
    pub p_score: f64,
    /// Clusters that it rests on.
    pub clusters: usize,
    /// How many sign patterns were drawn, so that no p-value is below 1 / (drawn + 1); None where
    /// all were counted.
    pub drawn: Option<usize>,
}

/// Sign patterns that are drawn where there are too many to count: no p-value is below 1 / 20,000,
/// which the corrections for some hundred comparisons leave far below 0.05.
const DRAWN: usize = 19_999;

/// All patterns are counted while no more than so many sums of flipped clusters need be kept.
const MOST_COUNTED: usize = 1 << 18;

/// Tests whether a mean difference over pairs is 0, and gives all the values that the same test
/// does not reject. `plan` gives the level, the seed and the threads; its rounds are not used.
///
/// A value d is rejected where both of these reject it, so p(d) = max(p_flip(d), p_score(d)), with
/// the residual e = sum - d pairs of each cluster:
///
/// - The sign-flip permutation test of sum(e) over clusters (Fisher 1935; Phipson and Smyth 2010
///   for the added one where patterns are drawn). It is exact where a cluster's difference might as
///   well have had the other sign, so also where few moved, and asymptotically where differences
///   are not symmetric, as those of one look against the mean of two are (Janssen 1999: it is its
///   own studentised form, since no flip changes sum(e^2)). The values that it keeps lie between
///   the means of the flipped clusters and of the others (Hartigan 1969).
/// - The [`ScoreTest`], where a cluster can be a difference of +-1 on every pair of the largest. It
///   keeps the interval honest where hardly any pair moved, or none.
///
/// # Errors
/// A bad level or number of threads; a sum outside +-pairs; fewer than two clusters.
pub fn clustered_difference(
    clusters: &[ClusterDifference],
    plan: &Bootstrap,
) -> Result<ClusteredDifference, InferenceError> {
    check_level(plan.level)?;
    for (row, &ClusterDifference { sum, pairs }) in clusters.iter().enumerate() {
        check_number(row, "sum", sum)?;
        check_number(row, "pairs", pairs)?;
        // A sum of thirds may be a rounding beyond the pairs.
        let good = pairs > 0.0 && sum.abs() <= pairs * (1.0 + 1e-9);
        let expected = "above 0, and no smaller than the sum either way";
        Entry::new(row, "pairs", pairs).require(good, expected)?;
    }
    check_clusters(clusters.len())?;
    let score = ScoreTest::of(clusters.iter().copied());
    let (flipped, drawn) = match count_patterns(&score.kinds) {
        Some(all) => (all, None),
        None => (draw_patterns(&score.kinds, plan)?, Some(DRAWN)),
    };
    let [low_ends, high_ends] = reaches_of(&score, &flipped);
    let difference = score.estimate();
    // A p of 0.05 is kept at level 0.95, although 1 - 0.95 is a hair above 0.05.
    let alpha = 1.0 - plan.level - 1e-12;
    // The share of patterns that are as extreme for 0 as the difference found.
    let towards_zero = if difference > 0.0 {
        &low_ends
    } else {
        &high_ends
    };
    let p_flip = towards_zero.share_at(0.0);
    let p_score = score.p_value(0.0);
    let [low, high] = [-low_ends.end(alpha), high_ends.end(alpha)];
    let [low, high] = score.widened([low, high], alpha);
    Ok(ClusteredDifference {
        difference,
        interval: [low.max(-1.0), high.min(1.0)],
        p_value: p_flip.max(p_score),
        p_flip,
        p_score,
        clusters: clusters.len(),
        drawn,
    })
}

/// The clusters that a sign pattern flips, and how many patterns flip just as much.
#[derive(Clone, Copy)]
struct Flipped {
    sum: f64,
    pairs: f64,
    patterns: f64,
}

/// How far from the estimate sign patterns reach on one side.
struct Reach {
    /// Ends, the farthest first, each with its number of patterns.
    ends: Vec<(f64, f64)>,
    patterns: f64,
}

impl Reach {
    fn of(mut ends: Vec<(f64, f64)>) -> Reach {
        ends.sort_by(|x, y| y.0.total_cmp(&x.0));
        let patterns = ends.iter().map(|(_, patterns)| patterns).sum();
        Reach { ends, patterns }
    }

    /// The share of patterns that reach at least to a place.
    fn share_at(&self, place: f64) -> f64 {
        let reaching = self.ends.iter().take_while(|(end, _)| *end >= place);
        reaching.map(|(_, patterns)| patterns).sum::<f64>() / self.patterns
    }

    /// The farthest place that at least this share of patterns reaches.
    fn end(&self, share: f64) -> f64 {
        let mut reaching = 0.0;
        for (end, patterns) in &self.ends {
            reaching += patterns;
            if reaching / self.patterns >= share {
                return *end;
            }
        }
        // Rounding alone leaves all patterns short of a share below 1.
        self.ends.last().map_or(f64::INFINITY, |(end, _)| *end)
    }
}

/// How far below and above the patterns reach, below with the sign turned: the sign-flip test of
/// every value at once.
///
/// A pattern is as extreme for the value d as what was found, where |sum(e) - 2 sum of flipped e|
/// is at least |sum(e)|. That holds just between the mean of the flipped clusters and the mean of
/// the others, between which the estimate lies; for any d where one of the two is empty.
fn reaches_of(score: &ScoreTest, flipped: &[Flipped]) -> [Reach; 2] {
    let ends = flipped.iter().map(|one| {
        let others = score.pairs - one.pairs;
        if one.pairs == 0.0 || others == 0.0 {
            return ((f64::INFINITY, one.patterns), (f64::INFINITY, one.patterns));
        }
        let [x, y] = [one.sum / one.pairs, (score.sum - one.sum) / others].map(snapped);
        ((-x.min(y), one.patterns), (x.max(y), one.patterns))
    });
    let (low, high): (Vec<_>, Vec<_>) = ends.unzip();
    [low, high].map(Reach::of)
}

/// Counts all patterns, those that flip the same sum of the same pairs together; None where they
/// are too many.
fn count_patterns(kinds: &[Kind]) -> Option<Vec<Flipped>> {
    let mut all = vec![Flipped {
        sum: 0.0,
        pairs: 0.0,
        patterns: 1.0,
    }];
    for kind in kinds {
        if all.len().checked_mul(kind.count + 1)? > MOST_COUNTED {
            return None;
        }
        let choices = binomials(kind.count);
        let mut next: Vec<Flipped> = Vec::with_capacity(all.len() * choices.len());
        for (flipped, choices) in choices.iter().enumerate() {
            next.extend(all.iter().map(|one| Flipped {
                sum: one.sum + kind.sum * flipped as f64,
                pairs: one.pairs + kind.pairs * flipped as f64,
                patterns: one.patterns * choices,
            }));
        }
        next.sort_by(|x, y| x.sum.total_cmp(&y.sum).then(x.pairs.total_cmp(&y.pairs)));
        next.dedup_by(|more, kept| {
            let same = more.sum == kept.sum && more.pairs == kept.pairs;
            if same {
                kept.patterns += more.patterns;
            }
            same
        });
        all = next;
    }
    // Beyond this a double cannot hold the number of patterns.
    let patterns: f64 = all.iter().map(|one| one.patterns).sum();
    patterns.is_finite().then_some(all)
}

/// The numbers of ways to choose 0, 1, .., n of n.
fn binomials(n: usize) -> Vec<f64> {
    let mut row = vec![1.0];
    for k in 0..n {
        row.push((row[k] * (n - k) as f64 / (k + 1) as f64).round());
    }
    row
}

/// Draws patterns, and adds the one that flips nothing: what was found is one of them.
fn draw_patterns(kinds: &[Kind], plan: &Bootstrap) -> Result<Vec<Flipped>, InferenceError> {
    let plan = Bootstrap {
        rounds: DRAWN,
        ..*plan
    };
    let none = Flipped {
        sum: 0.0,
        pairs: 0.0,
        patterns: 1.0,
    };
    let mut all = repeat_draws(&plan, SIGNS, |words| {
        let mut flipped = none;
        for kind in kinds {
            let mut left = kind.count;
            let mut count = 0;
            while left > 0 {
                let bits = left.min(64);
                count += (words.next_u64() >> (64 - bits)).count_ones();
                left -= bits;
            }
            flipped.sum += kind.sum * f64::from(count);
            flipped.pairs += kind.pairs * f64::from(count);
        }
        flipped
    })?;
    all.push(none);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::normal_below;

    fn clusters(of: &[(f64, f64)]) -> Vec<ClusterDifference> {
        let of = of.iter();
        of.map(|&(sum, pairs)| ClusterDifference { sum, pairs })
            .collect()
    }

    fn test(of: &[(f64, f64)]) -> ClusteredDifference {
        clustered_difference(&clusters(of), &Bootstrap::default()).unwrap()
    }

    /// So many pairs with each difference, one a cluster.
    fn counts(of: &[(f64, usize)]) -> Vec<(f64, f64)> {
        of.iter()
            .flat_map(|&(value, count)| vec![(value, 1.0); count])
            .collect()
    }

    /// The sign-flip p-value of a value by its definition: every pattern, one by one.
    fn flip_twin(of: &[(f64, f64)], value: f64) -> f64 {
        let residuals: Vec<f64> = of.iter().map(|(sum, pairs)| sum - value * pairs).collect();
        let found = residuals.iter().sum::<f64>().abs();
        let patterns = 1_u32 << of.len();
        let extreme = (0..patterns).filter(|signs| {
            let flipped = residuals.iter().zip(0..);
            let sum = flipped.map(|(e, at)| if signs >> at & 1 == 1 { -e } else { *e });
            sum.sum::<f64>().abs() >= found - 1e-9
        });
        extreme.count() as f64 / f64::from(patterns)
    }

    /// Tango's score (1998), of `won` and `lost` among `n` pairs.
    fn tango(won: f64, lost: f64, n: f64, value: f64) -> f64 {
        let a = 2.0 * n;
        let b = -won - lost + (2.0 * n - won + lost) * value;
        let c = -lost * value * (1.0 - value);
        let lost_share = ((b * b - 4.0 * a * c).sqrt() - b) / (2.0 * a);
        let variance = n * (2.0 * lost_share + value * (1.0 - value));
        (won - lost - n * value) / variance.sqrt()
    }

    #[test]
    fn flips_are_those_of_the_definition() {
        let cases: [&[(f64, f64)]; 4] = [
            &[
                (1.0, 1.0),
                (0.5, 1.0),
                (0.0, 1.0),
                (-0.5, 1.0),
                (1.0, 1.0),
                (1.0, 1.0),
                (0.5, 1.0),
            ],
            &[
                (1.0, 3.0),
                (2.0, 2.0),
                (-1.0 / 3.0, 1.0),
                (1.0 / 3.0, 2.0),
                (0.0, 4.0),
                (1.5, 2.0),
            ],
            &counts(&[(1.0, 8), (0.0, 3)]),
            &counts(&[(1.0 / 3.0, 4), (-2.0 / 3.0, 2), (0.0, 5)]),
        ];
        for case in cases {
            let found = test(case);
            assert!(
                (found.p_flip - flip_twin(case, 0.0)).abs() < 1e-9,
                "{found:?}"
            );
            assert_eq!(found.drawn, None);
            // No value outside the interval is kept by the flips.
            for step in -400..=400 {
                let value = f64::from(step) / 400.0;
                let outside = value < found.interval[0] - 1e-9 || value > found.interval[1] + 1e-9;
                assert!(
                    !outside || flip_twin(case, value) < 0.05,
                    "{value} {found:?}"
                );
            }
        }
    }

    #[test]
    fn the_score_test_of_single_pairs_is_tangos_and_mcnemars() {
        for (won, lost, even) in [(7, 2, 11), (1, 0, 30), (12, 12, 5), (20, 1, 0), (3, 0, 0)] {
            let rows = counts(&[(1.0, won), (-1.0, lost), (0.0, even)]);
            let score = ScoreTest::of(clusters(&rows).into_iter());
            let n = (won + lost + even) as f64;
            for value in [-0.9, -0.4, -0.05, 0.0, 0.1, 0.3, 0.77] {
                let z = tango(won as f64, lost as f64, n, value);
                let p = 2.0 * normal_below(-z.abs());
                assert!(
                    (score.p_value(value) - p).abs() < 1e-6,
                    "{won} {lost} {even} {value}"
                );
            }
        }
    }

    #[test]
    fn p_and_interval_are_one_statement() {
        let draws: Vec<u32> = crate::draw_numbers(5, 1, 1000).take(300 * 40).collect();
        for (at, draws) in draws.chunks(40).enumerate() {
            let size = 3 + at % 38;
            let tilt = (at % 7) as u32 * 60;
            let rows: Vec<(f64, f64)> = draws[..size]
                .iter()
                .map(|draw| {
                    let pairs = 1 + draw % 7 / 5;
                    let half = (draw + tilt) * 5 / 1400;
                    (
                        (f64::from(half.min(4)) / 2.0 - 1.0) * f64::from(pairs),
                        f64::from(pairs),
                    )
                })
                .collect();
            let found = test(&rows);
            let [low, high] = found.interval;
            let excluded = low > 0.0 || high < 0.0;
            assert_eq!(excluded, found.p_value < 0.05, "{rows:?} {found:?}");
            assert!(
                low <= found.difference && found.difference <= high,
                "{found:?}"
            );
            // The other way round, everything is the other way round.
            let turned: Vec<(f64, f64)> = rows.iter().map(|(sum, pairs)| (-sum, *pairs)).collect();
            let turned = test(&turned);
            assert!((turned.p_value - found.p_value).abs() < 1e-9);
            assert!(
                (turned.interval[0] + high).abs() < 1e-9 && (turned.interval[1] + low).abs() < 1e-9
            );
        }
    }

    #[test]
    fn where_nothing_moves_the_interval_is_as_wide_as_the_pairs_are_few() {
        // No difference on any of 20 pairs: z^2 / (20 + z^2), with z = 1.96.
        let found = test(&counts(&[(0.0, 20)]));
        assert_eq!((found.difference, found.p_value), (0.0, 1.0));
        assert!((found.interval[1] - 0.161_1).abs() < 1e-3, "{found:?}");
        assert!((found.interval[0] + found.interval[1]).abs() < 1e-9);
        // All moved alike: half of what is left up to 1 is as much; six are enough to tell.
        let found = test(&counts(&[(1.0, 20)]));
        assert_eq!(found.p_flip, 0.5_f64.powi(19));
        assert_eq!(found.interval[1], 1.0);
        assert!(
            (found.interval[0] - (1.0 - 2.0 * 0.161_1)).abs() < 1e-3,
            "{found:?}"
        );
        assert_eq!(test(&counts(&[(1.0, 6)])).p_value, 0.03125);
        // Five pairs can decide nothing at 0.95, whatever they say.
        let found = test(&counts(&[(1.0, 5)]));
        assert_eq!((found.p_value, found.interval), (0.0625, [-1.0, 1.0]));
    }

    #[test]
    fn drawn_patterns_come_near_all_of_them() {
        let rows = counts(&[(1.0, 13), (0.5, 30), (-0.5, 22), (-1.0, 9), (0.0, 40)]);
        let score = ScoreTest::of(clusters(&rows).into_iter());
        let plan = Bootstrap::default();
        let all = reaches_of(&score, &count_patterns(&score.kinds).unwrap());
        let patterns = all[1].patterns / 2.0_f64.powi(rows.len() as i32);
        assert!((patterns - 1.0).abs() < 1e-9, "{patterns}");
        let drawn = reaches_of(&score, &draw_patterns(&score.kinds, &plan).unwrap());
        // Five standard errors of a share over 19,999 draws are at most 0.018.
        let towards_zero = usize::from(score.sum <= 0.0);
        let [all_p, drawn_p] = [&all, &drawn].map(|reach| reach[towards_zero].share_at(0.0));
        assert!((all_p - drawn_p).abs() < 0.018, "{all_p} {drawn_p}");
        for (one, other) in all.iter().zip(&drawn) {
            assert!((one.end(0.05) - other.end(0.05)).abs() < 0.01);
        }
        // Just a twentieth of the patterns is enough to be kept.
        let twentieth = Reach::of(vec![(1.0, 1000.0), (-1.0, 19_000.0)]);
        assert_eq!(
            (twentieth.share_at(0.0), twentieth.end(0.05 - 1e-12)),
            (0.05, 1.0)
        );
        // Too many kinds to count; the same whatever the threads.
        let many: Vec<(f64, f64)> = (1..=60).map(|at| (1.0 / f64::from(at), 1.0)).collect();
        let threads = Bootstrap { threads: 2, ..plan };
        let many_drawn = test(&many);
        assert_eq!(many_drawn.drawn, Some(DRAWN));
        assert_eq!(
            clustered_difference(&clusters(&many), &threads),
            Ok(many_drawn)
        );
        assert_eq!(many_drawn.p_flip, 1.0 / (DRAWN as f64 + 1.0));
    }

    #[test]
    fn what_cannot_be_tested_is_said() {
        let plan = Bootstrap::default();
        let of = |rows: &[(f64, f64)]| clustered_difference(&clusters(rows), &plan);
        assert_eq!(
            of(&[(1.0, 1.0)]),
            Err(crate::Undefined::TooFewClusters { clusters: 1 }.into())
        );
        for bad in [(2.0, 1.0), (0.0, 0.0), (f64::NAN, 1.0), (-1.5, 1.0)] {
            assert!(
                matches!(of(&[bad, (0.0, 1.0)]), Err(InferenceError::Input(_))),
                "{bad:?}"
            );
        }
    }
}
