//! The plan of a design: its goal, its layout and its budget; and why one, or an outcome, is
//! refused.

use super::MAX_ADAPTIVE_SYSTEMS;
use super::order::Order;
use crate::Error;
use crate::checks::{check_at_most, check_setting, check_share, ensure};
use std::fmt;

/// The units that are judged, and in which order of items.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// Each system item by item, alone or against one reference; all walk through the same order.
    Arms(Order),
    /// Each pair of systems item by item, with an order of its own: of (0, 1), (0, 2), ..., (1, 2),
    /// ... They may differ in length, and should differ in their stream of random numbers.
    Pairs(Vec<Order>),
}

/// The goal: the orders that must be certain before the design stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// The order of every pair.
    AllPairs,
    /// Which k systems are the best: each of them is certified above each of the others.
    Top(usize),
    /// The order of this share of all pairs, above 0 and at most 1, whichever they are.
    Share(f64),
}

/// Who is judged next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Everything in turn, whatever is known: the design to compare with.
    Uniform,
    /// The units that the stopping rule still waits for, in turn: see
    /// [`Adaptive::next_judgments`](super::Adaptive::next_judgments).
    Adaptive,
}

/// The plan of an adaptive design.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// How many systems there are, numbered from 0; from 2 to [`MAX_ADAPTIVE_SYSTEMS`].
    pub systems: usize,
    /// The units that are judged.
    pub layout: Layout,
    /// The largest chance with which any certified order may be false; strictly between 0 and 1,
    /// such as 0.05.
    pub alpha: f64,
    /// When it is certain enough.
    pub stop: StopRule,
    /// The most judgments that may be made.
    pub budget: Option<u64>,
    /// Who is judged next.
    pub allocation: Allocation,
}

/// The system or pair that one judgment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A system ([`Layout::Arms`]).
    System(usize),
    /// A pair of systems, the smaller number first ([`Layout::Pairs`]); the outcome is that of the
    /// first.
    Pair(usize, usize),
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unit::System(system) => write!(f, "system {system}"),
            Unit::Pair(a, b) => write!(f, "pair ({a}, {b})"),
        }
    }
}

/// A judgment to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wanted {
    /// Who is to be judged.
    pub unit: Unit,
    /// At which place of its order, from 0.
    pub place: usize,
    /// The item at that place.
    pub item: u32,
}

/// Why a design is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The goal is reached.
    Certain,
    /// The budget is spent.
    Budget,
    /// Every pair that is not certified has been judged on all its items.
    Exhausted,
}

impl Plan {
    pub(super) fn check(&self) -> Result<(), AdaptiveError> {
        check_share("alpha", self.alpha)?;
        let count = self.systems as f64;
        check_setting("number of systems", count, self.systems >= 2, "at least 2")?;
        check_at_most(self.systems, MAX_ADAPTIVE_SYSTEMS)?;
        match self.stop {
            StopRule::AllPairs => (),
            StopRule::Share(share) => {
                let good = share > 0.0 && share <= 1.0;
                check_setting("share of pairs", share, good, "above 0 and at most 1")?;
            }
            StopRule::Top(k) => {
                let good = k > 0 && k < self.systems;
                let expected = "from 1 to one less than all";
                check_setting("number of best systems", k as f64, good, expected)?;
            }
        }
        let Layout::Pairs(orders) = &self.layout else {
            return Ok(());
        };
        let pairs = self.pairs();
        let found = orders.len();
        ensure(found == pairs, || AdaptiveError::Orders { pairs, found })?;
        let population = orders[0].population();
        let other = orders
            .iter()
            .position(|order| order.population() != population);
        match other {
            Some(order) => Err(AdaptiveError::Populations { order }),
            None => Ok(()),
        }
    }

    /// How many pairs there are.
    pub(super) fn pairs(&self) -> usize {
        self.systems * self.systems.saturating_sub(1) / 2
    }

    /// How many systems or pairs are judged.
    pub(super) fn units(&self) -> usize {
        match &self.layout {
            Layout::Arms(_) => self.systems,
            Layout::Pairs(orders) => orders.len(),
        }
    }

    /// The order of a system or pair.
    pub(super) fn order(&self, unit: usize) -> &Order {
        match &self.layout {
            Layout::Arms(order) => order,
            Layout::Pairs(orders) => &orders[unit],
        }
    }
}

/// Why a plan or an outcome was not accepted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdaptiveError {
    /// An input that cannot be used.
    #[error(transparent)]
    Input(#[from] Error),
    /// A number of orders that is not the number of pairs.
    #[error(
        "{found} orders were given for {pairs} pairs; expected one for each of (0, 1), (0, 2), \
         ..., (1, 2), ..."
    )]
    Orders {
        /// How many pairs there are.
        pairs: usize,
        /// How many orders were given.
        found: usize,
    },
    /// Orders of one design that are of different populations.
    #[error(
        "order {order} is of another population than order 0; all claims of a design are of one \
         kind"
    )]
    Populations {
        /// Position of the order, from 0.
        order: usize,
    },
    /// A unit of the other layout, or of systems that do not exist.
    #[error("there is no {unit} in this design")]
    NoSuchUnit {
        /// The unit.
        unit: Unit,
    },
    /// An outcome at a place that is not the next.
    #[error(
        "{unit} was judged at place {place}; expected place {expected} of {places} (places are \
         numbered from 0)"
    )]
    Place {
        /// The unit.
        unit: Unit,
        /// The place found.
        place: usize,
        /// The place expected.
        expected: usize,
        /// How many places there are.
        places: usize,
    },
}
