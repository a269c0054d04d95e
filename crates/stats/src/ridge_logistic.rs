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
    let mut found = ridge_logistic_path(rows, outcomes, &[penalty])?;
    Ok(found.pop().unwrap_or_default())
}

/// The coefficients of [`ridge_logistic`] under each of several penalties.
///
/// Where rows have more numbers than there are rows, the coefficients are a sum of the rows, since
/// what stands at right angles to all rows changes no probability and costs a penalty. So they are
/// found in the rows' own span, in which there are no more coordinates than rows (Hastie and
/// Tibshirani 2004, "Efficient quadratic regularization for expression arrays"): the maximum is the
/// same.
///
/// # Errors
/// As [`ridge_logistic`].
pub fn ridge_logistic_path(
    rows: &[Vec<f64>],
    outcomes: &[bool],
    penalties: &[f64],
) -> Result<Vec<Vec<f64>>, Error> {
    let mut numbers = 0;
    for penalty in penalties {
        numbers = check_rows(rows, outcomes, *penalty)?;
    }
    if numbers <= rows.len() {
        let each = penalties.iter();
        return Ok(each
            .map(|penalty| climb(rows, outcomes, *penalty))
            .collect());
    }
    let (axes, coordinates) = span_of(rows);
    let each = penalties.iter().map(|penalty| {
        let along = climb(&coordinates, outcomes, *penalty);
        let mut w = vec![0.0; numbers];
        for (axis, along) in axes.iter().zip(along) {
            add_scaled(&mut w, axis, along);
        }
        w
    });
    Ok(each.collect())
}

/// The share of a row's length below which what is left of it beside the axes is rounding.
const IN_SPAN: f64 = 1e-10;

/// Axes at right angles, each of length 1, in whose span all rows lie, no more than rows; and each
/// row's coordinates along them (Gram and Schmidt, each row freed of the axes twice).
fn span_of(rows: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut axes: Vec<Vec<f64>> = Vec::new();
    let mut coordinates = Vec::with_capacity(rows.len());
    for row in rows {
        let (mut rest, mut along) = (row.clone(), vec![0.0; axes.len()]);
        for _ in 0..2 {
            for (axis, along) in axes.iter().zip(&mut along) {
                let part = dot(axis, &rest);
                add_scaled(&mut rest, axis, -part);
                *along += part;
            }
        }
        let length = dot(&rest, &rest).sqrt();
        if length > IN_SPAN * dot(row, row).sqrt() {
            axes.push(rest.iter().map(|number| number / length).collect());
            along.push(length);
        }
        coordinates.push(along);
    }
    for along in &mut coordinates {
        along.resize(axes.len(), 0.0);
    }
    (axes, coordinates)
}

/// Climbs to the maximum by Newton's steps, over rows that were checked.
fn climb(rows: &[Vec<f64>], outcomes: &[bool], penalty: f64) -> Vec<f64> {
    let n = rows.first().map_or(0, Vec::len);
    // Rows that say nothing span nothing.
    if n == 0 {
        return Vec::new();
    }
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
    w
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

    /// A slow obvious twin: small steps up the slope, until nothing moves.
    fn by_slope(rows: &[Vec<f64>], outcomes: &[bool], penalty: f64) -> Vec<f64> {
        let mut w = vec![0.0; rows[0].len()];
        let squares: f64 = rows.iter().map(|row| dot(row, row)).sum();
        // The curvature is nowhere above this, so that no step goes too far.
        let step = 1.0 / (squares / 4.0 + penalty);
        for _ in 0..200_000 {
            let mut slope: Vec<f64> = w.iter().map(|w| -penalty * w).collect();
            for (row, outcome) in rows.iter().zip(outcomes) {
                let p = sigmoid(dot(row, &w));
                add_scaled(&mut slope, row, f64::from(u8::from(*outcome)) - p);
            }
            add_scaled(&mut w, &slope, step);
            if largest(&slope) < 1e-11 {
                break;
            }
        }
        w
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Few rows of many numbers, some of them the same row: found in the rows' span.
        #[test]
        fn wide_rows_have_the_maximum_of_the_slope(
            data in prop::collection::vec((prop::collection::vec(-2.0..2.0f64, 9), any::<bool>()), 1..6),
            copies in 0..3usize,
            penalty in 0.5..10.0f64,
        ) {
            let (mut rows, mut outcomes): (Vec<Vec<f64>>, Vec<bool>) = data.into_iter().unzip();
            for _ in 0..copies {
                rows.push(rows[0].clone());
                outcomes.push(!outcomes[0]);
            }
            let path = ridge_logistic_path(&rows, &outcomes, &[penalty, 2.0 * penalty]).unwrap();
            for (w, penalty) in path.iter().zip([penalty, 2.0 * penalty]) {
                let slow = by_slope(&rows, &outcomes, penalty);
                prop_assert!(w.iter().zip(&slow).all(|(w, v)| (w - v).abs() < 1e-6), "{w:?} {slow:?}");
                prop_assert_eq!(w, &ridge_logistic(&rows, &outcomes, penalty).unwrap());
            }
        }
    }

    #[test]
    fn rows_of_zeros_have_no_weight() {
        let w = ridge_logistic(&[vec![0.0; 4], vec![0.0; 4]], &[true, false], 1.0).unwrap();
        assert_eq!(w, [0.0; 4]);
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
