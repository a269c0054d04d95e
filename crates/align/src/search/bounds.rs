//! For every state the best sum of the segments before it, in single precision.

use super::grid::Layers;
use super::{Problem, Similarity};

/// The greatest approximate sum of t segments that end at (j, q); negative infinity where there are
/// none.
///
/// The sums go from the first segment on. Each partial sum is at most t, each similarity is off by
/// at most 1e-6 and each addition by t·2⁻²⁴, so a sum is off by less than [`slack`] / 3.
pub(super) fn bounds<S: Similarity>(problem: &Problem<'_, S>) -> Layers<f32> {
    let (n, m, k) = (problem.n, problem.m, problem.k);
    let mut sums = Layers::new(k, n, m, f32::NEG_INFINITY);
    for j in 1..n {
        let values = sums
            .row_mut(1, j)
            .iter_mut()
            .zip(problem.first.row(j))
            .skip(1);
        values.for_each(|(sum, &first)| *sum = first as f32);
    }
    let mut buffers = [Vec::new(), Vec::new()];
    let mut starts = Vec::new();
    for i in 1..n {
        for p in 1..m {
            starts.clear();
            let middle = problem.layers(i, p).filter(|&t| t + 1 < k);
            starts.extend(
                middle
                    .map(|t| (t, sums.at(t, i, p)))
                    .filter(|(_, sum)| *sum > f32::NEG_INFINITY),
            );
            if !starts.is_empty() {
                problem
                    .similarity
                    .approximate_from((i, p), &mut buffers, |j, row| {
                        extend(problem, &mut sums, &starts, (j, p), row)
                    });
            }
        }
    }
    sums
}

/// Puts a segment that ends before piece j after each of these sums, where enough pieces are left
/// for the segments to come.
fn extend<S>(
    problem: &Problem<'_, S>,
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
        let ends = sums
            .row_mut(t + 1, j)
            .get_mut(places.clone())
            .unwrap_or_default();
        for (best, similarity) in ends
            .iter_mut()
            .zip(similarities.get(places).unwrap_or_default())
        {
            let new = sum + similarity;
            *best = if new > *best { new } else { *best };
        }
    }
}

/// By how much two sums of k segments may seem to differ that are equal.
pub(super) fn slack(k: usize) -> f32 {
    1e-5 * (k * k) as f32
}
