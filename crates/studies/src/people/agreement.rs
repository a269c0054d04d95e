//! Agreement over some units.

use super::LabelledUnit;
use super::side_counts::{Ratio, SideCounts};
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{Error, Measurement, preference_alpha, preference_alpha_interval};
use schemars::JsonSchema;

/// A figure, and how many it rests on.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct CountedFigure {
    /// The figure; undefined with a note where there is nothing to count.
    pub figure: Figure,
    /// How many pairs of labels, labels or units it counts.
    pub n: usize,
}

impl CountedFigure {
    /// Returns the ratio of two sums over units, with an interval over their clusters.
    pub(super) fn of_ratios(
        ratios: impl IntoIterator<Item = (u32, Ratio)>,
        level: f64,
    ) -> Result<CountedFigure, Error> {
        let mut n = 0;
        let rows = ratios.into_iter().map(|(cluster, (sum, count))| {
            n += count;
            (cluster, sum, count as f64)
        });
        Ok(CountedFigure {
            figure: Figure::of_rows(rows, level)?,
            n,
        })
    }
}

/// How far people agree on some units; intervals are over items.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[non_exhaustive]
pub struct Agreement {
    /// Units that have labels.
    pub units: usize,
    /// Those that two people or more labelled.
    pub compared: usize,
    /// Krippendorff's alpha of win, tie and loss as names, each label counted for both systems
    /// ([`preference_alpha`]); it counts units.
    pub alpha_nominal: CountedFigure,
    /// Krippendorff's alpha with a tie between loss and win; it counts units.
    pub alpha_ordinal: CountedFigure,
    /// Of the pairs of labels that two people gave to one unit, the share that is the same.
    pub agreement: CountedFigure,
    /// The share of those neither of which is a tie.
    pub agreement_without_ties: CountedFigure,
    /// Of the units that two people or more labelled, the share on which all say the same.
    pub unanimous: CountedFigure,
    /// Share of labels that are ties.
    pub ties: CountedFigure,
    /// Of the labels of units that two people or more labelled, the share that a predictor of what
    /// most of the others said gets right, where it draws among equally frequent answers.
    pub ceiling_leave_one_out: CountedFigure,
    /// Of the same labels, the share that equals the most frequent one of their units: no judge can
    /// agree with more of these labels.
    pub ceiling_in_sample: CountedFigure,
}

impl Agreement {
    pub(super) fn measure(units: &[&LabelledUnit], level: f64) -> Result<Agreement, Error> {
        // The labels of units that two people or more labelled, as numbers.
        let (mut ratings, mut clusters) = (Vec::new(), Vec::new());
        for unit in units.iter().filter(|unit| unit.is_compared()) {
            let numbers = unit.labels.iter().map(|label| match label.side {
                Side::Second => Some(-1.0),
                Side::Tie => Some(0.0),
                Side::First => Some(1.0),
            });
            ratings.push(numbers.collect::<Vec<_>>());
            clusters.push(unit.cluster);
        }
        let alpha = |scale: Measurement| -> Result<CountedFigure, Error> {
            let value = preference_alpha(&ratings, scale).map(|alpha| alpha.value);
            let interval = preference_alpha_interval(&ratings, &clusters, scale, level);
            Ok(CountedFigure {
                figure: Figure::new(value, interval)?,
                n: ratings.len(),
            })
        };
        let share = |of_counts: fn(SideCounts) -> Ratio| {
            let ratios = units
                .iter()
                .map(|unit| (unit.cluster, of_counts(unit.side_counts())));
            CountedFigure::of_ratios(ratios, level)
        };
        Ok(Agreement {
            units: units.len(),
            compared: ratings.len(),
            alpha_nominal: alpha(Measurement::Nominal)?,
            alpha_ordinal: alpha(Measurement::Ordinal)?,
            agreement: share(SideCounts::same_pairs)?,
            agreement_without_ties: share(SideCounts::same_pairs_without_ties)?,
            unanimous: share(SideCounts::unanimity)?,
            ties: share(SideCounts::ties)?,
            ceiling_leave_one_out: share(SideCounts::predicted_by_others)?,
            ceiling_in_sample: share(SideCounts::most_that_agree)?,
        })
    }
}
