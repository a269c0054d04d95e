//! The comparisons that a tie model is fitted to.

use crate::linear::greatest;
use crate::{BradleyTerry, Tally, index};

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
    let compared = compared_pairs(tally, base);
    let most = greatest(compared.iter().map(|&(i, j)| tally.games(i, j)));
    let shares = compared.into_iter();
    let shares = shares.map(|(i, j)| PairShares::new(tally, i, j, most));
    (shares.collect(), most)
}

/// The pairs within parts that were compared.
fn compared_pairs(tally: &Tally, base: &BradleyTerry) -> Vec<(usize, usize)> {
    let parts = base.parts.iter();
    let pairs = parts.flat_map(|part| ascending_pairs(&part.systems));
    pairs.filter(|&(i, j)| tally.games(i, j) > 0.0).collect()
}

/// All i < j of some systems, which are in ascending order.
fn ascending_pairs(systems: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    index::pairs(systems.len()).map(|(i, j)| (systems[i], systems[j]))
}
