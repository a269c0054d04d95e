//! The log-likelihood of strengths and one tie parameter.

use super::super::ascent::LogLikelihood;
use super::law::TieLaw;
use super::pairs::PairShares;
use crate::linear::{Cholesky, add_edge};

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
    fn derivatives(&self, point: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.systems + 1;
        let (mut gradient, mut information) = (vec![0.0; n], vec![0.0; n * n]);
        for pair in self.pairs {
            let lead = point[pair.i] - point[pair.j];
            let tie = point[self.systems];
            let terms = self.law.terms(lead, tie, pair);
            add_slope(&mut gradient, pair, terms.slope);
            add_curvature(&mut information, n, pair, terms.curvature);
        }
        (gradient, information)
    }

    /// Holds the pinned systems where they are.
    fn pin(&self, gradient: &mut [f64], information: &mut [f64]) {
        let n = gradient.len();
        // Each part has an origin of its own, which the likelihood leaves open.
        for &pin in self.pinned {
            for other in 0..n {
                information[pin * n + other] = 0.0;
                information[other * n + pin] = 0.0;
            }
            information[pin * n + pin] = 1.0;
            gradient[pin] = 0.0;
        }
    }
}

impl LogLikelihood for TieLikelihood<'_> {
    fn value_at(&self, point: &[f64]) -> f64 {
        let tie = point[self.systems];
        self.pairs
            .iter()
            .map(|pair| {
                self.law
                    .terms(point[pair.i] - point[pair.j], tie, pair)
                    .value
            })
            .sum()
    }

    fn gradient_at(&self, point: &[f64]) -> Vec<f64> {
        self.derivatives(point).0
    }

    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>> {
        let (mut step, mut information) = self.derivatives(point);
        self.pin(&mut step, &mut information);
        Cholesky::new(step.len(), information)?.solve(&mut step);
        Some(step)
    }

    fn set_origin(&self, point: Vec<f64>) -> Vec<f64> {
        // The pinned systems hold it.
        point
    }
}

/// The tie parameter comes last.
fn add_slope(gradient: &mut [f64], pair: &PairShares, (by_lead, by_tie): (f64, f64)) {
    gradient[pair.i] += by_lead;
    gradient[pair.j] += -by_lead;
    if let Some(tie) = gradient.last_mut() {
        *tie += by_tie;
    }
}

/// The upper right of the tie parameter's column is not read.
fn add_curvature(
    information: &mut [f64],
    n: usize,
    pair: &PairShares,
    (xx, xt, tt): (f64, f64, f64),
) {
    add_edge(information, n, (pair.i, pair.j), xx);
    let last = &mut information[(n - 1) * n..];
    last[pair.i] += xt;
    last[pair.j] += -xt;
    last[n - 1] += tt;
}
