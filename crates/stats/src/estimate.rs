//! What can be said of a system: a number, an infinity, or why there is none.

/// The score of one system.
#[derive(Clone, Copy, Debug, PartialEq)]
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

    /// The same estimate on another scale; `scale` must be increasing, for infinities stay where
    /// they are.
    pub fn map(self, scale: impl Fn(f64) -> f64) -> Estimate {
        match self {
            Estimate::Finite(score) => Estimate::Finite(scale(score)),
            other => other,
        }
    }

    pub(crate) fn or_no_data(score: Option<f64>) -> Estimate {
        score.map_or(Estimate::Undefined(Undefined::NoData), Estimate::Finite)
    }
}

/// Why there is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Undefined {
    /// Nothing was observed.
    #[error("there is no data")]
    NoData,
    /// A strength is relative, and there is nobody to be compared with.
    #[error("there is only one system, and a strength is relative to others")]
    OneSystem,
    /// No chain of comparisons leads to the systems that were scored.
    #[error("no chain of comparisons connects it with the systems that are scored")]
    Disconnected,
    /// Connected, but neither above nor below the systems that were scored.
    #[error("the comparisons put it neither above nor below the systems that are scored")]
    NotComparable,
    /// It won every comparison against some and lost every one against others, so no finite
    /// difference is estimable.
    #[error(
        "all its comparisons are one-sided: it won all against some and lost all against others"
    )]
    OneSided,
    /// A tie model explains the data best with a tie parameter beyond all bounds, and strengths as
    /// far apart.
    #[error(
        "ties and wins contradict each other nowhere, so the tie model has no finite strengths"
    )]
    InfiniteTies,
    /// An interval needs at least two clusters.
    #[error("it rests on {clusters} cluster(s), and an interval needs at least 2")]
    TooFewClusters {
        /// How many there are.
        clusters: usize,
    },
    /// The data do not vary, so they say nothing of their own uncertainty.
    #[error("the data do not vary, so they say nothing of the uncertainty")]
    NoVariance,
    /// A correlation needs at least two points.
    #[error("there are {points} point(s), and a correlation needs at least 2")]
    TooFewPoints {
        /// How many there are.
        points: usize,
    },
    /// All values of a variable are equal, so that nothing can vary with it.
    #[error("all values of one variable are equal, so nothing can be said to vary with it")]
    Constant,
    /// No pair of systems is left to be counted.
    #[error("no pair of systems meets the conditions, so there is nothing to count")]
    NoPairs,
    /// No unit was rated twice.
    #[error("no unit has two or more ratings, so there is no agreement to measure")]
    NoPairedRatings,
    /// Chance alone gives perfect agreement.
    #[error("chance alone would give perfect agreement, so agreement beyond chance does not exist")]
    CertainByChance,
    /// Two judges were right and wrong on the same rows.
    #[error("no row sets the two apart, so a test of their difference has nothing to go on")]
    NoDiscordantRows,
    /// A rank that the data do not determine.
    #[error("the comparisons do not determine its rank")]
    NoRank,
}

/// How an iterative fit ended.
#[derive(Clone, Copy, Debug, PartialEq)]
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
pub struct Scores {
    /// The scores.
    pub estimates: Vec<Estimate>,
    /// Competition ranks from 1 (best); None where the data do not determine it. See
    /// [`crate::competition_ranks`].
    pub ranks: Vec<Option<u32>>,
    /// What each score rests on: total weight of its comparisons (ties included), or number of
    /// items scored.
    pub weight: Vec<f64>,
    /// Differences up to this are rounding: such scores share a rank.  In the unit of the scores.
    pub resolution: f64,
    /// How the fit ended; None for an estimator in closed form.
    pub fit: Option<Fit>,
}
