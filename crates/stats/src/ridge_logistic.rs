//! Logistic regression with a ridge penalty.

use crate::checks::{Entry, check_setting, check_weight_count};
use crate::linear::{Derivatives, add_scaled, diagonal, dot, halved_steps, largest};
use crate::special::sigmoid;
use crate::{Error, Undefined};

/// Steps before giving up; the penalty makes the maximum finite, and a few steps reach it.
const MAX_ITERATIONS: usize = 100;
/// A step that moves no coefficient by more than this is the last.
const NEGLIGIBLE: f64 = 1e-10;
/// How often a step that goes too far is halved.
const MAX_HALVINGS: i32 = 60;
/// Two heights that differ by less than this share of them are the same but for rounding.
const ROUNDING: f64 = 1e-12;

/// The coefficients w that maximise sum_i ln P(outcome_i | row_i) - penalty / 2 * |w|^2, where
/// P(true | row) = 1 / (1 + exp(-row . w)): logistic regression without an intercept (le Cessie and
/// van Houwelingen 1992).
///
/// `rows[i]` has as many finite numbers as every other row; `outcomes[i]` is what was observed
/// there; `penalty` is above 0, and counts as many observations of a half. Differences of two
/// responses need no intercept: the responses are in no order.
///
/// # Errors
/// Lists of different length; rows of different lengths; a number that is not finite; a penalty of
/// 0 or less; no rows ([`Undefined::NoData`]).
pub fn ridge_logistic(
    rows: &[Vec<f64>],
    outcomes: &[bool],
    penalty: f64,
) -> Result<Vec<f64>, Error> {
    let n = check_rows(rows, outcomes, penalty)?;
    let regression = Regression {
        rows,
        outcomes,
        penalty,
    };
    // Newton's steps, until they are negligible or lead nowhere.
    let mut w = vec![0.0; n];
    let mut height = regression.height(&w);
    for _ in 0..MAX_ITERATIONS {
        let Some(step) = regression.derivatives(&w).solve() else {
            break;
        };
        // A step is halved until its end is no lower than its beginning. At the top the height no
        // longer tells one end from the other (it rounds), where the slope still does: there the
        // step is taken.
        let floor = height - ROUNDING * height.abs();
        let ends = halved_steps(&w, &step, MAX_HALVINGS).map(|w| (regression.height(&w), w));
        let Some((next_height, next)) = { ends }.find(|(height, _)| *height >= floor) else {
            break;
        };
        (w, height) = (next, next_height);
        if largest(&step) <= NEGLIGIBLE {
            break;
        }
    }
    Ok(w)
}

/// How many numbers a row has, after checking everything.
fn check_rows(rows: &[Vec<f64>], outcomes: &[bool], penalty: f64) -> Result<usize, Error> {
    let n = rows.first().ok_or(Error::from(Undefined::NoData))?.len();
    check_weight_count(rows.len(), outcomes.len())?;
    let good = penalty > 0.0 && penalty.is_finite();
    check_setting("penalty", penalty, good, "a number above 0")?;
    for (row, numbers) in rows.iter().enumerate() {
        let odd = (numbers.len() != n).then_some(numbers.len() as f64);
        let bad = numbers.iter().find(|number| !number.is_finite()).copied();
        let wrong = bad.or(odd);
        let feature = Entry::new(row, "feature", wrong.unwrap_or(0.0));
        feature.require(wrong.is_none(), "of as many in every row")?;
    }
    Ok(n)
}

/// ln(1 + exp(x)), without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The function to be maximised: the log-likelihood less the penalty.
struct Regression<'a> {
    rows: &'a [Vec<f64>],
    outcomes: &'a [bool],
    penalty: f64,
}

impl Regression<'_> {
    /// The log-likelihood less the penalty at `w`.
    fn height(&self, w: &[f64]) -> f64 {
        let losses = self.rows.iter().zip(self.outcomes).map(|(row, &outcome)| {
            let lead = dot(row, w);
            softplus(if outcome { -lead } else { lead })
        });
        -losses.sum::<f64>() - self.penalty / 2.0 * dot(w, w)
    }

    /// The gradient, and the lower triangle of the information.
    fn derivatives(&self, w: &[f64]) -> Derivatives {
        let n = w.len();
        let mut found = Derivatives {
            gradient: w.iter().map(|w| -self.penalty * w).collect(),
            information: diagonal(n, self.penalty),
        };
        for (row, &outcome) in self.rows.iter().zip(self.outcomes) {
            let p = sigmoid(dot(row, w));
            add_scaled(&mut found.gradient, row, f64::from(u8::from(outcome)) - p);
            let weight = p * (1.0 - p);
            for (i, x) in row.iter().enumerate() {
                let triangle = &mut found.information[i * n..=i * n + i];
                add_scaled(triangle, row, weight * x);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_feature_by_hand() {
        // 3 of 4 outcomes are true at x = 1: without a penalty w = ln 3, and with a tiny one nearly
        // so.
        let rows = vec![vec![1.0]; 4];
        let w = ridge_logistic(&rows, &[true, true, true, false], 1e-9).unwrap();
        assert!((w[0] - 3f64.ln()).abs() < 1e-6, "{w:?}");
    }

    #[test]
    fn separated_data_have_a_finite_answer() {
        let w = ridge_logistic(&[vec![1.0, 0.0], vec![-2.0, 1.0]], &[true, false], 0.1).unwrap();
        assert!(w.iter().all(|w| w.is_finite()) && w[0] > 0.5, "{w:?}");
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        assert_eq!(ridge_logistic(&[], &[], 1.0), Err(Undefined::NoData.into()));
        assert!(ridge_logistic(&[vec![1.0]], &[], 1.0).is_err());
        assert!(ridge_logistic(&[vec![1.0]], &[true], 0.0).is_err());
        assert!(ridge_logistic(&[vec![f64::NAN]], &[true], 1.0).is_err());
        assert!(ridge_logistic(&[vec![1.0], vec![]], &[true, true], 1.0).is_err());
    }

    proptest! {
        /// A slow obvious twin: at a maximum the gradient is 0 and every small step goes down.
        #[test]
        fn it_is_the_maximum(
            data in prop::collection::vec((prop::collection::vec(-3.0..3.0f64, 3), any::<bool>()), 1..40),
            penalty in 0.01..10.0f64,
        ) {
            let (rows, outcomes): (Vec<Vec<f64>>, Vec<bool>) = data.into_iter().unzip();
            let w = ridge_logistic(&rows, &outcomes, penalty).unwrap();
            let regression = Regression { rows: &rows, outcomes: &outcomes, penalty };
            let top = regression.height(&w);
            for i in 0..3 {
                for change in [1e-4, -1e-4] {
                    let mut near = w.clone();
                    near[i] += change;
                    prop_assert!(regression.height(&near) <= top + 1e-12);
                }
            }
        }

        #[test]
        fn the_order_within_a_pair_does_not_matter(
            data in prop::collection::vec((prop::collection::vec(-3.0..3.0f64, 2), any::<bool>()), 1..30),
        ) {
            let (rows, outcomes): (Vec<Vec<f64>>, Vec<bool>) = data.into_iter().unzip();
            let swapped: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|x| -x).collect()).collect();
            let reversed: Vec<bool> = outcomes.iter().map(|outcome| !outcome).collect();
            let (w, v) = (ridge_logistic(&rows, &outcomes, 0.5).unwrap(), ridge_logistic(&swapped, &reversed, 0.5).unwrap());
            prop_assert!(w.iter().zip(&v).all(|(w, v)| (w - v).abs() < 1e-8));
        }
    }
}
