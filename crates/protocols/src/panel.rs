//! A panel: several judges, one verdict.

use crate::ask::{Ask, Stop, VerdictOrStop, invalid, settle, settled};
use crate::verdicts::{majority, mean};
use evenhand_core::{Failure, Stage, Verdict};
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
    /// That of the first who is sure enough; the next is asked only where one is not, and the last
    /// decides in any case (Jung et al. 2024, "Trust or Escalate"). Pairs only.
    Escalate(Certainty),
}

/// How sure a member must be of a pair: the share of one side less that of the other, in hundredths
/// from 1 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certainty(u8);

impl Certainty {
    /// Reads a share from 0.01 to 1.
    pub fn parse(text: &str) -> Option<Certainty> {
        let share: f64 = text.parse().ok()?;
        let hundredths = (share * 100.0).round();
        let is_one = (hundredths / 100.0 - share).abs() < 1e-9;
        let in_range = (1.0..=100.0).contains(&hundredths);
        (is_one && in_range).then_some(Certainty(hundredths as u8))
    }

    fn share(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// Whether a verdict on a pair is as sure; verdicts on anything else are not.
    fn is_met_by(self, verdict: &Verdict) -> bool {
        // What was renormalised may be a hair less than it was.
        let sure = verdict
            .preference()
            .map(|[first, _, second]| (first - second).abs());
        sure.is_some_and(|sure| sure >= self.share() - 1e-9)
    }
}

impl Panel {
    /// Reads `mean`, `majority` or `escalate:SHARE`.
    pub fn parse(name: &str) -> Option<Panel> {
        match name {
            "mean" => Some(Panel::Mean),
            "majority" => Some(Panel::Majority),
            _ => {
                let share = name.strip_prefix("escalate:")?;
                Certainty::parse(share).map(Panel::Escalate)
            }
        }
    }

    /// Whether it makes something of pairs alone.
    pub fn is_of_pairs(self) -> bool {
        !matches!(self, Panel::Mean)
    }
}

impl fmt::Display for Panel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Panel::Mean => f.write_str("mean"),
            Panel::Majority => f.write_str("majority"),
            Panel::Escalate(certainty) => write!(f, "escalate:{}", certainty.share()),
        }
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
    let combine = match panel {
        Panel::Mean => mean,
        Panel::Majority => majority,
        Panel::Escalate(certainty) => return judge_in_turn(certainty, ask, judge),
    };
    let members = settled((0..ask.members()).map(|member| judge(&ask.member(member))))?;
    let (mut verdicts, mut failures) = (Vec::new(), Vec::new());
    for (number, outcome) in members.into_iter().enumerate() {
        let member = ask.member(number);
        member.note(Stage::Member, 0, false, outcome.clone());
        match outcome {
            Ok(verdict) => verdicts.push(verdict),
            Err(failure) => failures.push(failure),
        }
    }
    combine(&verdicts).ok_or_else(|| commonest(failures))
}

/// Judges by one member after the other, until one is sure; the last decides.
fn judge_in_turn(
    certainty: Certainty,
    ask: &Ask,
    judge: impl Fn(&Ask) -> VerdictOrStop,
) -> VerdictOrStop {
    let mut outcome = Err(no_members());
    for number in 0..ask.members() {
        let member = ask.member(number);
        outcome = settle(judge(&member))?;
        member.note(Stage::Member, 0, false, outcome.clone());
        if let Ok(verdict) = &outcome
            && !ask.asks_all()
            && certainty.is_met_by(verdict)
        {
            break;
        }
    }
    Ok(outcome?)
}

/// Returns the failure that most met; of equally many, the first by name.
pub(crate) fn commonest(failures: Vec<Failure>) -> Stop {
    let rank = |failure: &&Failure| {
        let alike = failures.iter().filter(|other| other.kind == failure.kind);
        (Reverse(alike.count()), failure.kind, failure.detail.clone())
    };
    let commonest = failures.iter().min_by_key(rank).cloned();
    commonest.unwrap_or_else(no_members).into()
}

fn no_members() -> Failure {
    invalid("the panel has no members")
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::VerdictSource;

    #[test]
    fn panels_are_read_and_written() {
        for name in [
            "mean",
            "majority",
            "escalate:0.5",
            "escalate:1",
            "escalate:0.07",
        ] {
            assert_eq!(Panel::parse(name).unwrap().to_string(), name);
        }
        for name in [
            "",
            "escalate",
            "escalate:",
            "escalate:0",
            "escalate:1.5",
            "escalate:0.005",
            "most",
        ] {
            assert_eq!(Panel::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_verdict_is_sure_by_how_far_its_sides_are_apart() {
        let pair = |shares| Verdict::pair(shares, 0.0, VerdictSource::Probabilities);
        let half = Certainty::parse("0.5").unwrap();
        assert!(half.is_met_by(&pair([0.1, 0.2, 0.7])) && half.is_met_by(&pair([0.75, 0.0, 0.25])));
        assert!(!half.is_met_by(&pair([0.3, 0.0, 0.7])) && !half.is_met_by(&pair([0.0, 1.0, 0.0])));
    }
}
