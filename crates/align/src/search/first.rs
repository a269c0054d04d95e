//! Of all ways with the greatest sum, the lexicographically first.

use super::exact::{ExactSums, least_before};
use super::{BestCuts, Grid, SearchProblem, Similarity};
use std::ops::Range;

/// For each place of b the greatest sum so far; negative infinity where no way comes through.
type SumsInB = Vec<f64>;

/// Chooses the cuts of a one by one, each the earliest from which some way goes on to the greatest
/// sum, whatever the cuts of b; then those of b for these cuts of a. `None` if the greatest sum is
/// not above 0.
pub(super) fn first_best_cuts<S: Similarity>(
    problem: &SearchProblem<'_, S>,
    exact: &ExactSums,
) -> Option<BestCuts> {
    if exact.score.is_nan() || exact.score <= 0.0 {
        return None;
    }
    // The cuts of a, with 0 before them.
    let mut sums: SumsInB = vec![f64::NEG_INFINITY; problem.m + 1];
    *sums.first_mut()? = 0.0;
    let mut chosen = vec![ChosenCut { place: 0, sums }];
    for t in 1..problem.k {
        let before = chosen.last()?;
        // The sums of the places of b from which the rest can be reached.
        let mut after = Grid::new(problem.n, problem.m, f64::NEG_INFINITY);
        for (p, &sum) in before.sums.iter().enumerate() {
            if sum > f64::NEG_INFINITY {
                let start = (before.place, p);
                problem.similarity.similarities_from(start, |j, row| {
                    raise_sums(after.row_mut(j), sum, row, exact.needed.row(t, j), p)
                });
            }
        }
        let is_reached = |j: &usize| after.row(*j).iter().any(|sum| *sum > f64::NEG_INFINITY);
        let place = (before.place + 1..problem.n).find(is_reached)?;
        let sums = after.row(place).to_vec();
        chosen.push(ChosenCut { place, sums });
    }
    // The cuts of b for these cuts of a, each the first from which the greatest sum can be reached.
    let needed = needs_in_b(problem, exact.score, &chosen);
    let (mut b, mut at, mut sum) = (Vec::new(), 0, 0.0);
    for (cuts, needed) in chosen.windows(2).zip(needed) {
        let segment = cuts.first()?.place..cuts.last()?.place;
        let places = needed.iter().enumerate().skip(at + 1);
        let places = places.filter(|(_, need)| **need < f64::INFINITY);
        let mut reached = places.filter_map(|(q, need)| {
            let sum = sum + problem.similarity.similarity(segment.clone(), at..q);
            (sum >= *need).then_some((q, sum))
        });
        (at, sum) = reached.next()?;
        b.push(at);
    }
    Some(BestCuts {
        a: chosen.iter().skip(1).map(|cut| cut.place).collect(),
        b,
        score: exact.score,
    })
}

/// A cut of a, with the sums of the places of b that it may be paired with.
struct ChosenCut {
    place: usize,
    sums: SumsInB,
}

/// Raises the sums behind place p to `sum` + their similarity, where that is greater and suffices.
fn raise_sums(bests: &mut [f64], sum: f64, similarities: &[f64], needed: &[f64], p: usize) {
    let ends = bests.iter_mut().zip(similarities).zip(needed).skip(p + 1);
    for ((best, similarity), need) in ends {
        let new = sum + similarity;
        let raises = new >= *need && new > *best;
        *best = if raises { new } else { *best };
    }
}

/// Returns for each cut of b and each of its places the least sum before it from which the greatest
/// can be reached.
fn needs_in_b<S: Similarity>(
    problem: &SearchProblem<'_, S>,
    score: f64,
    chosen: &[ChosenCut],
) -> Vec<SumsInB> {
    let mut needs_of_cuts: Vec<SumsInB> = Vec::new();
    let mut ends = vec![f64::INFINITY; problem.m + 1];
    if let Some(need) = ends.last_mut() {
        *need = score;
    }
    let mut segment_end = problem.n;
    for cut in chosen.iter().skip(1).rev() {
        let segment = cut.place..segment_end;
        let starts = cut.sums.iter().enumerate();
        ends = starts
            .map(|(p, &sum)| need_at(problem, segment.clone(), (p, sum), &ends))
            .collect();
        needs_of_cuts.push(ends.clone());
        segment_end = cut.place;
    }
    needs_of_cuts.reverse();
    needs_of_cuts
}

/// Returns the least sum before place p of b from which a segment to one of these ends suffices;
/// infinity where `sum`, the greatest there, reaches none of them.
fn need_at<S: Similarity>(
    problem: &SearchProblem<'_, S>,
    segment: Range<usize>,
    (p, sum): (usize, f64),
    ends: &[f64],
) -> f64 {
    if sum == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    let ends = ends.iter().enumerate().skip(p + 1);
    ends.filter(|(_, need)| **need < f64::INFINITY)
        .filter_map(|(q, &need)| {
            let similarity = problem.similarity.similarity(segment.clone(), p..q);
            (sum + similarity >= need).then(|| least_before(sum, similarity, need))
        })
        .fold(f64::INFINITY, f64::min)
}
