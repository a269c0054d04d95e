//! Weakness as an eigenvector.

use super::linked::{points_among, strong_parts, why_no_games};
use crate::linear::largest;
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
/// lambda * score(i) = sum over j of won(j, i) * score(j),   won(j, i) = wins(j, i) + ties(j, i) /
/// 2
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
    // The systems of the largest component; none if no component has two or more systems, or none
    // is the largest, since then nothing but a label could decide.
    let components = tally.components();
    let most = components.iter().map(Vec::len).max().unwrap_or(0);
    let mut largest = components.into_iter().filter(|x| x.len() == most);
    let members = match (largest.next(), largest.next()) {
        (Some(only), None) if most > 1 => only,
        _ => Vec::new(),
    };
    // Why each system has no score, where it is no member.
    let reasons = (0..tally.systems()).map(|i| match tally.games_of(i) > 0.0 {
        true => Undefined::Disconnected,
        false => why_no_games(tally),
    });
    let mut estimates: Vec<Estimate> = reasons.map(Estimate::Undefined).collect();
    let (scores, fit) = find_scores(tally, &members).unzip();
    for (at, &i) in members.iter().enumerate() {
        estimates[i] = match &scores {
            Some(scores) => Estimate::Finite(scores[at]),
            None => Estimate::Undefined(Undefined::OneSided),
        };
    }
    let negated = estimates.iter().map(|x| x.map(|score| -score));
    let lowest_first: Vec<Estimate> = negated.collect();
    Scores {
        ranks: competition_ranks(&lowest_first, RESOLUTION),
        fit,
        ..Scores::ranked(estimates, tally.weights(), RESOLUTION)
    }
}

/// The scores of the members, and how the search ended; None where every eigenvalue is 0.
fn find_scores(tally: &Tally, members: &[usize]) -> Option<(Vec<f64>, Fit)> {
    // The points of each against each, as shares of the most.
    let mut won = points_among(tally, members);
    let most = largest(&won);
    if most.is_nan() || most <= 0.0 {
        return None;
    }
    won.iter_mut().for_each(|share| *share /= most);
    // Whether some member can be reached back from itself along wins.
    if strong_parts(tally, members).len() == members.len() {
        return None;
    }
    let mut scores = to_unit_length(vec![1.0; members.len()]);
    let mut fit = Fit::unfinished();
    while !fit.converged && fit.iterations < MAX_ITERATIONS {
        fit.iterations += 1;
        let image = lost_to(&won, &scores);
        // Without a quarter of the eigenvalue on the diagonal, strengths of two groups that only
        // met each other would swing for ever.
        let quarter = 0.25 * length(&image);
        let sum = image.iter().zip(&scores).map(|(x, s)| x + quarter * s);
        let next = to_unit_length(sum.collect());
        let mut moves = next.iter().zip(&scores).map(|(x, y)| (x - y).abs());
        fit.converged = moves.all(|size| size <= NEGLIGIBLE);
        scores = next;
    }
    let image = lost_to(&won, &scores);
    let pairs = || image.iter().zip(&scores);
    let lambda: f64 = pairs().map(|(x, s)| x * s).sum();
    let residuals = pairs().map(|(x, s)| (x - lambda * s).abs());
    fit.gradient = residuals.fold(0.0, f64::max) * most;
    Some((scores, fit))
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
