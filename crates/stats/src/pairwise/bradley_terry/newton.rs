//! Newton's method for the strengths of systems whose maximum likelihood is finite.

use crate::Fit;
use crate::chance::{chance, log_chance};
use crate::linear::{Cholesky, add_edge, centred, laplacian_solve, largest};

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
const MAX_HALVINGS: usize = 60;

/// What m systems won from each other: `won[i * m + j]` of i over j, a tie counting half.
pub(super) struct Points {
    pub(super) systems: usize,
    pub(super) won: Vec<f64>,
    /// The ridge penalty is half of this times the sum of squared strengths.
    pub(super) ridge: f64,
}

/// Maximises the Bradley-Terry log-likelihood, the sum over i, j of won(i, j) * log(1 / (1 +
/// exp(s_j - s_i))), less the penalty.
///
/// It is concave, and has exactly one maximum of mean 0 where the graph of wins is strongly
/// connected, which the caller sees to, or where there is a penalty. Returns log-odds strengths
/// with mean 0.
pub(super) fn maximise(points: &Points, start: Vec<f64>) -> (Vec<f64>, Fit) {
    let mut strengths = centred(start);
    let (mut previous, mut iterations, mut converged) = (f64::INFINITY, 0, false);
    while !converged && iterations < MAX_ITERATIONS {
        iterations += 1;
        let Some(step) = newton_step(points, &strengths) else {
            break;
        };
        let Some(next) = climb(points, &strengths, &step) else {
            break;
        };
        let size = largest(&step);
        converged = size <= NEGLIGIBLE || (size <= SMALL && size >= previous / 2.0);
        (strengths, previous) = (next, size);
    }
    let gradient = largest(&derivatives(points, &strengths).0);
    let gradient = if gradient.is_finite() {
        gradient
    } else {
        f64::MAX
    };
    (
        strengths,
        Fit {
            iterations,
            gradient,
            converged,
        },
    )
}

/// The gradient (wins less expected wins) and the information matrix (minus the Hessian,
/// row-major).
fn derivatives(points: &Points, strengths: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let m = points.systems;
    let (mut gradient, mut information) = (vec![0.0; m], vec![0.0; m * m]);
    for i in 0..m {
        for j in i + 1..m {
            let (won, lost) = (points.won[i * m + j], points.won[j * m + i]);
            if won + lost == 0.0 {
                continue;
            }
            let (wins, loses) = (
                chance(strengths[i] - strengths[j]),
                chance(strengths[j] - strengths[i]),
            );
            // Not won - (won + lost) * wins: that cancels when the chance is close to 1.
            let slope = won * loses - lost * wins;
            gradient[i] += slope;
            gradient[j] -= slope;
            add_edge(&mut information, m, (i, j), (won + lost) * wins * loses);
        }
        gradient[i] -= points.ridge * strengths[i];
        information[i * m + i] += points.ridge;
    }
    (gradient, information)
}

fn log_likelihood(points: &Points, strengths: &[f64]) -> f64 {
    let m = points.systems;
    let pairs = (0..m).flat_map(|i| (0..m).map(move |j| (i, j)));
    let won = pairs.filter(|&(i, j)| points.won[i * m + j] > 0.0);
    let likelihood: f64 = won
        .map(|(i, j)| points.won[i * m + j] * log_chance(strengths[i] - strengths[j]))
        .sum();
    likelihood
        - 0.5
            * points.ridge
            * strengths
                .iter()
                .map(|strength| strength * strength)
                .sum::<f64>()
}

/// Newton's step, with mean 0 and shortened if need be; None if the information matrix is not
/// positive definite in floating point.
fn newton_step(points: &Points, strengths: &[f64]) -> Option<Vec<f64>> {
    let (gradient, information) = derivatives(points, strengths);
    let step = match points.ridge > 0.0 {
        true => {
            let mut step = gradient;
            Cholesky::new(step.len(), information)?.solve(&mut step);
            step
        }
        false => laplacian_solve(&information, gradient)?,
    };
    let step = centred(step);
    let shorten = (LONGEST / largest(&step)).min(1.0);
    step.iter()
        .all(|x| x.is_finite())
        .then(|| step.iter().map(|x| x * shorten).collect())
}

/// The point one step ahead, or half a step, or a quarter, ...: the first that does not lower the
/// likelihood.
fn climb(points: &Points, from: &[f64], step: &[f64]) -> Option<Vec<f64>> {
    let here = log_likelihood(points, from);
    let rounding = 1e-12 * here.abs();
    let ahead = |halvings: usize| {
        let length = 0.5f64.powi(halvings as i32);
        centred(from.iter().zip(step).map(|(x, d)| x + length * d).collect())
    };
    (0..MAX_HALVINGS)
        .map(ahead)
        .find(|next| log_likelihood(points, next) >= here - rounding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(won: f64, lost: f64) -> Points {
        Points {
            systems: 2,
            won: vec![0.0, won, lost, 0.0],
            ridge: 0.0,
        }
    }

    #[test]
    fn two_systems_differ_by_the_log_odds() {
        // Closed form: s_0 - s_1 = ln(won / lost).
        for (won, lost) in [
            (3.0, 1.0),
            (1.0, 1.0),
            (999.0, 1.0),
            (0.5, 1e6),
            (1e30, 1.0),
            (1e100, 1e-50),
        ] {
            let (strengths, fit) = maximise(&two(won, lost), vec![0.0, 0.0]);
            let expected = f64::ln(won / lost);
            assert!(fit.converged, "{won} : {lost} {fit:?}");
            assert!(
                (strengths[0] - strengths[1] - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                "{won} : {lost}"
            );
        }
    }

    #[test]
    fn a_bad_start_is_recovered_from() {
        let (strengths, fit) = maximise(&two(3.0, 1.0), vec![300.0, -300.0]);
        assert!(
            fit.converged && (strengths[0] - strengths[1] - 3f64.ln()).abs() < 1e-12,
            "{strengths:?} {fit:?}"
        );
    }
}
