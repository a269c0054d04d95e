//! Strengths by Newman's iteration.

use super::linked::why_no_games;
use super::tie_model::{
    Case, PairShares, exponential, find_case, forget_finite, in_comparisons, pairs_within_parts,
    replace_strengths,
};
use crate::estimate::finite_scores;
use crate::linear::{greatest, largest};
use crate::{BradleyTerry, Estimate, Fit, Scores, Tally, bradley_terry};

const MAX_ITERATIONS: usize = 20_000;
/// Steps after which each goes half the way only: all at once, strengths can swing for ever (two
/// systems, no ties).
const SWINGING: usize = 500;
/// A step that moves every strength and the tie parameter by less than this share ends the search.
const NEGLIGIBLE: f64 = 1e-14;
/// The tie parameter before the first step.
const START: f64 = 0.5;

/// Strengths and the tie parameter by Newman's iteration.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Newman {
    /// For each system its strength, a positive number.
    pub scores: Scores,
    /// The tie parameter v, 0 or more: equally strong systems tie with chance v / (1 + v).
    pub tie: Estimate,
}

/// Strengths p and tie parameter v by the iteration of Newman (2023), "Efficient computation of
/// rankings from pairwise comparisons", in the model P(i wins) : P(tie) : P(j wins) = p_i : 2 v
/// sqrt(p_i p_j) : p_j.
///
/// With won(i, j) = wins(i, j) + ties(i, j) / 2 and D(i, j) = p_i + p_j + 2 v sqrt(p_i p_j), all at
/// once:
///
/// ```text
/// p_i <- sum_j won(i, j) (p_j + v sqrt(p_i p_j)) / D(i, j)  /  sum_j won(j, i) (1 + v sqrt(p_j / p_i)) / D(i, j)
/// v   <- sum_ij ties(i, j) (p_i + p_j) / D(i, j) / 2        /  sum_ij wins(i, j) 2 sqrt(p_i p_j) / D(i, j)
/// ```
///
/// These are the conventions of evalica 0.4 (no prior, all p = 1 and v = 0.5 at the start), run
/// until nothing moves (after 500 steps, by the geometric mean of the old and the new p, so that it
/// does end). At the end p is the exponential of [`crate::davidson`]'s strengths and v half its nu,
/// up to a factor of all p that the start decides: differences of p between data sets mean nothing,
/// ratios within one do.
///
/// What is undefined or infinite is so as in [`crate::davidson`], to whose strengths the parts give
/// their say: the iteration runs over the comparisons within parts. `fit.gradient` is the largest
/// derivative of the log-likelihood by the logarithm of a strength, in comparisons.
pub fn newman(tally: &Tally) -> Newman {
    let base = bradley_terry(tally);
    let (scores, tie) = match find_case(tally, &base) {
        Case::Empty => (base.scores, Estimate::Undefined(why_no_games(tally))),
        Case::AllTies => (to_powers(base.scores), Estimate::PlusInfinity),
        Case::Unbounded => (forget_finite(&base.scores), Estimate::PlusInfinity),
        Case::NoTies | Case::Finite => fit_strengths(tally, &base),
    };
    Newman { scores, tie }
}

fn fit_strengths(tally: &Tally, base: &BradleyTerry) -> (Scores, Estimate) {
    let (pairs, most) = pairs_within_parts(tally, base);
    let mut point = Point {
        strengths: vec![1.0; tally.systems()],
        tie: START,
    };
    let mut fit = Fit::unfinished();
    while !fit.converged && fit.iterations < MAX_ITERATIONS {
        fit.iterations += 1;
        let sums = Sums::new(&pairs, &point);
        let terms = || sums.over.iter().zip(&sums.under).zip(&point.strengths);
        // The largest derivative of the log-likelihood by the logarithm of a strength.
        fit.gradient = greatest(terms().map(|((x, y), p)| (x - y * p).abs()));
        let half = fit.iterations > SWINGING;
        let strengths = terms().map(|((&over, &under), &p)| {
            let next = positive_ratio(over, under, p);
            // The geometric mean: strengths are positive, and swings are multiplicative.
            if half { (p * next).sqrt() } else { next }
        });
        let next = Point {
            strengths: strengths.collect(),
            tie: positive_ratio(sums.ties, sums.wins, 0.0),
        };
        let is_close = |x: f64, y: f64| (x - y).abs() <= NEGLIGIBLE * x.abs();
        let mut moves = next.strengths.iter().zip(&point.strengths);
        fit.converged = is_close(next.tie, point.tie) && moves.all(|(&x, &y)| is_close(x, y));
        point = next;
    }
    let logs: Vec<f64> = point.strengths.iter().map(|p| p.ln()).collect();
    let scores = replace_strengths(base, &logs, in_comparisons(fit, most));
    (to_powers(scores), Estimate::Finite(point.tie))
}

/// From logarithms to strengths.  Ranks were found on the logarithms.
fn to_powers(mut scores: Scores) -> Scores {
    for estimate in &mut scores.estimates {
        *estimate = estimate.finite().map_or(*estimate, exponential);
    }
    scores.resolution *= largest(&finite_scores(&scores.estimates));
    scores
}

/// Strengths p, positive numbers, and the tie parameter v.
struct Point {
    strengths: Vec<f64>,
    tie: f64,
}

/// The quotient if it is a positive number, else what was there before: a system without
/// comparisons within its part stays where it is.
fn positive_ratio(over: f64, under: f64, before: f64) -> f64 {
    let quotient = over / under;
    if quotient.is_finite() && quotient > 0.0 {
        quotient
    } else {
        before
    }
}

/// The sums of one step, for each system and for the tie parameter.
struct Sums {
    over: Vec<f64>,
    under: Vec<f64>,
    ties: f64,
    wins: f64,
}

impl Sums {
    fn new(pairs: &[PairShares], point: &Point) -> Sums {
        let systems = point.strengths.len();
        let mut sums = Sums {
            over: vec![0.0; systems],
            under: vec![0.0; systems],
            ties: 0.0,
            wins: 0.0,
        };
        let p = &point.strengths;
        let v = point.tie;
        for pair in pairs {
            let (i, j) = (pair.i, pair.j);
            let won = pair.wins + 0.5 * pair.ties;
            let lost = pair.losses + 0.5 * pair.ties;
            let root = (p[i] * p[j]).sqrt();
            let total = p[i] + p[j] + 2.0 * v * root;
            sums.over[i] += won * (p[j] + v * root) / total;
            sums.over[j] += lost * (p[i] + v * root) / total;
            sums.under[i] += lost * (1.0 + v * root / p[i]) / total;
            sums.under[j] += won * (1.0 + v * root / p[j]) / total;
            sums.ties += pair.ties * (p[i] + p[j]) / total;
            sums.wins += (pair.wins + pair.losses) * 2.0 * root / total;
        }
        sums
    }
}
