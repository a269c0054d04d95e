//! Criteria as a simulated judge sees them: whether a response meets one is planted, and the judge
//! says so with its planted accuracy.

use super::draw::Draw;
use super::preference::{Planted, logistic};
use evenhand_core::{AskedCriterion, RequestKey};

/// Criteria that a simulated judge writes for an instruction.
const WRITTEN: usize = 4;

/// The log-odds with which the best system's responses meet a criterion.
const BEST: f64 = 1.0;

/// Returns the probability that the judge says yes: whether the response meets the criterion is the
/// same in every call and sample.
pub(super) fn says_met(planted: &Planted, asked: AskedCriterion) -> f64 {
    // Of merits the best system meets about three in four and each next one fewer, of faults the
    // other way round.
    let has_merit = logistic(BEST + planted.strength_of(0));
    let chance = if asked.is_fault {
        1.0 - has_merit
    } else {
        has_merit
    };
    // The draw belongs to the response and the criterion, whatever the request is. A response that
    // was rewritten meets what the system's own does.
    let item = &planted.about.item;
    let system = planted.rank_of(0);
    let number = asked.number;
    let draw = Draw {
        key: RequestKey::of(&format!("{item}\u{1}{system}\u{1}{number}")),
        seed: planted.spec.seed,
    };
    let accuracy = planted.spec.accuracy.unwrap_or(1.0);
    if draw.uniform("met") < chance {
        accuracy
    } else {
        1.0 - accuracy
    }
}

/// Writes a numbered list of verdicts. A verdict that is invalid is a line without one.
pub(super) fn write_verdicts(planted: &Planted, asked: &[AskedCriterion], draw: Draw) -> String {
    let mut lines = Vec::with_capacity(asked.len());
    for one in asked {
        let number = one.number;
        let drawn = |purpose: &str| draw.uniform(&format!("{purpose} {number}"));
        if drawn("invalid") < planted.spec.invalid {
            lines.push(format!("{number}. It has its merits."));
            continue;
        }
        let says_yes = drawn("choice") < says_met(planted, *one);
        let misread = drawn("misread") < planted.spec.misread;
        let answer = if says_yes == misread { "no" } else { "yes" };
        lines.push(format!("{number}. {answer}"));
    }
    lines.join("\n")
}

/// Writes criteria for the item of a request.
pub(super) fn write_criteria(planted: &Planted) -> String {
    let item = &planted.about.item;
    let lines = (1..=WRITTEN).map(|at| format!("{at}. Is point {at} of item {item} right?"));
    lines.collect::<Vec<_>>().join("\n")
}
