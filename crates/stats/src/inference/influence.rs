//! The influence of one comparison on Bradley-Terry strengths: the base of sandwich covariances,
//! jackknives and dropping.

use super::{InferenceError, check_length, finite_score};
use crate::estimate::finite_scores;
use crate::index::{self, finite_systems, places_of};
use crate::linear::{add_edge, add_scaled, laplacian_inverse, move_apart};
use crate::special::win_chance;
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
        Ok(Influence {
            inverse: invert_information(tally, &systems, &strengths)?,
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

    /// Puts what a score vector, 0 but at the places touched, does to the strengths in `change`.
    #[inline]
    pub(super) fn apply(&self, touched: &[usize], score: &[f64], change: &mut [f64]) {
        change.fill(0.0);
        for &place in touched {
            add_scaled(change, self.row(place), score[place]);
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
    pub(super) fn cells(&self, tally: &Tally) -> impl Iterator<Item = Cell> {
        let pairs = index::pairs(self.systems.len());
        pairs.flat_map(move |pair| self.cells_of_pair(tally, pair))
    }

    #[inline]
    fn cells_of_pair(&self, tally: &Tally, pair: (usize, usize)) -> impl Iterator<Item = Cell> {
        let counts = tally.outcome(self.systems[pair.0], self.systems[pair.1]);
        let outcomes = [1.0, 0.5, 0.0].into_iter().zip(counts);
        outcomes
            .filter(|&(_, count)| count > 0.0)
            .map(move |(points, count)| self.cell(pair, points, count))
    }

    fn cell(&self, pair: (usize, usize), points: f64, count: f64) -> Cell {
        Cell {
            pair,
            points,
            count,
            residual: self.residual(pair, points),
        }
    }

    /// How one comparison of a cell moves each strength.
    #[inline]
    pub(super) fn of_cell(&self, cell: &Cell) -> impl Iterator<Item = f64> {
        let (first, second) = (self.row(cell.pair.0), self.row(cell.pair.1));
        let residual = cell.residual;
        let contrast = first.iter().zip(second).map(|(x, y)| x - y);
        contrast.map(move |x| residual * x)
    }

    fn residual(&self, (i, j): (usize, usize), points: f64) -> f64 {
        let lead = self.strengths[i] - self.strengths[j];
        without_rounding(points_beyond(lead, points))
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
            if let Some(pair) = self.places_of_row(row) {
                weight += row.wins_a + row.ties + row.wins_b;
                self.add_score(row, pair, scratch);
                touched.extend([pair.0, pair.1]);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        clear_rounding(touched, ROUNDING * weight, scratch);
    }

    #[inline]
    fn add_score(&self, row: &Comparison, pair: (usize, usize), scratch: &mut [f64]) {
        move_apart(scratch, pair, self.slope(row, pair));
    }

    /// The places of a row's systems, if both are finite.
    fn places_of_row(&self, row: &Comparison) -> Option<(usize, usize)> {
        let [a, b] = [row.a, row.b].map(usize::from);
        Some((self.places[a]?, self.places[b]?))
    }

    /// The points of the first less their expectation.
    fn slope(&self, row: &Comparison, (i, j): (usize, usize)) -> f64 {
        let lead = self.strengths[i] - self.strengths[j];
        (row.wins_a + 0.5 * row.ties) * win_chance(-lead)
            - (row.wins_b + 0.5 * row.ties) * win_chance(lead)
    }
}

/// The points that a lead did not promise.
fn points_beyond(lead: f64, points: f64) -> f64 {
    // Not points - chance: that cancels when the chance is close to 1.
    points * win_chance(-lead) - (1.0 - points) * win_chance(lead)
}

fn without_rounding(residual: f64) -> f64 {
    if residual.abs() < ROUNDING {
        0.0
    } else {
        residual
    }
}

/// The information of `tally` on the strengths of some of its systems: a Laplacian with weights n p
/// (1 - p).
pub(super) fn information_matrix(tally: &Tally, systems: &[usize], strengths: &[f64]) -> Vec<f64> {
    let m = systems.len();
    let mut matrix = vec![0.0; m * m];
    for (i, j) in index::pairs(m) {
        let games = tally.games(systems[i], systems[j]);
        let weight = information_of(games, strengths[i] - strengths[j]);
        add_edge(&mut matrix, m, (i, j), weight);
    }
    matrix
}

/// n p (1 - p).
#[inline]
fn information_of(games: f64, lead: f64) -> f64 {
    games * win_chance(lead) * win_chance(-lead)
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

/// The Moore-Penrose inverse of the information, by place.
pub(super) fn invert_information(
    tally: &Tally,
    systems: &[usize],
    strengths: &[f64],
) -> Result<Vec<f64>, InferenceError> {
    let information = information_matrix(tally, systems, strengths);
    laplacian_inverse(&information, systems.len()).ok_or(InferenceError::Singular)
}

/// Makes a score of 0 of what is only the rounding of terms that cancel.
#[inline]
fn clear_rounding(touched: &[usize], rounding: f64, scratch: &mut [f64]) {
    for &place in touched {
        if scratch[place].abs() < rounding {
            scratch[place] = 0.0;
        }
    }
}
