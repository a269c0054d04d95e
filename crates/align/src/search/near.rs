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
    let mut needed = needs_before_last(problem, sums);
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
    check_work(count_exact_similarities(problem, &needed), most)?;
    Ok(needed)
}

fn check_work(similarities: usize, most: usize) -> Result<(), TooManyNear> {
    if similarities > most {
        Err(TooManyNear)
    } else {
        Ok(())
    }
}

/// Counts the similarities that the exact sums over these states take: from each place with such a
/// state to all places after it.
fn count_exact_similarities<S>(problem: &SearchProblem<'_, S>, near: &Layers<f32>) -> usize {
    problem
        .start_places()
        .filter(|&(i, p)| (1..problem.k).any(|t| near.value_at(t, i, p) < f32::INFINITY))
        .map(|(i, p)| (problem.n - i) * (problem.m - p))
        .sum()
}

/// Returns what the states before the last segment need; infinity for all others.
fn needs_before_last<S>(problem: &SearchProblem<'_, S>, sums: &Layers<f32>) -> Layers<f32> {
    let mut needed = problem.layers_of(f32::INFINITY);
    let near = greatest_whole(problem, sums) - sum_slack(problem.k);
    let t = problem.k - 1;
    for j in 1..problem.n {
        let states = needed.row_mut(t, j).iter_mut().zip(sums.row(t, j));
        let states = states.zip(problem.last.row(j));
        for ((need, sum), &last) in states.skip(1).take(problem.m - 1) {
            let least = near - last as f32;
            *need = if *sum >= least { least } else { *need };
        }
    }
    needed
}

/// Returns the greatest approximate sum of all k segments.
fn greatest_whole<S>(problem: &SearchProblem<'_, S>, sums: &Layers<f32>) -> f32 {
    (1..problem.n)
        .flat_map(|j| {
            let states = sums.row(problem.k - 1, j).iter().zip(problem.last.row(j));
            states.skip(1).take(problem.m - 1)
        })
        .map(|(sum, &last)| sum + last as f32)
        .fold(f32::NEG_INFINITY, f32::max)
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
