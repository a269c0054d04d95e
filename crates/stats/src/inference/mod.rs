//! Inference beyond the percentile bootstrap: covariances, simultaneous ranks, differences, better
//! intervals, robustness.
//!
//! - [`sandwich`], [`sandwich_clustered`]: a robust [`Covariance`] of Bradley-Terry strengths,
//!   without resampling.
//! - [`compare_jointly`], [`compare_jointly_from_covariance`]: which systems are apart, rank
//!   intervals and p-values that hold for all systems at once; [`Contributions`] is what they are
//!   made of.
//! - [`strict_agreement_bounds`]: how many pairs two rankings surely order alike; [`KnownOrder`]:
//!   what correlations with ratings the pairs that are apart allow.
//! - [`pair_differences`], [`covariance_difference`]: two systems compared, with a p-value.
//! - [`clustered_difference`]: the mean difference of two who did the same pairs, tested by
//!   clusters, with the interval that is the test's inversion.
//! - [`bca_interval`]: bootstrap intervals corrected for bias and skewness.
//! - [`drop_leader`], [`drop_order`]: how few judgments carry a conclusion.
//!
//! ```
//! use evenhand_stats::inference::{
//!     compare_jointly_from_covariance, covariance_difference, drop_leader, sandwich,
//! };
//! use evenhand_stats::{Bootstrap, Tally, bradley_terry};
//!
//! // System 0 beats 1 in 52 of 100 comparisons, and 2 in 80; 1 beats 2 in 70.
//! let mut tally = Tally::new(3)?;
//! for (a, b, won) in [(0, 1, 52.0), (0, 2, 80.0), (1, 2, 70.0)] {
//!     tally.add(a, b, won, 0.0, 100.0 - won)?;
//! }
//! let strengths = bradley_terry(&tally).scores.estimates;
//! let covariance = sandwich(&tally, &strengths)?;
//! assert!(covariance_difference(&covariance, 0, 2, 0.95)?.p_value < 0.001);
//! let ranks = compare_jointly_from_covariance(&covariance, &Bootstrap::default())?;
//! assert_eq!(ranks.apart, [(0, 2), (1, 2)]);
//! let drop = drop_leader(&tally, &strengths)?;
//! assert_eq!((drop.above, drop.below, drop.verified), (0, 1, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bca;
mod clustered_difference;
mod contributions;
mod covariance;
mod draws;
mod drop;
mod influence;
mod jackknife;
mod joint;
mod order;
mod restricted;
mod sandwich;
mod score_test;
mod styled;

pub use bca::{bca_interval, jackknife_acceleration};
pub use clustered_difference::{ClusterDifference, ClusteredDifference, clustered_difference};
pub use contributions::{Contributions, MOST_CLUSTERS};
pub use covariance::{Covariance, Difference, covariance_difference};
pub use drop::{Dropped, JudgmentDrop, PairOutcome, drop_leader, drop_order};
pub use jackknife::{
    JACKKNIFE_GROUPS, jackknife, mean_accelerations, strength_accelerations,
    strength_accelerations_of_tally,
};
pub use joint::{
    JointComparison, PairDifference, compare_jointly, compare_jointly_from_covariance,
    pair_differences, pair_differences_from_covariance,
};
pub use order::{AgreementBounds, KnownOrder, strict_agreement_bounds};
pub use sandwich::{SmallSample, sandwich, sandwich_clustered};
pub(crate) use score_test::ScoreTest;
pub use styled::style_covariance;

use crate::checks::{check_pair, ensure};
use crate::{Error, Estimate, Undefined};

/// Why an inference has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InferenceError {
    /// An input that cannot be used.
    #[error(transparent)]
    Input(Error),
    /// The inputs are valid, and the answer does not exist.
    #[error(transparent)]
    Undefined(#[from] Undefined),
    /// A list whose length does not fit the others.
    #[error("{found} {what} were given; expected {expected}")]
    Length {
        /// The content of the list.
        what: &'static str,
        /// How many were expected.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A strength that is infinite: it has no standard error and cannot be compared by a finite
    /// difference.
    #[error(
        "system {system} won or lost every comparison with the systems scored: its strength is \
         infinite"
    )]
    Infinite {
        /// The system.
        system: usize,
    },
    /// A difference that is infinite: all that bears on it was won by the one that is ahead.
    #[error(
        "how far system {ahead} is ahead of system {behind} has no upper bound: no comparison that \
         bears on it speaks against it"
    )]
    Unbounded {
        /// The system that is ahead.
        ahead: usize,
        /// The system that is behind.
        behind: usize,
    },
    /// The information matrix is not positive definite in floating point: some strengths are all
    /// but infinitely far apart.
    #[error(
        "the comparisons hold too little information to be inverted: some strengths are all but \
         infinitely far apart"
    )]
    Singular,
    /// All rounds lie on one side of the estimate, so its bias cannot be corrected.
    #[error("all {rounds} rounds lie on one side of the estimate; its bias cannot be corrected")]
    OneSidedRounds {
        /// How many rounds there are.
        rounds: usize,
    },
    /// The correction for skewness leaves the range in which it means anything.
    #[error(
        "the acceleration is {acceleration}, too large for a corrected interval at this level and \
         bias"
    )]
    Acceleration {
        /// The acceleration.
        acceleration: f64,
    },
    /// Too few rounds for a quantile of this level.
    #[error("{rounds} complete rounds are too few for this level; at least {needed} are needed")]
    FewRounds {
        /// How many rounds have a value for every system concerned.
        rounds: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Too few clusters for a statement at this level, whatever they say.
    #[error(
        "{clusters} items are too few for any statement at this level, whatever they say; at least \
         {needed} are needed"
    )]
    FewClusters {
        /// How many there are.
        clusters: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The statistic is not finite when some clusters are left out, so its skewness is unknown.
    #[error("{values} of the jackknife values are not finite, so the skewness is unknown")]
    UnsettledJackknife {
        /// How many.
        values: usize,
    },
    /// The system that should be ahead is not.
    #[error("system {above} is not ahead of system {below}, so there is no order to overturn")]
    NotAhead {
        /// The system said to be ahead.
        above: usize,
        /// The system said to be behind.
        below: usize,
    },
}

impl InferenceError {
    /// Says it with the systems' names in place of their numbers.
    pub fn with_names(&self, names: &[String]) -> String {
        let name = |system: usize| match names.get(system) {
            Some(name) => name.clone(),
            None => format!("system {system}"),
        };
        match self {
            InferenceError::Infinite { system } => format!(
                "{} won or lost every comparison with the systems scored: its strength is infinite",
                name(*system)
            ),
            InferenceError::Unbounded { ahead, behind } => format!(
                "how far {} is ahead of {} has no upper bound: no comparison that bears on it \
                 speaks against it",
                name(*ahead),
                name(*behind)
            ),
            InferenceError::NotAhead { above, below } => format!(
                "{} is not ahead of {}, so there is no order to overturn",
                name(*above),
                name(*below)
            ),
            other => other.to_string(),
        }
    }
}

impl From<Error> for InferenceError {
    fn from(error: Error) -> Self {
        match error {
            Error::Undefined(reason) => InferenceError::Undefined(reason),
            other => InferenceError::Input(other),
        }
    }
}

/// Two different systems that exist.
fn check_two(a: usize, b: usize, systems: usize) -> Result<(), InferenceError> {
    Ok(check_pair(0, a, b, systems)?)
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), InferenceError> {
    ensure(expected == found, || InferenceError::Length {
        what,
        expected,
        found,
    })
}

/// The finite score of a system, or why there is none.
fn finite_score(estimate: Estimate, system: usize) -> Result<f64, InferenceError> {
    match estimate {
        Estimate::Finite(score) => Ok(score),
        Estimate::Undefined(reason) => Err(reason.into()),
        Estimate::PlusInfinity | Estimate::MinusInfinity => {
            Err(InferenceError::Infinite { system })
        }
    }
}
