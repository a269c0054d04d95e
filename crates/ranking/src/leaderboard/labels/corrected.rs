//! Pass rates corrected for what the judge gets wrong, by its sensitivity and specificity (Rogan
//! and Gladen 1978; Lee et al. 2026, "How to correctly report LLM-as-a-judge evaluations").

use super::matched::MatchedRows;
use crate::method::{Ci, Method};
use crate::report::data::{CorrectedPassRate, Share};
use evenhand_stats::clustered_share;
use evenhand_stats::misclassification::{Count, PassCounts, rogan_gladen};
use std::collections::{BTreeMap, BTreeSet};

const NONE_PASSED: &str =
    "people passed none of the labelled responses, so the sensitivity is not known";
const NONE_FAILED: &str =
    "people failed none of the labelled responses, so the specificity is not known";
const SEVERAL_ROWS: &str = "several rows of one item: the interval takes independent ones";
const TOO_FEW: &str = "the labels are too few to show that the judge is better than chance";

/// Returns a system's pass rate, or share of comparisons won, as people would give it; None where
/// what the judge and people say of it is not yes or no.
pub(super) fn correct_rate(
    rows: &MatchedRows,
    system: usize,
    method: &Method,
) -> Option<CorrectedPassRate> {
    let level = method.rank.bootstrap.level;
    let (labelled, judged) = rows.points(system);
    let said = judged.iter().map(|row| (row.cluster, row.judge, None));
    let said = said.chain((labelled.iter()).map(|row| (row.cluster, row.judge, Some(row.human))));
    let said: Vec<(u32, f64, Option<f64>)> = said.collect();
    let is_binary = |x: f64| x == 0.0 || x == 1.0;
    if !(said.iter()).all(|(_, judge, human)| is_binary(*judge) && human.is_none_or(is_binary)) {
        return None;
    }
    // Of the rows of which people said this, or of all: how many the judge said `right` of, by
    // item.
    let share = |human: Option<f64>, right: f64| {
        let mut items: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        let of = said.iter().filter(|row| human.is_none() || row.2 == human);
        for (item, judge, _) in of {
            let (successes, trials) = items.entry(*item).or_default();
            *successes += f64::from(u8::from(*judge == right));
            *trials += 1.0;
        }
        items.into_values().collect::<Vec<(f64, f64)>>()
    };
    let count = |rows: &[(f64, f64)]| Count {
        successes: rows.iter().map(|(successes, _)| successes).sum(),
        trials: rows.iter().map(|(_, trials)| trials).sum(),
    };
    let [passed, sensitivity, specificity] =
        [(None, 1.0), (Some(1.0), 1.0), (Some(0.0), 0.0)].map(|(human, right)| share(human, right));
    // The labelled rows are among all: their chance errors partly cancel, which makes the interval
    // a little too wide, and never too narrow.
    let counts = PassCounts {
        passed: count(&passed),
        sensitivity: count(&sensitivity),
        specificity: count(&specificity),
    };
    let items: BTreeSet<u32> = said.iter().map(|(item, ..)| *item).collect();
    let (mut rate, mut ci) = (None, None);
    let note = match rogan_gladen(&counts, level) {
        _ if counts.sensitivity.trials == 0.0 => Some(NONE_PASSED.into()),
        _ if counts.specificity.trials == 0.0 => Some(NONE_FAILED.into()),
        Err(error) => Some(error.to_string()),
        Ok(found) => {
            let value = found.estimate.value;
            rate = Some(value);
            match found.adjusted {
                _ if items.len() < said.len() => Some(SEVERAL_ROWS.into()),
                None => Some(TOO_FEW.into()),
                // The interval's centre is another than the estimate, which must not stand outside.
                Some(ends) => {
                    ci = Some([ends.low.value.min(value), ends.high.value.max(value)]);
                    None
                }
            }
        }
    };
    let mut found = CorrectedPassRate {
        rate,
        ci,
        note,
        sensitivity: share_of(&sensitivity, level),
        specificity: share_of(&specificity, level),
    };
    if method.rank.ci == Ci::None {
        found.ci = None;
        for share in [&mut found.sensitivity, &mut found.specificity] {
            share.iter_mut().for_each(|share| share.ci = None);
        }
    }
    Some(found)
}

/// Returns a share with its interval over items ([`clustered_share`]); None of no cases.
fn share_of(rows: &[(f64, f64)], level: f64) -> Option<Share> {
    let found = clustered_share(rows, level).ok()?;
    Some(Share {
        value: found.value,
        ci: found.interval.ok(),
        n: found.n as u64,
    })
}
