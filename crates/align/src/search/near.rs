//! The states on ways whose sum may be the greatest.

use super::bounds::slack;
use super::grid::Layers;
use super::{Problem, Similarity, TooManyNear};

/// For each state the approximate sum that its first segments need for the whole to come near the
/// greatest sum; infinity if they do not have it. An error if telling them apart would take more
/// than `most` similarities, here or in double precision.
///
/// A way with the greatest sum has every approximate sum at least as great as needed here, so each
/// of its states is kept.
pub(super) fn near<S: Similarity>(
    problem: &Problem<'_, S>,
    sums: &Layers<f32>,
    most: usize,
) -> Result<Layers<f32>, TooManyNear> {
    let (n, m, k) = (problem.n, problem.m, problem.k);
    let mut needed = Layers::new(k, n, m, f32::INFINITY);
    last(problem, sums, &mut needed);
    let mut buffers = [Vec::new(), Vec::new()];
    let (mut ends, mut looked) = (Vec::new(), 0);
    for j in (2..n).rev() {
        for q in (2..m).rev() {
            ends.clear();
            ends.extend(
                (2..k)
                    .map(|t| (t, needed.at(t, j, q)))
                    .filter(|(_, need)| *need < f32::INFINITY),
            );
            if ends.is_empty() {
                continue;
            }
            looked += j * q;
            if looked > most {
                return Err(TooManyNear);
            }
            problem
                .similarity
                .approximate_to((j, q), &mut buffers, |i, row| {
                    shorten(&mut needed, sums, &ends, (i, q), row)
                });
        }
    }
    if exact_similarities(problem, &needed) > most {
        Err(TooManyNear)
    } else {
        Ok(needed)
    }
}

/// How many similarities the exact sums over these states take: from each place with such a state
/// to all places after it.
fn exact_similarities<S>(problem: &Problem<'_, S>, near: &Layers<f32>) -> usize {
    let (n, m) = (problem.n, problem.m);
    let kept = |i: usize, p: usize| (1..problem.k).any(|t| near.at(t, i, p) < f32::INFINITY);
    let places = (1..n).flat_map(|i| (1..m).map(move |p| (i, p)));
    places
        .filter(|&(i, p)| kept(i, p))
        .map(|(i, p)| (n - i) * (m - p))
        .sum()
}

fn last<S: Similarity>(problem: &Problem<'_, S>, sums: &Layers<f32>, needed: &mut Layers<f32>) {
    let t = problem.k - 1;
    let whole = |j: usize| {
        let states = sums
            .row(t, j)
            .iter()
            .zip(problem.last.row(j))
            .skip(1)
            .take(problem.m - 1);
        states.map(|(sum, &last)| sum + last as f32)
    };
    let most = (1..problem.n)
        .flat_map(whole)
        .fold(f32::NEG_INFINITY, f32::max);
    for j in 1..problem.n {
        let states = needed
            .row_mut(t, j)
            .iter_mut()
            .zip(sums.row(t, j))
            .zip(problem.last.row(j));
        for ((need, sum), &last) in states.skip(1).take(problem.m - 1) {
            let least = most - slack(problem.k) - last as f32;
            *need = if *sum >= least { least } else { *need };
        }
    }
}

/// Takes away a segment that begins with piece i before each of these ends.
fn shorten(
    needed: &mut Layers<f32>,
    sums: &Layers<f32>,
    ends: &[(usize, f32)],
    (i, q): (usize, usize),
    similarities: &[f32],
) {
    for &(t, need) in ends {
        let starts = needed
            .row_mut(t - 1, i)
            .iter_mut()
            .zip(sums.row(t - 1, i))
            .take(q);
        for ((least, sum), similarity) in starts.zip(similarities.iter().rev()) {
            let new = need - similarity;
            *least = if *sum >= new && new < *least {
                new
            } else {
                *least
            };
        }
    }
}
