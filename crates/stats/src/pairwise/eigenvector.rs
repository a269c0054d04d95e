//! Weakness as an eigenvector.

use super::linked::{Linked, WonShares, strong_parts};
use crate::{Estimate, Fit, Scores, Tally, Undefined, competition_ranks};

/// Steps before giving up.
const MAX_ITERATIONS: usize = 10_000;
/// Steps below this end the search; scores are at most 1.
const NEGLIGIBLE: f64 = 1e-13;
/// Scores are found to about 1e-12; closer ones share a rank.
const RESOLUTION: f64 = 1e-9;

/// The principal eigenvector of "who lost to whom", of Euclidean length 1: **a score of weakness,
/// the lower the better**.
///
/// ```text
/// lambda * score(i) = sum over j of won(j, i) * score(j),   won(j, i) = wins(j, i) + ties(j, i) / 2
/// ```
///
/// A system is weak if it lost much to weak systems (the eigenvector method of Landau 1895 and Wei
/// 1952, on losses). The numbers are those of evalica 0.4's `eigen`, which lists the weakest system
/// first; here ranks go the other way, so that rank 1 is the best, which has the *lowest* score.
///
/// It is the limit of power iteration from equal scores (with a quarter of the eigenvalue added to
/// the diagonal, which leaves the eigenvectors as they are and makes the iteration converge where
/// wins go round in circles). A part of the field that never lost, directly or through others, to
/// the part with the greatest eigenvalue has weakness 0.
///
/// Only the largest connected component is scored; others are [`Undefined::Disconnected`] (all, if
/// none is the largest), systems without comparisons [`Undefined::NoData`]. Where no system can be
/// reached back from itself along wins every eigenvalue is 0, and all are [`Undefined::OneSided`].
/// `fit.gradient` is the largest residual of the equation above, in comparisons.
pub fn eigenvector(tally: &Tally) -> Scores {
    let Linked { members, reasons } = Linked::new(tally);
    let mut estimates: Vec<Estimate> = reasons.into_iter().map(Estimate::Undefined).collect();
    let (found, fit) = match find_scores(tally, &members) {
        Some((scores, fit)) => (finite_estimates(scores), Some(fit)),
        None => (all_one_sided(members.len()), None),
    };
    for (&i, estimate) in members.iter().zip(found) {
        estimates[i] = estimate;
    }
    Scores {
        ranks: competition_ranks(&negate(&estimates), RESOLUTION),
        fit,
        ..Scores::ranked(estimates, tally.weights(), RESOLUTION)
    }
}

fn finite_estimates(scores: Vec<f64>) -> Vec<Estimate> {
    scores.into_iter().map(Estimate::Finite).collect()
}

fn all_one_sided(members: usize) -> Vec<Estimate> {
    vec![Estimate::Undefined(Undefined::OneSided); members]
}

/// The scores of the members, and how the search ended; None where every eigenvalue is 0.
fn find_scores(tally: &Tally, members: &[usize]) -> Option<(Vec<f64>, Fit)> {
    let won = WonShares::new(tally, members)?;
    if !has_round(tally, members) {
        return None;
    }
    let (scores, fit) = iterate_powers(&won.shares, members.len());
    let gradient = fit.gradient * won.most;
    Some((scores, Fit { gradient, ..fit }))
}

/// Whether some member can be reached back from itself along wins.
fn has_round(tally: &Tally, members: &[usize]) -> bool {
    strong_parts(tally, members).len() < members.len()
}

/// The estimates with the lowest first.
fn negate(estimates: &[Estimate]) -> Vec<Estimate> {
    let estimates = estimates.iter();
    estimates.map(|x| x.map(|score| -score)).collect()
}

fn iterate_powers(won: &[f64], m: usize) -> (Vec<f64>, Fit) {
    let mut scores = to_unit_length(vec![1.0; m]);
    let mut fit = Fit::unfinished();
    while !fit.converged && fit.iterations < MAX_ITERATIONS {
        fit.iterations += 1;
        let next = next_power(won, &scores);
        fit.converged = are_close(&next, &scores);
        scores = next;
    }
    fit.gradient = largest_residual(won, &scores);
    (scores, fit)
}

/// One step of power iteration, with a quarter of the eigenvalue added to the diagonal.
fn next_power(won: &[f64], scores: &[f64]) -> Vec<f64> {
    let image = lost_to(won, scores);
    // Without it, strengths of two groups that only met each other would swing for ever.
    let quarter = 0.25 * length(&image);
    let sum = image.iter().zip(scores).map(|(x, s)| x + quarter * s);
    to_unit_length(sum.collect())
}

fn are_close(x: &[f64], y: &[f64]) -> bool {
    x.iter().zip(y).all(|(x, y)| (x - y).abs() <= NEGLIGIBLE)
}

/// For each system the sum over those who beat it of what they won times their score.
fn lost_to(won: &[f64], scores: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; scores.len()];
    for (row, score) in won.chunks(scores.len()).zip(scores) {
        for (sum, share) in sums.iter_mut().zip(row) {
            *sum += share * score;
        }
    }
    sums
}

fn largest_residual(won: &[f64], scores: &[f64]) -> f64 {
    let image = lost_to(won, scores);
    let pairs = || image.iter().zip(scores);
    let lambda: f64 = pairs().map(|(x, s)| x * s).sum();
    let residuals = pairs().map(|(x, s)| (x - lambda * s).abs());
    residuals.fold(0.0, f64::max)
}

/// The vector at length 1; a zero vector stays as it is.
fn to_unit_length(mut vector: Vec<f64>) -> Vec<f64> {
    let length = length(&vector);
    if length > 0.0 {
        for x in &mut vector {
            *x /= length;
        }
    }
    vector
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tally_without_ties;

    #[test]
    fn two_systems_by_hand() {
        // 4 : 1. lambda s0 = 1 s1, lambda s1 = 4 s0: lambda = 2, s = (1, 2) / sqrt(5). Eigenvalues
        // 2 and -2: without the shift the iteration would never end.
        let scores = eigenvector(&tally_without_ties(3, &[(0, 1, 4.0, 1.0)]));
        let found = [0, 1].map(|i| scores.estimates[i].finite().unwrap());
        assert!(
            (found[0] - 0.2f64.sqrt()).abs() < 1e-12 && (found[1] - 0.8f64.sqrt()).abs() < 1e-12,
            "{found:?}"
        );
        assert_eq!(scores.ranks, [Some(1), Some(2), None]);
        assert!(
            scores
                .fit
                .is_some_and(|fit| fit.converged && fit.gradient < 1e-11)
        );
        assert_eq!(scores.estimates[2], Estimate::Undefined(Undefined::NoData));
    }

    #[test]
    fn the_undefined_is_said() {
        let reasons = |scores: Scores| scores.estimates;
        let none = Estimate::Undefined;
        assert_eq!(reasons(eigenvector(&tally_without_ties(0, &[]))), []);
        assert_eq!(
            reasons(eigenvector(&tally_without_ties(1, &[]))),
            [none(Undefined::OneSystem)]
        );
        assert_eq!(
            reasons(eigenvector(&tally_without_ties(2, &[]))),
            [none(Undefined::NoData); 2]
        );
        assert_eq!(
            reasons(eigenvector(&tally_without_ties(2, &[(0, 1, 3.0, 0.0)]))),
            [none(Undefined::OneSided); 2]
        );
        let apart = tally_without_ties(4, &[(0, 1, 1.0, 1.0), (2, 3, 1.0, 1.0)]);
        assert_eq!(
            reasons(eigenvector(&apart)),
            [none(Undefined::Disconnected); 4]
        );
    }
}
