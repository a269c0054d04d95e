//! What is not there is not a pass: a condition that would pass on data that are missing in part is
//! not decided. What is met stays met, whatever is missing.

use super::super::missing::RestsOn;
use super::super::{ComparedItems, Comparison};
use super::{Decided, Gate, GateFigure, GateOutcome, GateTest, Who};

/// Returns what comes of a condition, given what comes of it by the data that are there.
pub(super) fn hold_back(gate: &Gate, comparison: &Comparison, found: Decided) -> Decided {
    let missing = &comparison.missing;
    let lacking = match (gate.who(), &gate.test) {
        (Some(Who::Any), _) => missing.sentence_for(RestsOn::All),
        (Some(Who::System(new, old)), _) => {
            missing.sentence_for(RestsOn::System(new, old.as_deref()))
        }
        (None, GateTest::Drift) => missing.sentence_for(RestsOn::AllWithAnchors),
        (None, GateTest::Bound(GateFigure::Named { name, .. }, ..)) => match *name {
            // More may fail of what is still to be judged.
            "failures" => missing.unfinished(),
            // A coverage is at most what it is taken for where the plan is not known; where it is,
            // what is missing counts in it.
            "coverage" => {
                let run = missing.runs[1].as_ref();
                let is_plan_known = run.is_none_or(|run| run.progress.planned.is_some());
                match is_plan_known {
                    true => None,
                    false => missing.unfinished(),
                }
            }
            _ => None,
        },
        (None, _) => None,
    };
    match (lacking, found.outcome) {
        (None, _) | (_, GateOutcome::Met) => found,
        (Some(lacking), GateOutcome::Passed) => Decided::missing(&lacking),
        // How many more items would decide it is not known while some are missing.
        (Some(lacking), GateOutcome::Inconclusive(_)) => Decided {
            outcome: GateOutcome::Inconclusive(None),
            why: format!("missing: {lacking}; {}", found.why),
            ..found
        },
    }
}

/// Returns on how many items the comparison of each system rests that these conditions are on: the
/// least. Conditions that name nobody are on all.
pub(super) fn least_items(gates: &[Gate], comparison: &Comparison) -> usize {
    let named: Vec<&Who> = gates.iter().filter_map(Gate::who).collect();
    let is_meant = |one: &&ComparedItems| {
        let mut named = named.iter();
        named.len() == 0
            || named.any(|who| match who {
                Who::Any => true,
                Who::System(new, old) => one.is_named(new, old.as_deref()),
            })
    };
    let systems = comparison.missing.systems.iter().filter(is_meant);
    systems.map(|one| one.compared).min().unwrap_or(0)
}
