//! A panel: several judges, one verdict.

use crate::ask::{Ask, Stop, VerdictOrStop, settled};
use crate::verdicts::mean;
use evenhand_core::{Failure, Side, Stage, Verdict};
use std::fmt;

/// How the verdicts of several judges become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    /// Their mean.
    #[default]
    Mean,
    /// The side that most of them prefer; sides with equally many share the verdict. Pairs only.
    Majority,
}

impl Panel {
    /// Reads `mean` or `majority`.
    pub fn parse(name: &str) -> Option<Panel> {
        match name {
            "mean" => Some(Panel::Mean),
            "majority" => Some(Panel::Majority),
            _ => None,
        }
    }
}

impl fmt::Display for Panel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Panel::Mean {
            "mean"
        } else {
            "majority"
        })
    }
}

/// Judges by every member of the panel: the verdict of those that came to one; where none did, the
/// failure that most of them met
/// (of equally many, the first by name). The order of the judges decides nothing.
pub(crate) fn judge_by_all(
    panel: Panel,
    ask: &Ask,
    judge: impl Fn(&Ask) -> VerdictOrStop,
) -> VerdictOrStop {
    if ask.members() == 1 {
        return judge(ask);
    }
    let members = settled((0..ask.members()).map(|member| judge(&ask.member(member))))?;
    for (member, outcome) in members.iter().enumerate() {
        ask.member(member)
            .note(Stage::Member, 0, false, outcome.clone());
    }
    let verdicts: Vec<Verdict> = members
        .iter()
        .filter_map(|outcome| outcome.clone().ok())
        .collect();
    let decided = match panel {
        Panel::Mean => mean(&verdicts),
        Panel::Majority => mean(&verdicts).map(|mean| majority(&verdicts, mean)),
    };
    decided.ok_or_else(|| commonest(members.into_iter().filter_map(Result::err).collect()))
}

/// The verdict that most prefer; what it rests on (its source, what lay outside) is that of the
/// mean.
fn majority(verdicts: &[Verdict], mean: Verdict) -> Verdict {
    let sides = [Side::First, Side::Tie, Side::Second];
    let votes = sides.map(|side| {
        verdicts
            .iter()
            .filter(|verdict| verdict.side() == Some(side))
            .count()
    });
    let most = votes.iter().copied().max().unwrap_or(0);
    let winners = votes.iter().filter(|count| **count == most).count() as f64;
    let share = votes.map(|count| if count == most { 1.0 / winners } else { 0.0 });
    Verdict::pair(share, mean.outside(), mean.source())
}

pub(crate) fn commonest(failures: Vec<Failure>) -> Stop {
    let count = |failure: &Failure| {
        failures
            .iter()
            .filter(|other| other.kind == failure.kind)
            .count()
    };
    let found = failures.iter().min_by_key(|failure| {
        (
            std::cmp::Reverse(count(failure)),
            failure.kind,
            failure.detail.clone(),
        )
    });
    let none = || {
        Failure::new(
            evenhand_core::FailureKind::Invalid,
            "the panel has no members",
        )
    };
    found.cloned().unwrap_or_else(none).into()
}
