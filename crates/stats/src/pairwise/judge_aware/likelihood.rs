//! The log-likelihood of a panel, with its prior, and the steps that climb it.

use super::super::ascent::LogLikelihood;
use super::cells::Cell;
use crate::linear::{Derivatives, centred};
use crate::special::{log_win_chance, win_chance};

/// The weight of the prior of a discrimination around 1: its inverse variance.
const PRIOR: f64 = 0.1;

/// Cells of systems and judges. A point is the strengths, then the discriminations.
pub(super) struct Panel<'a> {
    pub(super) systems: usize,
    pub(super) judges: usize,
    pub(super) cells: &'a [Cell],
}

impl Panel<'_> {
    /// The difference in strength and the discrimination that a cell is about.
    fn terms(&self, cell: &Cell, point: &[f64]) -> (f64, f64) {
        let difference = point[cell.a] - point[cell.b];
        (difference, point[self.systems + cell.judge])
    }

    /// The gradient and minus the second derivatives; without what the curvature of the product of
    /// discrimination and difference adds they are those of Fisher's scoring.
    fn derivatives(&self, point: &[f64], observed: bool) -> Derivatives {
        let n = self.systems + self.judges;
        let mut found = Derivatives::zero(n);
        for cell in self.cells {
            let (difference, sharpness) = self.terms(cell, point);
            let chance = win_chance(sharpness * difference);
            let miss = cell.points() - cell.games() * chance;
            let weight = cell.games() * chance * (1.0 - chance);
            let judge = self.systems + cell.judge;
            found.add_slope((cell.a, cell.b), miss * sharpness);
            found.gradient[judge] += miss * difference;
            found.add_curvature((cell.a, cell.b), weight * sharpness * sharpness);
            let bend = if observed { miss } else { 0.0 };
            let mixed = weight * sharpness * difference - bend;
            found.information[judge * n + judge] += weight * difference * difference;
            for (system, entry) in [(cell.a, mixed), (cell.b, -mixed)] {
                found.information[judge * n + system] += entry;
                found.information[system * n + judge] += entry;
            }
        }
        for (judge, sharpness) in point.iter().enumerate().skip(self.systems) {
            found.gradient[judge] -= PRIOR * (sharpness - 1.0);
            found.information[judge * n + judge] += PRIOR;
        }
        // What the likelihood leaves open gets a slope: the mean of the strengths, and those of
        // systems without a cell.
        for i in 0..self.systems {
            for j in 0..self.systems {
                found.information[i * n + j] += 1.0 / self.systems as f64;
            }
            found.information[i * n + i] += 1e-9;
        }
        found
    }
}

impl LogLikelihood for Panel<'_> {
    fn value_at(&self, point: &[f64]) -> f64 {
        let gains = self.cells.iter().map(|cell| {
            let (difference, sharpness) = self.terms(cell, point);
            let lead = sharpness * difference;
            let points = cell.points();
            points * log_win_chance(lead) + (cell.games() - points) * log_win_chance(-lead)
        });
        let far = point[self.systems..].iter().map(|d| (d - 1.0).powi(2));
        gains.sum::<f64>() - PRIOR / 2.0 * far.sum::<f64>()
    }

    fn gradient_at(&self, point: &[f64]) -> Vec<f64> {
        self.derivatives(point, true).gradient
    }

    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>> {
        let newton = self.derivatives(point, true).solve();
        newton.or_else(|| self.derivatives(point, false).solve())
    }

    fn set_origin(&self, mut point: Vec<f64>) -> Vec<f64> {
        let judges = point.split_off(self.systems);
        let mut point = centred(point);
        point.extend(judges);
        point
    }
}
