//! Looks in both orders, and what two verdicts that may contradict one another come to.

use crate::ask::{Ask, Stop, both};
use crate::look::{Looker, Seen};
use crate::scene::Scene;
use crate::verdicts::{mean, tie};
use evenhand_core::{Failure, FailureKind, Outcome, Verdict};
use std::fmt;

/// The rule for two verdicts that contradict one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disagree {
    /// The mean of the two.
    Average,
    /// A tie.
    Tie,
    /// No verdict: the failure `inconsistent`.
    None,
}

const RULES: [(&str, Disagree); 3] = [
    ("average", Disagree::Average),
    ("tie", Disagree::Tie),
    ("none", Disagree::None),
];

impl Disagree {
    pub(crate) fn parse(word: &str) -> Option<Disagree> {
        let found = RULES.iter().find(|(name, _)| *name == word);
        found.map(|(_, rule)| *rule)
    }
}

impl fmt::Display for Disagree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = RULES.iter().find(|(_, rule)| rule == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

/// The looks of both orders: first the one in the order of the scene, then the other.
pub(crate) type BothLooks = [Result<Seen, Failure>; 2];

/// Looks as a judge does that is asked for the first time.
pub(crate) fn look_twice(
    looker: &Looker,
    scene: &Scene,
    stage: &'static str,
    ask: &Ask,
) -> Result<BothLooks, Stop> {
    look_in_both_orders(scene, stage, ask, |scene, ask| looker.look(scene, ask))
}

/// Looks at a scene in both orders, asked together. Keeps under `stage` what each look saw;
/// verdicts are in the slots of `scene`.
pub(crate) fn look_in_both_orders(
    scene: &Scene,
    stage: &'static str,
    ask: &Ask,
    look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>,
) -> Result<BothLooks, Stop> {
    let swapped = scene.swapped();
    let [forward, backward] = both(look(scene, ask), look(&swapped, ask).map(Seen::swapped))?;
    ask.note(stage, 0, false, outcome_of(&forward));
    ask.note(stage, 0, true, outcome_of(&backward));
    Ok([forward, backward])
}

/// Makes one verdict of both orders: a failure where one of them failed, their mean where they
/// prefer the same side, else by the rule.
pub(crate) fn conclude(looks: BothLooks, disagree: Disagree) -> Outcome {
    let [forward, backward] = neither_failed(looks)?;
    let rule = if agree(&forward.verdict, &backward.verdict) {
        Disagree::Average
    } else {
        disagree
    };
    let verdicts = [forward.verdict, backward.verdict];
    let verdict = match rule {
        Disagree::Average => mean(&verdicts),
        Disagree::Tie => tie(&verdicts),
        Disagree::None => None,
    };
    verdict.ok_or_else(|| {
        let why = "the verdict changes with the order of the responses";
        Failure::new(FailureKind::Inconsistent, why)
    })
}

/// Returns what both orders gave. Where both failed, the failure that comes first by name stands,
/// so that the order decides nothing.
pub(crate) fn neither_failed<T>(orders: [Result<T, Failure>; 2]) -> Result<[T; 2], Failure> {
    match orders {
        [Ok(forward), Ok(backward)] => Ok([forward, backward]),
        [Err(failure), Ok(_)] | [Ok(_), Err(failure)] => Err(failure),
        [Err(a), Err(b)] if (a.kind, &a.detail) <= (b.kind, &b.detail) => Err(a),
        [Err(_), Err(b)] => Err(b),
    }
}

/// Returns whether two verdicts on the same slots prefer the same side; of lists, whether they are
/// equal.
pub(crate) fn agree(a: &Verdict, b: &Verdict) -> bool {
    match (a, b) {
        (Verdict::Listwise { places: a, .. }, Verdict::Listwise { places: b, .. }) => a == b,
        _ => a.side() == b.side(),
    }
}

/// Returns whether both looks came to verdicts that prefer the same side.
pub(crate) fn both_agree(looks: &BothLooks) -> bool {
    match looks {
        [Ok(a), Ok(b)] => agree(&a.verdict, &b.verdict),
        _ => false,
    }
}

/// Returns a look as it is kept with the judgment.
pub(crate) fn outcome_of(seen: &Result<Seen, Failure>) -> Outcome {
    match seen {
        Ok(seen) => Ok(seen.verdict.clone()),
        Err(failure) => Err(failure.clone()),
    }
}
