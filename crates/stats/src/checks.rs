//! Checks of numbers, rows and settings, made before anything is computed.

use crate::{Error, LIMIT, MAX_SYSTEMS, Undefined};
use std::ops::RangeInclusive;

/// A number of an input, with the row and the field that an error names.
pub(crate) struct Entry {
    pub(crate) row: usize,
    pub(crate) field: &'static str,
    pub(crate) value: f64,
}

impl Entry {
    #[inline]
    pub(crate) fn new(row: usize, field: &'static str, value: f64) -> Entry {
        Entry { row, field, value }
    }

    /// Rejects the number unless it lies in a range, ends included.
    #[inline]
    pub(crate) fn require_within(
        self,
        range: RangeInclusive<f64>,
        expected: &'static str,
    ) -> Result<(), Error> {
        let good = range.contains(&self.value);
        self.require(good, expected)
    }

    /// Rejects the number unless it is `good`; `expected` says what would be.
    pub(crate) fn require(self, good: bool, expected: &'static str) -> Result<(), Error> {
        ensure(good, || Error::Value {
            row: self.row,
            field: self.field,
            value: self.value,
            expected,
        })
    }
}

/// Returns the error unless the input is `good`.
#[inline]
pub(crate) fn ensure<E>(good: bool, error: impl FnOnce() -> E) -> Result<(), E> {
    if good { Ok(()) } else { Err(error()) }
}

/// Rejects an argument, which belongs to no row, unless it is `good`.
pub(crate) fn check_argument(
    field: &'static str,
    value: f64,
    good: bool,
    expected: &'static str,
) -> Result<(), Error> {
    Entry::new(0, field, value).require(good, expected)
}

/// Rejects an option unless it is `good`.
pub(crate) fn check_setting(
    name: &'static str,
    value: f64,
    good: bool,
    expected: &'static str,
) -> Result<(), Error> {
    ensure(good, || Error::Setting {
        name,
        value,
        expected,
    })
}

/// Two lists that belong together row by row.
pub(crate) fn check_lengths(first: usize, second: usize) -> Result<(), Error> {
    ensure(first == second, || Error::Lengths { first, second })
}

/// As many weights as there are clusters.
pub(crate) fn check_weight_count(expected: usize, found: usize) -> Result<(), Error> {
    ensure(found == expected, || Error::Weights { expected, found })
}

/// A number between -1e100 and 1e100.
pub(crate) fn check_number(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    Entry::new(row, field, value).require_within(-LIMIT..=LIMIT, "between -1e100 and 1e100")
}

pub(crate) fn check_numbers(field: &'static str, values: &[f64]) -> Result<(), Error> {
    check_each(values, |row, value| check_number(row, field, value))
}

/// Checks the values in order; each comes with its position.
fn check_each(
    values: &[f64],
    check: impl Fn(usize, f64) -> Result<(), Error>,
) -> Result<(), Error> {
    (values.iter().enumerate()).try_for_each(|(row, &value)| check(row, value))
}

/// A number from 0 to 1.
pub(crate) fn check_probability(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    Entry::new(row, field, value).require_within(0.0..=1.0, "from 0 to 1")
}

pub(crate) fn check_probabilities(field: &'static str, values: &[f64]) -> Result<(), Error> {
    check_each(values, |row, value| check_probability(row, field, value))
}

/// Finite numbers of any size.
pub(crate) fn check_finite(field: &'static str, values: &[f64]) -> Result<(), Error> {
    check_each(values, |row, value| {
        Entry::new(row, field, value).require(value.is_finite(), "of any sign")
    })
}

/// Weights from 0 to 1e100.
pub(crate) fn check_weights(field: &'static str, values: &[f64]) -> Result<(), Error> {
    check_each(values, |row, value| check_weight(row, field, value))
}

/// At least one row.
pub(crate) fn check_some(rows: usize) -> Result<(), Undefined> {
    ensure(rows > 0, || Undefined::NoData)
}

/// Returns a spread where it is above `rounding`: less is what rounding leaves where all is equal.
pub(crate) fn above_rounding(spread: f64, rounding: f64) -> Result<f64, Undefined> {
    ensure(spread > rounding, || Undefined::NoVariance)?;
    Ok(spread)
}

/// The two clusters that an interval needs.
pub(crate) fn check_clusters(clusters: usize) -> Result<(), Undefined> {
    ensure(clusters > 1, || Undefined::TooFewClusters { clusters })
}

/// A weight from 0 to 1e100.
#[inline]
pub(crate) fn check_weight(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    Entry::new(row, field, value).require_within(0.0..=LIMIT, "from 0 to 1e100")
}

/// A coverage, strictly between 0 and 1.
pub(crate) fn check_level(level: f64) -> Result<(), Error> {
    check_share("level", level)
}

/// A share, such as a power, strictly between 0 and 1.
pub(crate) fn check_share(name: &'static str, value: f64) -> Result<(), Error> {
    let good = value > 0.0 && value < 1.0;
    ensure(good, || Error::Share { name, value })
}

pub(crate) fn check_systems(systems: usize) -> Result<(), Error> {
    check_at_most(systems, MAX_SYSTEMS)
}

pub(crate) fn check_at_most(systems: usize, limit: usize) -> Result<(), Error> {
    ensure(systems <= limit, || Error::TooManySystems {
        systems,
        limit,
    })
}

pub(crate) fn check_system(row: usize, system: usize, systems: usize) -> Result<(), Error> {
    ensure(system < systems, || Error::NoSuchSystem {
        row,
        system,
        systems,
    })
}

/// Two different systems that exist.
pub(crate) fn check_pair(row: usize, a: usize, b: usize, systems: usize) -> Result<(), Error> {
    check_system(row, a, systems)?;
    check_system(row, b, systems)?;
    ensure(a != b, || Error::SelfComparison { row, system: a })
}

/// As many rows as 32 bits can count.
pub(crate) fn check_rows(rows: usize) -> Result<(), Error> {
    ensure(u32::try_from(rows).is_ok(), || Error::TooManyRows { rows })
}
