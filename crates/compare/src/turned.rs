//! Verdicts that turned, held against how often a judge turns without having changed.
//!
//! While a judge stays the same, its verdicts on a response, or on two in one order, are draws of
//! one distribution on both sides, whatever its temperature. Two tests rest on that and on nothing
//! else; a count of verdicts that turned would accuse every judge that samples.

use super::drift::{Key, Twice};
use evenhand_stats::mean_value;
use std::collections::BTreeMap;

/// Two values that are nearer than this are the same but for rounding.
const ROUNDING: f64 = 1e-9;

/// Holds verdicts against the other order, or a repeat, of the same side: a value from -1 to 1 for
/// each pair of responses, or response, that allows it, with its item's place in the baseline.
///
/// Let x and y be two values of one side, of both orders as shares of the same system or of two
/// repeats, and x' and y' those of the other side. (x - y') and (x' - y) are two draws of one
/// distribution while nothing changed, so that they have the same sign at least as often as
/// opposite ones: the product of the signs of (x - y') and (y - x') is -1 at least as often as it
/// is 1. Of a judge that turned on a pair it is 1. With verdicts that only win or lose it is how
/// much more often x differs from x', and y from y', than x from y, and x' from y'.
pub(super) fn turned_beyond_noise(rows: &[Twice]) -> Vec<(u32, f64)> {
    let mut values = Vec::new();
    for ((item, _), group) in by_pair(rows) {
        let mut signs: Vec<f64> = Vec::new();
        for row in &group {
            // Two repeats have one distribution, and nothing of a preference for a place.
            let half = row.repeats() / 2;
            let halves = row.said.each_ref().map(|said| {
                let halves = [said.get(..half), said.get(half..2 * half)];
                halves.map(|half| half.and_then(mean_value))
            });
            if let [[Some(x), Some(y)], [Some(x_now), Some(y_now)]] = halves {
                signs.push(sign_of(x - y_now) * sign_of(y - x_now));
            }
        }
        if let ([one, other], true) = (&group[..], signs.is_empty()) {
            // As many of either side: the means of unlike numbers have unlike distributions.
            let means = |row: &Twice| {
                let said = row.said.each_ref();
                said.map(|said| mean_value(&said[..row.repeats()]).unwrap_or(0.5))
            };
            let ([x, x_now], [y, y_now]) = (means(one), means(other).map(|share| 1.0 - share));
            signs.push(sign_of(x - y_now) * sign_of(y - x_now));
        }
        values.extend(mean_value(&signs).map(|value| (item, value)));
    }
    values
}

/// The rows of which nothing shows how much noise the judge has: judged once on a side, and in one
/// order.
pub(super) fn alone(rows: &[Twice]) -> Vec<&Twice> {
    let groups = by_pair(rows).into_values();
    let single = groups.filter(|group| group.len() == 1 && group[0].repeats() < 2);
    single.flatten().collect()
}

/// Holds questions against each other, two and two: a value from -1 to 1 for each two, numbered
/// from 0, which is 1 where what was judged changed places.
///
/// Of two questions on which the same was asked, x and y are the values before, and x' and y' those
/// of now. (x - y) and (x' - y') are two draws of one distribution while nothing changed, so that
/// they have the same sign at least as often as opposite ones. Two are chosen whose values lie
/// apart before, because two alike show nothing; that takes nothing from what is said of now.
pub(super) fn pairs_of_questions(
    rows: &[&Twice],
    question_of: impl Fn(u32) -> u32,
) -> Vec<(u32, f64)> {
    let mut by_question: BTreeMap<u32, Vec<&Twice>> = BTreeMap::new();
    for row in rows {
        let question = question_of(row.item.baseline);
        by_question.entry(question).or_default().push(row);
    }
    // Questions on which the same systems were judged in the same order, item by item.
    let mut alike: BTreeMap<Vec<(usize, Key)>, Vec<BothSides>> = BTreeMap::new();
    for rows in by_question.values() {
        let items: Vec<&[&Twice]> = rows
            .chunk_by(|one, other| one.item.baseline == other.item.baseline)
            .collect();
        let asked = items.iter().enumerate();
        let asked =
            asked.flat_map(|(number, rows)| rows.iter().map(move |row| (number, row.systems)));
        let values = [0, 1].map(|side: usize| {
            let values = rows.iter().map(|row| row.said[side].first().copied());
            values
                .map(|value| value.unwrap_or(0.0))
                .collect::<Vec<f64>>()
        });
        alike.entry(asked.collect()).or_default().push(values);
    }
    let mut pairs = Vec::new();
    for mut group in alike.into_values() {
        group.sort_by(|[one, _], [other, _]| {
            let both = one.iter().zip(other);
            let mut orders = both.map(|(x, y)| x.total_cmp(y));
            orders
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let (low, high) = (&group[..group.len() / 2], &group[group.len().div_ceil(2)..]);
        for ([x, x_now], [y, y_now]) in low.iter().zip(high) {
            let signs =
                (0..x.len()).map(|at| -sign_of(x[at] - y[at]) * sign_of(x_now[at] - y_now[at]));
            let signs: Vec<f64> = signs.collect();
            pairs.extend(mean_value(&signs).map(|value| (pairs.len() as u32, value)));
        }
    }
    pairs
}

/// What both sides said of a question, judgment by judgment.
type BothSides = [Vec<f64>; 2];

/// The rows of the same responses to an item, in whatever order.
fn by_pair(rows: &[Twice]) -> BTreeMap<(u32, Key), Vec<&Twice>> {
    let mut groups: BTreeMap<(u32, Key), Vec<&Twice>> = BTreeMap::new();
    for row in rows {
        let systems = match row.systems {
            (first, Some(second)) => (first.min(second), Some(first.max(second))),
            single => single,
        };
        groups
            .entry((row.item.baseline, systems))
            .or_default()
            .push(row);
    }
    groups
}

impl Twice {
    /// How often both sides judged it.
    fn repeats(&self) -> usize {
        self.said[0].len().min(self.said[1].len())
    }
}

fn sign_of(difference: f64) -> f64 {
    match difference {
        _ if difference > ROUNDING => 1.0,
        _ if difference < -ROUNDING => -1.0,
        _ => 0.0,
    }
}
