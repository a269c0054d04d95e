//! `--fail-if` on the difference of two systems that are ranked: `worse(v2,v1)`.

use super::{find_row, missing_of, score_of};
use crate::Done;
use evenhand_compare::Change;
use evenhand_compare::gate::{
    FigureRange, Gate, GateFigure, GateTest, Outcome, Scope, Who, decide_change, parse_gates,
};
use evenhand_ranking::{Duel, Intervals, PairRow, Report, ScoreUnit};

/// A condition on two systems, the later first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairCondition {
    gate: Gate,
    new: String,
    old: String,
}

impl PairCondition {
    /// Reads a condition; None where it is none on two systems.
    ///
    /// # Errors
    /// A bound beyond what the figure can be.
    pub(super) fn parse(text: &str) -> Option<Result<PairCondition, String>> {
        let gate = parse_gates(text).ok()?.pop()?;
        let (new, old) = match &gate.test {
            GateTest::Worse(who, _) | GateTest::Inferior(who, _) => named(who)?,
            GateTest::Bound(GateFigure::Difference(who, _), ..) => named(who)?,
            _ => return None,
        };
        let is_whole = gate.scope == Scope::All;
        let checked = gate.check_range(None);
        is_whole.then(|| checked.map(|()| PairCondition { gate, new, old }))
    }

    /// Refuses a bound or a margin beyond what a difference of two shares can be.
    pub(super) fn check_share(&self) -> Result<(), String> {
        self.gate
            .check_range(Some(FigureRange::difference_of_shares(1.0)))
    }

    /// Returns the systems, each with the condition that names it.
    pub(super) fn named_systems(&self) -> [(&str, &str); 2] {
        [&self.new, &self.old].map(|system| (self.gate.text.as_str(), system.as_str()))
    }

    /// Returns the two systems, the later first.
    pub(super) fn systems(&self) -> [String; 2] {
        [self.new.clone(), self.old.clone()]
    }

    /// Returns how a command ends: with the first condition that is met, else the first that the
    /// data do not decide.
    pub(super) fn end_all(
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
                    open = Done::Inconclusive(said);
                }
                _ => {}
            }
        }
        open
    }

    /// Whether the later system is worse at all is asked of the test that the ranking makes of the
    /// two, so that a gate never says other than the row of `differences`. Where it makes none (no
    /// intervals, too few items), of the items that both were judged on, by an exact test, as
    /// `compare` asks it. Conditions with a margin or a bound are in the unit of the scores, and so
    /// of the ranking's difference.
    fn decide(&self, report: &Report) -> (Outcome, String) {
        let name = format!("{} against {}", self.new, self.old);
        let level = report.ci.level;
        let by_scores = self.scores_change(report);
        if let (Some(duel), GateTest::Worse(_, 0.0)) = (self.duel(report), &self.gate.test) {
            let row_p = self.row(report).and_then(|(_, row)| {
                // A bound that is too large to decide says nothing against the exact test.
                row.p.filter(|p| !row.p_is_bound || *p < 1.0 - level)
            });
            let is_finite = |change: &Change| change.difference.is_finite();
            if row_p.is_none() || !by_scores.as_ref().is_some_and(is_finite) {
                let mut change = Change::of_items(&duel.change, duel.items);
                change.p_value = row_p.or(change.p_value);
                return decide_change(&self.gate.test, &name, &change, duel.as_share, level);
            }
        }
        let Some(change) = by_scores else {
            return (
                Outcome::Inconclusive(None),
                format!("{name}: {}", self.why_open(report)),
            );
        };
        decide_change(&self.gate.test, &name, &change, false, level)
    }

    fn duel<'a>(&self, report: &'a Report) -> Option<&'a Duel> {
        report
            .duels
            .iter()
            .find(|duel| duel.new == self.new && duel.old == self.old)
    }

    fn row<'a>(&self, report: &'a Report) -> Option<(f64, &'a PairRow)> {
        report.differences.iter().find_map(|row| {
            if row.a == self.new && row.b == self.old {
                Some((1.0, row))
            } else if row.a == self.old && row.b == self.new {
                Some((-1.0, row))
            } else {
                None
            }
        })
    }

    /// The score of the later system less that of the earlier one; None where it is undefined.
    fn scores_change(&self, report: &Report) -> Option<Change> {
        let row = self.row(report);
        let finite = row.and_then(|(sign, row)| Some((sign, row, row.difference?)));
        if let Some((sign, row, difference)) = finite {
            // An end that is not finite is so on its own side.
            let ends = row.ci.map(|[low, high]| {
                let [low, high] = [
                    low.unwrap_or(f64::NEG_INFINITY),
                    high.unwrap_or(f64::INFINITY),
                ];
                if sign > 0.0 {
                    [low, high]
                } else {
                    [-high, -low]
                }
            });
            return Some(Change::of_ranking(sign * difference, ends, row.p));
        }
        let [new, old] =
            [&self.new, &self.old].map(|system| find_row(report, system).and_then(score_of));
        let mut difference = new? - old?;
        // Of a weakness less is better, as the rows of differences have it.
        if report.unit == ScoreUnit::Weakness {
            difference = -difference;
        }
        // Of two systems one of which won or lost everything, and of two between whom nothing
        // varies, the items that both were judged on say how far apart they are.
        let duel = self.duel(report);
        let interval = duel.and_then(|duel| {
            let [low, high] = interval_of_duel(duel, report)?;
            Some([low.min(difference), high.max(difference)])
        });
        let is_said = match difference.is_finite() {
            true => row.is_some() && interval.is_some(),
            false => difference.is_infinite(),
        };
        is_said.then(|| {
            let p = row.and_then(|(_, row)| row.p);
            Change::of_ranking(
                difference,
                interval,
                p.or_else(|| duel.map(|duel| duel.change.p_value)),
            )
        })
    }

    /// Why the two cannot be told apart or not.
    fn why_open(&self, report: &Report) -> String {
        if report.ci.method == Intervals::None {
            return "the ranking has no intervals".into();
        }
        match self.row(report) {
            Some((_, row)) => {
                let note = row.note.as_deref();
                note.unwrap_or("the difference is undefined").into()
            }
            None => "the ranking does not compare the two".into(),
        }
    }
}

/// The interval of what two systems were judged on together, in the unit of the scores; None where
/// a score says other than how often one is preferred to the other.
fn interval_of_duel(duel: &Duel, report: &Report) -> Option<[f64; 2]> {
    let ends = duel.change.interval?;
    let of_odds = |unit: f64| ends.map(|end| unit * ((0.5 + end) / (0.5 - end)).ln());
    match report.unit {
        _ if !duel.as_share => Some(ends),
        ScoreUnit::FittedElo | ScoreUnit::AnchoredElo => {
            Some(of_odds(400.0 / std::f64::consts::LN_10))
        }
        ScoreUnit::LogOdds => Some(of_odds(1.0)),
        // What one of two wins the other loses.
        ScoreUnit::ShareWon | ScoreUnit::MeanShareWon if report.ranking.len() == 2 => {
            Some(ends.map(|end| 2.0 * end))
        }
        _ => None,
    }
}

fn named(who: &Who) -> Option<(String, String)> {
    match who {
        Who::System(new, Some(old)) => Some((new.clone(), old.clone())),
        _ => None,
    }
}
