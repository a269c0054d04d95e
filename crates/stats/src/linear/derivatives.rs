//! The derivatives of a concave log-likelihood, and the steps of a search along them.

use super::cholesky::Cholesky;
use super::laplacian::add_edge;
use super::vectors::{is_finite, largest, move_apart, move_by};

/// The first derivatives of a log-likelihood, and minus the second (row-major; some searches fill
/// the lower triangle alone).
pub(crate) struct Derivatives {
    pub(crate) gradient: Vec<f64>,
    pub(crate) information: Vec<f64>,
}

impl Derivatives {
    /// Nothing added yet, for n numbers.
    pub(crate) fn zero(n: usize) -> Derivatives {
        Derivatives {
            gradient: vec![0.0; n],
            information: vec![0.0; n * n],
        }
    }

    /// Adds the slope of a term that rises with the first of two numbers as it falls with the
    /// second.
    #[inline]
    pub(crate) fn add_slope(&mut self, pair: (usize, usize), slope: f64) {
        move_apart(&mut self.gradient, pair, slope);
    }

    /// Adds minus the curvature of a term that depends on the difference of two numbers.
    #[inline]
    pub(crate) fn add_curvature(&mut self, pair: (usize, usize), curvature: f64) {
        let n = self.gradient.len();
        add_edge(&mut self.information, n, pair, curvature);
    }

    /// Newton's step; None where the information is singular.
    pub(crate) fn solve(self) -> Option<Vec<f64>> {
        let mut step = self.gradient;
        Cholesky::new(step.len(), self.information)?.solve(&mut step);
        Some(step)
    }
}

/// The points one step ahead, half a step, a quarter, ..., as many as there may be halvings.
pub(crate) fn halved_steps(
    from: &[f64],
    step: &[f64],
    halvings: i32,
) -> impl Iterator<Item = Vec<f64>> {
    (0..halvings).map(move |halvings| move_by(from, step, 0.5f64.powi(halvings)))
}

/// Shortens a step to the longest that is allowed; None if it is not finite.
pub(crate) fn shorten(step: Vec<f64>, longest: f64) -> Option<Vec<f64>> {
    let factor = (longest / largest(&step)).min(1.0);
    is_finite(&step).then(|| step.iter().map(|x| x * factor).collect())
}
