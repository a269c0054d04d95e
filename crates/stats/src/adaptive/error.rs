//! Errors of the adaptive design.

use super::plan::Unit;
use crate::Error;

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
