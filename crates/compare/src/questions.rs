//! Items that ask one question are one observation, in every interval and every test.

use super::change::{Change, Scale, estimate_change};
use evenhand_stats::change::{Moves, cluster_values, paired_change};
use std::collections::BTreeMap;

/// Estimates the mean over items of paired differences, where items of one question are not
/// independent; None without any. `questions` holds the question of each item.
///
/// Each question is one value: the sum of its items' differences, times the number of questions
/// over that of items. The mean of these values is the mean over items, whatever the sizes, and the
/// values are independent, which is what the tests and intervals of [`estimate_change`] take for
/// granted. Where every item asks a question of its own, its value is its difference.
pub(super) fn estimate_by_question(
    differences: &[f64],
    questions: &[u32],
    scale: Scale,
    level: f64,
) -> Option<Change> {
    let items = questions.iter().copied().zip(differences.iter().copied());
    let values = cluster_values(items);
    if values.len() == differences.len() {
        return estimate_change(differences, scale, level);
    }
    let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
    for question in questions {
        *sizes.entry(*question).or_default() += 1;
    }
    // A question of many items moves further than one of few; the mean does not.
    let most = sizes.into_values().max().unwrap_or(1);
    let share = values.len() as f64 / differences.len() as f64;
    let Moves { step, limit } = scale.moves();
    let moves = Moves {
        step,
        limit: limit * f64::from(most) * share,
    };
    let found = paired_change(&values, moves, level).map(|mut found| {
        found.interval = found
            .interval
            .map(|ends| ends.map(|end| end.clamp(-limit, limit)));
        found
    });
    let mut change = Change::of(differences, values.len(), found, scale, level);
    change.difference = differences.iter().sum::<f64>() / differences.len() as f64;
    Some(change)
}
