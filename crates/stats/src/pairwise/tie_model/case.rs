//! Whether a tie model has a finite maximum.

use crate::{BradleyTerry, Tally};

/// What the data allow.
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

pub(in crate::pairwise) fn case(tally: &Tally, base: &BradleyTerry) -> Case {
    let any = |count: &dyn Fn(usize, usize) -> f64| {
        base.components
            .iter()
            .any(|c| c.iter().any(|&i| c.iter().any(|&j| count(i, j) > 0.0)))
    };
    if !any(&|i, j| tally.games(i, j)) {
        return Case::Empty;
    }
    if !any(&|i, j| tally.ties(i, j)) {
        return Case::NoTies;
    }
    let parts = || base.parts.iter().map(|part| &part.systems);
    match parts().any(|part| winning_round(tally, part)) {
        true => Case::Finite,
        false if parts().any(|part| won_anything(tally, part)) => Case::Unbounded,
        false => Case::AllTies,
    }
}

fn won_anything(tally: &Tally, part: &[usize]) -> bool {
    part.iter()
        .any(|&i| part.iter().any(|&j| tally.wins(i, j) > 0.0))
}

/// Whether some round trip, from winner to loser or between systems that tied, passes more wins
/// than ties.
///
/// Without one, strengths d exist with d(i) >= d(j) + 1 wherever i won from j and |d(i) - d(j)| <=
/// 1 wherever they tied (a system of difference constraints; Bellman 1958), and moving along d
/// makes every outcome seen likelier.
fn winning_round(tally: &Tally, part: &[usize]) -> bool {
    let both_won = |&i: &usize| {
        part.iter()
            .any(|&j| tally.wins(i, j) > 0.0 && tally.wins(j, i) > 0.0)
    };
    part.iter().any(both_won) || !settles(tally, part)
}

/// Bellman and Ford's method: whether the potentials stop sinking.
fn settles(tally: &Tally, part: &[usize]) -> bool {
    let mut potential = vec![0i64; part.len()];
    (0..=part.len()).any(|_| !sink(tally, part, &mut potential))
}

/// Lowers each potential to what the others allow; false if none had to be.
fn sink(tally: &Tally, part: &[usize], potential: &mut [i64]) -> bool {
    let mut moved = false;
    for (from, &i) in part.iter().enumerate() {
        for (to, &j) in part.iter().enumerate() {
            let won = (tally.wins(i, j) > 0.0).then(|| potential[from] - 1);
            let tied = (tally.ties(i, j) > 0.0).then(|| potential[from] + 1);
            let allowed = won.or(tied).unwrap_or(i64::MAX);
            moved |= allowed < potential[to];
            potential[to] = potential[to].min(allowed);
        }
    }
    moved
}
