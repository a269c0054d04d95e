//! Differences between benchers from the same rounds, in which what they have in common cancels.

use super::ComparedBencher;
use super::contest::{Contest, Over};
use super::figures::RoundedFigure;
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
            (Over::Systems, _) => {
                let systems = contest.reference.iter();
                SharedRounds::Systems(systems.map(|one| one.system.clone()).collect())
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
    others
        .iter()
        .filter(|other| first.shares != SharedRounds::Own && other.shares == first.shares)
        .map(|other| difference_to(other, first, level))
        .collect()
}

fn difference_to(
    one: &ComparedBencher,
    less: &ComparedBencher,
    level: f64,
) -> Result<BencherDifference, Error> {
    let (a, b) = (&one.correlated, &less.correlated);
    Ok(BencherDifference {
        bencher: one.row.bencher.clone(),
        less: less.row.bencher.clone(),
        spearman: difference_figure(&a.spearman, &b.spearman, level)?,
        kendall_tau_b: difference_figure(&a.kendall, &b.kendall, level)?,
    })
}

fn difference_figure(a: &RoundedFigure, b: &RoundedFigure, level: f64) -> Result<Figure, Error> {
    let value = a.value.and_then(|a| b.value.map(|b| a - b));
    let rounds: Vec<Estimate> = a
        .rounds
        .iter()
        .zip(&b.rounds)
        .map(|(a, b)| match (a.finite(), b.finite()) {
            (Some(a), Some(b)) => Estimate::Finite(a - b),
            _ => Estimate::Undefined(Undefined::NoRank),
        })
        .collect();
    Figure::new(
        value.map_err(Error::from),
        percentile_interval(&rounds, level),
    )
}
