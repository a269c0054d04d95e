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
        if Some(number) != main {
            places.extend(place_outside(tally, component));
        }
    }
    (places, components)
}

/// The parts of a component that is not scored.
fn place_outside(tally: &Tally, component: &[usize]) -> impl Iterator<Item = PlacedPart> {
    let standing = Standing::Unknown(why_outside(component));
    let parts = find_parts(tally, component).into_iter();
    parts.map(move |systems| PlacedPart {
        systems,
        standing,
        above: None,
    })
}

fn why_outside(component: &[usize]) -> Undefined {
    if component.len() == 1 {
        Undefined::NoData
    } else {
        Undefined::Disconnected
    }
}

/// The parts of the main component.
fn place_main(tally: &Tally, component: &[usize], anchors: &[bool]) -> Vec<PlacedPart> {
    let parts = find_parts(tally, component);
    let over = graph::reachability(parts.len(), |p, q| beats(tally, &parts[p], &parts[q]));
    let main = find_main(&parts, anchors, |p, q| over[p][q]);
    let field = Field {
        parts: &parts,
        over: &over,
    };
    let places = (0..parts.len()).map(|part| field.place(part, main));
    places.collect()
}

/// Whether some system of one part won something from one of the other.
fn beats(tally: &Tally, part: &[usize], other: &[usize]) -> bool {
    part.iter()
        .any(|&i| other.iter().any(|&j| tally.points(i, j) > 0.0))
}

/// The strongly connected components within `members`, winners first.
fn find_parts(tally: &Tally, members: &[usize]) -> Vec<Vec<usize>> {
    let parts = strong_parts(tally, members).into_iter();
    parts.map(|part| systems_at(part, members)).collect()
}

fn systems_at(places: Vec<usize>, members: &[usize]) -> Vec<usize> {
    places.into_iter().map(|place| members[place]).collect()
}

/// The group of two or more systems with the most anchors, then the most systems, then above all
/// its equals; None if there is no such group, since then nothing but a label could decide.
fn find_main(
    groups: &[Vec<usize>],
    anchors: &[bool],
    over: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let equals = largest_groups(groups, anchors);
    // Numbers of systems must not decide: a tie is broken by the data or not at all.
    let tops_all = |&&g: &&usize| equals.iter().all(|&other| other == g || over(g, other));
    equals.iter().find(tops_all).copied()
}

/// The groups of two or more systems that have the most anchors, then the most systems.
fn largest_groups(groups: &[Vec<usize>], anchors: &[bool]) -> Vec<usize> {
    let size = |&g: &usize| (count_anchors(&groups[g], anchors), groups[g].len());
    let candidates = (0..groups.len()).filter(|&g| groups[g].len() > 1);
    let most = candidates.clone().map(|g| size(&g)).max();
    candidates.filter(|g| Some(size(g)) == most).collect()
}

fn count_anchors(group: &[usize], anchors: &[bool]) -> usize {
    group.iter().filter(|&&i| anchors[i]).count()
}

/// The parts of a component, the winners first, and which of them stands above which.
struct Field<'a> {
    parts: &'a [Vec<usize>],
    over: &'a [Vec<bool>],
}

impl Field<'_> {
    fn place(&self, part: usize, main: Option<usize>) -> PlacedPart {
        PlacedPart {
            systems: self.parts[part].clone(),
            standing: self.standing(part, main),
            above: self.count_above(part),
        }
    }

    fn standing(&self, part: usize, main: Option<usize>) -> Standing {
        match main {
            Some(main) => self.standing_to(part, main),
            None => self.standing_alone(part),
        }
    }

    /// How a part stands to the main part.
    fn standing_to(&self, part: usize, main: usize) -> Standing {
        if part == main {
            Standing::Main
        } else if self.over[part][main] {
            Standing::Above
        } else if self.over[main][part] {
            Standing::Below
        } else {
            Standing::Unknown(Undefined::NotComparable)
        }
    }

    /// How a part stands where there is no main part.
    fn standing_alone(&self, part: usize) -> Standing {
        if !self.has_above(part) {
            Standing::Above
        } else if !self.has_below(part) {
            Standing::Below
        } else {
            Standing::Unknown(Undefined::OneSided)
        }
    }

    fn has_above(&self, part: usize) -> bool {
        self.over.iter().any(|row| row[part])
    }

    fn has_below(&self, part: usize) -> bool {
        self.over[part].iter().any(|&over| over)
    }

    /// How many systems are above a part; None where some are neither above nor below.
    fn count_above(&self, part: usize) -> Option<u32> {
        let above = self.count_systems(|other| self.over[other][part]);
        let below = self.count_systems(|other| self.over[part][other]);
        let total = self.count_systems(|_| true);
        (above + below + self.parts[part].len() == total).then_some(above as u32)
    }

    /// How many systems the parts hold that pass a test.
    fn count_systems(&self, test: impl Fn(usize) -> bool) -> usize {
        let parts = (0..self.parts.len()).filter(|&part| test(part));
        parts.map(|part| self.parts[part].len()).sum()
    }
}
