//! Agreement over some units.

use super::share::{CountedFigure, Ratio, share_over};
use super::side_counts::SideCounts;
use super::{LabelledUnit, UnitLabel};
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{Bootstrap, Error, Measurement, preference_alpha, preference_alpha_interval};

/// How far people agree on some units; intervals are over items.
#[derive(Clone, Debug, Default, PartialEq)]
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
    pub(super) fn measure(units: &[&LabelledUnit], plan: &Bootstrap) -> Result<Agreement, Error> {
        let ratings = Ratings::of_units(units);
        Ok(Agreement {
            units: units.len(),
            compared: ratings.units.len(),
            alpha_nominal: ratings.alpha(Measurement::Nominal, plan)?,
            alpha_ordinal: ratings.alpha(Measurement::Ordinal, plan)?,
            ..Agreement::measure_shares(units, plan)?
        })
    }

    fn measure_shares(units: &[&LabelledUnit], plan: &Bootstrap) -> Result<Agreement, Error> {
        let share = |of_counts: fn(SideCounts) -> Ratio| {
            share_over(units, plan, |unit| of_counts(unit.side_counts()))
        };
        Ok(Agreement {
            agreement: share(SideCounts::same_pairs)?,
            agreement_without_ties: share(SideCounts::same_pairs_without_ties)?,
            unanimous: share(SideCounts::unanimity)?,
            ties: share(SideCounts::ties)?,
            ceiling_leave_one_out: share(SideCounts::predicted_by_others)?,
            ceiling_in_sample: share(SideCounts::most_that_agree)?,
            ..Agreement::default()
        })
    }
}

/// The labels of units that two people or more labelled, as numbers.
struct Ratings {
    units: Vec<Vec<Option<f64>>>,
    clusters: Vec<u32>,
}

impl Ratings {
    fn of_units(units: &[&LabelledUnit]) -> Ratings {
        let compared = units.iter().filter(|unit| unit.is_compared());
        let (units, clusters) = compared
            .map(|unit| (ratings_of(&unit.labels), unit.cluster))
            .unzip();
        Ratings { units, clusters }
    }

    fn alpha(&self, scale: Measurement, plan: &Bootstrap) -> Result<CountedFigure, Error> {
        let value = preference_alpha(&self.units, scale).map(|alpha| alpha.value);
        let interval = preference_alpha_interval(&self.units, &self.clusters, scale, plan);
        Ok(CountedFigure {
            figure: Figure::new(value, interval)?,
            n: self.units.len(),
        })
    }
}

fn ratings_of(labels: &[UnitLabel]) -> Vec<Option<f64>> {
    let labels = labels.iter();
    labels.map(|label| Some(rating_of(label.side))).collect()
}

/// Returns a preference as a number.
fn rating_of(side: Side) -> f64 {
    match side {
        Side::Second => -1.0,
        Side::Tie => 0.0,
        Side::First => 1.0,
    }
}
