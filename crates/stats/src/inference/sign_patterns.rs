//! Patterns of signs, one sign for each cluster: the group under which a sign-flip test is exact.

use super::InferenceError;
use super::normals::{Purpose, repeat_draws};
use crate::Bootstrap;
use crate::checks::check_level;
use rand_chacha::rand_core::RngCore;

/// Patterns of signs for a number of clusters, the first of which always keeps its sign: a pattern
/// and its opposite say the same of a two-sided test. The pattern that flips nothing is left out;
/// it is the data themselves.
#[derive(Clone, Debug)]
pub(super) struct SignPatterns {
    /// Of each pattern 1 and -1, a number for each cluster.
    pub(super) signs: Vec<Vec<f64>>,
    /// Whether these are all patterns.
    exact: bool,
}

impl SignPatterns {
    /// All patterns where they are no more than `plan.rounds`, else as many that are drawn.
    ///
    /// # Errors
    /// A level, a number of rounds or threads that cannot be used; so few clusters or rounds that
    /// no pattern is rare enough for the level.
    pub(super) fn new(clusters: usize, plan: &Bootstrap) -> Result<SignPatterns, InferenceError> {
        check_level(plan.level)?;
        let needed = clusters_needed(plan.level);
        if clusters < needed {
            return Err(InferenceError::FewClusters { clusters, needed });
        }
        check_rounds_for(plan)?;
        let all = u32::try_from(clusters - 1)
            .ok()
            .and_then(|free| 1u64.checked_shl(free))
            .filter(|&all| all <= plan.rounds as u64);
        let sign = |bit: u64| if bit & 1 == 1 { -1.0 } else { 1.0 };
        let signs = match all {
            Some(all) => (1..all)
                .map(|pattern| {
                    (0..clusters)
                        .map(|place| sign(pattern << 1 >> place))
                        .collect()
                })
                .collect(),
            None => repeat_draws(plan, Purpose::Signs, |words| {
                let mut word = 0;
                let mut signs: Vec<f64> = (0..clusters)
                    .map(|place| {
                        if place % 64 == 0 {
                            word = words.next_u64();
                        }
                        sign(word >> (place % 64))
                    })
                    .collect();
                let first = signs[0];
                for sign in &mut signs {
                    *sign *= first;
                }
                signs
            })?,
        };
        Ok(SignPatterns {
            signs,
            exact: all.is_some(),
        })
    }

    /// The least p-value that the number of patterns allows where more could be drawn; None where
    /// all are counted.
    pub(super) fn least(&self) -> Option<f64> {
        (!self.exact).then(|| self.p_value(0))
    }

    /// (1 + how many of the patterns are as extreme) / (1 + patterns): exact where these are all.
    pub(super) fn p_value(&self, extreme: usize) -> f64 {
        (1 + extreme) as f64 / (1 + self.signs.len()) as f64
    }
}

/// The fewest clusters of which a sign-flip test can say anything at a level: n clusters have
/// 2^(n - 1) patterns up to the sign of all, so p is never below 2^(1 - n).
fn clusters_needed(level: f64) -> usize {
    let fewest = (1.0 - (1.0 - level).log2() - 1e-9).ceil();
    (fewest as usize).max(2)
}

/// A p-value of R rounds is at least 1 / (R + 1), which must be able to reach 1 - level.
pub(super) fn check_rounds_for(plan: &Bootstrap) -> Result<(), InferenceError> {
    let needed = (1.0 / (1.0 - plan.level) - 1.0 - 1e-9).ceil() as usize;
    if plan.rounds < needed {
        return Err(InferenceError::FewRounds {
            rounds: plan.rounds,
            needed,
        });
    }
    Ok(())
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
            let plan = Bootstrap {
                level: 0.4,
                ..plan(1000)
            };
            let mut patterns = SignPatterns::new(clusters, &plan).unwrap().signs;
            assert_eq!(patterns.len(), (1 << (clusters - 1)) - 1);
            assert!(
                patterns
                    .iter()
                    .all(|signs| signs[0] == 1.0 && signs.contains(&-1.0))
            );
            patterns.sort_by(|x, y| x.partial_cmp(y).unwrap());
            patterns.dedup();
            assert_eq!(patterns.len(), (1 << (clusters - 1)) - 1);
        }
    }

    #[test]
    fn drawn_signs_are_balanced_and_the_same_on_any_number_of_threads() {
        let draw = |threads| {
            let plan = Bootstrap {
                threads,
                ..plan(2000)
            };
            SignPatterns::new(130, &plan).unwrap().signs
        };
        let found = draw(1);
        assert_eq!(found, draw(3));
        for cluster in 1..130 {
            let sum: f64 = found.iter().map(|signs| signs[cluster]).sum();
            assert!(sum.abs() < 4.5 * 2000f64.sqrt(), "cluster {cluster}: {sum}");
        }
    }

    #[test]
    fn what_a_level_needs() {
        assert_eq!([0.5, 0.9, 0.95, 0.99].map(clusters_needed), [2, 5, 6, 8]);
    }
}
