//! Why a constraint cannot be read as it was written.

use crate::Id;
use strum::VariantNames;

/// The result of reading a constraint.
pub(crate) type Result<T> = std::result::Result<T, ConstraintError>;

/// A constraint, or a list of them, that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// The id names no type.
    #[error("unknown instruction id {id:?}: expected one of {}", Id::VARIANTS.join(", "))]
    UnknownId {
        /// The id that was found.
        id: String,
    },
    /// An argument is not there, or is null. The reference checker draws a random one instead.
    #[error("{id}: argument {field:?} is missing: expected {expected}")]
    Missing {
        /// The instruction id.
        id: Id,
        /// The name of the argument.
        field: &'static str,
        /// The value that was expected, in words.
        expected: String,
    },
    /// An argument has a name that no type has.
    #[error("{id}: no constraint has an argument {name:?}; {}", match nearest {
        Some(nearest) => format!("did you mean {nearest:?}?"),
        None => "leave it out".to_owned(),
    })]
    UnknownArgument {
        /// The instruction id.
        id: Id,
        /// The name that was found.
        name: String,
        /// The name that comes nearest, where one is near.
        nearest: Option<&'static str>,
    },
    /// An argument is of the wrong type or out of range.
    #[error("{id}: argument {field:?} is {found}: expected {expected}")]
    Wrong {
        /// The instruction id.
        id: Id,
        /// The name of the argument.
        field: &'static str,
        /// The value as JSON, shortened.
        found: String,
        /// The value that was expected, in words.
        expected: String,
    },
    /// The list as a whole, or an element of it, is not of a known form.
    #[error("constraints: {found}: expected {expected}")]
    Form {
        /// The value that was found, as JSON.
        found: String,
        /// The value that was expected, in words.
        expected: &'static str,
    },
    /// One constraint of a list cannot be read.
    #[error("constraint {position}: {cause}")]
    At {
        /// Its position in the list, from 1.
        position: usize,
        /// Why it cannot be read.
        cause: Box<ConstraintError>,
    },
}
