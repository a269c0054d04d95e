//! Who can be put on one scale: the largest group of systems that comparisons link.

use crate::linear::largest;
use crate::{Tally, Undefined, graph, index};

/// The largest connected component, and why every other system is left out.
pub(super) struct Linked {
    /// The systems of the component in ascending order; none if there is no component of two or
    /// more systems, or no largest one, since then nothing but a label could decide.
    pub(super) members: Vec<usize>,
    /// For each system the reason if it is no member; meaningless for members.
    pub(super) reasons: Vec<Undefined>,
}

impl Linked {
    pub(super) fn new(tally: &Tally) -> Linked {
        let reasons = (0..tally.systems()).map(|i| {
            if tally.games_of(i) > 0.0 {
                Undefined::Disconnected
            } else {
                why_no_games(tally)
            }
        });
        let components = tally.components();
        let most = components.iter().map(Vec::len).max().unwrap_or(0);
        let mut largest = components.into_iter().filter(|x| x.len() == most);
        // A component of one system has nobody to be compared with.
        let members = match (largest.next(), largest.next()) {
            (Some(only), None) if most > 1 => only,
            _ => Vec::new(),
        };
        Linked {
            members,
            reasons: reasons.collect(),
        }
    }
}

/// Why a system has no comparisons.
pub(super) fn why_no_games(tally: &Tally) -> Undefined {
    if tally.systems() == 1 {
        Undefined::OneSystem
    } else {
        Undefined::NoData
    }
}

/// The points of some members of a tally against each other.
pub(super) struct WonShares {
    /// The points of each member against each, a tie counting half, as shares of `most`
    /// (row-major).
    pub(super) shares: Vec<f64>,
    /// The largest such count, above 0.
    pub(super) most: f64,
}

impl WonShares {
    /// None if nothing was won.
    pub(super) fn new(tally: &Tally, members: &[usize]) -> Option<WonShares> {
        let mut shares = points_among(tally, members);
        let most = largest(&shares);
        for share in &mut shares {
            *share /= most;
        }
        (most > 0.0).then_some(WonShares { shares, most })
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
