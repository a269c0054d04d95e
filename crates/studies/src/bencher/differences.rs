//! Differences between benchers from the same rounds, in which what they have in common cancels.

use super::Compared;
use super::contest::{Contest, Over};
use crate::Figure;
use evenhand_stats::{Error, Estimate, Undefined, percentile_interval};

/// One bencher less another.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The bencher.
    pub bencher: String,
    /// What is taken off: the first bencher.
    pub less: String,
    /// Difference of Spearman's rho.
    pub spearman: Figure,
    /// Difference of Kendall's tau-b.
    pub kendall_tau_b: Figure,
}

/// Benchers with the same key have the same rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// The same items are drawn.
    Items(usize),
    /// The same systems, in the same order, are drawn.
    Systems(Vec<String>),
    /// Rounds of its own.
    Own,
}

impl Key {
    pub(super) fn of(contest: &Contest, group: Option<usize>) -> Key {
        match (contest.over, group) {
            (Over::Items, Some(group)) => Key::Items(group),
            (Over::Systems, _) => Key::Systems(
                contest
                    .reference
                    .iter()
                    .map(|one| one.system.clone())
                    .collect(),
            ),
            _ => Key::Own,
        }
    }
}

/// All benchers that share their rounds with the first, less the first.
pub(super) fn from_first(benchers: &[Compared], level: f64) -> Result<Vec<Difference>, Error> {
    let Some((first, others)) = benchers.split_first() else {
        return Ok(Vec::new());
    };
    let same = others
        .iter()
        .filter(|other| first.shares != Key::Own && other.shares == first.shares);
    same.map(|other| difference(other, first, level)).collect()
}

fn difference(one: &Compared, less: &Compared, level: f64) -> Result<Difference, Error> {
    let (a, b) = (&one.correlated, &less.correlated);
    Ok(Difference {
        bencher: one.row.bencher.clone(),
        less: less.row.bencher.clone(),
        spearman: figure(&a.spearman, &b.spearman, level)?,
        kendall_tau_b: figure(&a.kendall, &b.kendall, level)?,
    })
}

type Rounds = (Result<f64, Undefined>, Vec<Estimate>);

fn figure((a, rounds_a): &Rounds, (b, rounds_b): &Rounds, level: f64) -> Result<Figure, Error> {
    let point = a.and_then(|a| b.map(|b| a - b)).map_err(Error::from);
    let less = |(a, b): (&Estimate, &Estimate)| match (a.finite(), b.finite()) {
        (Some(a), Some(b)) => Estimate::Finite(a - b),
        _ => Estimate::Undefined(Undefined::NoRank),
    };
    let rounds: Vec<Estimate> = rounds_a.iter().zip(rounds_b).map(less).collect();
    Figure::new(point, percentile_interval(&rounds, level))
}
