//! Where a wanderer from losers to winners is found.

use super::linked::why_no_games;
use crate::linear::greatest;
use crate::{Estimate, Fit, Scores, Tally};

/// The share of steps that follow a loss; the others go anywhere (Page, Brin, Motwani and Winograd
/// 1999).
const DAMPING: f64 = 0.85;
/// Every step multiplies the error by at most the damping: 0.85^230 = 6e-17.
const MAX_ITERATIONS: usize = 1000;
/// A step that moves less than this share ends the search; the error is at most 6 times that.
const NEGLIGIBLE: f64 = 1e-14;
/// Closer scores share a rank.
const RESOLUTION: f64 = 1e-11;

/// The share of time that a wanderer spends at each system, who goes from a system to one that beat
/// it in proportion to what it won there, and at 15 % of steps (always, from a system that never
/// lost) to any of the n systems alike:
///
/// ```text
/// score(i) = 0.15 / n + 0.85 * sum over j of score(j) * won(i, j) / sum over h of won(h, j)
/// ```
///
/// with won(i, j) = wins(i, j) + ties(i, j) / 2, and won(i, j) / ... = 1 / n where j never lost.
/// The scores sum to 1; the conventions are those of evalica 0.4's `pagerank`, without its limit of
/// 100 steps.
///
/// Systems without comparisons are [`crate::Undefined::NoData`] and not counted in n. It is
/// defined, and says little, between groups of systems that never met. `fit.gradient` is the
/// largest residual of the equation above.
pub fn pagerank(tally: &Tally) -> Scores {
    let met = |&i: &usize| tally.games_of(i) > 0.0;
    let members: Vec<usize> = (0..tally.systems()).filter(met).collect();
    let mut estimates = vec![Estimate::Undefined(why_no_games(tally)); tally.systems()];
    let mut fit = None;
    if !members.is_empty() {
        let (scores, found) = find_shares(tally, &members);
        for (&i, score) in members.iter().zip(scores) {
            estimates[i] = Estimate::Finite(score);
        }
        fit = Some(found);
    }
    Scores {
        fit,
        ..Scores::ranked(estimates, tally.weights(), RESOLUTION)
    }
}

/// The shares of time of one or more members, and how the search ended.
fn find_shares(tally: &Tally, members: &[usize]) -> (Vec<f64>, Fit) {
    let n = members.len();
    // Of each member how likely the wanderer goes from there to the others when it follows a loss.
    let steps = members.iter().map(|&from| {
        let lost: Vec<f64> = members.iter().map(|&to| tally.points(to, from)).collect();
        if lost.iter().sum::<f64>() > 0.0 {
            over_sum(lost)
        } else {
            vec![1.0 / n as f64; n]
        }
    });
    let steps: Vec<Vec<f64>> = steps.collect();
    let mut scores = vec![1.0 / n as f64; n];
    let mut fit = Fit::unfinished();
    while !fit.converged && fit.iterations < MAX_ITERATIONS {
        let mut next = vec![(1.0 - DAMPING) / n as f64; n];
        for (row, score) in steps.iter().zip(&scores) {
            for (sum, step) in next.iter_mut().zip(row) {
                *sum += DAMPING * score * step;
            }
        }
        let next = over_sum(next);
        let moved = next.iter().zip(&scores).map(|(x, s)| (x - s).abs());
        fit.iterations += 1;
        fit.gradient = greatest(moved.clone());
        fit.converged = moved.sum::<f64>() <= NEGLIGIBLE;
        scores = next;
    }
    (scores, fit)
}

/// Rounding, which would add up from step to step, is taken out by the sum.
fn over_sum(mut shares: Vec<f64>) -> Vec<f64> {
    let total: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= total;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;

    #[test]
    fn a_winner_and_a_loser_by_hand() {
        // 0 never lost: from it, anywhere. x0 = 0.075 + 0.85 (x0 / 2 + x1), x0 + x1 = 1: x0 = 0.925
        // / 1.425.
        let mut tally = Tally::new(3).unwrap();
        tally.add(0, 2, 5.0, 0.0, 0.0).unwrap();
        let scores = pagerank(&tally);
        assert!(
            (scores.estimates[0].finite().unwrap() - 0.925 / 1.425).abs() < 1e-13,
            "{scores:?}"
        );
        assert_eq!(
            (scores.estimates[1], scores.ranks),
            (
                Estimate::Undefined(Undefined::NoData),
                vec![Some(1), None, Some(2)]
            )
        );
        assert!(scores.fit.is_some_and(|fit| fit.converged));
    }

    #[test]
    fn the_undefined_is_said() {
        assert_eq!(
            pagerank(&Tally::new(1).unwrap()).estimates,
            [Estimate::Undefined(Undefined::OneSystem)]
        );
        let none = pagerank(&Tally::new(2).unwrap());
        assert_eq!(
            (none.estimates, none.fit),
            (vec![Estimate::Undefined(Undefined::NoData); 2], None)
        );
    }
}
