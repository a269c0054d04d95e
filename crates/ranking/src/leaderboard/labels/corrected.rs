//! Pass rates corrected for what the judge gets wrong, by its sensitivity and specificity (Rogan
//! and Gladen 1978; Lee et al. 2026, "How to correctly report LLM-as-a-judge evaluations").

use super::matched::MatchedRows;
use crate::method::{Ci, Method};
use crate::report::data::{CorrectedPassRate, Share};
use evenhand_stats::misclassification::{Count, PassCounts, rogan_gladen};
use evenhand_stats::wilson;
use std::collections::BTreeSet;

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
    let share = |of: &dyn Fn(Option<f64>) -> bool, right: f64| {
        let of = said.iter().filter(|(_, _, human)| of(*human));
        Count {
            successes: of.clone().filter(|(_, judge, _)| *judge == right).count() as f64,
            trials: of.count() as f64,
        }
    };
    // The labelled rows are among all: their chance errors partly cancel, which makes the interval
    // a little too wide, and never too narrow.
    let counts = PassCounts {
        passed: share(&|_| true, 1.0),
        sensitivity: share(&|human| human == Some(1.0), 1.0),
        specificity: share(&|human| human == Some(0.0), 0.0),
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
        sensitivity: share_of(counts.sensitivity, level),
        specificity: share_of(counts.specificity, level),
    };
    if method.rank.ci == Ci::None {
        found.ci = None;
        for share in [&mut found.sensitivity, &mut found.specificity] {
            share.iter_mut().for_each(|share| share.ci = None);
        }
    }
    Some(found)
}

/// Returns a share with Wilson's interval; None of no cases.
fn share_of(count: Count, level: f64) -> Option<Share> {
    let ends = wilson(count.successes, count.trials, level).ok()?;
    Some(Share {
        value: count.successes / count.trials,
        ci: Some([ends.low, ends.high]),
        n: count.trials as u64,
    })
}
