//! The best way to cut two answers into k segments each: exact, by dynamic programming
//! (docs/design/alignment.md).
//!
//! A state (t, j, q) says that the first t segments of a end before piece j, and those of b before
//! piece q.
//! 1. [`bounds`]: for every state the best sum of its first t segments, in single precision.
//! 2. [`near`]: which states lie on a way whose sum may be the greatest, given the rounding of step
//!    1: few.
//! 3. [`exact`]: for those states the sums in double precision, added in the order of the
//!    definition, and the greatest.
//! 4. [`first`]: of all ways whose sum is the greatest to the last bit, the lexicographically
//!    first.

mod bounds;
mod exact;
mod first;
mod grid;
mod near;

pub(crate) use grid::Grid;
use grid::Layers;
use std::ops::Range;

/// The similarity of segments of two answers that are made of pieces. From -1 to 1, and finite.
///
/// The rows are how the search asks: all ends for one start, or all starts for one end. What a row
/// says must be what `similarity` says, to the last bit; what an approximate row says may differ by
/// 1e-6.
pub trait Similarity {
    /// Returns how many pieces each answer has; at least 1, at most
    /// [`MAX_PIECES`](crate::MAX_PIECES).
    fn pieces(&self) -> (usize, usize);

    /// Returns the similarity of a segment of a and one of b, given as ranges of pieces that are
    /// not empty.
    fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64;

    /// Calls `row(j, s)` for every j from i + 1 on, where s\[q\] is the similarity of i..j and
    /// p..q, for q from p + 1 on.
    fn similarities_from(&self, (i, p): (usize, usize), mut row: impl FnMut(usize, &[f64])) {
        let (n, m) = self.pieces();
        let mut values = vec![0.0; m + 1];
        for j in i + 1..=n {
            for (q, value) in values.iter_mut().enumerate().skip(p + 1) {
                *value = self.similarity(i..j, p..q);
            }
            row(j, &values);
        }
    }

    /// Calls `row(i, s)` for every i from j - 1 down to 0, where s\[m - p\] is the similarity of
    /// i..j and p..q, for p below q.
    fn similarities_to(&self, (j, q): (usize, usize), mut row: impl FnMut(usize, &[f64])) {
        let (_, m) = self.pieces();
        let mut values = vec![0.0; m + 1];
        for i in (0..j).rev() {
            for (p, value) in values.iter_mut().rev().enumerate().take(q) {
                *value = self.similarity(i..j, p..q);
            }
            row(i, &values);
        }
    }

    /// Calls `row` as [`similarities_from`](Self::similarities_from) does, in single precision,
    /// with buffers to use again. The row of the last place, n, may be left out.
    fn approximate_from(
        &self,
        start: (usize, usize),
        buffers: &mut [Vec<f32>; 2],
        mut row: impl FnMut(usize, &[f32]),
    ) {
        // The second buffer is for similarities that compute in single precision themselves.
        let [values, _] = buffers;
        self.similarities_from(start, |j, exact| {
            round_row(exact, values);
            row(j, values);
        });
    }

    /// Calls `row` as [`similarities_to`](Self::similarities_to) does, in single precision, with
    /// buffers to use again. The row of the first place, 0, may be left out.
    fn approximate_to(
        &self,
        end: (usize, usize),
        buffers: &mut [Vec<f32>; 2],
        mut row: impl FnMut(usize, &[f32]),
    ) {
        let [values, _] = buffers;
        self.similarities_to(end, |i, exact| {
            round_row(exact, values);
            row(i, values);
        });
    }
}

fn round_row(exact: &[f64], rounded: &mut Vec<f32>) {
    rounded.clear();
    rounded.extend(exact.iter().map(|&value| value as f32));
}

/// The best cuts, as numbers of the pieces before which they lie, and their sum.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BestCuts {
    pub(crate) a: Vec<usize>,
    pub(crate) b: Vec<usize>,
    pub(crate) score: f64,
}

/// Holds what all steps share: the shape of the problem, and the similarity of the last segments
/// from every place.
pub(crate) struct SearchProblem<'s, S> {
    pub(crate) similarity: &'s S,
    pub(crate) n: usize,
    pub(crate) m: usize,
    pub(crate) k: usize,
    /// The similarity of pieces 0..j and 0..q.
    pub(crate) first: Grid<f64>,
    /// The similarity of pieces i..n and p..m.
    pub(crate) last: Grid<f64>,
}

/// Returns the cuts into k segments with the greatest sum of similarities, added from the first
/// segment to the last in f64; of equal sums the lexicographically first (cuts of a, then of b).
/// `None` if an answer has fewer than k pieces, k is below 2, or no sum is above 0.
///
/// # Errors
///
/// If more than `most` similarities would have to be computed to tell sums apart that are nearly
/// the same.
pub(crate) fn find_best_cuts(
    similarity: &impl Similarity,
    k: usize,
    most: usize,
) -> Result<Option<BestCuts>, TooManyNear> {
    let Some(problem) = SearchProblem::new(similarity, k) else {
        return Ok(None);
    };
    let sums = bounds::bound_sums(&problem);
    let near = near::find_near_states(&problem, &sums, most)?;
    let exact = exact::sum_exactly(&problem, &near);
    Ok(first::first_best_cuts(&problem, &exact))
}

/// So many choices have nearly the greatest sum that telling them apart would take too long.
#[derive(Debug)]
pub(crate) struct TooManyNear;

impl<'s, S: Similarity> SearchProblem<'s, S> {
    /// Returns `None` where k segments are too few or too many.
    fn new(similarity: &'s S, k: usize) -> Option<Self> {
        let (n, m) = similarity.pieces();
        if k < 2 || n < k || m < k {
            return None;
        }
        let (mut first, mut last) = (Grid::new(n, m, 0.0), Grid::new(n, m, 0.0));
        similarity.similarities_from((0, 0), |j, row| first.row_mut(j).copy_from_slice(row));
        similarity.similarities_to((n, m), |i, row| {
            for (value, &similarity) in last.row_mut(i).iter_mut().zip(row.iter().rev()) {
                *value = similarity;
            }
        });
        Some(SearchProblem {
            similarity,
            n,
            m,
            k,
            first,
            last,
        })
    }
}

impl<S> SearchProblem<'_, S> {
    /// Returns a value for every state, the same for all.
    fn layers_of<T: Copy + Default>(&self, value: T) -> Layers<T> {
        Layers::new(self.k, self.n, self.m, value)
    }

    /// Returns the numbers t for which a state (t, j, q) lies between t segments before and k - t
    /// after, 1 to k - 1.
    fn layers_through(&self, (j, q): (usize, usize)) -> Range<usize> {
        let after = (self.n - j).min(self.m - q);
        self.k.saturating_sub(after).max(1)..j.min(q).min(self.k - 1) + 1
    }

    /// Iterates over the places where a segment other than the first may begin, the earliest first.
    fn start_places(&self) -> impl Iterator<Item = (usize, usize)> {
        (1..self.n).flat_map(|i| (1..self.m).map(move |p| (i, p)))
    }

    /// Iterates over the places where a segment between the first and the last may end, the latest
    /// first.
    fn end_places(&self) -> impl Iterator<Item = (usize, usize)> {
        let ends_in_b = (2..self.m).rev();
        let ends_in_a = (2..self.n).rev();
        ends_in_a.flat_map(move |j| ends_in_b.clone().map(move |q| (j, q)))
    }
}
