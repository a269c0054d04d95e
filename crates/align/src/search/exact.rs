//! The sums themselves, and what each state needs to reach the greatest.

use super::grid::Layers;
use super::{Problem, Similarity};

/// The greatest sum, and for each state the least sum of its first segments from which it can still
/// be reached.
pub(super) struct Exact {
    pub(super) score: f64,
    /// Infinity for the states that lie on no way with the greatest sum.
    pub(super) needed: Layers<f64>,
}

pub(super) fn exact<S: Similarity>(problem: &Problem<'_, S>, near: &Layers<f32>) -> Exact {
    let sums = forward(problem, near);
    let t = problem.k - 1;
    let whole = |j: usize| {
        sums.row(t, j)
            .iter()
            .zip(problem.last.row(j))
            .map(|(sum, last)| sum + last)
    };
    let score = (1..problem.n)
        .flat_map(whole)
        .fold(f64::NEG_INFINITY, f64::max);
    Exact {
        score,
        needed: backward(problem, &sums, score),
    }
}

/// For each state that is near the best the greatest sum of its first segments over ways through
/// such states.
///
/// Rounded addition is monotone: what is greatest before adding a segment is greatest after it. So
/// the greatest of all rounded sums is found although each state keeps only its own.
fn forward<S: Similarity>(problem: &Problem<'_, S>, near: &Layers<f32>) -> Layers<f64> {
    let (n, m, k) = (problem.n, problem.m, problem.k);
    let mut sums = Layers::new(k, n, m, f64::NEG_INFINITY);
    for j in 1..n {
        let states = sums
            .row_mut(1, j)
            .iter_mut()
            .zip(problem.first.row(j))
            .zip(near.row(1, j));
        states
            .filter(|(_, need)| **need < f32::INFINITY)
            .for_each(|((sum, first), _)| *sum = 0.0 + *first);
    }
    let mut starts = Vec::new();
    for (i, p) in (1..n).flat_map(|i| (1..m).map(move |p| (i, p))) {
        starts.clear();
        starts.extend(
            (1..k - 1)
                .map(|t| (t, sums.at(t, i, p)))
                .filter(|(_, sum)| *sum > f64::NEG_INFINITY),
        );
        if !starts.is_empty() {
            problem.similarity.similarities_from((i, p), |j, row| {
                extend(&mut sums, near, &starts, (j, p), row)
            });
        }
    }
    sums
}

fn extend(
    sums: &mut Layers<f64>,
    near: &Layers<f32>,
    starts: &[(usize, f64)],
    (j, p): (usize, usize),
    similarities: &[f64],
) {
    for &(t, sum) in starts {
        let ends = sums
            .row_mut(t + 1, j)
            .iter_mut()
            .zip(near.row(t + 1, j))
            .zip(similarities);
        for ((best, need), similarity) in ends.skip(p + 1) {
            let new = sum + similarity;
            *best = if *need < f32::INFINITY && new > *best {
                new
            } else {
                *best
            };
        }
    }
}

fn backward<S: Similarity>(
    problem: &Problem<'_, S>,
    sums: &Layers<f64>,
    score: f64,
) -> Layers<f64> {
    let (n, m, k) = (problem.n, problem.m, problem.k);
    let mut needed = Layers::new(k, n, m, f64::INFINITY);
    for j in 1..n {
        let states = needed
            .row_mut(k - 1, j)
            .iter_mut()
            .zip(sums.row(k - 1, j))
            .zip(problem.last.row(j));
        states.for_each(|((need, sum), last)| *need = lower(*need, *sum, *last, score));
    }
    let mut ends = Vec::new();
    for (j, q) in (2..n).rev().flat_map(|j| (2..m).rev().map(move |q| (j, q))) {
        ends.clear();
        ends.extend(
            (2..k)
                .map(|t| (t, needed.at(t, j, q)))
                .filter(|(_, need)| *need < f64::INFINITY),
        );
        if !ends.is_empty() {
            problem.similarity.similarities_to((j, q), |i, row| {
                shorten(&mut needed, sums, &ends, (i, q), row)
            });
        }
    }
    needed
}

fn shorten(
    needed: &mut Layers<f64>,
    sums: &Layers<f64>,
    ends: &[(usize, f64)],
    (i, q): (usize, usize),
    similarities: &[f64],
) {
    for &(t, need) in ends {
        let starts = needed
            .row_mut(t - 1, i)
            .iter_mut()
            .zip(sums.row(t - 1, i))
            .take(q);
        starts
            .zip(similarities.iter().rev())
            .for_each(|((least, sum), similarity)| *least = lower(*least, *sum, *similarity, need));
    }
}

/// The lesser of what was needed so far and the least x with x + similarity >= need, if the sum
/// before suffices for that. That x is sought only where it is the lesser: where the double below
/// what was needed so far suffices too.
fn lower(least: f64, sum: f64, similarity: f64, need: f64) -> f64 {
    let lesser = sum + similarity >= need && least.next_down() + similarity >= need;
    if lesser {
        least_before(sum, similarity, need)
    } else {
        least
    }
}

/// The least x, as far as doubles between it and `enough` go, with x + similarity >= need in
/// rounded addition.
pub(super) fn least_before(enough: f64, similarity: f64, need: f64) -> f64 {
    let spacing = need.abs().max(similarity.abs()) * 4.0 * f64::EPSILON;
    let (mut too_low, mut found) = (need - similarity - spacing, enough);
    loop {
        let middle = too_low + (found - too_low) / 2.0;
        if !(middle > too_low && middle < found) {
            return found;
        }
        if middle + similarity >= need {
            found = middle
        } else {
            too_low = middle
        }
    }
}
