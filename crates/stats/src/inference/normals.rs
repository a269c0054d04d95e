//! Random draws that are not picks of clusters: one stream for each draw, whatever the thread that
//! makes it.

use super::InferenceError;
use crate::Bootstrap;
use crate::bootstrap::{check_round_count, keyed_generator, map_on_threads};
use crate::checks::check_level;
use crate::special::normal_quantile;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// How many numbers the high 53 bits of a word can be: 2^53.
const WORDS: f64 = 9_007_199_254_740_992.0;

/// The purpose of draws: different purposes have different streams under the same seed.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Normal,
    Signs,
}

/// `plan.rounds` draws in order. The generator of a draw is ChaCha with 8 rounds; its key is the
/// seed in little-endian order, the purpose (1 or 2) and zeros; its stream is the number of the
/// draw.
pub(super) fn repeat_draws<T: Send>(
    plan: &Bootstrap,
    purpose: Purpose,
    draw: impl Fn(&mut ChaCha8Rng) -> T + Sync + Send,
) -> Result<Vec<T>, InferenceError> {
    check_level(plan.level)?;
    check_round_count(plan.rounds)?;
    let purpose = match purpose {
        Purpose::Normal => 1,
        Purpose::Signs => 2,
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn run(threads: usize, purpose: Purpose) -> Vec<[f64; 4]> {
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
        assert_eq!(run(1, Purpose::Normal), run(3, Purpose::Normal));
        assert_ne!(run(1, Purpose::Normal)[0], run(1, Purpose::Signs)[0]);
    }

    #[test]
    fn normals_have_their_moments() {
        // 20,000 draws: five standard errors of the mean are 0.035, of the second moment 0.05, of
        // the fourth 0.35.
        let all: Vec<f64> = run(1, Purpose::Normal).concat();
        let moment = |power| all.iter().map(|x| x.powi(power)).sum::<f64>() / all.len() as f64;
        assert!(
            moment(1).abs() < 0.035
                && (moment(2) - 1.0).abs() < 0.05
                && (moment(4) - 3.0).abs() < 0.35
        );
    }

    #[test]
    fn what_cannot_be_run_is_said() {
        let run = |plan: Bootstrap| repeat_draws(&plan, Purpose::Normal, |_| ()).unwrap_err();
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
}
