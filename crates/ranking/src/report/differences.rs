//! Rows of a report that compare two systems each.

use super::data::PairRow;
use crate::Adjust;
use crate::scored::Scored;
use evenhand_stats::{benjamini_hochberg, holm};
use std::ops::Neg;

/// Returns a row for each pair, the better system first, in rank order of the first and then of
/// the second.
pub(super) fn pair_rows(names: &[String], scored: &Scored, adjust: Adjust) -> Vec<PairRow> {
    let pairs = &scored.differences;
    // Where each system stands in the ranking.
    let order = scored.rank_order();
    let mut places = vec![0; order.len()];
    for (place, system) in order.iter().enumerate() {
        places[*system] = place;
    }
    let joint = scored.joint.as_ref();
    // A little more, so that rounding does not hide an equal.
    let least = joint
        .and_then(|joint| joint.least)
        .map(|least| least * (1.0 + 1e-9));
    let is_bound = |p: Option<f64>| p.zip(least).is_some_and(|(p, least)| p <= least);
    let p_values: Vec<f64> = pairs.iter().filter_map(|pair| pair.p_value).collect();
    let several = match adjust {
        Adjust::Joint => None,
        Adjust::Holm => holm(&p_values).ok(),
        Adjust::BenjaminiHochberg => benjamini_hochberg(&p_values).ok(),
        Adjust::None => Some(p_values),
    };
    let mut several = several.map(Vec::into_iter);
    let mut rows = Vec::new();
    for pair in pairs {
        let turned = places[pair.a] > places[pair.b];
        let [a, b] = match turned {
            true => [pair.b, pair.a],
            false => [pair.a, pair.b],
        };
        let sign = if turned { -1.0 } else { 1.0 };
        let (difference, note) = match &pair.difference {
            Ok(difference) => (Some(sign * difference), None),
            Err(reason) => (None, Some(reason.with_names(names))),
        };
        let ci = pair.interval.map(|interval| match turned {
            true => [interval.high, interval.low].map(|end| end.map(Neg::neg)),
            false => [interval.low, interval.high],
        });
        let p_adjusted = match &mut several {
            None => joint.and_then(|joint| joint.p_adjusted(pair.a, pair.b)),
            Some(adjusted) => pair.p_value.and_then(|_| adjusted.next()),
        };
        let row = PairRow {
            a: names[a].clone(),
            b: names[b].clone(),
            difference,
            ci,
            p: pair.p_value,
            p_adjusted,
            p_is_bound: is_bound(pair.p_value),
            p_adjusted_is_bound: match adjust {
                Adjust::Joint => is_bound(p_adjusted),
                _ => is_bound(pair.p_value),
            },
            note,
        };
        rows.push(([places[a], places[b]], row));
    }
    rows.sort_by_key(|(places, _)| *places);
    rows.into_iter().map(|(_, row)| row).collect()
}
