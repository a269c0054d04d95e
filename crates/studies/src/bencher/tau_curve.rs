//! Controllable Kendall's tau: agreement on systems whose ratings are close.

use super::contest::{Contest, Draw, all_pairs, kendall_counts};
use super::figures::{bounded_scores, order_figure};
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

/// The pairs of systems that people distinguish.
struct DistinctPairs {
    ratings: Vec<Bounded>,
    pairs: Vec<(usize, usize)>,
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
    let distinct = match DistinctPairs::of_reference(contest) {
        Ok(distinct) => distinct,
        Err(why) => return Ok(undefined_curve(further, &why)),
    };
    let mut rows = Vec::new();
    for share in curve_shares() {
        let u = u_for_share(&distinct.ratings, share)?;
        rows.push(distinct.tau_row(contest, u, Some(share), plan)?);
    }
    for u in further {
        rows.push(distinct.tau_row(contest, *u, None, plan)?);
    }
    Ok(rows)
}

impl DistinctPairs {
    /// Returns the pairs whose intervals have no point in common, or why there are none.
    fn of_reference(contest: &Contest) -> Result<DistinctPairs, String> {
        let ratings = bounded_scores(&contest.reference)?;
        let all = all_pairs(ratings.len()).into_iter();
        let pairs: Vec<(usize, usize)> = all
            .filter(|&(i, j)| are_distinct(&ratings[i], &ratings[j]))
            .collect();
        if pairs.is_empty() {
            return Err(Undefined::NoPairs.to_string());
        }
        Ok(DistinctPairs { ratings, pairs })
    }

    fn tau_row(
        &self,
        contest: &Contest,
        u: f64,
        share: Option<f64>,
        plan: &Bootstrap,
    ) -> Result<TauRow, Error> {
        let near = self.pairs_within(u);
        let (tau, _) = order_figure(contest, plan, |draw: &Draw| {
            kendall_counts(&near, draw).tau_b()
        })?;
        Ok(TauRow {
            u: Some(u),
            share: share.or_else(|| Some(near.len() as f64 / self.pairs.len() as f64)),
            tau,
            pairs: near.len() as u64,
        })
    }

    fn pairs_within(&self, u: f64) -> Vec<(usize, usize)> {
        let all = self.pairs.iter().copied();
        all.filter(|&(i, j)| self.distance(i, j) <= u).collect()
    }

    fn distance(&self, i: usize, j: usize) -> f64 {
        (self.ratings[i].score - self.ratings[j].score).abs()
    }
}

/// Whether two intervals have no point in common, ends included.
fn are_distinct(a: &Bounded, b: &Bounded) -> bool {
    a.high < b.low || b.high < a.low
}

fn undefined_curve(further: &[f64], why: &str) -> Vec<TauRow> {
    let undefined = |u, share| TauRow {
        u,
        share,
        tau: Figure::undefined(why),
        pairs: 0,
    };
    let of_shares = curve_shares().map(|share| undefined(None, Some(share)));
    let of_thresholds = further.iter().map(|&u| undefined(Some(u), None));
    of_shares.chain(of_thresholds).collect()
}
