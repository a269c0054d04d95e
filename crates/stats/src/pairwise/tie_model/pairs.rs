//! The comparisons that a tie model is fitted to.

use crate::{BradleyTerry, Tally};

/// The wins, ties and losses of i against j, as shares of the largest count of any pair.
#[derive(Clone, Copy, Debug)]
pub(in crate::pairwise) struct PairShares {
    pub(in crate::pairwise) i: usize,
    pub(in crate::pairwise) j: usize,
    pub(in crate::pairwise) wins: f64,
    pub(in crate::pairwise) ties: f64,
    pub(in crate::pairwise) losses: f64,
}

impl PairShares {
    fn new(tally: &Tally, i: usize, j: usize, most: f64) -> PairShares {
        let [wins, ties, losses] = tally.outcome(i, j).map(|count| count / most);
        PairShares {
            i,
            j,
            wins,
            ties,
            losses,
        }
    }
}

/// The comparisons within parts, and the largest count among them.
pub(in crate::pairwise) fn pairs_within_parts(
    tally: &Tally,
    base: &BradleyTerry,
) -> (Vec<PairShares>, f64) {
    let compared: Vec<(usize, usize)> = base
        .parts
        .iter()
        .flat_map(|part| ascending_pairs(&part.systems))
        .filter(|&(i, j)| tally.games(i, j) > 0.0)
        .collect();
    let games = compared.iter().map(|&(i, j)| tally.games(i, j));
    let most = games.fold(0.0, f64::max);
    let shares = compared
        .iter()
        .map(|&(i, j)| PairShares::new(tally, i, j, most));
    (shares.collect(), most)
}

/// All i < j of some systems.
fn ascending_pairs(systems: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    systems
        .iter()
        .flat_map(|&i| systems.iter().map(move |&j| (i, j)))
        .filter(|&(i, j)| i < j)
}
