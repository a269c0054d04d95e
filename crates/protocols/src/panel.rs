//! A panel: several judges, one verdict.

use crate::ask::{Ask, Stop, VerdictOrStop, invalid, settled};
use crate::verdicts::{majority, mean};
use evenhand_core::{Failure, FailureKind, Outcome, Stage, Verdict};
use std::cmp::Reverse;
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

    /// Returns the verdict of the panel; None without a verdict of a member.
    fn decide(self, verdicts: &[Verdict]) -> Option<Verdict> {
        match self {
            Panel::Mean => mean(verdicts),
            Panel::Majority => majority(verdicts),
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
    note_members(&members, ask);
    let outcomes = members.iter().cloned();
    let verdicts: Vec<Verdict> = outcomes.filter_map(Result::ok).collect();
    panel
        .decide(&verdicts)
        .ok_or_else(|| commonest(members.into_iter().filter_map(Result::err).collect()))
}

fn note_members(members: &[Outcome], ask: &Ask) {
    for (number, outcome) in members.iter().enumerate() {
        let member = ask.member(number);
        member.note(Stage::Member, 0, false, outcome.clone());
    }
}

/// Returns the failure that most met; of equally many, the first by name.
pub(crate) fn commonest(failures: Vec<Failure>) -> Stop {
    let rank = |failure: &&Failure| {
        let commonness = Reverse(count_kind(&failures, failure.kind));
        (commonness, failure.kind, failure.detail.clone())
    };
    let commonest = failures.iter().min_by_key(rank).cloned();
    commonest.unwrap_or_else(no_members).into()
}

fn count_kind(failures: &[Failure], kind: FailureKind) -> usize {
    let alike = failures.iter().filter(|failure| failure.kind == kind);
    alike.count()
}

fn no_members() -> Failure {
    invalid("the panel has no members")
}
