//! The influence of one comparison on Bradley-Terry strengths: the base of sandwich covariances,
//! jackknives and dropping.

use super::{InferenceError, check_length, finite_score};
use crate::index::{self, finite_systems, places_of};
use crate::linear::{add_edge, laplacian_inverse};
use crate::special::win_chance;
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
    pub(super) fn new(tally: &Tally, strengths: &[Estimate]) -> Result<Self, InferenceError> {
        check_length("strengths", tally.systems(), strengths.len())?;
        let systems = finite_systems(strengths);
        let m = systems.len();
        if m < 2 {
            return Err(why_no_strengths(strengths));
        }
        let places = places_of(&systems, strengths.len());
        let strengths: Vec<f64> = strengths.iter().filter_map(|x| x.finite()).collect();
        let information = information_matrix(tally, &systems, &strengths);
        Ok(Influence {
            systems,
            places,
            strengths,
            inverse: laplacian_inverse(&information, m).ok_or(InferenceError::Singular)?,
        })
    }

    pub(super) fn row(&self, place: usize) -> &[f64] {
        let m = self.systems.len();
        &self.inverse[place * m..(place + 1) * m]
    }

    /// Puts what a score vector, 0 but at the places touched, does to the strengths in `change`.
    #[inline]
    pub(super) fn apply(&self, touched: &[usize], score: &[f64], change: &mut [f64]) {
        change.fill(0.0);
        for &place in touched {
            for (x, a) in change.iter_mut().zip(self.row(place)) {
                *x += score[place] * a;
            }
        }
    }

    pub(super) fn place_of(
        &self,
        system: usize,
        estimates: &[Estimate],
    ) -> Result<usize, InferenceError> {
        finite_score(estimates[system], system)?;
        self.places[system].ok_or(InferenceError::Infinite { system })
    }

    /// All cells that hold comparisons, in order of pair and of points.
    pub(super) fn cells<'a>(&'a self, tally: &'a Tally) -> impl Iterator<Item = Cell> + 'a {
        index::pairs(self.systems.len()).flat_map(move |pair| {
            let counts = tally.outcome(self.systems[pair.0], self.systems[pair.1]);
            [1.0, 0.5, 0.0]
                .into_iter()
                .zip(counts)
                .filter(|&(_, count)| count > 0.0)
                .map(move |(points, count)| self.cell(pair, points, count))
        })
    }

    fn cell(&self, pair: (usize, usize), points: f64, count: f64) -> Cell {
        Cell {
            pair,
            points,
            count,
            residual: self.residual(pair, points),
        }
    }

    fn residual(&self, (i, j): (usize, usize), points: f64) -> f64 {
        let lead = self.strengths[i] - self.strengths[j];
        // Not points - chance: that cancels when the chance is close to 1.
        let residual = points * win_chance(-lead) - (1.0 - points) * win_chance(lead);
        if residual.abs() < ROUNDING {
            0.0
        } else {
            residual
        }
    }

    /// Adds up the score vectors of `rows` in `scratch`, which must hold zeros, and lists the
    /// places touched.
    pub(super) fn add_scores(
        &self,
        rows: &[Comparison],
        scratch: &mut [f64],
        touched: &mut Vec<usize>,
    ) {
        touched.clear();
        let mut weight = 0.0;
        for row in rows {
            if let Some((i, j)) = self.places_of_row(row) {
                let slope = self.slope(row, i, j);
                weight += row.wins_a + row.ties + row.wins_b;
                scratch[i] += slope;
                scratch[j] -= slope;
                touched.extend([i, j]);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for &place in touched.iter() {
            if scratch[place].abs() < ROUNDING * weight {
                scratch[place] = 0.0;
            }
        }
    }

    /// The places of a row's systems, if both are finite.
    fn places_of_row(&self, row: &Comparison) -> Option<(usize, usize)> {
        let [a, b] = [row.a, row.b].map(usize::from);
        Some((self.places[a]?, self.places[b]?))
    }

    /// The points of the first less their expectation.
    fn slope(&self, row: &Comparison, i: usize, j: usize) -> f64 {
        let lead = self.strengths[i] - self.strengths[j];
        (row.wins_a + 0.5 * row.ties) * win_chance(-lead)
            - (row.wins_b + 0.5 * row.ties) * win_chance(lead)
    }
}

/// The information of `tally` on the strengths of some of its systems: a Laplacian with weights n p
/// (1 - p).
pub(super) fn information_matrix(tally: &Tally, systems: &[usize], strengths: &[f64]) -> Vec<f64> {
    let m = systems.len();
    let mut matrix = vec![0.0; m * m];
    for (i, j) in index::pairs(m) {
        let lead = strengths[i] - strengths[j];
        let games = tally.games(systems[i], systems[j]);
        let weight = games * win_chance(lead) * win_chance(-lead);
        add_edge(&mut matrix, m, (i, j), weight);
    }
    matrix
}

/// Why no two systems have finite strengths.
fn why_no_strengths(strengths: &[Estimate]) -> InferenceError {
    let infinite = |x: &Estimate| matches!(x, Estimate::PlusInfinity | Estimate::MinusInfinity);
    match strengths {
        [] => Undefined::NoData.into(),
        [_] => Undefined::OneSystem.into(),
        all => match all.iter().position(infinite) {
            Some(system) => InferenceError::Infinite { system },
            None => first_reason(all).unwrap_or(Undefined::NoData).into(),
        },
    }
}

fn first_reason(strengths: &[Estimate]) -> Option<Undefined> {
    strengths.iter().find_map(|x| match x {
        Estimate::Undefined(why) => Some(*why),
        _ => None,
    })
}
