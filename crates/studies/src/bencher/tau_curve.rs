//! Controllable Kendall's tau: agreement on systems whose ratings are close.

use super::contest::{Contest, Draw, RoundedFigure, kendall_counts};
use super::figures::bounded_scores;
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

/// Returns the curve of tau_u by shares of the pairs (5 %, 10 %, ..., 100 %), and tau_u at further
/// thresholds.
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
    let shares = (1..=20).map(|twentieth| f64::from(twentieth) / 20.0);
    let mut rows = Vec::new();
    let (ratings, distinct) = match distinct_pairs(contest) {
        Ok(found) => found,
        Err(why) => {
            let undefined = |u, share| TauRow {
                u,
                share,
                tau: Figure::undefined(why.as_str()),
                pairs: 0,
            };
            rows.extend(shares.map(|share| undefined(None, Some(share))));
            rows.extend(further.iter().map(|u| undefined(Some(*u), None)));
            return Ok(rows);
        }
    };
    let row_within = |u: f64| -> Result<TauRow, Error> {
        let mut near = distinct.clone();
        near.retain(|&(i, j)| (ratings[i].score - ratings[j].score).abs() <= u);
        let tau_b = |draw: &Draw<'_>| kendall_counts(&near, draw).tau_b();
        Ok(TauRow {
            u: Some(u),
            share: Some(near.len() as f64 / distinct.len() as f64),
            tau: contest.correlation_figure(
                &RoundedFigure::of_orders(contest, plan, tau_b),
                |known, ratings| known.kendall_tau_b(ratings, &near),
            )?,
            pairs: near.len() as u64,
        })
    };
    for share in shares {
        rows.push(TauRow {
            share: Some(share),
            ..row_within(u_for_share(&ratings, share)?)?
        });
    }
    for u in further {
        rows.push(row_within(*u)?);
    }
    Ok(rows)
}

/// The reference's ratings, and pairs j < i of them.
type RatingsAndPairs = (Vec<Bounded>, Vec<(usize, usize)>);

/// Returns the pairs of systems that people distinguish, whose intervals have no point in common,
/// ends included; or why there are none.
fn distinct_pairs(contest: &Contest) -> Result<RatingsAndPairs, String> {
    let ratings = bounded_scores(&contest.reference)?;
    let mut pairs = Vec::new();
    for (i, a) in ratings.iter().enumerate() {
        for (j, b) in ratings[..i].iter().enumerate() {
            if a.high < b.low || b.high < a.low {
                pairs.push((i, j));
            }
        }
    }
    if pairs.is_empty() {
        return Err(Undefined::NoPairs.to_string());
    }
    Ok((ratings, pairs))
}
