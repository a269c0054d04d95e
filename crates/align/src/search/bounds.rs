//! For every state the best sum of the segments before it, in single precision.

use super::grid::Layers;
use super::{SearchProblem, Similarity};

/// Returns the greatest approximate sum of t segments that end at (j, q); negative infinity where
/// there are no such segments.
///
/// The sums go from the first segment on. Each partial sum is at most t, each similarity is off by
/// at most 1e-6 and each addition by t·2⁻²⁴, so a sum is off by less than [`sum_slack`] / 3.
pub(super) fn bound_sums<S: Similarity>(problem: &SearchProblem<'_, S>) -> Layers<f32> {
    let mut sums = problem.layers_of(f32::NEG_INFINITY);
    for j in 1..problem.n {
        let first = problem.first.row(j).iter();
        for (sum, &first) in sums.row_mut(1, j).iter_mut().zip(first).skip(1) {
            *sum = first as f32;
        }
    }
    let (mut buffers, mut starts) = ([Vec::new(), Vec::new()], Vec::new());
    for start in problem.start_places() {
        let middle = problem.layers_through(start).filter(|&t| t + 1 < problem.k);
        sums.collect_states(middle, start, |sum| sum > f32::NEG_INFINITY, &mut starts);
        if starts.is_empty() {
            continue;
        }
        let similarity = problem.similarity;
        similarity.approximate_from(start, &mut buffers, |j, row| {
            extend_sums(problem, &mut sums, &starts, (j, start.1), row)
        });
    }
    sums
}

/// Puts a segment that ends before piece j after each of these sums, where enough pieces are left
/// for the segments to come.
fn extend_sums<S>(
    problem: &SearchProblem<'_, S>,
    sums: &mut Layers<f32>,
    starts: &[(usize, f32)],
    (j, p): (usize, usize),
    similarities: &[f32],
) {
    for &(t, sum) in starts {
        let to_come = problem.k - t - 1;
        if j + to_come > problem.n {
            continue;
        }
        let places = p + 1..(problem.m + 1).saturating_sub(to_come);
        let ends = sums.row_mut(t + 1, j).get_mut(places.clone());
        let similarities = similarities.get(places).unwrap_or_default();
        for (best, similarity) in ends.unwrap_or_default().iter_mut().zip(similarities) {
            let new = sum + similarity;
            *best = if new > *best { new } else { *best };
        }
    }
}

/// Returns by how much two equal sums of k segments may seem to differ.
pub(super) fn sum_slack(k: usize) -> f32 {
    1e-5 * (k * k) as f32
}
