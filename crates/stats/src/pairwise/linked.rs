//! Who can be put on one scale: the largest group of systems that comparisons link.

use crate::{Tally, Undefined, graph};

/// The largest connected component, and why every other system is left out.
pub(super) struct Linked {
    /// The systems of the component in ascending order; none if there is no component of two or
    /// more systems, or no largest one, for then nothing but a label could decide.
    pub(super) members: Vec<usize>,
    /// For each system the reason if it is no member; meaningless for members.
    pub(super) reasons: Vec<Undefined>,
}

pub(super) fn linked(tally: &Tally) -> Linked {
    let components = graph::components(tally.systems(), |i, j| tally.games(i, j) > 0.0);
    let most = components.iter().map(Vec::len).max().unwrap_or(0);
    let mut largest = components
        .iter()
        .filter(|component| component.len() == most);
    let members = match (largest.next(), largest.next()) {
        (Some(only), None) if most > 1 => only.clone(),
        _ => Vec::new(),
    };
    let reason = |i: usize| {
        if tally.games_of(i) > 0.0 {
            Undefined::Disconnected
        } else {
            no_games(tally)
        }
    };
    Linked {
        members,
        reasons: (0..tally.systems()).map(reason).collect(),
    }
}

fn no_games(tally: &Tally) -> Undefined {
    if tally.systems() == 1 {
        Undefined::OneSystem
    } else {
        Undefined::NoData
    }
}

/// What each of `members` won from each, a tie counting half, as shares of the largest such count
/// (row-major), and that count; None if nothing was won.
pub(super) fn won(tally: &Tally, members: &[usize]) -> Option<(Vec<f64>, f64)> {
    let cells = members
        .iter()
        .flat_map(|&i| members.iter().map(move |&j| (i, j)));
    let mut won: Vec<f64> = cells.map(|(i, j)| tally.points(i, j)).collect();
    let most = won.iter().copied().fold(0.0, f64::max);
    won.iter_mut().for_each(|x| *x /= most);
    (most > 0.0).then_some((won, most))
}
