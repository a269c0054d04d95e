//! Bradley-Terry strengths with a ridge prior: finite whatever was won.

use super::super::ascent::maximise;
use super::points::Points;
use super::{RESOLUTION, scores_of_strengths};
use crate::checks::check_argument;
use crate::{Error, Estimate, LIMIT, Scores, Tally, Undefined};

/// The weight of a ridge prior, above 0 and at most 1e100: strengths are drawn from a normal
/// distribution around 0 with variance 1 / weight, in log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ridge(f64);

impl Ridge {
    /// A prior of this weight.
    ///
    /// # Errors
    /// A weight that is not above 0 and at most 1e100.
    pub fn new(weight: f64) -> Result<Ridge, Error> {
        let good = weight > 0.0 && weight <= LIMIT;
        check_argument("prior", weight, good, "above 0 and at most 1e100")?;
        Ok(Ridge(weight))
    }

    /// The weight.
    pub fn weight(self) -> f64 {
        self.0
    }
}

/// Strengths of greatest posterior density: the log-likelihood of [`crate::bradley_terry`] less
/// weight / 2 times the sum of squared strengths (in log-odds; Hoerl and Kennard 1970 for the
/// name).
///
/// Every system has a finite strength, shrunk towards 0: one that won everything, and one in a
/// component of its own, which then is compared with the others by the prior alone. The mean is 0
/// by itself. A lone system is [`Undefined::OneSystem`].
pub fn bradley_terry_ridge(tally: &Tally, prior: Ridge) -> Scores {
    let k = tally.systems();
    if k < 2 {
        // With nobody to compare it with, the prior alone would put it at 0.
        let estimates = vec![Estimate::Undefined(Undefined::OneSystem); k];
        return Scores::ranked(estimates, tally.weights(), RESOLUTION);
    }
    let systems: Vec<usize> = (0..k).collect();
    let points = Points::new(tally, &systems, prior.0);
    let (strengths, fit) = maximise(&points, vec![0.0; k]);
    Scores {
        weight: tally.weights(),
        ..scores_of_strengths(strengths, Some(fit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tally_without_ties;

    fn scores(rows: &[(usize, usize, f64, f64)], weight: f64) -> Vec<f64> {
        let tally = tally_without_ties(3, rows);
        let found = bradley_terry_ridge(&tally, Ridge::new(weight).unwrap());
        assert!(found.fit.unwrap().converged, "{found:?}");
        found
            .estimates
            .iter()
            .map(|x| x.finite().unwrap())
            .collect()
    }

    #[test]
    fn what_won_everything_is_finite() {
        // One pair, 5 : 0, the third alone: with d the difference, 5 / (1 + e^d) = weight d / 2.
        let found = scores(&[(0, 1, 5.0, 0.0)], 0.1);
        let d = found[0] - found[1];
        assert!(
            (5.0 / (1.0 + d.exp()) - 0.1 * d / 2.0).abs() < 1e-9 && found[2].abs() < 1e-12,
            "{found:?}"
        );
        assert!(d > 1.0 && found.iter().sum::<f64>().abs() < 1e-12);
    }

    #[test]
    fn a_vanishing_prior_is_maximum_likelihood() {
        let found = scores(
            &[(0, 1, 2.0, 1.0), (0, 2, 4.0, 1.0), (1, 2, 20.0, 10.0)],
            1e-12,
        );
        assert!(
            found
                .iter()
                .zip([2f64.ln(), 0.0, -(2f64.ln())])
                .all(|(x, y)| (x - y).abs() < 1e-9),
            "{found:?}"
        );
    }

    #[test]
    fn bad_weights_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                Ridge::new(bad),
                Err(Error::Value { field: "prior", .. })
            ));
        }
    }
}
