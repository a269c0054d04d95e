//! Which strengths are finite: the parts that the graph of wins falls into, and how they stand to
//! each other.

use crate::{Tally, Undefined, graph};

/// How a part stands to the systems whose strengths are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Standing {
    /// These are the systems whose strengths are finite.
    Main,
    /// Won everything, directly or through others.
    Above,
    /// Lost everything, directly or through others.
    Below,
    /// Neither.
    Unknown(Undefined),
}

/// A strongly connected component of the graph of wins, ties being half a win for both: within it,
/// and only within it, strengths are finite (Ford 1957; Hunter 2004, assumption 1).
pub(super) struct Place {
    pub(super) systems: Vec<usize>,
    pub(super) standing: Standing,
    /// How many systems are above all of this part's; None where some ranked system is neither
    /// above nor below.
    pub(super) above: Option<u32>,
}

/// All parts, those of the main component from the top down, then the rest; and the connected
/// components.
///
/// `anchors` are the systems that should be finite if it can be: of several candidates the one with
/// most of them is chosen as the main component and the main part, then the largest.
pub(super) fn places(tally: &Tally, anchors: &[bool]) -> (Vec<Place>, Vec<Vec<usize>>) {
    let components = graph::components(tally.systems(), |i, j| tally.games(i, j) > 0.0);
    let main = best(&components, anchors, |_, _| false);
    let inside = main.map_or(&[][..], |main| &components[main]);
    let mut places = main_places(tally, inside, anchors);
    for (_, component) in components
        .iter()
        .enumerate()
        .filter(|&(number, _)| Some(number) != main)
    {
        places.extend(
            parts(tally, component)
                .into_iter()
                .map(|systems| outside(systems, component.len())),
        );
    }
    (places, components)
}

fn outside(systems: Vec<usize>, component: usize) -> Place {
    let reason = if component == 1 {
        Undefined::NoData
    } else {
        Undefined::Disconnected
    };
    Place {
        systems,
        standing: Standing::Unknown(reason),
        above: None,
    }
}

/// The parts of one connected component.
fn main_places(tally: &Tally, component: &[usize], anchors: &[bool]) -> Vec<Place> {
    let parts = parts(tally, component);
    let beats = |p: usize, q: usize| {
        parts[p]
            .iter()
            .any(|&i| parts[q].iter().any(|&j| tally.points(i, j) > 0.0))
    };
    let over = graph::reachability(parts.len(), beats);
    let main = best(&parts, anchors, |p, q| over[p][q]);
    let place = |p: usize| Place {
        systems: parts[p].clone(),
        standing: standing(p, main, &over),
        above: above(p, &parts, &over, component.len()),
    };
    (0..parts.len()).map(place).collect()
}

/// The strongly connected components within `members`, winners first.
fn parts(tally: &Tally, members: &[usize]) -> Vec<Vec<usize>> {
    let found = graph::strong_components(members.len(), |i, j| {
        tally.points(members[i], members[j]) > 0.0
    });
    found
        .into_iter()
        .map(|part| part.into_iter().map(|i| members[i]).collect())
        .collect()
}

/// The group of two or more systems with the most anchors, then the most systems, then above all
/// its equals; None if there is no such group, for then nothing but a label could decide.
fn best(
    groups: &[Vec<usize>],
    anchors: &[bool],
    over: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let key = |g: usize| {
        (
            groups[g].iter().filter(|&&i| anchors[i]).count(),
            groups[g].len(),
        )
    };
    let candidates = || (0..groups.len()).filter(|&g| groups[g].len() > 1);
    let most = candidates().map(key).max()?;
    let equals: Vec<usize> = candidates().filter(|&g| key(g) == most).collect();
    equals
        .iter()
        .copied()
        .find(|&g| equals.iter().all(|&other| other == g || over(g, other)))
}

fn standing(part: usize, main: Option<usize>, over: &[Vec<bool>]) -> Standing {
    let wins = over[part].iter().any(|&x| x);
    let loses = over.iter().any(|row| row[part]);
    match main {
        Some(main) if part == main => Standing::Main,
        Some(main) if over[part][main] => Standing::Above,
        Some(main) if over[main][part] => Standing::Below,
        Some(_) => Standing::Unknown(Undefined::NotComparable),
        None if !loses => Standing::Above,
        None if !wins => Standing::Below,
        None => Standing::Unknown(Undefined::OneSided),
    }
}

fn above(part: usize, parts: &[Vec<usize>], over: &[Vec<bool>], total: usize) -> Option<u32> {
    let systems = |test: &dyn Fn(usize) -> bool| -> usize {
        (0..parts.len())
            .filter(|&other| test(other))
            .map(|other| parts[other].len())
            .sum()
    };
    let (above, below) = (
        systems(&|other| over[other][part]),
        systems(&|other| over[part][other]),
    );
    (above + below + parts[part].len() == total).then_some(above as u32)
}
