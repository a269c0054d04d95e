//! Strengths with a ridge prior where most pairs of systems never met: nothing is kept of those,
//! and no matrix is made.

use super::super::ascent::{LogLikelihood, maximise};
use crate::linear::{centred, dot, squared_deviations};
use crate::special::{log_win_chance, win_chance, win_information};

/// Two systems that met, and the points of either against the other; a tie is half a point for
/// both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Met {
    pub(crate) systems: [usize; 2],
    pub(crate) points: [f64; 2],
}

impl Met {
    /// The information that their games have at these strengths.
    pub(crate) fn information(&self, strengths: &[f64]) -> f64 {
        win_information(self.points[0] + self.points[1], self.lead(strengths))
    }

    fn lead(&self, strengths: &[f64]) -> f64 {
        let [i, j] = self.systems;
        strengths[i] - strengths[j]
    }
}

/// Conjugate gradients end where the square of what is left has shrunk so far.
const ENOUGH: f64 = 1e-26;

/// Returns the strengths that [`super::bradley_terry_ridge`] finds for two systems or more, from
/// the pairs that met alone; a pair may stand there several times.
///
/// Newton's steps are those of the matrix, solved by conjugate gradients that are scaled by its
/// diagonal (Hestenes and Stiefel 1952): each takes time in proportion to the pairs that met, where
/// decomposing the matrix takes the third power of the systems.
pub(crate) fn ridge_of_met(systems: usize, met: &[Met], ridge: f64) -> Vec<f64> {
    maximise(&MetPoints { met, ridge }, vec![0.0; systems]).0
}

struct MetPoints<'a> {
    met: &'a [Met],
    ridge: f64,
}

impl LogLikelihood for MetPoints<'_> {
    fn value_at(&self, strengths: &[f64]) -> f64 {
        let terms = self.met.iter().map(|met| {
            let lead = met.lead(strengths);
            // Many pairs are one-sided, and logarithms are what this takes.
            let term = |points: f64, lead: f64| match points > 0.0 {
                true => points * log_win_chance(lead),
                false => 0.0,
            };
            term(met.points[0], lead) + term(met.points[1], -lead)
        });
        terms.sum::<f64>() - 0.5 * self.ridge * squared_deviations(strengths, 0.0)
    }

    fn gradient_at(&self, strengths: &[f64]) -> Vec<f64> {
        let mut gradient: Vec<f64> = strengths.iter().map(|own| -self.ridge * own).collect();
        for met in self.met {
            let lead = met.lead(strengths);
            let slope = met.points[0] * win_chance(-lead) - met.points[1] * win_chance(lead);
            let [i, j] = met.systems;
            gradient[i] += slope;
            gradient[j] -= slope;
        }
        gradient
    }

    fn step_from(&self, strengths: &[f64]) -> Option<Vec<f64>> {
        let informed = self.met.iter().map(|met| met.information(strengths));
        let information: Vec<f64> = informed.collect();
        let mut diagonal = vec![self.ridge; strengths.len()];
        for (met, weight) in self.met.iter().zip(&information) {
            for system in met.systems {
                diagonal[system] += weight;
            }
        }
        let image_of = |direction: &[f64]| {
            let mut image: Vec<f64> = direction.iter().map(|x| self.ridge * x).collect();
            for (met, weight) in self.met.iter().zip(&information) {
                let [i, j] = met.systems;
                let flow = weight * (direction[i] - direction[j]);
                image[i] += flow;
                image[j] -= flow;
            }
            image
        };
        let scaled = |left: &[f64]| -> Vec<f64> {
            left.iter()
                .zip(&diagonal)
                .map(|(x, scale)| x / scale)
                .collect()
        };
        let mut left = self.gradient_at(strengths);
        let mut step = vec![0.0; left.len()];
        let mut direction = scaled(&left);
        let mut size = dot(&left, &direction);
        let enough = ENOUGH * size;
        // In exact numbers there are as many as systems; rounding may ask for more.
        for _ in 0..1000 + 10 * left.len() {
            if !size.is_finite() || size <= enough {
                break;
            }
            let image = image_of(&direction);
            let length = size / dot(&direction, &image);
            for (x, along) in step.iter_mut().zip(&direction) {
                *x += length * along;
            }
            for (x, along) in left.iter_mut().zip(&image) {
                *x -= length * along;
            }
            let next = scaled(&left);
            let shrunk = dot(&left, &next);
            for (x, own) in direction.iter_mut().zip(&next) {
                *x = own + shrunk / size * *x;
            }
            size = shrunk;
        }
        let is_finite = step.iter().all(|x| x.is_finite());
        is_finite.then(|| centred(step))
    }

    fn set_origin(&self, strengths: Vec<f64>) -> Vec<f64> {
        centred(strengths)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ridge, bradley_terry_ridge};
    use super::*;
    use crate::Tally;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    /// Few pairs or all, few games or many, rings and parts that never met: as the matrix has it.
    #[test]
    fn it_finds_what_the_matrix_finds() {
        for seed in 0..60 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut uniform = || random.next_u64() as f64 / 2f64.powi(64);
            let systems = [2, 3, 7, 30, 120][seed as usize % 5];
            let share = [0.05, 0.4, 1.0][seed as usize % 3];
            let most = [3.0, 1e4][seed as usize % 2];
            let mut tally = Tally::new(systems).unwrap();
            let mut met = Vec::new();
            for (i, j) in crate::index::pairs(systems) {
                if j != i + 1 && uniform() > share {
                    continue;
                }
                // Half of the pairs are one-sided, some of those that met stand there twice.
                let won = (uniform() * most).round();
                let lost = if uniform() < 0.5 {
                    0.0
                } else {
                    (uniform() * most).round()
                };
                let ties = if uniform() < 0.2 { 1.0 } else { 0.0 };
                tally.add(i, j, won, ties, lost).unwrap();
                let (systems, half) = ([i, j], ties / 2.0);
                met.push(Met {
                    systems,
                    points: [won, lost],
                });
                met.push(Met {
                    systems,
                    points: [half, half],
                });
            }
            for ridge in [0.1, 3.0] {
                let dense = bradley_terry_ridge(&tally, Ridge::new(ridge).unwrap());
                let found = ridge_of_met(systems, &met, ridge);
                for (dense, found) in dense.estimates.iter().zip(found) {
                    let dense = dense.finite().unwrap();
                    assert!(
                        (dense - found).abs() < 1e-7,
                        "{seed} {ridge}: {dense} {found}"
                    );
                }
            }
        }
    }

    #[test]
    fn those_who_met_nobody_are_at_0() {
        assert_eq!(ridge_of_met(3, &[], 0.1), [0.0; 3]);
    }
}
