//! Strengths by Newman's iteration.

use super::tie_model::{Case, Pair, case, exponential, pairs, rescored, unbounded};
use crate::{BradleyTerry, Estimate, Fit, Scores, Tally, Undefined, bradley_terry};

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
    let (scores, tie) = match case(tally, &base) {
        Case::Empty if tally.systems() == 1 => {
            (base.scores, Estimate::Undefined(Undefined::OneSystem))
        }
        Case::Empty => (base.scores, Estimate::Undefined(Undefined::NoData)),
        Case::AllTies => (powers(base.scores), Estimate::PlusInfinity),
        Case::Unbounded => (unbounded(&base.scores), Estimate::PlusInfinity),
        Case::NoTies | Case::Finite => fit(tally, &base),
    };
    Newman { scores, tie }
}

fn fit(tally: &Tally, base: &BradleyTerry) -> (Scores, Estimate) {
    let (pairs, most) = pairs(tally, base);
    let (strengths, tie, fit) = iterate(&pairs, tally.systems());
    let logs: Vec<f64> = strengths.iter().map(|p| p.ln()).collect();
    let fit = Fit {
        gradient: (fit.gradient * most).min(f64::MAX),
        ..fit
    };
    (powers(rescored(base, &logs, fit)), Estimate::Finite(tie))
}

/// From logarithms to strengths.  Ranks were found on the logarithms.
fn powers(scores: Scores) -> Scores {
    let power = |estimate: Estimate| estimate.finite().map_or(estimate, exponential);
    let estimates: Vec<Estimate> = scores.estimates.iter().map(|&x| power(x)).collect();
    let most = estimates
        .iter()
        .filter_map(|x| x.finite())
        .fold(0.0, f64::max);
    Scores {
        estimates,
        resolution: scores.resolution * most,
        ..scores
    }
}

fn iterate(pairs: &[Pair], systems: usize) -> (Vec<f64>, f64, Fit) {
    let (mut p, mut v) = (vec![1.0; systems], START);
    let (mut iterations, mut gradient, mut converged) = (0, f64::MAX, false);
    while !converged && iterations < MAX_ITERATIONS {
        iterations += 1;
        let sums = sums(pairs, &p, v);
        gradient = sums
            .over
            .iter()
            .zip(&sums.under)
            .zip(&p)
            .fold(0.0, |most, ((x, y), p)| f64::max(most, (x - y * p).abs()));
        let step = |i: usize| ratio(sums.over[i], sums.under[i], p[i]);
        let half = |i: usize| {
            if iterations > SWINGING {
                (p[i] * step(i)).sqrt()
            } else {
                step(i)
            }
        };
        let next: Vec<f64> = (0..systems).map(half).collect();
        let tie = ratio(sums.ties, sums.wins, 0.0);
        let still = |x: f64, y: f64| (x - y).abs() <= NEGLIGIBLE * x.abs();
        converged = still(tie, v) && next.iter().zip(&p).all(|(&x, &y)| still(x, y));
        (p, v) = (next, tie);
    }
    (
        p,
        v,
        Fit {
            iterations,
            gradient,
            converged,
        },
    )
}

/// The quotient if it is a positive number, else what was there before: a system without
/// comparisons within its part stays where it is.
fn ratio(over: f64, under: f64, before: f64) -> f64 {
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

fn sums(pairs: &[Pair], p: &[f64], v: f64) -> Sums {
    let mut sums = Sums {
        over: vec![0.0; p.len()],
        under: vec![0.0; p.len()],
        ties: 0.0,
        wins: 0.0,
    };
    for pair in pairs {
        let (i, j) = (pair.i, pair.j);
        let (won, lost) = (pair.wins + 0.5 * pair.ties, pair.losses + 0.5 * pair.ties);
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
