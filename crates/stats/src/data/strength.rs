//! Verdicts that say how much better: 5-point comparisons and likert preferences as weighted
//! comparisons.

use super::Comparison;
use crate::checks::check_setting;
use crate::{Error, LIMIT};

/// A 5-point verdict on two responses, in the frame of the systems (not of the order shown).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// A >> B.
    MuchBetter,
    /// A > B.
    Better,
    /// A = B.
    Equal,
    /// B > A.
    Worse,
    /// B >> A.
    MuchWorse,
}

/// How many wins a verdict is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrengthWeights {
    /// Wins that "much better" counts; above 0, at most 1e100.
    pub strong: f64,
    /// Wins that "better" counts; above 0, at most `strong`.
    pub weak: f64,
    /// Wins that "equal" counts to each side; from 0 to 5e99.
    pub tie: f64,
}

impl Default for StrengthWeights {
    /// 6, 2, and 1 to each side (RealRank, appendix A, after Arena-Hard, Li et al. 2024).
    fn default() -> Self {
        StrengthWeights {
            strong: 6.0,
            weak: 2.0,
            tie: 1.0,
        }
    }
}

impl StrengthWeights {
    /// Checks that every weight is in its range.
    ///
    /// # Errors
    /// A weight that is out of range, by name: negative, zero for a win, NaN, infinite, too large,
    /// or weak above strong.
    pub fn check(&self) -> Result<(), Error> {
        let good = self.strong > 0.0 && self.strong <= LIMIT;
        let expected = "a number above 0, at most 1e100, such as 6";
        check_setting("weight of a strong verdict", self.strong, good, expected)?;
        let good = self.weak > 0.0 && self.weak <= self.strong;
        let expected = "a number above 0, at most the strong weight, such as 2";
        check_setting("weight of a weak verdict", self.weak, good, expected)?;
        // It counts to both sides, so half the limit of a weight.
        let good = (0.0..=LIMIT / 2.0).contains(&self.tie);
        let expected = "a number from 0 to 5e99, such as 1";
        check_setting("weight of an equal verdict", self.tie, good, expected)
    }

    /// The comparison that a 5-point verdict of `a` with `b` on `item` counts as.
    ///
    /// Equal is a tie of weight 2 * `tie`: a tie is half a win for both, so each side gets `tie`
    /// wins, and estimators that model ties (Davidson, Rao-Kupper) still see one.
    ///
    /// ```
    /// use evenhand_stats::{Strength, StrengthWeights};
    ///
    /// let row = StrengthWeights::default().comparison(0, 3, 5, Strength::MuchWorse)?;
    /// assert_eq!((row.a, row.b, row.wins_a, row.ties, row.wins_b), (3, 5, 0.0, 0.0, 6.0));
    /// # Ok::<(), evenhand_stats::Error>(())
    /// ```
    ///
    /// # Errors
    /// Weights out of range ([`StrengthWeights::check`]).
    pub fn comparison(
        &self,
        item: u32,
        a: u16,
        b: u16,
        verdict: Strength,
    ) -> Result<Comparison, Error> {
        self.check()?;
        let outcome = match verdict {
            Strength::MuchBetter => [self.strong, 0.0, 0.0],
            Strength::Better => [self.weak, 0.0, 0.0],
            Strength::Equal => [0.0, 2.0 * self.tie, 0.0],
            Strength::Worse => [0.0, 0.0, self.weak],
            Strength::MuchWorse => [0.0, 0.0, self.strong],
        };
        Ok(Comparison::of_outcome(item, [a, b], outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(row: Comparison) -> (f64, f64, f64) {
        (row.wins_a, row.ties, row.wins_b)
    }

    #[test]
    fn six_two_and_one_each() {
        // RealRank, appendix A: 6 instances, 2 instances, 1 of either.
        let of = |verdict| {
            weights(
                StrengthWeights::default()
                    .comparison(7, 0, 1, verdict)
                    .unwrap(),
            )
        };
        assert_eq!(
            (of(Strength::MuchBetter), of(Strength::Better)),
            ((6.0, 0.0, 0.0), (2.0, 0.0, 0.0))
        );
        assert_eq!(
            (of(Strength::MuchWorse), of(Strength::Worse)),
            ((0.0, 0.0, 6.0), (0.0, 0.0, 2.0))
        );
        let mut tally = crate::Tally::new(2).unwrap();
        let (x, t, y) = of(Strength::Equal);
        tally.add(0, 1, x, t, y).unwrap();
        assert_eq!((tally.points(0, 1), tally.points(1, 0)), (1.0, 1.0));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let with = |strong, weak, tie| {
            StrengthWeights { strong, weak, tie }.comparison(0, 0, 1, Strength::Equal)
        };
        for (strong, weak, tie) in [
            (0.0, 2.0, 1.0),
            (6.0, 7.0, 1.0),
            (6.0, 0.0, 1.0),
            (6.0, 2.0, -1.0),
            (f64::NAN, 2.0, 1.0),
            (6.0, 2.0, f64::INFINITY),
        ] {
            assert!(
                matches!(with(strong, weak, tie), Err(Error::Setting { .. })),
                "{strong} {weak} {tie}"
            );
        }
    }
}
