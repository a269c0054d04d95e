//! What every list of numbers must meet.

use crate::{Error, LIMIT};

/// Two lists that belong together row by row.
pub(crate) fn check_lengths(first: usize, second: usize) -> Result<(), Error> {
    if first == second {
        Ok(())
    } else {
        Err(Error::Lengths { first, second })
    }
}

pub(crate) fn check_number(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    let expected = "between -1e100 and 1e100";
    if value.abs() <= LIMIT {
        Ok(())
    } else {
        Err(Error::Value {
            row,
            field,
            value,
            expected,
        })
    }
}

pub(crate) fn check_numbers(field: &'static str, values: &[f64]) -> Result<(), Error> {
    values
        .iter()
        .enumerate()
        .try_for_each(|(row, &value)| check_number(row, field, value))
}

pub(crate) fn check_probability(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    let expected = "from 0 to 1";
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Error::Value {
            row,
            field,
            value,
            expected,
        })
    }
}
