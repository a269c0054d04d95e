//! Rows of a report that compare two systems each.

use super::data::PairRow;
use crate::Adjust;
use crate::rank::scored::Scored;
use evenhand_stats::inference::{Difference, PairDifference};
use evenhand_stats::{Interval, benjamini_hochberg, holm};
use std::ops::Neg;

/// Returns a row for each pair, the better system first, in rank order of the first and then of
/// the second.
pub(super) fn pair_rows(names: &[String], scored: &Scored, adjust: Adjust) -> Vec<PairRow> {
    let mut rows = placed_rows(names, scored);
    set_adjusted(&mut rows, scored, adjust);
    rows.sort_by_key(|row| row.places);
    rows.into_iter().map(|row| row.row).collect()
}

fn placed_rows(names: &[String], scored: &Scored) -> Vec<PlacedRow> {
    let places = places_in_order(&scored.rank_order());
    let pairs = scored.differences.iter();
    pairs
        .map(|pair| PlacedRow::new(names, pair, &places))
        .collect()
}

/// Sets adjusted p-values, while the rows stand in the order of the pairs.
fn set_adjusted(rows: &mut [PlacedRow], scored: &Scored, adjust: Adjust) {
    let bounds = PValueBounds::of(scored, adjust);
    let with_p = rows.iter_mut().filter(|row| row.row.p.is_some());
    for (row, p) in with_p.zip(adjusted_p_values(scored, adjust)) {
        row.row.p_adjusted = Some(p);
        bounds.mark(&mut row.row);
    }
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
        let [a, b] = better_first([pair.a, pair.b], places);
        let mut row = row_of_systems(&names[a], &names[b]);
        set_outcome(&mut row, pair, a != pair.a, names);
        PlacedRow {
            places: [places[a], places[b]],
            row,
        }
    }
}

fn better_first([a, b]: [usize; 2], places: &[usize]) -> [usize; 2] {
    if places[a] > places[b] {
        [b, a]
    } else {
        [a, b]
    }
}

fn row_of_systems(a: &str, b: &str) -> PairRow {
    PairRow {
        a: a.into(),
        b: b.into(),
        ..PairRow::default()
    }
}

/// Sets the difference, or why there is none; `turned` where the row names the systems the other
/// way round.
fn set_outcome(row: &mut PairRow, pair: &PairDifference, turned: bool, names: &[String]) {
    match &pair.difference {
        Ok(found) if turned => set_difference(row, &negated(found)),
        Ok(found) => set_difference(row, found),
        Err(reason) => row.note = Some(reason.with_names(names)),
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
    turned.interval = negated_interval(found.interval);
    turned
}

fn negated_interval(interval: Interval) -> Interval {
    Interval {
        low: interval.high.map(Neg::neg),
        high: interval.low.map(Neg::neg),
        ..interval
    }
}

/// A little more, so that rounding does not hide an equal.
const ROUNDING: f64 = 1.0 + 1e-9;

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
            least: joint.map(|joint| joint.least * ROUNDING),
            joint: adjust == Adjust::Joint,
        }
    }

    /// Says which p-values of a row are only bounds.
    fn mark(&self, row: &mut PairRow) {
        let decides = if self.joint { row.p_adjusted } else { row.p };
        row.p_is_bound = self.is_bound(row.p);
        row.p_adjusted_is_bound = self.is_bound(decides);
    }

    fn is_bound(&self, p: Option<f64>) -> bool {
        let ends = p.zip(self.least);
        ends.is_some_and(|(p, least)| p <= least)
    }
}

/// Returns the p-values of the pairs that have one, adjusted for their number.
fn adjusted_p_values(scored: &Scored, adjust: Adjust) -> Vec<f64> {
    let adjusted = match (adjust, &scored.joint) {
        (Adjust::Joint, Some(joint)) => Ok(joint.values.iter().flatten().copied().collect()),
        // Without rounds there are no p-values of all pairs together.
        (Adjust::Joint | Adjust::Holm, _) => holm(&p_values(scored)),
        (Adjust::BenjaminiHochberg, _) => benjamini_hochberg(&p_values(scored)),
        (Adjust::None, _) => Ok(p_values(scored)),
    };
    adjusted.unwrap_or_default()
}

fn p_values(scored: &Scored) -> Vec<f64> {
    let pairs = scored.differences.iter();
    pairs
        .filter_map(|pair| Some(pair.difference.as_ref().ok()?.p_value))
        .collect()
}
