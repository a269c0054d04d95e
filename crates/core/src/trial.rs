//! One planned judgment.

use serde::{Deserialize, Serialize};

/// Which of the two systems of a pair the judge meets first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The system that comes first in the data comes first.
    Forward,
    /// The other way round.
    Swapped,
}

/// One planned judgment: item x responses x presentation order x replicate (judge and protocol are
/// the plan's).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trial {
    /// Position in the plan, from 0.
    pub index: u64,
    /// Index of the item in the data set.
    pub item: u32,
    /// Indices of the systems, in slot order: one for a pointwise form, two for a pairwise one,
    /// more for a list.
    pub systems: Vec<u32>,
    /// Which repetition of the same question this is, from 0.
    pub replicate: u32,
}

impl Trial {
    /// The presentation order of a pair; None for a single response.
    pub fn order(&self) -> Option<Order> {
        match self.systems[..] {
            [a, b] if a <= b => Some(Order::Forward),
            [_, _] => Some(Order::Swapped),
            _ => None,
        }
    }
}
