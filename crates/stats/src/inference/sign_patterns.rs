//! Patterns of signs, one sign for each cluster: the group under which a sign-flip test is exact.

use super::InferenceError;
use super::normals::{Purpose, repeat_draws};
use crate::Bootstrap;
use rand_chacha::rand_core::RngCore;

/// Patterns of signs for a number of clusters, the first of which always keeps its sign: a pattern
/// and its opposite say the same of a two-sided test. The pattern that flips nothing is left out;
/// it is the data themselves.
#[derive(Clone, Debug)]
pub(super) struct SignPatterns {
    clusters: usize,
    /// Whether these are all patterns.
    exact: bool,
    /// One bit for each cluster, set where its sign is flipped.
    patterns: Vec<Vec<u64>>,
}

impl SignPatterns {
    /// All patterns where they are no more than `plan.rounds`, else as many that are drawn.
    pub(super) fn new(clusters: usize, plan: &Bootstrap) -> Result<SignPatterns, InferenceError> {
        let all = u32::try_from(clusters.saturating_sub(1))
            .ok()
            .and_then(|free| 1u64.checked_shl(free))
            .filter(|&all| all <= plan.rounds as u64);
        let patterns = match all {
            Some(all) => (1..all).map(|pattern| vec![pattern << 1]).collect(),
            None => repeat_draws(plan, Purpose::Signs, |words| {
                let mut pattern: Vec<u64> = (0..clusters.div_ceil(64))
                    .map(|_| words.next_u64())
                    .collect();
                if pattern[0] & 1 == 1 {
                    for word in &mut pattern {
                        *word = !*word;
                    }
                }
                pattern
            })?,
        };
        Ok(SignPatterns {
            clusters,
            exact: all.is_some(),
            patterns,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.patterns.len()
    }

    /// For each pattern 1 and -1, a number for each cluster.
    pub(super) fn signs(&self) -> impl ExactSizeIterator<Item = Vec<f64>> + '_ {
        self.patterns.iter().map(|pattern| {
            (0..self.clusters)
                .map(
                    |cluster| match pattern[cluster / 64] >> (cluster % 64) & 1 {
                        1 => -1.0,
                        _ => 1.0,
                    },
                )
                .collect()
        })
    }

    /// The least p-value that the number of patterns allows where more could be drawn; None where
    /// all are counted.
    pub(super) fn least(&self) -> Option<f64> {
        (!self.exact).then(|| self.p_value(0))
    }

    /// (1 + how many of the patterns are as extreme) / (1 + patterns): exact where these are all.
    pub(super) fn p_value(&self, extreme: usize) -> f64 {
        (1 + extreme) as f64 / (1 + self.len()) as f64
    }
}

/// The fewest clusters of which a sign-flip test can say anything at a level: n clusters have
/// 2^(n - 1) patterns up to the sign of all, so p is never below 2^(1 - n).
pub(super) fn clusters_needed(level: f64) -> usize {
    let fewest = (1.0 - (1.0 - level).log2() - 1e-9).ceil();
    (fewest as usize).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rounds: usize) -> Bootstrap {
        Bootstrap {
            rounds,
            ..Bootstrap::default()
        }
    }

    #[test]
    fn few_clusters_have_every_pattern_once() {
        for clusters in 2..9 {
            let found = SignPatterns::new(clusters, &plan(1000)).unwrap();
            let mut patterns: Vec<Vec<i8>> = found
                .signs()
                .map(|signs| signs.iter().map(|&sign| sign as i8).collect())
                .collect();
            assert_eq!(patterns.len(), (1 << (clusters - 1)) - 1);
            assert!(
                patterns
                    .iter()
                    .all(|signs| signs[0] == 1 && signs.contains(&-1))
            );
            patterns.sort();
            patterns.dedup();
            assert_eq!(patterns.len(), (1 << (clusters - 1)) - 1);
        }
    }

    #[test]
    fn drawn_signs_are_balanced_and_the_same_on_any_number_of_threads() {
        let draw = |threads| {
            SignPatterns::new(
                130,
                &Bootstrap {
                    threads,
                    ..plan(2000)
                },
            )
            .unwrap()
        };
        let found = draw(1);
        assert_eq!(found.patterns, draw(3).patterns);
        for cluster in 1..130 {
            let sum: f64 = found.signs().map(|signs| signs[cluster]).sum();
            assert!(sum.abs() < 4.5 * 2000f64.sqrt(), "cluster {cluster}: {sum}");
        }
    }

    #[test]
    fn what_a_level_needs() {
        assert_eq!([0.5, 0.9, 0.95, 0.99].map(clusters_needed), [2, 5, 6, 8]);
    }
}
