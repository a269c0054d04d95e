//! The log-likelihood of strengths whose maximum is finite.

use super::super::ascent::LogLikelihood;
use crate::linear::{Cholesky, add_edge, centred, laplacian_solve, squared_deviations};
use crate::special::{log_win_chance, win_chance};
use crate::{Tally, index};

/// The points of m systems against each other: `won[i * m + j]` of i over j, a tie counting half.
///
/// The log-likelihood, the sum over i, j of won(i, j) * log(1 / (1 + exp(s_j - s_i))) less the
/// penalty, is concave. It has exactly one maximum of mean 0 where the graph of wins is strongly
/// connected, which the caller sees to, or where there is a penalty.
pub(super) struct Points {
    pub(super) systems: usize,
    pub(super) won: Vec<f64>,
    /// The ridge penalty is half of this times the sum of squared strengths.
    pub(super) ridge: f64,
}

impl Points {
    /// The points of some systems of a tally.
    pub(super) fn new(tally: &Tally, systems: &[usize], ridge: f64) -> Points {
        let cells = index::all_pairs(systems.len());
        Points {
            systems: systems.len(),
            won: cells
                .map(|(i, j)| tally.points(systems[i], systems[j]))
                .collect(),
            ridge,
        }
    }

    /// The points of i against j.
    #[inline]
    fn won_by(&self, i: usize, j: usize) -> f64 {
        self.won[i * self.systems + j]
    }

    /// The gradient (wins less expected wins) and the information matrix (minus the Hessian,
    /// row-major).
    fn derivatives(&self, strengths: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let m = self.systems;
        let (mut gradient, mut information) = (vec![0.0; m], vec![0.0; m * m]);
        for i in 0..m {
            for j in i + 1..m {
                self.add_pair((i, j), strengths, &mut gradient, &mut information);
            }
            gradient[i] -= self.ridge * strengths[i];
            information[i * m + i] += self.ridge;
        }
        (gradient, information)
    }

    #[inline]
    fn add_pair(
        &self,
        (i, j): (usize, usize),
        strengths: &[f64],
        gradient: &mut [f64],
        information: &mut [f64],
    ) {
        let (won, lost) = (self.won_by(i, j), self.won_by(j, i));
        if won + lost == 0.0 {
            return;
        }
        let wins = win_chance(strengths[i] - strengths[j]);
        let loses = win_chance(strengths[j] - strengths[i]);
        // Not won - (won + lost) * wins: that cancels when the chance is close to 1.
        let slope = won * loses - lost * wins;
        gradient[i] += slope;
        gradient[j] -= slope;
        let weight = (won + lost) * wins * loses;
        add_edge(information, self.systems, (i, j), weight);
    }

    /// The likelihood without the penalty.
    fn likelihood(&self, strengths: &[f64]) -> f64 {
        let won = index::all_pairs(self.systems).filter(|&(i, j)| self.won_by(i, j) > 0.0);
        won.map(|(i, j)| self.won_by(i, j) * log_win_chance(strengths[i] - strengths[j]))
            .sum()
    }

    fn solve(&self, information: Vec<f64>, mut gradient: Vec<f64>) -> Option<Vec<f64>> {
        // Without a penalty the matrix is singular: strengths have no origin of their own.
        if self.ridge == 0.0 {
            return laplacian_solve(&information, gradient);
        }
        Cholesky::new(self.systems, information)?.solve(&mut gradient);
        Some(gradient)
    }
}

impl LogLikelihood for Points {
    fn value_at(&self, strengths: &[f64]) -> f64 {
        let squares = squared_deviations(strengths, 0.0);
        self.likelihood(strengths) - 0.5 * self.ridge * squares
    }

    fn gradient_at(&self, strengths: &[f64]) -> Vec<f64> {
        self.derivatives(strengths).0
    }

    fn step_from(&self, strengths: &[f64]) -> Option<Vec<f64>> {
        let (gradient, information) = self.derivatives(strengths);
        Some(centred(self.solve(information, gradient)?))
    }

    fn set_origin(&self, strengths: Vec<f64>) -> Vec<f64> {
        centred(strengths)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ascent::maximise;
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
