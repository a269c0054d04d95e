//! Controllable Kendall's tau: agreement on systems whose ratings are close.

use super::contest::{Contest, Draw, all_pairs, kendall_counts};
use super::figures::{RoundedFigure, bounded_scores};
use crate::Figure;
use evenhand_stats::{Bootstrap, Bounded, Error, Undefined, u_for_share};
use serde::Serialize;

/// Controllable Kendall's tau at one threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TauRow {
    /// Pairs count whose ratings differ by at most this, in the unit of the ratings; None where
    /// ratings have no intervals.
    pub u: Option<f64>,
    /// The share of the pairs that people tell apart for which u was chosen, or that it comes to.
    pub share: Option<f64>,
    /// tau_u.
    #[serde(skip)]
    pub tau: Figure,
    /// Pairs that count.
    pub pairs: u64,
}

/// Returns the shares of the pairs for which tau_u is given: 5 %, 10 %, ..., 100 %.
fn curve_shares() -> impl Iterator<Item = f64> {
    (1..=20).map(|twentieth| f64::from(twentieth) / 20.0)
}

/// Returns the curve of tau_u, and tau_u at further thresholds.
///
/// Which pairs count is decided by the reference's scores and intervals and stays so in every
/// round; their order on either side is that of the round.
///
/// # Errors
/// A threshold that is negative or NaN; bad settings of the resampling.
pub(super) fn tau_curve(
    contest: &Contest,
    further: &[f64],
    plan: &Bootstrap,
) -> Result<Vec<TauRow>, Error> {
    match DistinctPairs::of_reference(contest, plan) {
        Ok(distinct) => distinct.curve(further),
        Err(why) => Ok(undefined_curve(further, &why)),
    }
}

/// The pairs of systems that people distinguish.
struct DistinctPairs<'a> {
    contest: &'a Contest,
    plan: &'a Bootstrap,
    ratings: Vec<Bounded>,
    pairs: Vec<(usize, usize)>,
}

impl<'a> DistinctPairs<'a> {
    /// Returns the pairs whose intervals have no point in common, or why there are none.
    fn of_reference(
        contest: &'a Contest,
        plan: &'a Bootstrap,
    ) -> Result<DistinctPairs<'a>, String> {
        let ratings = bounded_scores(&contest.reference)?;
        Ok(DistinctPairs {
            contest,
            plan,
            pairs: distinct_pairs(&ratings)?,
            ratings,
        })
    }

    fn curve(&self, further: &[f64]) -> Result<Vec<TauRow>, Error> {
        let of_shares = curve_shares().map(|share| self.row_of_share(share));
        let of_thresholds = further.iter().map(|u| self.row_of_threshold(*u));
        of_shares.chain(of_thresholds).collect()
    }

    fn row_of_share(&self, share: f64) -> Result<TauRow, Error> {
        Ok(TauRow {
            share: Some(share),
            ..self.row_of_threshold(u_for_share(&self.ratings, share)?)?
        })
    }

    fn row_of_threshold(&self, u: f64) -> Result<TauRow, Error> {
        let near = self.pairs_within(u);
        Ok(TauRow {
            u: Some(u),
            share: Some(near.len() as f64 / self.pairs.len() as f64),
            tau: self.tau_on(&near)?,
            pairs: near.len() as u64,
        })
    }

    fn tau_on(&self, pairs: &[(usize, usize)]) -> Result<Figure, Error> {
        let tau_b = |draw: &Draw<'_>| kendall_counts(pairs, draw).tau_b();
        RoundedFigure::of_orders(self.contest, self.plan, tau_b).to_figure()
    }

    fn pairs_within(&self, u: f64) -> Vec<(usize, usize)> {
        let all = self.pairs.iter().copied();
        all.filter(|pair| self.distance(*pair) <= u).collect()
    }

    fn distance(&self, (i, j): (usize, usize)) -> f64 {
        (self.ratings[i].score - self.ratings[j].score).abs()
    }
}

fn distinct_pairs(ratings: &[Bounded]) -> Result<Vec<(usize, usize)>, String> {
    let mut pairs = all_pairs(ratings.len());
    pairs.retain(|&(i, j)| are_distinct(&ratings[i], &ratings[j]));
    if pairs.is_empty() {
        return Err(Undefined::NoPairs.to_string());
    }
    Ok(pairs)
}

/// Whether two intervals have no point in common, ends included.
fn are_distinct(a: &Bounded, b: &Bounded) -> bool {
    a.high < b.low || b.high < a.low
}

fn undefined_curve(further: &[f64], why: &str) -> Vec<TauRow> {
    let of_shares = curve_shares().map(|share| undefined_row(None, Some(share), why));
    let of_thresholds = further.iter().map(|&u| undefined_row(Some(u), None, why));
    of_shares.chain(of_thresholds).collect()
}

fn undefined_row(u: Option<f64>, share: Option<f64>, why: &str) -> TauRow {
    TauRow {
        u,
        share,
        tau: Figure::undefined(why),
        pairs: 0,
    }
}
