//! A labelled pair as numbers: what one response has more of than the other.

use super::HeadPair;
use evenhand_protocols::READY_LIKELIHOOD;

/// A labelled pair, as differences: the first response less the second.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) question: u32,
    pub(super) systems: [u32; 2],
    /// Whether the first is better.
    pub(super) first: bool,
    /// Of the plain features.
    pub(super) plain: Vec<f64>,
    /// Of the states at each depth.
    pub(super) states: Vec<Vec<f64>>,
}

impl Row {
    pub(super) fn new(pair: &HeadPair) -> Row {
        let [a, b] = &pair.features;
        let plain = a.plain.iter().zip(&b.plain).map(|(a, b)| a - b);
        let states = a.states.iter().zip(&b.states).map(|(a, b)| {
            let both = a.iter().zip(b);
            both.map(|(a, b)| f64::from(*a) - f64::from(*b)).collect()
        });
        Row {
            question: pair.question,
            systems: pair.systems,
            first: pair.first,
            plain: plain.collect(),
            states: states.collect(),
        }
    }

    /// Returns the differences that a head of this depth weighs.
    pub(super) fn features(&self, depth: Option<usize>) -> impl Iterator<Item = f64> + '_ {
        let states = depth.and_then(|depth| self.states.get(depth));
        let states = states.map_or(&[][..], Vec::as_slice);
        self.plain.iter().chain(states).copied()
    }
}

/// The names of the scores that need no fit, the default first.
pub(super) const READY: [&str; 6] = [
    READY_LIKELIHOOD,
    "likelihood:novel",
    "likelihood",
    "likelihood:given",
    "longer",
    "shorter",
];

/// Returns by how much the first response leads by each ready score, from the differences of the
/// plain features.
pub(super) fn ready_leads(plain: &[f64]) -> [f64; READY.len()] {
    let at = |place: usize| plain.get(place).copied().unwrap_or(0.0);
    let [all, novel, given, surprisal, length] = [0, 1, 2, 3, 4].map(at);
    [novel + 0.1 * surprisal, novel, all, given, length, -length]
}

/// Returns 1 for a lead to the better side, 0 for one to the other, and a half for none.
pub(super) fn half_or_right(lead: f64, first: bool) -> f64 {
    if lead == 0.0 {
        return 0.5;
    }
    f64::from(u8::from((lead > 0.0) == first))
}
