//! Newton's method for strengths and one tie parameter.

use super::{Kind, Pair};
use crate::Fit;
use crate::linear::{Cholesky, add_edge, largest};

const MAX_ITERATIONS: usize = 1000;
/// Steps (in log-odds) below this end the search; Newton's steps shrink quadratically, so the error
/// is far smaller.
const NEGLIGIBLE: f64 = 1e-10;
/// Steps below this that shrink no more are rounding, and end the search as well.
const SMALL: f64 = 1e-6;
/// Longest step: far from the maximum the likelihood is so flat that Newton's step is out of all
/// proportion.
const LONGEST: f64 = 8.0;
/// How often a step that lowers the likelihood is halved.
const MAX_HALVINGS: usize = 60;

/// The log-likelihood of one pair as a function of the lead x = s_i - s_j and the tie parameter t
/// (ln nu or ln theta).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terms {
    pub(super) value: f64,
    /// Its derivatives by x and by t.
    pub(super) slope: (f64, f64),
    /// Minus its second derivatives: by x twice, by x and t, by t twice.
    pub(super) curvature: (f64, f64, f64),
}

/// What is maximised: the pairs of systems in 0..`systems`, and systems that stand for the origin
/// of their part.
pub(super) struct Problem<'a> {
    pub(super) kind: Kind,
    pub(super) systems: usize,
    pub(super) pairs: &'a [Pair],
    pub(super) pinned: &'a [usize],
}

/// The strengths, followed by the tie parameter, where the concave log-likelihood is greatest; the
/// gradient is in the unit of the pairs. The caller sees to it that there is a maximum.
pub(super) fn maximise(problem: &Problem, start: Vec<f64>) -> (Vec<f64>, Fit) {
    let mut point = start;
    let (mut previous, mut iterations, mut converged) = (f64::INFINITY, 0, false);
    while !converged && iterations < MAX_ITERATIONS {
        iterations += 1;
        let Some(step) = newton_step(problem, &point) else {
            break;
        };
        let Some(next) = climb(problem, &point, &step) else {
            break;
        };
        let size = largest(&step);
        converged = size <= NEGLIGIBLE || (size <= SMALL && size >= previous / 2.0);
        (point, previous) = (next, size);
    }
    let gradient = largest(&derivatives(problem, &point).0);
    let gradient = if gradient.is_finite() {
        gradient
    } else {
        f64::MAX
    };
    (
        point,
        Fit {
            iterations,
            gradient,
            converged,
        },
    )
}

fn terms(problem: &Problem, pair: &Pair, point: &[f64]) -> Terms {
    problem
        .kind
        .terms(point[pair.i] - point[pair.j], point[problem.systems], pair)
}

fn log_likelihood(problem: &Problem, point: &[f64]) -> f64 {
    problem
        .pairs
        .iter()
        .map(|pair| terms(problem, pair, point).value)
        .sum()
}

/// The gradient, and the information matrix (minus the Hessian, row-major).
fn derivatives(problem: &Problem, point: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (tie, n) = (problem.systems, problem.systems + 1);
    let (mut gradient, mut information) = (vec![0.0; n], vec![0.0; n * n]);
    for pair in problem.pairs {
        let Terms {
            slope, curvature, ..
        } = terms(problem, pair, point);
        for (at, change) in [(pair.i, slope.0), (pair.j, -slope.0), (tie, slope.1)] {
            gradient[at] += change;
        }
        let (xx, xt, tt) = curvature;
        let (i, j) = (pair.i, pair.j);
        add_edge(&mut information, n, (i, j), xx);
        for (row, column, change) in [(tie, i, xt), (tie, j, -xt), (tie, tie, tt)] {
            information[row * n + column] += change;
        }
    }
    (gradient, information)
}

/// Newton's step, shortened if need be; None if the information matrix is not positive definite in
/// floating point.
fn newton_step(problem: &Problem, point: &[f64]) -> Option<Vec<f64>> {
    let (mut gradient, mut information) = derivatives(problem, point);
    let n = problem.systems + 1;
    for &pin in problem.pinned {
        (0..n).for_each(|other| {
            (information[pin * n + other], information[other * n + pin]) = (0.0, 0.0)
        });
        (information[pin * n + pin], gradient[pin]) = (1.0, 0.0);
    }
    let mut step = gradient;
    Cholesky::new(n, information)?.solve(&mut step);
    let shorten = (LONGEST / largest(&step)).min(1.0);
    step.iter()
        .all(|x| x.is_finite())
        .then(|| step.iter().map(|x| x * shorten).collect())
}

/// The point one step ahead, or half a step, or a quarter, ...: the first that does not lower the
/// likelihood.
fn climb(problem: &Problem, from: &[f64], step: &[f64]) -> Option<Vec<f64>> {
    let here = log_likelihood(problem, from);
    let rounding = 1e-12 * here.abs();
    let ahead = |halvings: usize| -> Vec<f64> {
        let length = 0.5f64.powi(halvings as i32);
        from.iter().zip(step).map(|(x, d)| x + length * d).collect()
    };
    (0..MAX_HALVINGS)
        .map(ahead)
        .find(|next| log_likelihood(problem, next) >= here - rounding)
}
