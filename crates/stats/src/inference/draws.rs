//! Random draws that are not picks of clusters, one stream for each draw, whatever the thread that
//! makes it; and patterns of signs, one sign for each cluster: the group under which a sign-flip
//! test is exact.

use super::InferenceError;
use crate::Bootstrap;
use crate::bootstrap::{check_round_count, keyed_generator, map_on_threads};
use crate::checks::{check_level, ensure};
use crate::special::normal_quantile;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// How many numbers the high 53 bits of a word can be: 2^53.
const WORDS: f64 = 9_007_199_254_740_992.0;

/// The purposes of draws: each has streams of its own under the same seed.
pub(super) const NORMALS: u8 = 1;
pub(super) const SIGNS: u8 = 2;
pub(super) const GROUPS: u8 = 3;

/// `plan.rounds` draws in order. The generator of a draw is ChaCha with 8 rounds; its key is the
/// seed in little-endian order, the purpose and zeros; its stream is the number of the
/// draw.
pub(super) fn repeat_draws<T: Send>(
    plan: &Bootstrap,
    purpose: u8,
    draw: impl Fn(&mut ChaCha8Rng) -> T + Sync + Send,
) -> Result<Vec<T>, InferenceError> {
    check_level(plan.level)?;
    check_round_count(plan.rounds)?;
    let numbers: Vec<u64> = (0..plan.rounds as u64).collect();
    let draws = map_on_threads(plan.threads, numbers, |number| {
        draw(&mut keyed_generator(plan.seed, purpose, number))
    });
    Ok(draws?)
}

/// A standard normal number: the quantile at (x + 1/2) / 2^53, where x is the high 53 bits of a
/// word.
pub(super) fn draw_normal(words: &mut ChaCha8Rng) -> f64 {
    let share = ((words.next_u64() >> 11) as f64 + 0.5) / WORDS;
    // At the very end the share rounds to 1, which has no quantile.
    normal_quantile(share.min(1.0 - f64::EPSILON / 2.0))
}

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
        ensure(clusters >= needed, || InferenceError::FewClusters {
            clusters,
            needed,
        })?;
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
            None => repeat_draws(plan, SIGNS, |words| {
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
    ensure(plan.rounds >= needed, || InferenceError::FewRounds {
        rounds: plan.rounds,
        needed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn run(threads: usize, purpose: u8) -> Vec<[f64; 4]> {
        let plan = Bootstrap {
            rounds: 5000,
            seed: 3,
            threads,
            ..Default::default()
        };
        repeat_draws(&plan, purpose, |words| [(); 4].map(|()| draw_normal(words))).unwrap()
    }

    #[test]
    fn draws_do_not_depend_on_threads() {
        assert_eq!(run(1, NORMALS), run(3, NORMALS));
        assert_ne!(run(1, NORMALS)[0], run(1, SIGNS)[0]);
    }

    #[test]
    fn normals_have_their_moments() {
        // 20,000 draws: five standard errors of the mean are 0.035, of the second moment 0.05, of
        // the fourth 0.35.
        let all: Vec<f64> = run(1, NORMALS).concat();
        let moment = |power| all.iter().map(|x| x.powi(power)).sum::<f64>() / all.len() as f64;
        assert!(
            moment(1).abs() < 0.035
                && (moment(2) - 1.0).abs() < 0.05
                && (moment(4) - 3.0).abs() < 0.35
        );
    }

    #[test]
    fn what_cannot_be_run_is_said() {
        let run = |plan: Bootstrap| repeat_draws(&plan, NORMALS, |_| ()).unwrap_err();
        assert!(matches!(
            run(Bootstrap {
                rounds: 1,
                ..Default::default()
            }),
            InferenceError::Input(Error::Rounds { .. })
        ));
        assert!(matches!(
            run(Bootstrap {
                level: 1.0,
                ..Default::default()
            }),
            InferenceError::Input(Error::Share { .. })
        ));
    }

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
