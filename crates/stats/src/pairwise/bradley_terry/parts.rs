//! Which strengths are finite: the parts that the graph of wins falls into, and how they stand to
//! each other.

use super::super::linked::strong_parts;
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
pub(super) struct PlacedPart {
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
pub(super) fn place_parts(tally: &Tally, anchors: &[bool]) -> (Vec<PlacedPart>, Vec<Vec<usize>>) {
    let components = tally.components();
    let main = find_main(&components, anchors, |_, _| false);
    let mut places = match main {
        Some(main) => place_main(tally, &components[main], anchors),
        None => Vec::new(),
    };
    for (number, component) in components.iter().enumerate() {
        if Some(number) == main {
            continue;
        }
        let reason = match component.len() {
            1 => Undefined::NoData,
            _ => Undefined::Disconnected,
        };
        places.extend(find_parts(tally, component).map(|systems| PlacedPart {
            systems,
            standing: Standing::Unknown(reason),
            above: None,
        }));
    }
    (places, components)
}

/// The parts of the main component.
fn place_main(tally: &Tally, component: &[usize], anchors: &[bool]) -> Vec<PlacedPart> {
    let parts: Vec<Vec<usize>> = find_parts(tally, component).collect();
    // Whether some system of one part won something from one of the other.
    let over = graph::reachability(parts.len(), |p, q| {
        let beats = |i: usize| parts[q].iter().any(|&j| tally.points(i, j) > 0.0);
        parts[p].iter().any(|&i| beats(i))
    });
    let main = find_main(&parts, anchors, |p, q| over[p][q]);
    let standing = |part: usize| match main {
        Some(main) if part == main => Standing::Main,
        Some(main) if over[part][main] => Standing::Above,
        Some(main) if over[main][part] => Standing::Below,
        Some(_) => Standing::Unknown(Undefined::NotComparable),
        // Without a main part those that nobody is above, or below, still stand somewhere.
        None if !over.iter().any(|row| row[part]) => Standing::Above,
        None if !over[part].contains(&true) => Standing::Below,
        None => Standing::Unknown(Undefined::OneSided),
    };
    // None where some systems are neither above nor below the part.
    let systems_above = |part: usize| {
        let (mut above, mut known) = (0, parts[part].len());
        for (other, systems) in parts.iter().enumerate() {
            if over[other][part] {
                above += systems.len();
            }
            if over[other][part] || over[part][other] {
                known += systems.len();
            }
        }
        (known == component.len()).then_some(above as u32)
    };
    let places = parts.iter().enumerate().map(|(part, systems)| PlacedPart {
        systems: systems.clone(),
        standing: standing(part),
        above: systems_above(part),
    });
    places.collect()
}

/// The strongly connected components within `members`, winners first.
fn find_parts(tally: &Tally, members: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let parts = strong_parts(tally, members).into_iter();
    parts.map(|part| part.into_iter().map(|place| members[place]).collect())
}

/// The group of two or more systems with the most anchors, then the most systems, then above all
/// its equals; None if there is no such group, since then nothing but a label could decide.
fn find_main(
    groups: &[Vec<usize>],
    anchors: &[bool],
    over: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let size = |g: usize| {
        let anchors = groups[g].iter().filter(|&&i| anchors[i]).count();
        (anchors, groups[g].len())
    };
    let candidates = (0..groups.len()).filter(|&g| groups[g].len() > 1);
    let most = candidates.clone().map(size).max();
    let equals: Vec<usize> = candidates.filter(|&g| Some(size(g)) == most).collect();
    // Numbers of systems must not decide: a tie is broken by the data or not at all.
    let tops_all = |&&g: &&usize| equals.iter().all(|&other| other == g || over(g, other));
    equals.iter().find(tops_all).copied()
}
