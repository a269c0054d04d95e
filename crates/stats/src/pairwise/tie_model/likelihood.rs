//! The log-likelihood of strengths and one tie parameter.

use super::super::ascent::LogLikelihood;
use super::law::{Terms, TieLaw};
use super::pairs::PairShares;
use crate::linear::Derivatives;

/// The log-likelihood to be maximised: the pairs of systems in 0..`systems`, and systems that stand
/// for the origin of their part. A point is the strengths, followed by the tie parameter; the
/// gradient is in the unit of the pairs. The caller sees to it that there is a maximum.
pub(super) struct TieLikelihood<'a> {
    pub(super) law: TieLaw,
    pub(super) systems: usize,
    pub(super) pairs: &'a [PairShares],
    pub(super) pinned: &'a [usize],
}

impl TieLikelihood<'_> {
    /// The gradient, and the information matrix (minus the Hessian, row-major).
    fn derivatives(&self, point: &[f64]) -> Derivatives {
        let mut found = Derivatives::zero(self.systems + 1);
        for pair in self.pairs {
            add_terms(&mut found, pair, &self.terms_at(point, pair));
        }
        found
    }

    fn terms_at(&self, point: &[f64], pair: &PairShares) -> Terms {
        let lead = point[pair.i] - point[pair.j];
        self.law.terms(lead, point[self.systems], pair)
    }
}

impl LogLikelihood for TieLikelihood<'_> {
    fn value_at(&self, point: &[f64]) -> f64 {
        let values = self.pairs.iter();
        values.map(|pair| self.terms_at(point, pair).value).sum()
    }

    fn gradient_at(&self, point: &[f64]) -> Vec<f64> {
        self.derivatives(point).gradient
    }

    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>> {
        let mut found = self.derivatives(point);
        // Each part has an origin of its own, which the likelihood leaves open.
        for &system in self.pinned {
            hold(&mut found, system);
        }
        found.solve()
    }

    fn set_origin(&self, point: Vec<f64>) -> Vec<f64> {
        // The pinned systems hold it.
        point
    }
}

/// Adds the derivatives of one pair's terms.
fn add_terms(found: &mut Derivatives, pair: &PairShares, terms: &Terms) {
    let ends = (pair.i, pair.j);
    found.add_slope(ends, terms.slope.0);
    found.add_curvature(ends, terms.curvature.0);
    add_tie_terms(found, ends, terms);
}

/// The tie parameter comes last. The upper right of its column is not read.
fn add_tie_terms(found: &mut Derivatives, ends: (usize, usize), terms: &Terms) {
    let last = found.gradient.len() - 1;
    found.gradient[last] += terms.slope.1;
    let row = &mut found.information[last * (last + 1)..];
    add_tie_curvature(row, ends, terms.curvature);
}

fn add_tie_curvature(row: &mut [f64], (i, j): (usize, usize), (_, mixed, own): (f64, f64, f64)) {
    row[i] += mixed;
    row[j] -= mixed;
    if let Some(last) = row.last_mut() {
        *last += own;
    }
}

/// Takes a system out of the equations, so that no step moves it.
fn hold(found: &mut Derivatives, system: usize) {
    let n = found.gradient.len();
    for other in 0..n {
        found.information[system * n + other] = 0.0;
        found.information[other * n + system] = 0.0;
    }
    found.information[system * n + system] = 1.0;
    found.gradient[system] = 0.0;
}
