//! What one comparison does to Bradley-Terry strengths: the base of sandwich covariances,
//! jackknives and dropping.

use super::{InferenceError, check_length, finite};
use crate::chance::chance;
use crate::linear::{add_edge, laplacian_inverse};
use crate::{Comparison, Estimate, Tally, Undefined};

/// Residuals below this share of their weight are rounding of the fit.
const ROUNDING: f64 = 1e-9;

/// Bradley-Terry strengths and the inverse of their information: a comparison with score vector u
/// moves the strengths by `inverse * u`, to first order (Hampel 1974; Jaeckel 1972, the
/// infinitesimal jackknife).
///
/// Systems with finite strengths are numbered by their place from 0 to m - 1, in ascending order.
pub(super) struct Influence {
    pub(super) systems: Vec<usize>,
    /// For each system its place.
    pub(super) places: Vec<Option<usize>>,
    /// By place.
    pub(super) strengths: Vec<f64>,
    /// By place, m x m: the Moore-Penrose inverse of sum over pairs n p (1 - p) (e_i - e_j) (e_i -
    /// e_j)'.
    pub(super) inverse: Vec<f64>,
}

/// Comparisons of one pair with one outcome, which all have the same influence.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// Places of the pair.
    pub(super) pair: (usize, usize),
    /// Points of the first: 1, 1/2 or 0.
    pub(super) points: f64,
    /// Weight of the comparisons.
    pub(super) count: f64,
    /// Points of the first less its chance to win.
    pub(super) residual: f64,
}

impl Influence {
    /// `strengths` must be the maximum-likelihood strengths of `tally`, on any origin.
    pub(super) fn of(tally: &Tally, strengths: &[Estimate]) -> Result<Self, InferenceError> {
        check_length("strengths", tally.systems(), strengths.len())?;
        let systems: Vec<usize> = (0..strengths.len())
            .filter(|&i| strengths[i].finite().is_some())
            .collect();
        if systems.len() < 2 {
            return Err(no_strengths(strengths));
        }
        let mut places = vec![None; strengths.len()];
        systems
            .iter()
            .enumerate()
            .for_each(|(place, &system)| places[system] = Some(place));
        let strengths: Vec<f64> = systems
            .iter()
            .filter_map(|&i| strengths[i].finite())
            .collect();
        let information = information(tally, &systems, &strengths);
        let inverse =
            laplacian_inverse(&information, systems.len()).ok_or(InferenceError::Singular)?;
        Ok(Influence {
            systems,
            places,
            strengths,
            inverse,
        })
    }

    pub(super) fn row(&self, place: usize) -> &[f64] {
        let m = self.systems.len();
        &self.inverse[place * m..(place + 1) * m]
    }

    pub(super) fn place(
        &self,
        system: usize,
        estimates: &[Estimate],
    ) -> Result<usize, InferenceError> {
        finite(estimates[system], system)?;
        self.places[system].ok_or(InferenceError::Infinite { system })
    }

    /// All cells that hold comparisons, in order of pair and of points.
    pub(super) fn cells<'a>(&'a self, tally: &'a Tally) -> impl Iterator<Item = Cell> + 'a {
        let m = self.systems.len();
        let pairs = (0..m).flat_map(move |i| (i + 1..m).map(move |j| (i, j)));
        pairs.flat_map(move |(i, j)| {
            let (a, b) = (self.systems[i], self.systems[j]);
            let counts = [
                (1.0, tally.wins(a, b)),
                (0.5, tally.ties(a, b)),
                (0.0, tally.wins(b, a)),
            ];
            counts
                .into_iter()
                .filter(|&(_, count)| count > 0.0)
                .map(move |(points, count)| Cell {
                    pair: (i, j),
                    points,
                    count,
                    residual: self.residual(i, j, points),
                })
        })
    }

    fn residual(&self, i: usize, j: usize, points: f64) -> f64 {
        let lead = self.strengths[i] - self.strengths[j];
        // Not points - chance: that cancels when the chance is close to 1.
        let residual = points * chance(-lead) - (1.0 - points) * chance(lead);
        if residual.abs() < ROUNDING {
            0.0
        } else {
            residual
        }
    }

    /// Adds up the score vectors of `rows` in `scratch`, which must hold zeros, and lists the
    /// places touched.
    pub(super) fn score(&self, rows: &[Comparison], scratch: &mut [f64], touched: &mut Vec<usize>) {
        touched.clear();
        let mut weight = 0.0;
        for row in rows {
            let (Some(i), Some(j)) = (
                self.places[usize::from(row.a)],
                self.places[usize::from(row.b)],
            ) else {
                continue;
            };
            let lead = self.strengths[i] - self.strengths[j];
            let slope = (row.wins_a + 0.5 * row.ties) * chance(-lead)
                - (row.wins_b + 0.5 * row.ties) * chance(lead);
            weight += row.wins_a + row.ties + row.wins_b;
            scratch[i] += slope;
            scratch[j] -= slope;
            touched.extend([i, j]);
        }
        touched.sort_unstable();
        touched.dedup();
        for &place in touched.iter() {
            if scratch[place].abs() < ROUNDING * weight {
                scratch[place] = 0.0;
            }
        }
    }
}

/// The information of `tally` on the strengths of some of its systems: a Laplacian with weights n p
/// (1 - p).
pub(super) fn information(tally: &Tally, systems: &[usize], strengths: &[f64]) -> Vec<f64> {
    let m = systems.len();
    let mut matrix = vec![0.0; m * m];
    for (i, j) in (0..m).flat_map(|i| (i + 1..m).map(move |j| (i, j))) {
        let lead = strengths[i] - strengths[j];
        add_edge(
            &mut matrix,
            m,
            (i, j),
            tally.games(systems[i], systems[j]) * chance(lead) * chance(-lead),
        );
    }
    matrix
}

/// Why no two systems have finite strengths.
fn no_strengths(strengths: &[Estimate]) -> InferenceError {
    let infinite = |x: &Estimate| matches!(x, Estimate::PlusInfinity | Estimate::MinusInfinity);
    let reason = match strengths {
        [] => Undefined::NoData,
        [_] => Undefined::OneSystem,
        all => match all.iter().position(infinite) {
            Some(system) => return InferenceError::Infinite { system },
            None => all
                .iter()
                .find_map(|x| {
                    if let Estimate::Undefined(why) = x {
                        Some(*why)
                    } else {
                        None
                    }
                })
                .unwrap_or(Undefined::NoData),
        },
    };
    reason.into()
}
