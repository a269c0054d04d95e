//! The score of a system: a number, an infinity, or why it has none; and ranks.

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

/// Competition ranks ("1224"): one more than the number of systems that are better by more than
/// `resolution` (in the unit of the scores; 0 or more); equals share the better rank.
///
/// Plus infinity is above every finite score and minus infinity below. An undefined score has no
/// rank and does not count in the ranks of the others. Several systems at the same infinity have no
/// rank: how they compare is unknown.
pub fn competition_ranks(estimates: &[Estimate], resolution: f64) -> Vec<Option<u32>> {
    // Descending.
    let mut finite = finite_scores(estimates);
    finite.sort_unstable_by(|x, y| y.total_cmp(x));
    let count = |kind: Estimate| estimates.iter().filter(|&&other| other == kind).count();
    let top = count(Estimate::PlusInfinity);
    let bottom = count(Estimate::MinusInfinity);
    let ranks = estimates.iter().map(|&estimate| {
        let above = match estimate {
            Estimate::Finite(own) => {
                top + finite.partition_point(|&other| other - own > resolution)
            }
            // Infinities are in no order among each other.
            Estimate::PlusInfinity if top == 1 => 0,
            Estimate::MinusInfinity if bottom == 1 => top + finite.len(),
            _ => return None,
        };
        Some(1 + above as u32)
    });
    ranks.collect()
}

/// How many of some scores are better than one by more than `resolution`.
pub(crate) fn count_better(scores: impl Iterator<Item = f64>, own: f64, resolution: f64) -> u32 {
    scores.filter(|other| other - own > resolution).count() as u32
}

/// Why there is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
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
    /// People's labels alone put some systems infinitely far apart, so they say nothing of how far
    /// off a judge may be there.
    #[error(
        "by the labels alone some systems win or lose everything, so they do not say how far off \
         the judge may be; label more"
    )]
    LabelsOneSided,
    /// A tie model explains the data best with a tie parameter beyond all bounds, and strengths as
    /// far apart.
    #[error(
        "ties and wins contradict each other nowhere, so the tie model has no finite strengths"
    )]
    InfiniteTies,
    /// An interval needs at least two clusters.
    #[error(
        "it rests on {}, and an interval needs at least 2",
        count_of(*clusters, "cluster")
    )]
    TooFewClusters {
        /// How many there are.
        clusters: usize,
    },
    /// A covariate varies in so few clusters that they say nothing of the uncertainty of its
    /// effect.
    #[error(
        "it varies in {}, as good as {effective} of equal weight, and an interval needs {least}",
        count_of(*varying, "cluster")
    )]
    FewVaryingClusters {
        /// Clusters in which it is not 0 throughout.
        varying: usize,
        /// How many clusters of equal weight would say as much, rounded down.
        effective: usize,
        /// How many of those an interval needs.
        least: usize,
    },
    /// All resamples that count, or so many that both ends of an interval are the same, give one
    /// value.
    #[error(
        "all resamples, or nearly all, give the same value, so they do not show how sure it is"
    )]
    SameInRounds,
    /// The data do not vary, so they say nothing of their own uncertainty.
    #[error("the data do not vary, so they say nothing about the uncertainty")]
    NoVariance,
    /// A correlation needs at least two points.
    #[error(
        "a correlation needs at least 2 points, and has {}",
        count_of(*points, "point")
    )]
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
    /// A relative gain over a baseline that is 0.
    #[error("the baseline is 0, and a gain is relative to it")]
    ZeroBaseline,
    /// A rank that the data do not determine.
    #[error("the comparisons do not determine its rank")]
    NoRank,
    /// A discrimination is relative, and there is no other judge.
    #[error("there is only one judge, and a discrimination is relative to others")]
    OneJudge,
    /// Slices are compared with each other.
    #[error(
        "a difference between slices needs one of at least {least} items, and as many outside it"
    )]
    TooFewSlices {
        /// How many items a slice must have to be tested, and how many there must be outside it.
        least: usize,
    },
    /// A slice has too few items for a test, or nearly all of them.
    #[error(
        "it has {} there and {outside} elsewhere; a test needs {least} of each",
        count_of(*items, "item")
    )]
    SmallSlice {
        /// Items of the slice.
        items: usize,
        /// Items of other slices.
        outside: usize,
        /// How many a test needs of each.
        least: usize,
    },
    /// Judges contradict each other so that nothing is common to them.
    #[error("the judges contradict each other, so that no order of the systems is common to them")]
    NoCommonOrder,
    /// Nobody's own system was compared.
    #[error("it has no system of its own among those that were compared")]
    NoOwnSystem,
    /// Too few other judges for a consensus.
    #[error("a consensus needs at least 2 other judges, and has {peers}")]
    TooFewPeers {
        /// Judges beside the one that is looked at.
        peers: usize,
    },
    /// Too few systems of others to tell a preference from a taste.
    #[error(
        "it and the others judged {} of others, and telling a preference for its own from a taste \
         needs at least 4",
        count_of(*systems, "system")
    )]
    TooFewOthers {
        /// Systems of others.
        systems: usize,
    },
    /// A system that stands apart from all that it is held against.
    #[error(
        "its own system stands so far above or below those of others that no line reaches it: \
         what is expected of it there is not known"
    )]
    TooFarFromOthers,
    /// A wording of a prompt whose responses no other wording has scored.
    #[error("no other wording has scored a response that it has")]
    NothingShared,
    /// Too few responses for the intervals of a model with many numbers.
    #[error(
        "other wordings have scored its responses to {}, and its intervals need at least {least}",
        count_of(*clusters, "question")
    )]
    TooFewResponses {
        /// Questions, or what else belongs together.
        clusters: usize,
        /// How many are needed.
        least: usize,
    },
}

/// Says how many there are: "1 cluster", "2 clusters".
fn count_of(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Estimate::{Finite, MinusInfinity, PlusInfinity};

    #[test]
    fn one_of_a_thing_is_no_several() {
        let says = |clusters| Undefined::TooFewClusters { clusters }.to_string();
        assert!(says(1).starts_with("it rests on 1 cluster, "));
        assert!(says(0).starts_with("it rests on 0 clusters, "));
    }

    #[test]
    fn equals_share_the_better_rank() {
        let ranks = competition_ranks(
            &[Finite(1.0), Finite(3.0), Finite(3.0 - 1e-13), Finite(-2.0)],
            1e-12,
        );
        assert_eq!(ranks, [Some(3), Some(1), Some(1), Some(4)]);
    }

    #[test]
    fn infinities_are_at_the_ends_and_the_undefined_outside() {
        let undefined = Estimate::Undefined(Undefined::NoData);
        let ranks = competition_ranks(&[MinusInfinity, Finite(0.0), undefined, PlusInfinity], 0.0);
        assert_eq!(ranks, [Some(3), Some(2), None, Some(1)]);
    }

    #[test]
    fn two_at_the_same_infinity_are_not_told_apart() {
        let ranks = competition_ranks(&[PlusInfinity, Finite(0.0), PlusInfinity], 0.0);
        assert_eq!(ranks, [None, Some(3), None]);
    }
}
