//! The score of a system: a number, an infinity, or why it has none.

mod ranks;
mod undefined;

pub use ranks::competition_ranks;
pub(crate) use ranks::count_better;
pub use undefined::Undefined;

/// The score of one system.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Estimate {
    /// A finite score.
    Finite(f64),
    /// Above every finite score, by no finite amount: for Bradley-Terry, every comparison with the
    /// systems scored was won.
    PlusInfinity,
    /// Below every finite score, by no finite amount: for Bradley-Terry, every comparison with the
    /// systems scored was lost.
    MinusInfinity,
    /// No score, and why.
    Undefined(Undefined),
}

impl Estimate {
    /// The score, if it is finite.
    pub fn finite(self) -> Option<f64> {
        match self {
            Estimate::Finite(score) => Some(score),
            _ => None,
        }
    }

    /// Puts the estimate on another scale; `scale` must be increasing, since infinities stay where
    /// they are.
    pub fn map(self, scale: impl Fn(f64) -> f64) -> Estimate {
        match self {
            Estimate::Finite(score) => Estimate::Finite(scale(score)),
            other => other,
        }
    }

    /// The score, or [`Undefined::NoData`].
    pub(crate) fn or_no_data(score: Option<f64>) -> Estimate {
        score.map_or(Estimate::Undefined(Undefined::NoData), Estimate::Finite)
    }
}

/// The finite ones of some scores, in their order.
pub(crate) fn finite_scores(estimates: &[Estimate]) -> Vec<f64> {
    let scores = estimates.iter().filter_map(|estimate| estimate.finite());
    scores.collect()
}

/// How an iterative fit ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// Steps taken; where several parts were fitted apart, the most that any of them took.
    pub iterations: usize,
    /// Largest absolute derivative of the log-likelihood at the end, in comparisons (won minus
    /// expected).
    pub gradient: f64,
    /// Whether the steps became negligible before the limit. If not, the scores are not to be
    /// trusted.
    pub converged: bool,
}

/// The scores of k systems by one estimator; every list has length k and is indexed by system.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Scores {
    /// The scores.
    pub estimates: Vec<Estimate>,
    /// Competition ranks from 1 (best); None where the data do not determine it. See
    /// [`crate::competition_ranks`].
    pub ranks: Vec<Option<u32>>,
    /// The evidence of each score: total weight of its comparisons (ties included), or number of
    /// items scored.
    pub weight: Vec<f64>,
    /// Differences up to this are rounding: such scores share a rank.  In the unit of the scores.
    pub resolution: f64,
    /// How the fit ended; None for an estimator in closed form.
    pub fit: Option<Fit>,
}

impl Fit {
    /// A fit before its first step.
    pub(crate) fn unfinished() -> Fit {
        Fit {
            iterations: 0,
            gradient: f64::MAX,
            converged: false,
        }
    }

    /// Of two fits the worse, figure by figure.
    pub(crate) fn worse(self, other: Fit) -> Fit {
        Fit {
            iterations: self.iterations.max(other.iterations),
            gradient: self.gradient.max(other.gradient),
            converged: self.converged && other.converged,
        }
    }
}

impl Scores {
    /// Scores in closed form with their competition ranks.
    pub(crate) fn ranked(estimates: Vec<Estimate>, weight: Vec<f64>, resolution: f64) -> Scores {
        Scores {
            ranks: competition_ranks(&estimates, resolution),
            estimates,
            weight,
            resolution,
            fit: None,
        }
    }
}
