//! Every annotator against the others.

use super::share::{CountedFigure, Ratio, share_of_clusters};
use super::{LabelledUnit, PeopleLabels, UnitLabel};
use crate::figure::indicator;
use crate::judge::kappa::KappaTables;
use evenhand_core::Side;
use evenhand_stats::{Bootstrap, Error};
use schemars::JsonSchema;

/// How far an annotator agrees with the others.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[non_exhaustive]
pub struct AnnotatorRow {
    /// The annotator's name.
    pub annotator: String,
    /// Units that the annotator labelled.
    pub labels: usize,
    /// Those of them that others labelled too.
    pub units: usize,
    /// Of the units on which more of the others say one thing than any other, the share on which
    /// the annotator says that.
    pub agreement: CountedFigure,
    /// Cohen's kappa of the annotator's label and the label of each other person, unit by unit,
    /// each label counted for both systems ([`evenhand_stats::preference_kappa`]); it counts these
    /// pairs of labels.
    pub kappa: CountedFigure,
}

/// What an annotator said of a unit, and the unit.
#[derive(Clone, Copy)]
struct OwnLabel<'a> {
    own: UnitLabel,
    unit: &'a LabelledUnit,
}

/// Returns a row for each annotator, those with the most shared units first, then by name.
pub(super) fn measure_annotators(
    people: &PeopleLabels,
    plan: &Bootstrap,
) -> Result<Vec<AnnotatorRow>, Error> {
    let mut rows = Vec::new();
    for (name, labels) in people.annotators.iter().zip(labels_by_annotator(people)) {
        rows.push(AnnotatorRow::measure(name, &labels, plan)?);
    }
    rows.sort_by(|x, y| (y.units, &x.annotator).cmp(&(x.units, &y.annotator)));
    Ok(rows)
}

fn labels_by_annotator(people: &PeopleLabels) -> Vec<Vec<OwnLabel<'_>>> {
    let mut labels = vec![Vec::new(); people.annotators.len()];
    for unit in &people.units {
        for own in &unit.labels {
            if let Some(labels) = labels.get_mut(own.annotator as usize) {
                labels.push(OwnLabel { own: *own, unit });
            }
        }
    }
    labels
}

impl AnnotatorRow {
    fn measure(
        name: &str,
        labels: &[OwnLabel<'_>],
        plan: &Bootstrap,
    ) -> Result<AnnotatorRow, Error> {
        let mut shared = labels.to_vec();
        shared.retain(|label| label.unit.is_compared());
        let agreement = share_of_clusters(shared.iter().map(OwnLabel::credit), plan)?;
        // The label with that of each other person.
        let mut tables = KappaTables::default();
        let mut pairs = 0;
        for OwnLabel { own, unit } in &shared {
            let sides: Vec<(Side, Side)> = unit
                .labels
                .iter()
                .filter(|other| other.annotator != own.annotator)
                .map(|other| (own.side, other.side))
                .collect();
            tables.add(unit.cluster, &sides);
            pairs += sides.len();
        }
        Ok(AnnotatorRow {
            annotator: name.into(),
            labels: labels.len(),
            units: shared.len(),
            agreement,
            kappa: CountedFigure {
                figure: tables.figure(plan)?,
                n: pairs,
            },
        })
    }
}

impl OwnLabel<'_> {
    /// Returns the unit's cluster, and whether the majority of the others says the same; nothing
    /// where they have none.
    fn credit(&self) -> (u32, Ratio) {
        let others = self.unit.side_counts().without(self.own.side);
        let agrees = others.majority().map(|side| side == self.own.side);
        let credit = agrees.map_or(Ratio::NOTHING, |agrees| Ratio::new(indicator(agrees), 1));
        (self.unit.cluster, credit)
    }
}
