//! What a graded response model says of wordings and responses.

use crate::{Fit, Undefined};

/// A graded response model of one judge's scores.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GradedResponse {
    /// For each wording its discrimination and thresholds, or why it has none:
    /// [`Undefined::Constant`] where all its scores are equal, [`Undefined::NoData`] where it has
    /// none, [`Undefined::NothingShared`] where no other has scored a response that it has.
    pub wordings: Vec<Result<Wording, Undefined>>,
    /// The quality of each response, in the order of the rows; a response without a score under any
    /// wording that is fitted has mean 0 and deviation 1.
    pub qualities: Vec<Quality>,
    /// Marginal reliability: the variance of the qualities over that plus the mean of their own
    /// variances, from 0 to 1 (Choi et al. 2026, who ask for 0.70).
    pub reliability: f64,
    /// Prompt consistency: the mean variance of the qualities of responses with one score, for each
    /// wording, and of these the standard deviation over wordings by their mean (Choi et al. 2026,
    /// who ask for at most 0.10): 0 where a score means as much under every wording. No interval is
    /// made of it. None below two wordings.
    pub variation: Option<f64>,
    /// How the wordings that are fitted differ, each pair of them once; or why nothing is said of
    /// it.
    pub differences: Result<Vec<WordingDifference>, Undefined>,
    /// How the fit ended.
    pub fit: Fit,
    /// How many clusters of responses the intervals count.
    pub clusters: usize,
}

/// One wording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Wording {
    /// The categories that it used, in ascending order: thresholds are between two of these.
    pub used: Vec<usize>,
    /// How much a score says: the slope of the log-odds of a higher score in the quality, above 0.
    pub discrimination: WordingFit,
    /// The quality from which on a score of `used[k + 1]` or above is likelier than a lower one.
    pub thresholds: Vec<WordingFit>,
    /// The mean of the thresholds: how strict the wording is. Comparable only between wordings that
    /// used the same categories.
    pub severity: WordingFit,
}

/// An estimate with its standard error and interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WordingFit {
    /// The estimate.
    pub value: f64,
    /// Its standard error (of a discrimination, that of its logarithm times its value), by clusters
    /// of responses; or why there is none.
    pub standard_error: Result<f64, Undefined>,
    /// Its interval; of a discrimination symmetric in the logarithm.
    pub interval: Result<[f64; 2], Undefined>,
}

/// How two wordings differ.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WordingDifference {
    /// Their numbers, the lower first.
    pub pair: (usize, usize),
    /// The severity of the first less that of the second; None where they used different
    /// categories.
    pub severity: Option<Contrast>,
    /// The logarithm of the first's discrimination over the second's.
    pub log_discrimination: Contrast,
}

/// A difference with its test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contrast {
    /// The difference.
    pub value: f64,
    /// Its interval, of this difference alone.
    pub interval: [f64; 2],
    /// The p-value of no difference, adjusted for all differences of its kind (Holm 1979): where
    /// none is, one is at most alpha in at most alpha of data sets.
    pub p_adjusted: f64,
}

/// The latent quality of a response, in standard deviations of all responses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// Its mean given the scores.
    pub mean: f64,
    /// Its standard deviation given the scores, the parameters of the wordings taken as known.
    pub deviation: f64,
}
