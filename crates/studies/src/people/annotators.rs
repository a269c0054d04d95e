//! Every annotator against the others.

use super::{CountedFigure, LabelledUnit, PeopleLabels};
use crate::figure::indicator;
use crate::judge::kappa::KappaTables;
use evenhand_core::Side;
use evenhand_stats::Error;
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

/// Returns a row for each annotator, those with the most shared units first, then by name.
pub(super) fn measure_annotators(
    people: &PeopleLabels,
    level: f64,
) -> Result<Vec<AnnotatorRow>, Error> {
    let mut labels: Vec<Vec<(Side, &LabelledUnit)>> = vec![Vec::new(); people.annotators.len()];
    for unit in &people.units {
        for own in &unit.labels {
            if let Some(labels) = labels.get_mut(own.annotator as usize) {
                labels.push((own.side, unit));
            }
        }
    }
    let mut rows = Vec::new();
    for (number, (name, labels)) in people.annotators.iter().zip(labels).enumerate() {
        let mut shared = labels.clone();
        shared.retain(|(_, unit)| unit.is_compared());
        // Whether the majority of the others says the same; nothing where they have none.
        let credits = shared.iter().map(|(own, unit)| {
            let majority = unit.side_counts().without(*own).majority();
            let credit = majority.map_or((0.0, 0), |side| (indicator(side == *own), 1));
            (unit.cluster, credit)
        });
        let agreement = CountedFigure::of_ratios(credits, level)?;
        // The label with that of each other person.
        let (mut tables, mut pairs) = (KappaTables::default(), 0);
        for (own, unit) in &shared {
            let others = unit
                .labels
                .iter()
                .filter(|it| it.annotator != number as u32);
            let sides: Vec<(Side, Side)> = others.map(|other| (*own, other.side)).collect();
            pairs += sides.len();
            tables.add(unit.cluster, sides);
        }
        rows.push(AnnotatorRow {
            annotator: name.clone(),
            labels: labels.len(),
            units: shared.len(),
            agreement,
            kappa: CountedFigure {
                figure: tables.figure(level)?,
                n: pairs,
            },
        });
    }
    rows.sort_by(|x, y| (y.units, &x.annotator).cmp(&(x.units, &y.annotator)));
    Ok(rows)
}
