//! Rows of a report that compare two systems each.

use super::data::PairRow;
use crate::Adjust;
use crate::scored::Scored;
use evenhand_stats::inference::PairDifference;
use evenhand_stats::{benjamini_hochberg, holm};
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
    let joint = scored.joint.as_ref();
    // A little more, so that rounding does not hide an equal.
    let least = joint
        .and_then(|joint| joint.least)
        .map(|least| least * (1.0 + 1e-9));
    let is_bound = |p: Option<f64>| p.zip(least).is_some_and(|(p, least)| p <= least);
    let p_values: Vec<f64> = scored
        .differences
        .iter()
        .filter_map(|pair| pair.p_value)
        .collect();
    let several = match adjust {
        Adjust::Joint => None,
        Adjust::Holm => holm(&p_values).ok(),
        Adjust::BenjaminiHochberg => benjamini_hochberg(&p_values).ok(),
        Adjust::None => Some(p_values),
    };
    let mut several = several.map(Vec::into_iter);
    for (row, pair) in rows.iter_mut().zip(&scored.differences) {
        let row = &mut row.row;
        row.p_adjusted = match &mut several {
            None => joint.and_then(|joint| joint.p_adjusted(pair.a, pair.b)),
            Some(adjusted) => row.p.and_then(|_| adjusted.next()),
        };
        row.p_is_bound = is_bound(row.p);
        row.p_adjusted_is_bound = match adjust {
            Adjust::Joint => is_bound(row.p_adjusted),
            _ => row.p_is_bound,
        };
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
    let sign = if turned { -1.0 } else { 1.0 };
    match &pair.difference {
        Ok(difference) => row.difference = Some(sign * difference),
        Err(reason) => row.note = Some(reason.with_names(names)),
    }
    row.p = pair.p_value;
    row.ci = pair.interval.map(|interval| match turned {
        true => [interval.high, interval.low].map(|end| end.map(Neg::neg)),
        false => [interval.low, interval.high],
    });
}
