//! `--fail-if` on the difference of two systems that are ranked: `worse(v2,v1)`.

use crate::Done;
use crate::condition::missing_of;
use evenhand_engine::{PairRow, Report};
use evenhand_studies::compare::gate::{
    Gate, GateFigure, GateTest, Outcome, Scope, Who, decide_change, parse_gates,
};
use evenhand_studies::compare::{Change, ChangeMethod};

/// What to do where a ranking's difference is undefined, as that of a system that won everything.
const ADVICE: &str = "; `evenhand compare RUN --pair OLD,NEW` compares the two item by item";

/// A condition on two systems, the later first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairCondition {
    gate: Gate,
    new: String,
    old: String,
}

impl PairCondition {
    /// Reads a condition; None where it is none on two systems.
    pub(crate) fn parse(text: &str) -> Option<PairCondition> {
        let gate = parse_gates(text).ok()?.pop()?;
        let (new, old) = match &gate.test {
            GateTest::Worse(who, _) | GateTest::Inferior(who, _) => named(who)?,
            GateTest::Bound(GateFigure::Difference(who, _), ..) => named(who)?,
            _ => return None,
        };
        (gate.scope == Scope::All).then_some(PairCondition { gate, new, old })
    }

    /// Returns the systems, each with the condition that names it.
    pub(crate) fn named_systems(&self) -> [(&str, &str); 2] {
        [&self.new, &self.old].map(|system| (self.gate.text.as_str(), system.as_str()))
    }

    /// Returns how a command ends: with the first condition that is met, else the first that the
    /// data do not decide.
    pub(crate) fn end_all(
        conditions: &[PairCondition],
        report: &Report,
        allow_missing: bool,
    ) -> Done {
        let mut open = Done::Fine;
        for condition in conditions {
            let (outcome, why) = condition.decide(report);
            // What is not there is not a pass: that is said of what would pass alone.
            let lacking = missing_of(report, &[&condition.new, &condition.old]);
            let lacking = lacking.filter(|_| !allow_missing && outcome == Outcome::Passed);
            if let Some(lacking) = lacking {
                if matches!(open, Done::Fine) {
                    let said = format!("{} ({lacking}; {why})", condition.gate.text);
                    open = Done::Inconclusive(said);
                }
                continue;
            }
            let said = format!("{} ({why})", condition.gate.text);
            match outcome {
                Outcome::Met => return Done::ConditionMet(said),
                Outcome::Inconclusive(_) if matches!(open, Done::Fine) => {
                    open = Done::Inconclusive(said + ADVICE);
                }
                _ => {}
            }
        }
        open
    }

    fn decide(&self, report: &Report) -> (Outcome, String) {
        let pair = report
            .differences
            .iter()
            .find_map(|row| self.change_in(row));
        let Some(change) = pair else {
            let why = format!("{} and {} are not compared", self.new, self.old);
            return (Outcome::Inconclusive(None), why);
        };
        let name = format!("{} against {}", self.new, self.old);
        let change = match change {
            Ok(change) => change,
            Err(why) => return (Outcome::Inconclusive(None), format!("{name}: {why}")),
        };
        let level = report.ci.level;
        decide_change(&self.gate.test, &name, &change, level)
    }

    /// The later system less the earlier, where the row is of these two.
    fn change_in(&self, row: &PairRow) -> Option<Result<Change, String>> {
        let sign = match (
            row.a == self.new && row.b == self.old,
            row.a == self.old && row.b == self.new,
        ) {
            (true, _) => 1.0,
            (_, true) => -1.0,
            _ => return None,
        };
        Some(change_of(row, sign))
    }
}

/// Returns the difference as a change, or why it is undefined.
fn change_of(row: &PairRow, sign: f64) -> Result<Change, String> {
    let undefined = || {
        row.note
            .clone()
            .unwrap_or_else(|| "the difference is undefined".into())
    };
    let difference = row.difference.ok_or_else(undefined)?;
    let ends = row
        .ci
        .and_then(|[low, high]| Some([low? * sign, high? * sign]));
    let interval = ends.map(|[one, other]| [one.min(other), one.max(other)]);
    Ok(Change {
        method: ChangeMethod::PairedBootstrap,
        // A ranking's difference rests on more than the items of the two.
        items: 0,
        questions: 0,
        up: 0,
        down: 0,
        difference: sign * difference,
        interval,
        p_value: row.p,
        detectable: None,
        deviation: None,
        undefined: row.note.clone(),
    })
}

fn named(who: &Who) -> Option<(String, String)> {
    match who {
        Who::System(new, Some(old)) => Some((new.clone(), old.clone())),
        _ => None,
    }
}
