//! Differences between benchers from the same rounds, in which what they have in common cancels.

use super::ComparedBencher;
use super::contest::{Contest, FigureRounds, Over};
use super::figures::{Correlated, RoundedFigure};
use super::standing::Standing;
use crate::Figure;
use evenhand_stats::{Error, Estimate, Undefined, percentile_interval};

/// One bencher less another.
#[derive(Clone, Debug, PartialEq)]
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
            (Over::Systems, _) => SharedRounds::of_systems(&contest.reference),
            _ => SharedRounds::Own,
        }
    }

    fn of_systems(reference: &[Standing]) -> SharedRounds {
        let names = reference.iter().map(|one| one.system.clone());
        SharedRounds::Systems(names.collect())
    }

    fn are_shared_with(&self, other: &SharedRounds) -> bool {
        *self != SharedRounds::Own && self == other
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
    let others = others.iter();
    others
        .filter(|other| first.shares.are_shared_with(&other.shares))
        .map(|other| difference_to(other, first, level))
        .collect()
}

fn difference_to(
    one: &ComparedBencher,
    less: &ComparedBencher,
    level: f64,
) -> Result<BencherDifference, Error> {
    let correlated = one.correlated.less(&less.correlated, level);
    let [spearman, kendall_tau_b] = correlated.figures()?;
    Ok(BencherDifference {
        bencher: one.row.bencher.clone(),
        less: less.row.bencher.clone(),
        spearman,
        kendall_tau_b,
    })
}

impl Correlated {
    fn less(&self, other: &Correlated, level: f64) -> Correlated {
        Correlated {
            spearman: self.spearman.less(&other.spearman, level),
            kendall: self.kendall.less(&other.kendall, level),
        }
    }
}

impl RoundedFigure {
    /// Returns the difference of two figures from the same rounds, with its interval.
    fn less(&self, other: &RoundedFigure, level: f64) -> RoundedFigure {
        let rounds = rounds_of_difference(&self.rounds, &other.rounds);
        RoundedFigure {
            value: self.value.and_then(|a| other.value.map(|b| a - b)),
            interval: percentile_interval(&rounds, level),
            rounds,
        }
    }
}

fn rounds_of_difference(a: &[Estimate], b: &[Estimate]) -> FigureRounds {
    let rounds = a.iter().zip(b);
    rounds.map(|(a, b)| difference_of(a, b)).collect()
}

fn difference_of(a: &Estimate, b: &Estimate) -> Estimate {
    match (a.finite(), b.finite()) {
        (Some(a), Some(b)) => Estimate::Finite(a - b),
        _ => Estimate::Undefined(Undefined::NoRank),
    }
}
