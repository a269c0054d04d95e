//! Numbers that rankings take, and the ranges that they must be in: one rule for every command.

use evenhand_core::{Cause, Refusal, Setting};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// How many resamples are allowed.
const ROUNDS: RangeInclusive<usize> = 2..=10_000_000;
/// The largest weight of anything; its square is still a number.
const MOST_WEIGHT: f64 = 1e100;

/// Refuses a coverage, or certainty, that is not strictly between 0 and 1.
///
/// # Errors
/// Such a level.
pub fn check_level(level: f64) -> Result<(), Refusal> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(Refusal::of_value(
        Setting::Level,
        level,
        "expected a number strictly between 0 and 1, such as 0.95",
    ))
}

/// Refuses a number of resamples below 2 or above ten million.
///
/// # Errors
/// Such a number.
pub fn check_rounds(rounds: usize) -> Result<(), Refusal> {
    if ROUNDS.contains(&rounds) {
        return Ok(());
    }
    let (least, most) = ROUNDS.into_inner();
    let expected = format!("expected {least} to {most} resamples");
    Err(Refusal::of_value(Setting::Rounds, rounds, expected))
}

/// Refuses the weight of a prior that is not above 0, or so large that its square overflows.
///
/// # Errors
/// Such a weight.
pub fn check_prior(weight: f64) -> Result<(), Refusal> {
    if weight > 0.0 && weight <= MOST_WEIGHT {
        return Ok(());
    }
    Err(Refusal::of_value(
        Setting::Prior,
        weight,
        "expected a weight above 0, such as 0.1",
    ))
}

/// The weights of a strong, a slight and an equal verdict, in place of one comparison each.
///
/// As data it is the three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "[f64; 3]")]
pub struct StepWeights {
    strong: f64,
    slight: f64,
    equal: f64,
}

impl StepWeights {
    /// Takes the weights of a strong, a slight and an equal verdict.
    ///
    /// # Errors
    /// Other than three weights, one that is not from 0 to 1e100, or no weight above 0.
    pub fn new(weights: &[f64]) -> Result<StepWeights, Refusal> {
        let in_range = |weight: &f64| (0.0..=MOST_WEIGHT).contains(weight);
        let is_any = weights.iter().any(|weight| *weight > 0.0);
        match *weights {
            [strong, slight, equal] if weights.iter().all(in_range) && is_any => Ok(StepWeights {
                strong,
                slight,
                equal,
            }),
            _ => Err(Refusal::new(
                Setting::Strength,
                Cause::Value,
                "expected three weights of at least 0, not all of them 0, such as 3,1,1",
            )),
        }
    }

    /// Returns what a strong verdict counts.
    pub fn strong(&self) -> f64 {
        self.strong
    }

    /// Returns what a slight verdict counts.
    pub fn slight(&self) -> f64 {
        self.slight
    }

    /// Returns what an equal verdict counts.
    pub fn equal(&self) -> f64 {
        self.equal
    }

    /// Returns how much the first wins, the two tie, and the second wins, by the probabilities of
    /// five steps from "the first is much better" to "the second is much better"; None for any
    /// other number of steps.
    pub(crate) fn weigh_steps(&self, steps: &[f64]) -> Option<[f64; 3]> {
        let [much_first, some_first, same, some_second, much_second] = *steps else {
            return None;
        };
        let side = |much: f64, some: f64| self.strong * much + self.slight * some;
        Some([
            side(much_first, some_first),
            self.equal * same,
            side(much_second, some_second),
        ])
    }
}

impl TryFrom<Vec<f64>> for StepWeights {
    type Error = Refusal;

    fn try_from(weights: Vec<f64>) -> Result<StepWeights, Refusal> {
        StepWeights::new(&weights)
    }
}

impl From<StepWeights> for [f64; 3] {
    fn from(weights: StepWeights) -> [f64; 3] {
        [weights.strong, weights.slight, weights.equal]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_three_numbers_from_0_on() {
        assert!(StepWeights::new(&[0.0, 1.0, 1.0]).is_ok());
        for bad in [
            &[3.0, 1.0][..],
            &[-1.0, 1.0, 1.0],
            &[1e200, 1.0, 1.0],
            &[0.0; 3],
        ] {
            assert!(StepWeights::new(bad).is_err(), "{bad:?}");
        }
        assert!(StepWeights::new(&[f64::NAN, 1.0, 1.0]).is_err());
    }

    #[test]
    fn levels_lie_between_their_ends() {
        assert_eq!(check_level(0.95), Ok(()));
        assert_eq!(
            check_level(1.0).unwrap_err().to_string(),
            "`level` 1: expected a number strictly between 0 and 1, such as 0.95"
        );
    }
}
