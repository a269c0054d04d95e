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
    // Ranks are turned so that the larger is better.
    let both = scores.ranks.iter().zip(ratings);
    let (ranks, ratings): (Vec<f64>, Vec<f64>) = both
        .filter_map(|(rank, rating)| Some((-f64::from((*rank)?), (*rating)?)))
        .unzip();
    let correlation = |which: Correlation| match which.correlate(&ranks, &ratings) {
        Ok(value) => Ok(value),
        Err(Error::Undefined(why)) => Err(why),
        Err(_) => Err(Undefined::NoData),
    };
    Ok(Agreement {
        rho: correlation(Correlation::Spearman)?,
        tau: correlation(Correlation::KendallTauB)?,
    })
}
