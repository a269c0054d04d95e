//! What counts as right, and shares of what counts.

use super::{Game, LabelledPair};
use crate::figure::indicator;
use evenhand_core::Side;
use evenhand_stats::ItemCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// How several labels of one pair count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Votes {
    /// The most frequent counts once; where two are equally frequent it is a tie.
    #[default]
    Majority,
    /// Each counts: a verdict is held against every one of them.
    Each,
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
        match verdict {
            None => (self.failures == Failures::Wrong).then_some(0.0),
            Some(verdict) if self.ties == Ties::Half => {
                Some(1.0 - (verdict.share_of_first() - label.share_of_first()).abs())
            }
            Some(verdict) => Some(indicator(verdict == label)),
        }
    }

    /// Returns the credit of a pair over its games.
    pub(super) fn game_credits(self, pair: &LabelledPair) -> ItemCount {
        let credits = pair.judged_games();
        credits
            .filter_map(|game| self.credit(game.side(), pair.label))
            .collect()
    }

    /// Whether the games of both orders are right, as 0 or 1; None where one does not count.
    pub(super) fn right_in_both(self, games: [&Game; 2], label: Side) -> Option<f64> {
        let [x, y] = games.map(|game| self.credit(game.side(), label));
        Some(indicator(x? == 1.0 && y? == 1.0))
    }
}
