//! How well scores agree with people's ratings of the same systems.

use evenhand_stats::{Correlation, Error, Scores, Undefined};

/// Spearman's rho and Kendall's tau-b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Agreement {
    /// Spearman's rho.
    pub(super) rho: f64,
    /// Kendall's tau-b.
    pub(super) tau: f64,
}

/// Returns the agreement over the systems that have a rank and a rating. Ranks are compared, in
/// which rounding is no difference.
pub(super) fn agreement(scores: &Scores, ratings: &[Option<f64>]) -> Result<Agreement, Undefined> {
    let both = ranked_and_rated(scores, ratings);
    Ok(Agreement {
        rho: correlation(Correlation::Spearman, &both)?,
        tau: correlation(Correlation::KendallTauB, &both)?,
    })
}

/// Ranks, turned so that the larger is better, and ratings of the same systems.
type RanksAndRatings = (Vec<f64>, Vec<f64>);

/// Returns both of the systems that have both.
fn ranked_and_rated(scores: &Scores, ratings: &[Option<f64>]) -> RanksAndRatings {
    let both = scores.ranks.iter().zip(ratings);
    both.filter_map(|(rank, rating)| Some((-f64::from((*rank)?), (*rating)?)))
        .unzip()
}

fn correlation(which: Correlation, both: &RanksAndRatings) -> Result<f64, Undefined> {
    let (ranks, ratings) = both;
    which.correlate(ranks, ratings).map_err(reason)
}

fn reason(error: Error) -> Undefined {
    match error {
        Error::Undefined(why) => why,
        _ => Undefined::NoData,
    }
}
