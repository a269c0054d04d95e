//! Filters that cannot be read, or name what is not there.

/// Why a filter cannot be used: the field, what was expected, and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A field that filters do not have.
    #[error("{field}: there is no such filter; expected one of {known}")]
    UnknownField {
        /// The field.
        field: String,
        /// Those that there are.
        known: String,
    },
    /// A field that is given twice.
    #[error("{field}: given twice; give it once")]
    Twice {
        /// The field.
        field: String,
    },
    /// A value of another form.
    #[error("{field}: expected {expected}, found {found:?}")]
    BadValue {
        /// The field.
        field: &'static str,
        /// Values that the field takes.
        expected: String,
        /// The value that was given.
        found: String,
    },
    /// A name that the run does not have.
    #[error("{field}: the run has no {found:?}; it has {known}")]
    UnknownName {
        /// The field.
        field: &'static str,
        /// The name.
        found: String,
        /// Some of those that there are.
        known: String,
    },
}
