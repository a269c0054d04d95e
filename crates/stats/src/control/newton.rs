//! Newton's method for a concave log-likelihood of n numbers.

use crate::Fit;
use crate::linear::{Cholesky, Dependent, Derivatives, dot, greatest, halved_steps};

/// Steps before giving up; a good start needs four to six, and the outcomes of a separated fit move
/// by about 1 a step.
const MAX_ITERATIONS: usize = 60;
/// A step that changes no lead by more than this (in log-odds) is the last: the next would be of
/// the order of its square.
const NEGLIGIBLE: f64 = 1e-7;
/// Longest step in log-odds: far from the maximum the likelihood is so flat that Newton's step is
/// out of all proportion.
const LONGEST: f64 = 8.0;
/// How much of a diagonal entry of the information must be left after the earlier numbers have been
/// taken out of it; less is rounding.
const RANK_TOLERANCE: f64 = 1e-10;
/// How often a step that goes too far is halved.
const MAX_HALVINGS: i32 = 40;

/// Where the search ended.
pub(super) struct Maximum {
    pub(super) at: Vec<f64>,
    /// The information matrix there.
    pub(super) factor: Cholesky,
    pub(super) fit: Fit,
    /// The last step: where the likelihood still rises, if it has not converged.
    pub(super) step: Vec<f64>,
}

/// Climbs from `start`.  `scale[i]` is the most that a change of 1 in number i can change a lead.
///
/// A step is halved while the slope along it has turned below minus half of what it was at its
/// beginning; the likelihood is concave, so the maximum along the step lies before such a point.
///
/// # Errors
/// The first number that the others determine.
pub(super) fn maximise(
    start: Vec<f64>,
    scale: &[f64],
    derivatives: impl Fn(&[f64]) -> Derivatives,
) -> Result<Maximum, Dependent> {
    let Derivatives {
        mut gradient,
        information,
    } = derivatives(&start);
    let mut found = Maximum {
        factor: decompose(start.len(), information)?,
        step: vec![0.0; start.len()],
        at: start,
        fit: Fit::unfinished(),
    };
    while !found.fit.converged && found.fit.iterations < MAX_ITERATIONS {
        found.fit.iterations += 1;
        let mut step = gradient.clone();
        found.factor.solve(&mut step);
        let shorter = (LONGEST / largest_change(&step, scale)).min(1.0);
        step.iter_mut().for_each(|x| *x *= shorter);
        let Some((at, there)) = climb(&found.at, &gradient, &step, &derivatives) else {
            break;
        };
        // The information was regular at the start: it vanishes only on the way to infinity.
        let Ok(factor) = decompose(at.len(), there.information) else {
            break;
        };
        found.fit.converged = largest_change(&step, scale) <= NEGLIGIBLE;
        gradient = there.gradient;
        (found.at, found.step, found.factor) = (at, step, factor);
    }
    // The largest derivative, each in the unit of a lead.
    found.fit.gradient = greatest(gradient.iter().zip(scale).map(|(g, s)| g.abs() / s));
    Ok(found)
}

fn decompose(n: usize, information: Vec<f64>) -> Result<Cholesky, Dependent> {
    Cholesky::within(n, information, RANK_TOLERANCE)
}

/// The point one step ahead, or half a step, or a quarter, ..., with the derivatives there.
fn climb(
    from: &[f64],
    gradient: &[f64],
    step: &[f64],
    derivatives: impl Fn(&[f64]) -> Derivatives,
) -> Option<(Vec<f64>, Derivatives)> {
    let least = -0.5 * dot(gradient, step);
    halved_steps(from, step, MAX_HALVINGS)
        .map(|at| {
            let there = derivatives(&at);
            (at, there)
        })
        .find(|(_, there)| dot(&there.gradient, step) >= least)
}

/// The most that a step can change a lead.
pub(super) fn largest_change(step: &[f64], scale: &[f64]) -> f64 {
    greatest(step.iter().zip(scale).map(|(x, s)| x.abs() * s))
}

#[cfg(test)]
mod tests {
    use super::super::logistic::chance_at;
    use super::*;

    /// One number x with log-likelihood won * log p + lost * log (1 - p), p = 1 / (1 + exp(-x)).
    fn odds(won: f64, lost: f64) -> impl Fn(&[f64]) -> Derivatives {
        move |at| {
            let chance = chance_at(at[0]);
            Derivatives {
                gradient: vec![won * chance.loses - lost * chance.wins],
                information: vec![(won + lost) * chance.slope],
            }
        }
    }

    #[test]
    fn the_log_odds_are_found() {
        for (won, lost, start) in [
            (3.0, 1.0, 0.0),
            (1.0, 1e6, 0.0),
            (3.0, 1.0, 30.0),
            (1.0, 1.0, -20.0),
        ] {
            let found = maximise(vec![start], &[1.0], odds(won, lost)).ok().unwrap();
            assert!(
                found.fit.converged && (found.at[0] - f64::ln(won / lost)).abs() < 1e-11,
                "{won} {lost} {:?}",
                found.fit
            );
        }
    }

    #[test]
    fn without_a_maximum_it_says_so() {
        let found = maximise(vec![0.0], &[1.0], odds(5.0, 0.0)).ok().unwrap();
        assert!(
            !found.fit.converged && found.at[0] > 10.0 && found.step[0] > 0.0,
            "{:?}",
            found.fit
        );
    }
}
