//! Judgments as counts: what every estimator reads.

mod comparisons;
mod item_scores;
mod sheet;
mod strength;
mod tally;

pub use comparisons::{Comparison, Comparisons};
pub(crate) use item_scores::Cell;
pub use item_scores::{ItemScore, ItemScores};
pub(crate) use sheet::{Pairs, Sheet};
pub use strength::{Strength, StrengthWeights};
pub use tally::Tally;

use crate::Error;

/// The largest weight, and the largest absolute score, that is accepted: sums of them stay finite.
pub const LIMIT: f64 = 1e100;

/// The most systems that can be ranked together: a [`Tally`] holds two dense tables of their pairs.
pub const MAX_SYSTEMS: usize = 4096;

pub(crate) fn check_systems(systems: usize) -> Result<(), Error> {
    match systems {
        0..=MAX_SYSTEMS => Ok(()),
        _ => Err(Error::TooManySystems {
            systems,
            limit: MAX_SYSTEMS,
        }),
    }
}

pub(crate) fn check_system(row: usize, system: usize, systems: usize) -> Result<(), Error> {
    if system < systems {
        Ok(())
    } else {
        Err(Error::NoSuchSystem {
            row,
            system,
            systems,
        })
    }
}

pub(crate) fn check_pair(row: usize, a: usize, b: usize, systems: usize) -> Result<(), Error> {
    check_system(row, a, systems)?;
    check_system(row, b, systems)?;
    if a == b {
        Err(Error::SelfComparison { row, system: a })
    } else {
        Ok(())
    }
}

pub(crate) fn check_weight(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    let expected = "from 0 to 1e100";
    if (0.0..=LIMIT).contains(&value) {
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

fn check_score(row: usize, value: f64) -> Result<(), Error> {
    let expected = "between -1e100 and 1e100";
    if value.abs() <= LIMIT {
        Ok(())
    } else {
        Err(Error::Value {
            row,
            field: "score",
            value,
            expected,
        })
    }
}

pub(crate) fn check_rows(rows: usize) -> Result<(), Error> {
    if u32::try_from(rows).is_ok() {
        Ok(())
    } else {
        Err(Error::TooManyRows { rows })
    }
}
