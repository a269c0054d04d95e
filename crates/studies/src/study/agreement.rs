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
    let both = scores
        .ranks
        .iter()
        .zip(ratings)
        .filter_map(|(rank, rating)| Some((-f64::from((*rank)?), (*rating)?)));
    let (x, y): (Vec<f64>, Vec<f64>) = both.unzip();
    Ok(Agreement {
        rho: correlation(Correlation::Spearman, &x, &y)?,
        tau: correlation(Correlation::KendallTauB, &x, &y)?,
    })
}

fn correlation(which: Correlation, x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    which.correlate(x, y).map_err(|error| match error {
        Error::Undefined(why) => why,
        _ => Undefined::NoData,
    })
}
