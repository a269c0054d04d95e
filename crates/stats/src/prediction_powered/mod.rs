//! Prediction-powered inference: many judge verdicts and a few human labels give one estimate of
//! what people would say, with an interval that is narrower the more the judge knows and valid
//! however wrong the judge is. Few labels may show none of a judge's rare errors, so tuned estimates
//! allow for errors that were not seen: the fewer the labels, the less the judge counts.
//!
//! The estimate is that of the labels alone, less lambda times what the judge says of the labelled
//! rows beyond what it says of the others (PPI++: Angelopoulos, Duchi and Zrnic 2023, arXiv
//! 2311.01453; PPI is the case lambda = 1: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023,
//! Science 382, 669). lambda 0 ignores the judge.
//!
//! What is assumed, and by everything here:
//! - **The labelled rows are a random sample of the same population as the others**: nobody chose
//!   them for their difficulty, their systems or the judge's verdict. [`SamplingCheck`] tests part
//!   of it: it can find the assumption broken, and cannot prove that it holds.
//! - Clusters (items) are independent of each other; rows of one cluster need not be. A cluster may
//!   hold labelled rows and others.
//! - No row is given twice: a labelled row is not repeated among the rows without a label.
//! - Intervals are Student's, and the tuned lambda counts as known. In simulations
//!   (tests/it/coverage_ppi.rs) 95 % intervals of a tuned mean held the truth in 92 % of cases or
//!   more with 3 to 100 labelled clusters, where judges err in 1 of 50 to 1 of 5 cases to either
//!   side or both, and never in 3 points fewer than the labels alone; strengths in 93 % or more.
//!   **With a lambda that is given nothing allows for errors that were not seen**: the interval is
//!   the paper's, and few labels can make it far too narrow (docs/design/statistics.md).
//! - The target is the population that the clusters are drawn from: for a fixed set of items, of
//!   which a large share is labelled, the intervals are on the wide side.
//!
//! ```
//! use evenhand_stats::prediction_powered::{Judged, Labelled, Tuning, mean};
//!
//! // People like 6 of 10 answers; the judge, which likes 8 of these 10, likes 70 of 100 others.
//! let labelled: Vec<Labelled> =
//!     (0..10).map(|i| Labelled { cluster: i, human: f64::from(i < 6), judge: f64::from(i < 8) }).collect();
//! let judged: Vec<Judged> = (10..110).map(|i| Judged { cluster: i, judge: f64::from(i < 80) }).collect();
//! let found = mean(&labelled, &judged, Tuning::Given(1.0), 0.95)?;
//! assert!((found.estimate.value - (0.6 - 0.8 + 0.7)).abs() < 1e-12);
//! # Ok::<(), evenhand_stats::prediction_powered::PoweredError>(())
//! ```

mod bradley_terry;
mod influence;
mod mean;
mod objective;
mod sampling;

pub use bradley_terry::{JudgedPair, LabelledPair, PoweredStrengths, Strengths, bradley_terry};
pub use mean::{Judged, Labelled, PoweredMean, mean};
pub use sampling::{ChiSquared, SamplingCheck};

use crate::checks::check_argument;
use crate::special::student_quantile;
use crate::{Error, Undefined};
use influence::Contribution;

/// How much of the judge is used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tuning {
    /// lambda is what makes the estimated variance least, clipped to [0, 1] (power tuning, as in
    /// PPI++).
    Tuned,
    /// This lambda, from 0 (labels alone) to 1 (plain PPI).
    Given(f64),
}

impl Tuning {
    fn check(self) -> Result<(), Error> {
        let Tuning::Given(lambda) = self else {
            return Ok(());
        };
        let good = (0.0..=1.0).contains(&lambda);
        check_argument("lambda", lambda, good, "from 0 to 1")
    }
}

/// A number and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// The estimate.
    pub value: f64,
    /// Its uncertainty; [`Undefined::NoVariance`] where the data do not vary,
    /// [`Undefined::TooFewClusters`] where fewer than 2 have a label,
    /// [`Undefined::LabelsOneSided`] where labels alone have no finite strengths.
    pub uncertainty: Result<Uncertainty, Undefined>,
}

/// A standard error and the interval value -+ t standard errors, t the (1 + level)/2 quantile of
/// Student's distribution with C - 1 degrees of freedom, C the labelled clusters that it is in (of
/// the judge alone, all clusters).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Uncertainty {
    /// The standard error, above 0, in the unit of the value.
    pub standard_error: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The coverage aimed at, in (0, 1).
    pub level: f64,
}

impl Measured {
    /// From a variance that rests on so many clusters. A standard error below `rounding` counts as
    /// none.
    fn new(value: f64, variance: f64, rounding: f64, level: f64, clusters: usize) -> Measured {
        let standard_error = variance.max(0.0).sqrt();
        let uncertainty = if clusters < 2 {
            Err(Undefined::TooFewClusters { clusters })
        } else if standard_error <= rounding {
            Err(Undefined::NoVariance)
        } else {
            let freedom = (clusters - 1) as f64;
            let half = student_quantile(0.5 + level / 2.0, freedom) * standard_error;
            Ok(Uncertainty {
                standard_error,
                low: value - half,
                high: value + half,
                level,
            })
        };
        Measured { value, uncertainty }
    }
}

/// Why there is no prediction-powered estimate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoweredError {
    /// A row that cannot be used.
    #[error("among the rows {list}: {error}")]
    Row {
        /// Which list: "with a label" or "without a label".
        list: &'static str,
        /// The reason; the position of the row is that in the list.
        error: Error,
    },
    /// An argument that cannot be used, or nothing to estimate.
    #[error(transparent)]
    Input(#[from] Error),
    /// A variance needs two clusters of either kind.
    #[error(
        "{}",
        match *clusters == 0 && *list == "without a label" {
            true => "every row has a label, so there is nothing to correct: rank the labels by \
                     themselves".to_owned(),
            false => format!(
                "the rows {list} are of {clusters} cluster{}; expected at least 2",
                if *clusters == 1 { "" } else { "s" }
            ),
        }
    )]
    TooFewClusters {
        /// Which list: "with a label" or "without a label".
        list: &'static str,
        /// How many there are.
        clusters: usize,
    },
    /// The human labels do not connect the systems, so that people have said nothing of how the
    /// groups compare.
    #[error(
        "no chain of human labels connects these groups of systems: {components:?}; label \
         comparisons between them"
    )]
    LabelsDisconnected {
        /// The groups, each in ascending order; a system without labels is a group of its own.
        components: Vec<Vec<usize>>,
    },
    /// The objective never stops growing as these systems move up.
    #[error(
        "with lambda {lambda} there are no finite strengths: the data never put systems {above:?} \
         below the others, \
         the judge's correction included; more human labels are needed, or another lambda"
    )]
    NoFiniteMaximum {
        /// The lambda it was tried with.
        lambda: f64,
        /// The systems, in ascending order, that rise above the rest without end.
        above: Vec<usize>,
    },
    /// The search for the strengths did not end.
    #[error(
        "with lambda {lambda} the search for the strengths did not converge in {iterations} steps"
    )]
    NotConverged {
        /// The lambda it was tried with.
        lambda: f64,
        /// Steps taken.
        iterations: usize,
    },
}

const LABELLED: &str = "with a label";
const JUDGED: &str = "without a label";

/// Checks the rows of a list; an error says in which list the row is.
fn check_list<R>(
    rows: &[R],
    list: &'static str,
    check: impl Fn(usize, &R) -> Result<Contribution, Error>,
) -> Result<Vec<Contribution>, PoweredError> {
    let in_list = |error| PoweredError::Row { list, error };
    let rows = rows.iter().enumerate();
    rows.map(|(at, row)| check(at, row).map_err(in_list))
        .collect()
}
