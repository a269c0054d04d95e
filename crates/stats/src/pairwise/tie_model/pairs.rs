//! The comparisons that a tie model is fitted to.

use crate::linear::greatest;
use crate::{BradleyTerry, Part, Tally, index};

/// The wins, ties and losses of i against j, as shares of the largest count of any pair.
#[derive(Clone, Copy, Debug)]
pub(in crate::pairwise) struct PairShares {
    pub(in crate::pairwise) i: usize,
    pub(in crate::pairwise) j: usize,
    pub(in crate::pairwise) wins: f64,
    pub(in crate::pairwise) ties: f64,
    pub(in crate::pairwise) losses: f64,
}

/// The comparisons within parts, and the largest count among them.
pub(in crate::pairwise) fn pairs_within_parts(
    tally: &Tally,
    base: &BradleyTerry,
) -> (Vec<PairShares>, f64) {
    // The systems of a part are in ascending order.
    let pairs = base.parts.iter().flat_map(|Part { systems, .. }| {
        index::pairs(systems.len()).map(|(i, j)| (systems[i], systems[j]))
    });
    let compared: Vec<(usize, usize)> = pairs.filter(|&(i, j)| tally.games(i, j) > 0.0).collect();
    let most = greatest(compared.iter().map(|&(i, j)| tally.games(i, j)));
    let shares = compared.into_iter().map(|(i, j)| {
        let [wins, ties, losses] = tally.outcome(i, j).map(|count| count / most);
        PairShares {
            i,
            j,
            wins,
            ties,
            losses,
        }
    });
    (shares.collect(), most)
}
