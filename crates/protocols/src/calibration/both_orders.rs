//! Both orders within one trial.

use super::Disagree;
use crate::ask::{Ask, Judged, Stop, both};
use crate::look::Seen;
use crate::scene::Scene;
use crate::verdicts::{mean, tie};
use evenhand_core::{Failure, FailureKind, Outcome, Verdict};

/// Looks in both orders, asked together. What each saw is kept under `stage`; verdicts are in the
/// slots of `scene`.
pub(crate) fn looks(
    scene: &Scene,
    stage: &'static str,
    ask: &Ask,
    look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>,
) -> Result<[Result<Seen, Failure>; 2], Stop> {
    let swapped = scene.swapped();
    let [forward, backward] = both(look(scene, ask), look(&swapped, ask).map(Seen::swapped))?;
    ask.note(stage, 0, false, outcome(&forward));
    ask.note(stage, 0, true, outcome(&backward));
    Ok([forward, backward])
}

/// One verdict from both orders: a failure where one of them failed, their mean where they prefer
/// the same side, else by the rule.
pub(crate) fn conclude(looks: [Result<Seen, Failure>; 2], disagree: Disagree) -> Outcome {
    let [forward, backward] = neither_failed(looks)?;
    let verdicts = [forward.verdict, backward.verdict];
    let concluded = match disagree {
        _ if agree(&verdicts) => mean(&verdicts),
        Disagree::Average => mean(&verdicts),
        Disagree::Tie => tie(&verdicts),
        Disagree::None => None,
    };
    concluded.ok_or_else(|| {
        Failure::new(
            FailureKind::Inconsistent,
            "the verdict changes with the order of the responses",
        )
    })
}

/// What both orders gave; where both failed, the failure that comes first by name, so that the
/// order decides nothing.
pub(crate) fn neither_failed<T>(orders: [Result<T, Failure>; 2]) -> Result<[T; 2], Failure> {
    match orders {
        [Ok(forward), Ok(backward)] => Ok([forward, backward]),
        [Err(failure), Ok(_)] | [Ok(_), Err(failure)] => Err(failure),
        [Err(a), Err(b)] => Err(if (a.kind, &a.detail) <= (b.kind, &b.detail) {
            a
        } else {
            b
        }),
    }
}

/// 2 calls for the verdict, and no round more than one look has.
pub(crate) fn both_orders(
    scene: &Scene,
    disagree: Disagree,
    ask: &Ask,
    look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>,
) -> Judged {
    Ok(conclude(looks(scene, "", ask, look)?, disagree)?)
}

/// Whether two verdicts on the same slots prefer the same side; of lists, whether they are equal.
pub(crate) fn agree([a, b]: &[Verdict; 2]) -> bool {
    match (a, b) {
        (Verdict::Listwise { places: a, .. }, Verdict::Listwise { places: b, .. }) => a == b,
        _ => a.side() == b.side(),
    }
}

fn outcome(seen: &Result<Seen, Failure>) -> Outcome {
    seen.as_ref()
        .map(|seen| seen.verdict.clone())
        .map_err(Failure::clone)
}
