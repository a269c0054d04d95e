//! A change less what the measurement itself changed by.

use super::mean::{Contribution, ENOUGH_MOVED, check_finite, cluster_values, flipped_change};
use super::{MeanChange, Moves};
use crate::checks::check_level;
use crate::data::ClusterSizes;
use crate::special::{normal_quantile, student_quantile};
use crate::{Error, Undefined};
use std::collections::{BTreeMap, BTreeSet};

/// What one item says of a change, and of the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControlledItem {
    /// The later value less the earlier; None where one of them is missing.
    pub difference: Option<f64>,
    /// Whether what is measured changed at all between the two. Where it did not, its change is 0,
    /// and the difference is the measurement's.
    pub changed: bool,
    /// The mean difference of what cannot have changed on this item: the measurement's own.
    pub shift: Option<f64>,
    /// The question that it asks; any number, the same for items that are not independent.
    pub question: u32,
}

/// The mean change of items whose measurement may have changed as well, such as answers scored by
/// a judge who became stricter.
///
/// With c an item's `changed`, d its difference and G the mean shift over the items that have one,
/// it is the mean of c (d - G) over all items with a difference. Each item adds to it what its
/// difference and its shift say together (the influence function), summed by question; the test
/// flips the signs of these sums, as [`super::paired_change`] flips those of differences, and the
/// interval is its inversion. A judge that says the same of ten answers may say otherwise of one in
/// ten: unless the measurement is `fixed`, so that no shift can be another than those that were met,
/// two made-up questions are added while fewer than 6 have another shift than most; their shifts
/// lie to either side. While fewer than 6 of the questions of what changed have another difference
/// than that, the interval is no narrower than where none has, as of [`super::paired_change`]: that
/// many shifts vary says nothing of those that did not. That the shift of what did not change is
/// that of what did is an assumption, as in any difference in differences (Angrist and Pischke
/// 2009, section 5.2).
///
/// # Errors
/// A bad level; a number that is not finite; no differences or no shifts ([`Undefined::NoData`]).
pub fn controlled_change(
    items: &[ControlledItem],
    moves: Moves,
    level: f64,
    fixed: bool,
) -> Result<MeanChange, Error> {
    check_level(level)?;
    check_finite(items.iter().filter_map(|item| item.difference))?;
    check_finite(items.iter().filter_map(|item| item.shift))?;
    let differences = || {
        items
            .iter()
            .filter_map(|item| Some((item.changed, item.difference?)))
    };
    let shifts = || items.iter().filter_map(|item| item.shift);
    let [all, paired, shifted] = [items.len(), differences().count(), shifts().count()];
    if paired == 0 || shifted == 0 {
        return Err(Undefined::NoData.into());
    }
    let shift = shifts().sum::<f64>() / shifted as f64;
    let own = |changed: bool, difference: f64| if changed { difference - shift } else { 0.0 };
    let changed = differences().filter(|(changed, _)| *changed).count() as f64 / paired as f64;
    let [per_pair, per_shift] = [paired, shifted].map(|count| all as f64 / count as f64);
    // The shifts stand around their own mean, which makes them seem closer together than they are,
    // and the mean of few is further off than their own spread tells: as far as Student's 95 %
    // quantile is beyond the normal one. Questions of unlike sizes are as few as their sizes say.
    let questions_where = |is_meant: &dyn Fn(&ControlledItem) -> bool| {
        let meant = items.iter().filter(|item| is_meant(item));
        let questions = meant.map(|item| item.question);
        questions.collect::<BTreeSet<u32>>().len()
    };
    let mut shifts_of: BTreeMap<u32, f64> = BTreeMap::new();
    for item in items.iter().filter(|item| item.shift.is_some()) {
        *shifts_of.entry(item.question).or_default() += 1.0;
    }
    let told = shifts_of.len();
    let mut sizes = ClusterSizes::default();
    shifts_of.into_values().for_each(|size| sizes.add(size));
    // Of one question the shift stands at its own mean, and nothing is to be corrected.
    let correction = if told > 1 { sizes.correction() } else { 2.0 };
    let freedom = sizes.clusters().max(2) as f64 - 1.0;
    let few = student_quantile(0.975, freedom) / normal_quantile(0.975);
    let spread = correction.sqrt() * few;
    let rows = items.iter().map(|item| {
        let pair = item
            .difference
            .map(|difference| own(item.changed, difference) * per_pair);
        let shift = item
            .shift
            .map(|one| changed * (one - shift) * per_shift * spread);
        let value = pair.unwrap_or(0.0) - shift.unwrap_or(0.0);
        let weight = pair.map_or(0.0, |_| per_pair);
        (item.question, [value, weight])
    });
    let rows = by_question(rows);
    // Where next to all shifts are one, the others may only not have been met: as though two more
    // questions had shown a shift beyond it, one to either side, as far as differences lie from it.
    let mut sorted = Vec::from_iter(shifts());
    sorted.sort_by(f64::total_cmp);
    let usual = sorted[shifted / 2];
    let lies_apart = |one: f64| (one - usual).abs() > 1e-9;
    let shifted_apart = questions_where(&|item| item.shift.is_some_and(lies_apart));
    let unseen = if !fixed && shifted_apart < ENOUGH_MOVED {
        let apart = differences()
            .map(|(_, difference)| difference)
            .chain(shifts());
        let apart = apart.filter(|one| lies_apart(*one));
        let squares: f64 = apart.clone().map(|one| (one - usual).powi(2)).sum();
        let size = (squares / apart.count().max(1) as f64).sqrt();
        changed * size * spread * rows.len() as f64 / told as f64
    } else {
        0.0
    };
    let moved_of = [
        questions_where(&|item| item.changed && item.difference.is_some_and(lies_apart)),
        questions_where(&|item| item.changed && item.difference.is_some()),
    ];
    let moves = Moves {
        step: changed * moves.step,
        ..moves
    };
    Ok(flipped_change(&rows, unseen, Some(moved_of), moves, level))
}

/// What each question adds, of which the mean is that of the items. One without a difference is as
/// large as the others are on average.
fn by_question(items: impl Iterator<Item = (u32, [f64; 2])> + Clone) -> Vec<Contribution> {
    let values = cluster_values(
        items
            .clone()
            .map(|(question, [value, _])| (question, value)),
    );
    let weights = cluster_values(items.map(|(question, [_, weight])| (question, weight)));
    let there = weights.iter().filter(|weight| **weight > 0.0);
    let mean = there.clone().sum::<f64>() / there.count().max(1) as f64;
    let rows = values.into_iter().zip(weights);
    rows.map(|(value, weight)| Contribution {
        value,
        weight,
        size: weight.max(mean),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::paired_change;
    use super::*;

    fn item(difference: f64, changed: bool, shift: Option<f64>) -> ControlledItem {
        ControlledItem {
            difference: Some(difference),
            changed,
            shift,
            question: 0,
        }
    }

    /// Makes every item its own question.
    fn apart(mut items: Vec<ControlledItem>) -> Vec<ControlledItem> {
        for (item, question) in items.iter_mut().zip(0..) {
            item.question = question;
        }
        items
    }

    /// Differences of changed items around `change + drift`, and shifts around `drift`.
    fn items(count: usize, change: f64, drift: f64) -> Vec<ControlledItem> {
        let wave = |i: usize| ((i * 37 % 101) as f64 / 101.0 - 0.5) * 0.6;
        let one = |i: usize| {
            item(
                change + drift + wave(i),
                true,
                Some(drift + wave(i * 7 + 3)),
            )
        };
        apart((0..count).map(one).collect())
    }

    const SCORES: Moves = Moves {
        step: 1.0,
        limit: f64::INFINITY,
    };

    fn run(items: &[ControlledItem]) -> MeanChange {
        controlled_change(items, SCORES, 0.95, false).unwrap()
    }

    #[test]
    fn the_judge_s_shift_is_taken_out() {
        let found = run(&items(101, 0.2, -0.5));
        assert!((found.difference - 0.2).abs() < 0.01, "{found:?}");
        assert!(found.p_value < 0.01 && found.interval.unwrap()[0] > 0.0);
        let none = run(&items(101, 0.0, -0.5));
        assert!(
            none.p_value > 0.2 && none.interval.unwrap()[1] > 0.0,
            "{none:?}"
        );
    }

    /// Two more shifts of many are next to nothing, and of ten as much as they say.
    #[test]
    fn a_shift_that_many_show_is_the_paired_change() {
        for (change, drift) in [(0.1, 0.0), (-0.2, 0.7)] {
            let mut all = items(50, change, drift);
            let differences = all.iter().filter_map(|item| item.difference);
            let differences: Vec<f64> = differences.map(|difference| difference - drift).collect();
            let other = paired_change(&differences, SCORES, 0.95).unwrap();
            let mut width = |told: usize| {
                for (at, item) in all.iter_mut().enumerate() {
                    item.shift = (at < told).then_some(drift);
                }
                let fixed = controlled_change(&all, SCORES, 0.95, true).unwrap();
                assert!(
                    (fixed.p_value - other.p_value).abs() < 1e-9,
                    "nothing is unseen"
                );
                let one = run(&all);
                assert!((one.difference - other.difference).abs() < 1e-12);
                assert!(one.p_value >= other.p_value && one.moved == other.moved);
                let [width, least] = [one, other].map(|found| {
                    let [low, high] = found.interval.unwrap();
                    high - low
                });
                width / least
            };
            let [few, many] = [10, 50].map(&mut width);
            assert!(many > 1.0 && many < 1.06 && few > 1.2, "{few} {many}");
        }
    }

    /// Judgments of anchors that vary are none of the few items that did not move.
    #[test]
    fn anchors_say_nothing_of_items_that_might_have_moved() {
        let moves = Moves {
            step: 8.0,
            ..SCORES
        };
        for count in [6, 10, 20, 40] {
            let measured = (0..count).map(|_| item(0.0, true, None));
            let anchors = (0..99).map(|i| ControlledItem {
                shift: Some(f64::from(i % 3) - 1.0),
                ..ControlledItem::default()
            });
            let all = apart(measured.chain(anchors).collect());
            let found = controlled_change(&all, moves, 0.95, false).unwrap();
            let [low, high] = found.interval.unwrap();
            let least = 8.0 * (1.0 - 0.025_f64.powf(1.0 / f64::from(count)));
            assert!(
                low < 1e-9 - least && high > least - 1e-9,
                "{count}: {found:?}"
            );
        }
    }

    #[test]
    fn what_did_not_change_changed_by_nothing() {
        let value = |i: i32| f64::from(i % 3) - 1.0;
        let all: Vec<_> = (0..40)
            .map(|i| item(value(i), false, Some(value(i))))
            .collect();
        let found = run(&apart(all));
        assert_eq!((found.difference, found.p_value), (0.0, 1.0), "{found:?}");
    }

    /// Items that are copied six times say no more than once, and what is counted apart says more.
    #[test]
    fn copies_of_items_under_one_question_change_nothing() {
        let once = items(40, 0.1, 0.05);
        let often: Vec<ControlledItem> = once.iter().flat_map(|item| [*item; 6]).collect();
        let (one, six) = (run(&once), run(&often));
        assert!((one.difference - six.difference).abs() < 1e-12);
        assert!((one.deviation / six.deviation - 1.0).abs() < 1e-9);
        let ends = one.interval.unwrap().into_iter().zip(six.interval.unwrap());
        assert!(ends.into_iter().all(|(x, y)| (x - y).abs() < 1e-9));
        assert!((one.p_value - six.p_value).abs() < 1e-9);
        let wrong = run(&apart(often)).interval.unwrap();
        let right = one.interval.unwrap();
        assert!(wrong[1] - wrong[0] < 0.5 * (right[1] - right[0]));
    }

    #[test]
    fn no_shift_is_said() {
        let all = vec![item(0.5, true, None); 9];
        assert!(controlled_change(&all, SCORES, 0.95, false).is_err());
    }
}
