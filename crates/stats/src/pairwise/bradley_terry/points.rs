//! The log-likelihood of strengths whose maximum is finite.

use super::super::ascent::LogLikelihood;
use super::super::linked::points_among;
use crate::linear::{Derivatives, centred, laplacian_solve, squared_deviations};
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
        Points {
            systems: systems.len(),
            won: points_among(tally, systems),
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
    fn derivatives(&self, strengths: &[f64]) -> Derivatives {
        let mut found = Derivatives::zero(self.systems);
        for (i, j) in index::pairs(self.systems) {
            let (won, lost) = (self.won_by(i, j), self.won_by(j, i));
            let games = won + lost;
            if games == 0.0 {
                continue;
            }
            let lead = strengths[i] - strengths[j];
            let (wins, loses) = (win_chance(lead), win_chance(-lead));
            // Not won - games * wins: that cancels when the chance is close to 1.
            found.add_slope((i, j), won * loses - lost * wins);
            found.add_curvature((i, j), games * wins * loses);
        }
        for (i, strength) in strengths.iter().enumerate() {
            found.gradient[i] -= self.ridge * strength;
            found.information[i * self.systems + i] += self.ridge;
        }
        found
    }
}

impl LogLikelihood for Points {
    fn value_at(&self, strengths: &[f64]) -> f64 {
        let won = index::all_pairs(self.systems).filter(|&(i, j)| self.won_by(i, j) > 0.0);
        let terms =
            won.map(|(i, j)| self.won_by(i, j) * log_win_chance(strengths[i] - strengths[j]));
        let penalty = 0.5 * self.ridge * squared_deviations(strengths, 0.0);
        terms.sum::<f64>() - penalty
    }

    fn gradient_at(&self, strengths: &[f64]) -> Vec<f64> {
        self.derivatives(strengths).gradient
    }

    fn step_from(&self, strengths: &[f64]) -> Option<Vec<f64>> {
        let found = self.derivatives(strengths);
        // Without a penalty the matrix is singular: strengths have no origin of their own.
        let step = if self.ridge == 0.0 {
            laplacian_solve(&found.information, found.gradient)
        } else {
            found.solve()
        };
        step.map(centred)
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
