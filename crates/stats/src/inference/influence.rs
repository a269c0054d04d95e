//! The influence of one comparison on Bradley-Terry strengths: the base of sandwich covariances,
//! jackknives and dropping.

use super::{InferenceError, check_length, finite_score};
use crate::estimate::finite_scores;
use crate::index::{self, finite_systems, places_of};
use crate::linear::{add_edge, laplacian_inverse, move_apart, strength_information};
use crate::special::{surprise, win_chance, win_information};
use crate::{Comparison, Estimate, Tally, Undefined};

/// Residuals below this share of their weight are rounding of the fit.
const ROUNDING: f64 = 1e-9;

/// Bradley-Terry strengths and the inverse of their information: a comparison with score vector u
/// moves the strengths by `inverse * u`, to first order (Hampel 1974; Jaeckel 1972, the
/// infinitesimal jackknife).
///
/// Systems with finite strengths are numbered by their place from 0 to m - 1, in ascending order.
#[derive(Clone, Debug)]
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
        if systems.len() < 2 {
            return Err(why_no_strengths(strengths));
        }
        let places = places_of(&systems, strengths.len());
        let strengths = finite_scores(strengths);
        let information = information_matrix(tally, &systems, &strengths);
        // The Moore-Penrose inverse, by place.
        let inverse = laplacian_inverse(&information, systems.len());
        Ok(Influence {
            inverse: inverse.ok_or(InferenceError::Singular)?,
            systems,
            places,
            strengths,
        })
    }

    /// Of k systems of which none is finite.
    pub(super) fn of_none(systems: usize) -> Self {
        Influence {
            systems: Vec::new(),
            places: vec![None; systems],
            strengths: Vec::new(),
            inverse: Vec::new(),
        }
    }

    pub(super) fn row(&self, place: usize) -> &[f64] {
        let m = self.systems.len();
        &self.inverse[place * m..(place + 1) * m]
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
    pub(super) fn cells(&self, tally: &Tally) -> impl Iterator<Item = Cell> {
        index::pairs(self.systems.len()).flat_map(move |(i, j)| {
            let counts = tally.outcome(self.systems[i], self.systems[j]);
            let outcomes = [1.0, 0.5, 0.0].into_iter().zip(counts);
            let seen = outcomes.filter(|&(_, count)| count > 0.0);
            let lead = self.strengths[i] - self.strengths[j];
            seen.map(move |(points, count)| Cell {
                pair: (i, j),
                points,
                count,
                residual: residual(points, 1.0, lead),
            })
        })
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
            let places = [row.a, row.b].map(|system| self.places[usize::from(system)]);
            let [Some(i), Some(j)] = places else { continue };
            weight += row.wins_a + row.ties + row.wins_b;
            // The points of the first less their expectation.
            let lead = self.strengths[i] - self.strengths[j];
            let slope = (row.wins_a + 0.5 * row.ties) * win_chance(-lead)
                - (row.wins_b + 0.5 * row.ties) * win_chance(lead);
            move_apart(scratch, (i, j), slope);
            touched.extend([i, j]);
        }
        touched.sort_unstable();
        touched.dedup();
        // What is only the rounding of terms that cancel is a score of 0.
        for &place in &*touched {
            if scratch[place].abs() < ROUNDING * weight {
                scratch[place] = 0.0;
            }
        }
    }

    /// The information that `rows` have of the t places that they touch, t x t.
    pub(super) fn information_of(&self, rows: &[Comparison], touched: &[usize]) -> Vec<f64> {
        let t = touched.len();
        let mut information = vec![0.0; t * t];
        for row in rows {
            let places = [row.a, row.b].map(|system| self.places[usize::from(system)]);
            let [Some(i), Some(j)] = places else { continue };
            let games = row.wins_a + row.ties + row.wins_b;
            let weight = win_information(games, self.strengths[i] - self.strengths[j]);
            let pair = [i, j].map(|place| touched.partition_point(|&other| other < place));
            add_edge(&mut information, t, pair.into(), weight);
        }
        information
    }
}

/// Points beyond those that a lead promises; 0 where that is rounding.
pub(super) fn residual(points: f64, games: f64, lead: f64) -> f64 {
    let found = surprise(points, games, lead);
    if found.abs() < ROUNDING * games {
        0.0
    } else {
        found
    }
}

/// The information of `tally` on the strengths of some of its systems.
pub(super) fn information_matrix(tally: &Tally, systems: &[usize], strengths: &[f64]) -> Vec<f64> {
    strength_information(strengths, |i, j| tally.games(systems[i], systems[j]))
}

/// Why no two systems have finite strengths.
fn why_no_strengths(strengths: &[Estimate]) -> InferenceError {
    let infinite = |x: &Estimate| matches!(x, Estimate::PlusInfinity | Estimate::MinusInfinity);
    match strengths {
        [] => Undefined::NoData.into(),
        [_] => Undefined::OneSystem.into(),
        all => match all.iter().position(infinite) {
            Some(system) => InferenceError::Infinite { system },
            None => {
                let reason = all.iter().find_map(|x| match x {
                    Estimate::Undefined(why) => Some(*why),
                    _ => None,
                });
                reason.unwrap_or(Undefined::NoData).into()
            }
        },
    }
}
