//! What comparisons say of some systems: who beat whom, directly or through others.

use crate::{Tally, Undefined, graph, index};

/// Why a system has no comparisons.
pub(super) fn why_no_games(tally: &Tally) -> Undefined {
    if tally.systems() == 1 {
        Undefined::OneSystem
    } else {
        Undefined::NoData
    }
}

/// The parts of some systems in which everyone has beaten everyone, over others if need be; by
/// places in `members`.
pub(super) fn strong_parts(tally: &Tally, members: &[usize]) -> Vec<Vec<usize>> {
    graph::strong_components(members.len(), |i, j| {
        tally.points(members[i], members[j]) > 0.0
    })
}

/// The points of each member against each, row-major.
pub(super) fn points_among(tally: &Tally, members: &[usize]) -> Vec<f64> {
    let pairs = index::all_pairs(members.len());
    let points = pairs.map(|(i, j)| tally.points(members[i], members[j]));
    points.collect()
}
