//! The log-likelihood of strengths and one tie parameter.

use super::super::ascent::LogLikelihood;
use super::PairShares;
use super::law::{Terms, TieLaw};
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
        // The tie parameter comes last. The upper right of its column is not read.
        let last = self.systems;
        for pair in self.pairs {
            let terms = self.terms_at(point, pair);
            let (twice, mixed, own) = terms.curvature;
            found.add_slope((pair.i, pair.j), terms.slope.0);
            found.add_curvature((pair.i, pair.j), twice);
            found.gradient[last] += terms.slope.1;
            let row = &mut found.information[last * (last + 1)..];
            row[pair.i] += mixed;
            row[pair.j] -= mixed;
            row[last] += own;
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
        let values = self
            .pairs
            .iter()
            .map(|pair| self.terms_at(point, pair).value);
        values.sum()
    }

    fn gradient_at(&self, point: &[f64]) -> Vec<f64> {
        self.derivatives(point).gradient
    }

    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>> {
        let mut found = self.derivatives(point);
        // Each part has an origin of its own, which the likelihood leaves open: a system of each is
        // taken out of the equations, so that no step moves it.
        let n = found.gradient.len();
        for &system in self.pinned {
            for other in 0..n {
                found.information[system * n + other] = 0.0;
                found.information[other * n + system] = 0.0;
            }
            found.information[system * n + system] = 1.0;
            found.gradient[system] = 0.0;
        }
        found.solve()
    }
}
