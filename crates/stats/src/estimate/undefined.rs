//! Why there is no number.

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
    /// A covariate varies in so few clusters that they say nothing of the uncertainty of its effect.
    #[error(
        "it varies in {varying} cluster(s), which weigh as {effective} equal ones, and an interval \
         needs {least}"
    )]
    FewVaryingClusters {
        /// Clusters in which it is not 0 throughout.
        varying: usize,
        /// How many clusters of equal weight would say as much, rounded down.
        effective: usize,
        /// How many of those an interval needs.
        least: usize,
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
    #[error("it has {items} item(s) there and {outside} elsewhere; a test needs {least} of each")]
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
}
