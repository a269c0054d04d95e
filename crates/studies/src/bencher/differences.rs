//! Differences between benchers from the same rounds, in which what they have in common cancels.

use super::ComparedBencher;
use super::contest::{Contest, Over, RoundedFigure};
use crate::Figure;
use evenhand_stats::{Error, Estimate, Undefined, interval_with_width};
use schemars::JsonSchema;

/// One bencher less another.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct BencherDifference {
    /// The bencher.
    pub bencher: String,
    /// What is taken off: the first bencher.
    pub less: String,
    /// Difference of Spearman's rho.
    pub spearman: Figure,
    /// Difference of Kendall's tau-b.
    pub kendall_tau_b: Figure,
}

/// Benchers with equal rounds have the same rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SharedRounds {
    /// The same items are drawn.
    Items(usize),
    /// The same systems, in the same order, are drawn.
    Systems(Vec<String>),
    /// Rounds of its own.
    Own,
}

impl SharedRounds {
    pub(super) fn of_contest(contest: &Contest, group: Option<usize>) -> SharedRounds {
        match (contest.over, group) {
            (Over::Items, Some(group)) => SharedRounds::Items(group),
            (Over::Systems, _) => {
                let names = contest.reference.iter().map(|one| one.system.clone());
                SharedRounds::Systems(names.collect())
            }
            _ => SharedRounds::Own,
        }
    }
}

/// Compares all benchers that share their rounds with the first to the first.
pub(super) fn differences_to_first(
    benchers: &[ComparedBencher],
    level: f64,
) -> Result<Vec<BencherDifference>, Error> {
    let Some((first, others)) = benchers.split_first() else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for other in others {
        if first.shares == SharedRounds::Own || first.shares != other.shares {
            continue;
        }
        let (own, less) = (&other.correlated, &first.correlated);
        found.push(BencherDifference {
            bencher: other.row.bencher.clone(),
            less: first.row.bencher.clone(),
            spearman: own.spearman.less(&less.spearman, level).to_figure()?,
            kendall_tau_b: own.kendall.less(&less.kendall, level).to_figure()?,
        });
    }
    Ok(found)
}

impl RoundedFigure {
    /// Returns the difference of two figures from the same rounds, with its interval; none where
    /// either has none. Where one does not vary, such as the correlation of a perfect order of few
    /// systems, nothing is known of its uncertainty, and the difference would have that of the
    /// other alone.
    fn less(&self, other: &RoundedFigure, level: f64) -> RoundedFigure {
        let both = self.rounds.iter().zip(&other.rounds);
        let rounds: Vec<Estimate> = both
            .map(|(a, b)| match (a.finite(), b.finite()) {
                (Some(a), Some(b)) => Estimate::Finite(a - b),
                _ => Estimate::Undefined(Undefined::NoRank),
            })
            .collect();
        let value = self.value.and_then(|a| other.value.map(|b| a - b));
        let point = value.map_or_else(Estimate::Undefined, Estimate::Finite);
        let both = self.interval.clone().and(other.interval.clone());
        RoundedFigure {
            value,
            interval: both.and_then(|_| interval_with_width(point, &rounds, level)),
            rounds,
        }
    }
}
