//! The sums themselves, and what each state needs to reach the greatest.

use super::grid::Layers;
use super::{SearchProblem, Similarity};

/// The greatest sum, and for each state the least sum of its first segments from which it can still
/// be reached.
pub(super) struct ExactSums {
    pub(super) score: f64,
    /// Infinity for the states that lie on no way with the greatest sum.
    pub(super) needed: Layers<f64>,
}

/// Returns the greatest sum over the states that are near it, and what each state needs to reach
/// it.
pub(super) fn sum_exactly<S: Similarity>(
    problem: &SearchProblem<'_, S>,
    near: &Layers<f32>,
) -> ExactSums {
    let sums = sum_forward(problem, near);
    // The greatest sum of all k segments.
    let t = problem.k - 1;
    let score = (1..problem.n)
        .flat_map(|j| sums.row(t, j).iter().zip(problem.last.row(j)))
        .map(|(sum, last)| sum + last)
        .fold(f64::NEG_INFINITY, f64::max);
    // What the states before the last segment need to reach it, and then those before these.
    let mut needed = problem.layers_of(f64::INFINITY);
    for j in 1..problem.n {
        let states = needed.row_mut(t, j).iter_mut().zip(sums.row(t, j));
        for ((need, sum), last) in states.zip(problem.last.row(j)) {
            *need = lesser_need(*need, *sum, *last, score);
        }
    }
    let mut ends = Vec::new();
    for end in problem.end_places() {
        needed.collect_states(2..problem.k, end, |need| need < f64::INFINITY, &mut ends);
        if !ends.is_empty() {
            problem.similarity.similarities_to(end, |i, row| {
                lower_needs(&mut needed, &sums, &ends, (i, end.1), row)
            });
        }
    }
    ExactSums { score, needed }
}

/// Returns for each state that is near the best the greatest sum of its first segments over ways
/// through such states.
///
/// Rounded addition is monotone: what is greatest before adding a segment is greatest after it. So
/// the greatest of all rounded sums is found although each state keeps only its own.
fn sum_forward<S: Similarity>(problem: &SearchProblem<'_, S>, near: &Layers<f32>) -> Layers<f64> {
    let mut sums = problem.layers_of(f64::NEG_INFINITY);
    for j in 1..problem.n {
        let states = sums.row_mut(1, j).iter_mut().zip(problem.first.row(j));
        for ((sum, first), need) in states.zip(near.row(1, j)) {
            if *need < f32::INFINITY {
                // The definition's sum begins at 0: this turns -0 into 0.
                *sum = 0.0 + *first;
            }
        }
    }
    let mut starts = Vec::new();
    for start in problem.start_places() {
        let middle = 1..problem.k - 1;
        sums.collect_states(middle, start, |sum| sum > f64::NEG_INFINITY, &mut starts);
        if !starts.is_empty() {
            problem.similarity.similarities_from(start, |j, row| {
                extend_sums(&mut sums, near, &starts, (j, start.1), row)
            });
        }
    }
    sums
}

/// Puts a segment that ends before piece j after each of these sums, where that state is near.
fn extend_sums(
    sums: &mut Layers<f64>,
    near: &Layers<f32>,
    starts: &[(usize, f64)],
    (j, p): (usize, usize),
    similarities: &[f64],
) {
    for &(t, sum) in starts {
        let ends = sums.row_mut(t + 1, j).iter_mut().zip(near.row(t + 1, j));
        for ((best, need), similarity) in ends.zip(similarities).skip(p + 1) {
            let new = sum + similarity;
            let raises = *need < f32::INFINITY && new > *best;
            *best = if raises { new } else { *best };
        }
    }
}

/// Takes away a segment that begins with piece i before each of these ends.
fn lower_needs(
    needed: &mut Layers<f64>,
    sums: &Layers<f64>,
    ends: &[(usize, f64)],
    (i, q): (usize, usize),
    similarities: &[f64],
) {
    for &(t, need) in ends {
        let starts = needed.row_mut(t - 1, i).iter_mut();
        let starts = starts.zip(sums.row(t - 1, i)).take(q);
        for ((least, sum), similarity) in starts.zip(similarities.iter().rev()) {
            *least = lesser_need(*least, *sum, *similarity, need);
        }
    }
}

/// Returns the lesser of what was needed so far and the least x with x + similarity >= need, if the
/// sum before suffices for that. That x is sought only where it is the lesser: where the double
/// below what was needed so far suffices too.
fn lesser_need(least: f64, sum: f64, similarity: f64, need: f64) -> f64 {
    if sum + similarity >= need && least.next_down() + similarity >= need {
        least_before(sum, similarity, need)
    } else {
        least
    }
}

/// Returns the least x, as far as doubles between it and `enough` go, with x + similarity >= need
/// in rounded addition.
pub(super) fn least_before(enough: f64, similarity: f64, need: f64) -> f64 {
    // Below `too_low` the sum falls short whatever the rounding; the least x is found by bisection.
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
