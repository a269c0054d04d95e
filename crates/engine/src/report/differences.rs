//! Rows of a report that compare two systems each.

use super::data::PairRow;
use crate::Adjust;
use crate::rank::scored::Scored;
use evenhand_stats::inference::{Difference, PairDifference};
use evenhand_stats::{benjamini_hochberg, holm};

/// Returns a row for each pair, the better system first, in rank order of the first and then of
/// the second.
pub(super) fn pair_rows(names: &[String], scored: &Scored, adjust: Adjust) -> Vec<PairRow> {
    let places = places_in_order(&scored.rank_order());
    let bounds = PValueBounds::of(scored, adjust);
    let mut adjusted = adjusted_p_values(scored, adjust).into_iter();
    let mut rows: Vec<PlacedRow> = Vec::new();
    for pair in &scored.differences {
        let mut placed = PlacedRow::new(names, pair, &places);
        if let Ok(found) = &pair.difference {
            placed.row.p_adjusted = adjusted.next();
            bounds.mark(&mut placed.row, found.p_value);
        }
        rows.push(placed);
    }
    rows.sort_by_key(|row| row.places);
    rows.into_iter().map(|row| row.row).collect()
}

/// Returns for each system where it stands in the ranking.
fn places_in_order(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (place, system) in order.iter().enumerate() {
        places[*system] = place;
    }
    places
}

/// A row with the places of its two systems in the ranking.
struct PlacedRow {
    places: [usize; 2],
    row: PairRow,
}

impl PlacedRow {
    fn new(names: &[String], pair: &PairDifference, places: &[usize]) -> PlacedRow {
        let turned = places[pair.a] > places[pair.b];
        let (a, b) = if turned {
            (pair.b, pair.a)
        } else {
            (pair.a, pair.b)
        };
        let mut row = PairRow {
            a: names[a].clone(),
            b: names[b].clone(),
            ..PairRow::default()
        };
        match &pair.difference {
            Ok(found) if turned => set_difference(&mut row, &negated(found)),
            Ok(found) => set_difference(&mut row, found),
            Err(reason) => row.note = Some(reason.to_string()),
        }
        PlacedRow {
            places: [places[a], places[b]],
            row,
        }
    }
}

fn set_difference(row: &mut PairRow, found: &Difference) {
    row.difference = Some(found.difference);
    row.ci = Some([found.interval.low, found.interval.high]);
    row.p = Some(found.p_value);
}

/// Returns the difference of the second system to the first.
fn negated(found: &Difference) -> Difference {
    let mut turned = *found;
    turned.difference = -found.difference;
    turned.interval.low = found.interval.high.map(|end| -end);
    turned.interval.high = found.interval.low.map(|end| -end);
    turned
}

/// Below which a p-value from resamples is only an upper bound.
struct PValueBounds {
    /// The least that so many rounds can give; None where there are no rounds.
    least: Option<f64>,
    /// Whether adjusted p-values come from the rounds, too.
    joint: bool,
}

impl PValueBounds {
    fn of(scored: &Scored, adjust: Adjust) -> PValueBounds {
        let joint = scored.joint.as_ref();
        PValueBounds {
            // A little more, so that rounding does not hide an equal.
            least: joint.map(|joint| joint.least * (1.0 + 1e-9)),
            joint: adjust == Adjust::Joint,
        }
    }

    fn mark(&self, row: &mut PairRow, p: f64) {
        let Some(least) = self.least else { return };
        let decides = if self.joint { row.p_adjusted } else { row.p };
        row.p_is_bound = p <= least;
        row.p_adjusted_is_bound = decides.is_some_and(|p| p <= least);
    }
}

/// Returns the p-values of the pairs that have one, adjusted for their number.
fn adjusted_p_values(scored: &Scored, adjust: Adjust) -> Vec<f64> {
    let p: Vec<f64> = scored
        .differences
        .iter()
        .filter_map(|pair| Some(pair.difference.as_ref().ok()?.p_value))
        .collect();
    let adjusted = match (adjust, &scored.joint) {
        (Adjust::Joint, Some(joint)) => Ok(joint.values.iter().flatten().copied().collect()),
        (Adjust::Joint | Adjust::Holm, _) => holm(&p),
        (Adjust::BenjaminiHochberg, _) => benjamini_hochberg(&p),
        (Adjust::None, _) => Ok(p),
    };
    adjusted.unwrap_or_default()
}
