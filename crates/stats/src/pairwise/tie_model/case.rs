//! Whether a tie model has a finite maximum.

use crate::{BradleyTerry, Tally};

/// The kind of maximum that the data allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pairwise) enum Case {
    /// Nothing was compared.
    Empty,
    /// There are no ties: their parameter is at its lower bound, and the model is Bradley and
    /// Terry's.
    NoTies,
    /// The tie parameter grows beyond all bounds, and nobody won from anybody of its own part:
    /// equal strengths.
    AllTies,
    /// The tie parameter grows beyond all bounds, and strengths within some part with it.
    Unbounded,
    /// There is one maximum.
    Finite,
}

pub(in crate::pairwise) fn find_case(tally: &Tally, base: &BradleyTerry) -> Case {
    let mut components = base.components.iter();
    if !components
        .clone()
        .any(|group| has_pair(group, |i, j| tally.games(i, j)))
    {
        return Case::Empty;
    }
    if !components.any(|group| has_pair(group, |i, j| tally.ties(i, j))) {
        return Case::NoTies;
    }
    let mut parts = base.parts.iter().map(|part| &part.systems);
    // The tie parameter is shared by all parts, so that one of them can bound it for all.
    if parts.clone().any(|part| has_winning_round(tally, part)) {
        Case::Finite
    } else if parts.any(|part| has_pair(part, |i, j| tally.wins(i, j))) {
        Case::Unbounded
    } else {
        Case::AllTies
    }
}

/// Whether the count of some pair within a group is above 0.
fn has_pair(group: &[usize], count: impl Fn(usize, usize) -> f64) -> bool {
    let has_partner = |&i: &usize| group.iter().any(|&j| count(i, j) > 0.0);
    group.iter().any(has_partner)
}

/// Whether some round trip, from winner to loser or between systems that tied, passes more wins
/// than ties.
///
/// Without one, strengths d exist with d(i) >= d(j) + 1 wherever i won from j and |d(i) - d(j)| <=
/// 1 wherever they tied (a system of difference constraints; Bellman 1958), and moving along d
/// makes every outcome seen likelier.
fn has_winning_round(tally: &Tally, part: &[usize]) -> bool {
    // The lesser of the wins in both directions is above 0 where both won.
    if has_pair(part, |i, j| tally.wins(i, j).min(tally.wins(j, i))) {
        return true;
    }
    // Bellman and Ford's method: each potential is lowered to what the others allow, and where they
    // never stop sinking there is a round.
    let mut potential = vec![0i64; part.len()];
    for _ in 0..=part.len() {
        let mut moved = false;
        for (from, &i) in part.iter().enumerate() {
            for (to, &j) in part.iter().enumerate() {
                let allowed = if tally.wins(i, j) > 0.0 {
                    potential[from] - 1
                } else if tally.ties(i, j) > 0.0 {
                    potential[from] + 1
                } else {
                    continue;
                };
                if allowed < potential[to] {
                    potential[to] = allowed;
                    moved = true;
                }
            }
        }
        if !moved {
            return false;
        }
    }
    true
}
