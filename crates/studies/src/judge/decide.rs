//! What counts as right.

use crate::figure::indicator;
use evenhand_core::Side;
use schemars::JsonSchema;
use serde::Serialize;

/// How ties count, of labels and of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// A tie is a third outcome: a verdict is right if it is the label (MT-Bench's setup 1; Zheng
    /// et al. 2023, section 4.1).
    #[default]
    Class,
    /// A tie is half of either: a tie against a winner is half right (as AlpacaEval counts draws).
    Half,
    /// Pairs whose label is a tie and verdicts that are ties are left out (MT-Bench's setup 2).
    Exclude,
}

/// How a judge's failures count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Failures {
    /// As wrong.
    #[default]
    Wrong,
    /// Not at all; coverage says how many there are.
    Exclude,
}

/// What counts as right.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub(super) ties: Ties,
    pub(super) failures: Failures,
}

impl Rule {
    /// Returns how right a verdict is, from 0 to 1; None where it does not count.
    pub(super) fn credit(self, verdict: Option<Side>, label: Side) -> Option<f64> {
        let is_tied = label == Side::Tie || verdict == Some(Side::Tie);
        if self.ties == Ties::Exclude && is_tied {
            return None;
        }
        verdict.map_or(self.failure_credit(), |verdict| {
            Some(self.verdict_credit(verdict, label))
        })
    }

    fn failure_credit(self) -> Option<f64> {
        (self.failures == Failures::Wrong).then_some(0.0)
    }

    fn verdict_credit(self, verdict: Side, label: Side) -> f64 {
        if self.ties == Ties::Half {
            1.0 - (verdict.share_of_first() - label.share_of_first()).abs()
        } else {
            indicator(verdict == label)
        }
    }
}
