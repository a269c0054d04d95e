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
    if !any_pair(&base.components, |i, j| tally.games(i, j)) {
        Case::Empty
    } else if !any_pair(&base.components, |i, j| tally.ties(i, j)) {
        Case::NoTies
    } else {
        case_with_ties(tally, base)
    }
}

fn case_with_ties(tally: &Tally, base: &BradleyTerry) -> Case {
    let mut parts = base.parts.iter().map(|part| &part.systems);
    // The tie parameter is shared by all parts, so that one of them can bound it for all.
    if parts.clone().any(|part| has_winning_round(tally, part)) {
        Case::Finite
    } else if parts.any(|part| has_wins(tally, part)) {
        Case::Unbounded
    } else {
        Case::AllTies
    }
}

/// Whether the count of any pair within a group is above 0.
fn any_pair(groups: &[Vec<usize>], count: impl Fn(usize, usize) -> f64) -> bool {
    let mut groups = groups.iter();
    groups.any(|group| has_pair(group, &count))
}

fn has_pair(group: &[usize], count: impl Fn(usize, usize) -> f64) -> bool {
    let has_partner = |&i: &usize| group.iter().any(|&j| count(i, j) > 0.0);
    group.iter().any(has_partner)
}

fn has_wins(tally: &Tally, part: &[usize]) -> bool {
    has_pair(part, |i, j| tally.wins(i, j))
}

/// Whether some round trip, from winner to loser or between systems that tied, passes more wins
/// than ties.
///
/// Without one, strengths d exist with d(i) >= d(j) + 1 wherever i won from j and |d(i) - d(j)| <=
/// 1 wherever they tied (a system of difference constraints; Bellman 1958), and moving along d
/// makes every outcome seen likelier.
fn has_winning_round(tally: &Tally, part: &[usize]) -> bool {
    // The lesser of the wins in both directions is above 0 where both won.
    has_pair(part, |i, j| tally.wins(i, j).min(tally.wins(j, i))) || !potentials_settle(tally, part)
}

/// Bellman and Ford's method: whether the potentials stop sinking.
fn potentials_settle(tally: &Tally, part: &[usize]) -> bool {
    let mut potential = vec![0i64; part.len()];
    (0..=part.len()).any(|_| !lower_potentials(tally, part, &mut potential))
}

/// Lowers each potential to what the others allow; false if none had to be.
fn lower_potentials(tally: &Tally, part: &[usize], potential: &mut [i64]) -> bool {
    let mut moved = false;
    for (from, &i) in part.iter().enumerate() {
        for (to, &j) in part.iter().enumerate() {
            let allowed = allowed_potential(tally, (i, j), potential[from]);
            moved |= allowed < potential[to];
            potential[to] = potential[to].min(allowed);
        }
    }
    moved
}

/// The highest potential that j may have where i has `from`.
fn allowed_potential(tally: &Tally, (i, j): (usize, usize), from: i64) -> i64 {
    if tally.wins(i, j) > 0.0 {
        from - 1
    } else if tally.ties(i, j) > 0.0 {
        from + 1
    } else {
        i64::MAX
    }
}
