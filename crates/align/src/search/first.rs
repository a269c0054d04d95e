//! Of all ways with the greatest sum, the lexicographically first.

use super::exact::{Exact, least_before};
use super::{Best, Grid, Problem, Similarity};

/// For each place of b the greatest sum so far; negative infinity where there is none.
type Sums = Vec<f64>;

/// Chooses the cuts of a one by one, each the earliest from which some way goes on to the greatest
/// sum, whatever the cuts of b; then those of b for these cuts of a. `None` if the greatest sum is
/// not above 0.
pub(super) fn first<S: Similarity>(problem: &Problem<'_, S>, exact: &Exact) -> Option<Best> {
    if exact.score.is_nan() || exact.score <= 0.0 {
        return None;
    }
    let mut start: Sums = vec![f64::NEG_INFINITY; problem.m + 1];
    start.first_mut().into_iter().for_each(|sum| *sum = 0.0);
    let (mut a, mut sums) = (vec![0], vec![start]);
    for t in 1..problem.k {
        let (cut, after) = next_cut(problem, exact, t, *a.last()?, sums.last()?)?;
        a.push(cut);
        sums.push(after);
    }
    let b = cuts_of_b(problem, exact, &a, &sums)?;
    Some(Best {
        a: a.split_off(1),
        b,
        score: exact.score,
    })
}

/// The earliest cut t of a, given the one before it, and the sums of those places of b from which
/// the rest can be reached.
fn next_cut<S: Similarity>(
    problem: &Problem<'_, S>,
    exact: &Exact,
    t: usize,
    before: usize,
    sums: &Sums,
) -> Option<(usize, Sums)> {
    let mut after = Grid::new(problem.n, problem.m, f64::NEG_INFINITY);
    for (p, &sum) in sums
        .iter()
        .enumerate()
        .filter(|(_, sum)| **sum > f64::NEG_INFINITY)
    {
        problem.similarity.similarities_from((before, p), |j, row| {
            let ends = after
                .row_mut(j)
                .iter_mut()
                .zip(row)
                .zip(exact.needed.row(t, j))
                .skip(p + 1);
            for ((best, similarity), need) in ends {
                let new = sum + similarity;
                *best = if new >= *need && new > *best {
                    new
                } else {
                    *best
                };
            }
        });
    }
    let reached = |j: &usize| after.row(*j).iter().any(|sum| *sum > f64::NEG_INFINITY);
    (before + 1..problem.n)
        .find(reached)
        .map(|cut| (cut, after.row(cut).to_vec()))
}

/// The first cuts of b for these cuts of a (with 0 before them), from the sums at the places of b
/// after each.
fn cuts_of_b<S: Similarity>(
    problem: &Problem<'_, S>,
    exact: &Exact,
    a: &[usize],
    sums: &[Sums],
) -> Option<Vec<usize>> {
    let needed = needed_in_b(problem, exact.score, a, sums);
    let (mut b, mut at, mut sum) = (Vec::new(), 0, 0.0);
    for (segment, needed) in a.windows(2).zip(needed) {
        let after = |q: usize| sum + problem.similarity.similarity(span(segment), at..q);
        let reached = |(q, need): (usize, &f64)| {
            (*need < f64::INFINITY && after(q) >= *need).then(|| (q, after(q)))
        };
        (at, sum) = needed.iter().enumerate().skip(at + 1).find_map(reached)?;
        b.push(at);
    }
    Some(b)
}

/// For each cut of b and each of its places the least sum before it from which the greatest can be
/// reached.
fn needed_in_b<S: Similarity>(
    problem: &Problem<'_, S>,
    score: f64,
    a: &[usize],
    sums: &[Sums],
) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = Vec::new();
    let mut ends = vec![f64::INFINITY; problem.m + 1];
    ends.last_mut().into_iter().for_each(|need| *need = score);
    let after = a.iter().skip(2).chain([&problem.n]);
    let starts: Vec<_> = a
        .iter()
        .skip(1)
        .zip(after)
        .zip(sums.iter().skip(1))
        .collect();
    for ((&i, &j), sums) in starts.into_iter().rev() {
        let least = |(p, &sum): (usize, &f64)| {
            let reachable = ends
                .iter()
                .enumerate()
                .skip(p + 1)
                .filter(|(_, need)| sum > f64::NEG_INFINITY && **need < f64::INFINITY);
            let before = reachable.filter_map(|(q, &need)| {
                let similarity = problem.similarity.similarity(i..j, p..q);
                (sum + similarity >= need).then(|| least_before(sum, similarity, need))
            });
            before.fold(f64::INFINITY, f64::min)
        };
        ends = sums.iter().enumerate().map(least).collect();
        all.push(ends.clone());
    }
    all.reverse();
    all
}

fn span(segment: &[usize]) -> std::ops::Range<usize> {
    segment.first().copied().unwrap_or_default()..segment.last().copied().unwrap_or_default()
}
