//! Newton's method for a concave log-likelihood: what the models of strength share.

use crate::Fit;
use crate::linear::{halved_steps, largest, shorten};

/// Steps before giving up.  A good start needs three or four; a tie-free 1 : 10^100 needs some 230.
const MAX_ITERATIONS: usize = 1000;
/// Steps (in log-odds) below this end the search; Newton's steps shrink quadratically, so the error
/// is far smaller.
const NEGLIGIBLE: f64 = 1e-10;
/// Steps below this that shrink no more are rounding, and end the search as well.
const SMALL: f64 = 1e-6;
/// Longest step in log-odds: far from the maximum the likelihood is so flat that Newton's step is
/// out of all proportion.
const LONGEST: f64 = 8.0;
/// How often a step that lowers the likelihood is halved.
const MAX_HALVINGS: i32 = 60;

/// A concave function of some numbers that has a maximum.
pub(crate) trait LogLikelihood {
    /// Its value at a point.
    fn value_at(&self, point: &[f64]) -> f64;

    /// Its gradient at a point.
    fn gradient_at(&self, point: &[f64]) -> Vec<f64>;

    /// Newton's step from a point; None if the information matrix is not positive definite in
    /// floating point.
    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>>;

    /// Moves a point to the origin that the function leaves open; it leaves none where some of the
    /// numbers are pinned, or its steps keep their mean.
    fn set_origin(&self, point: Vec<f64>) -> Vec<f64> {
        point
    }
}

/// The point of the maximum, and how the search ended.
pub(crate) fn maximise(likelihood: &impl LogLikelihood, start: Vec<f64>) -> (Vec<f64>, Fit) {
    let mut point = likelihood.set_origin(start);
    let mut fit = Fit::unfinished();
    let mut previous = f64::INFINITY;
    while !fit.converged && fit.iterations < MAX_ITERATIONS {
        fit.iterations += 1;
        let Some((next, size)) = advance(likelihood, &point) else {
            break;
        };
        // Steps that are small and no longer halve are rounding: no step would end the search.
        fit.converged = size <= NEGLIGIBLE || (size <= SMALL && size >= previous / 2.0);
        (point, previous) = (next, size);
    }
    // The largest number where the slope is not finite.
    let slope = largest(&likelihood.gradient_at(&point));
    fit.gradient = if slope.is_finite() { slope } else { f64::MAX };
    (point, fit)
}

/// The next point, and the size of the step that led to it before any halving.
fn advance(likelihood: &impl LogLikelihood, point: &[f64]) -> Option<(Vec<f64>, f64)> {
    let step = shorten(likelihood.step_from(point)?, LONGEST)?;
    Some((climb(likelihood, point, &step)?, largest(&step)))
}

/// The point one step ahead, or half a step, or a quarter, ...: the first that does not lower the
/// likelihood.
fn climb(likelihood: &impl LogLikelihood, from: &[f64], step: &[f64]) -> Option<Vec<f64>> {
    let here = likelihood.value_at(from);
    // At the top two values of the likelihood may be in either order.
    let floor = here - 1e-12 * here.abs();
    halved_steps(from, step, MAX_HALVINGS)
        .map(|next| likelihood.set_origin(next))
        .find(|next| likelihood.value_at(next) >= floor)
}
