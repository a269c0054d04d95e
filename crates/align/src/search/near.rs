//! The states on ways whose sum may be the greatest.

use super::bounds::sum_slack;
use super::grid::Layers;
use super::{SearchProblem, Similarity, TooManyNear};

/// Returns for each state the approximate sum that its first segments need for the whole to come
/// near the greatest sum; infinity if their sum falls short of it.
///
/// A way with the greatest sum has every approximate sum at least as great as needed here, so each
/// of its states is kept.
///
/// # Errors
///
/// If more than `most` similarities would have to be computed to tell the sums apart, here or in
/// double precision.
pub(super) fn find_near_states<S: Similarity>(
    problem: &SearchProblem<'_, S>,
    sums: &Layers<f32>,
    most: usize,
) -> Result<Layers<f32>, TooManyNear> {
    // The states before the last segment, and what the greatest sum of all k segments leaves them.
    let mut needed = problem.layers_of(f32::INFINITY);
    let t = problem.k - 1;
    let before_last = |j: usize| {
        let states = sums.row(t, j).iter().zip(problem.last.row(j));
        states.skip(1).take(problem.m - 1)
    };
    let greatest = (1..problem.n)
        .flat_map(before_last)
        .map(|(sum, &last)| sum + last as f32)
        .fold(f32::NEG_INFINITY, f32::max);
    let near = greatest - sum_slack(problem.k);
    for j in 1..problem.n {
        let needs = needed.row_mut(t, j).iter_mut().skip(1);
        for (need, (sum, &last)) in needs.zip(before_last(j)) {
            let least = near - last as f32;
            *need = if *sum >= least { least } else { *need };
        }
    }
    let (mut buffers, mut ends, mut computed) = ([Vec::new(), Vec::new()], Vec::new(), 0);
    for end in problem.end_places() {
        needed.collect_states(2..problem.k, end, |need| need < f32::INFINITY, &mut ends);
        if ends.is_empty() {
            continue;
        }
        // A similarity for each start before this end.
        computed += end.0 * end.1;
        check_work(computed, most)?;
        let similarity = problem.similarity;
        similarity.approximate_to(end, &mut buffers, |i, row| {
            lower_needs(&mut needed, sums, &ends, (i, end.1), row)
        });
    }
    // The exact sums take those from each place with such a state to all places after it.
    let exact = problem
        .start_places()
        .filter(|&(i, p)| (1..problem.k).any(|t| needed.value_at(t, i, p) < f32::INFINITY))
        .map(|(i, p)| (problem.n - i) * (problem.m - p));
    check_work(exact.sum(), most)?;
    Ok(needed)
}

fn check_work(similarities: usize, most: usize) -> Result<(), TooManyNear> {
    (similarities <= most).then_some(()).ok_or(TooManyNear)
}

/// Takes away a segment that begins with piece i before each of these ends.
fn lower_needs(
    needed: &mut Layers<f32>,
    sums: &Layers<f32>,
    ends: &[(usize, f32)],
    (i, q): (usize, usize),
    similarities: &[f32],
) {
    for &(t, need) in ends {
        let starts = needed.row_mut(t - 1, i).iter_mut();
        let starts = starts.zip(sums.row(t - 1, i)).take(q);
        for ((least, sum), similarity) in starts.zip(similarities.iter().rev()) {
            let new = need - similarity;
            let lowers = *sum >= new && new < *least;
            *least = if lowers { new } else { *least };
        }
    }
}
