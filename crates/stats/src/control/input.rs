//! Comparisons in columns, checked.

use super::ControlError;
use crate::{Error, Tally};
use rayon::prelude::*;

/// The largest covariate accepted: sums of products of them stay finite.
const LIMIT: f64 = 1e30;
/// Rows that are checked by one task.
const BLOCK: usize = 1 << 16;

/// Comparisons of k systems in columns, one entry for each row; all columns have the same length.
#[derive(Clone, Copy, Debug)]
pub struct Battles<'a> {
    /// How many systems there are; they are numbered from 0.
    pub systems: usize,
    /// The first system of each row.
    pub a: &'a [u16],
    /// The second system of each row.
    pub b: &'a [u16],
    /// What the first won of the second: 1 won, 0 lost, 0.5 tied; anything between is a share of a
    /// win.
    pub won: &'a [f64],
    /// How much each row counts, from 0 to 1e100; None: 1 each.
    pub weight: Option<&'a [f64]>,
    /// What each row belongs to (its item), any numbers; None: every row stands for itself.
    pub cluster: Option<&'a [u32]>,
    /// One column for each covariate: what the first response has more of than the second; between
    /// -1e30 and 1e30.
    pub covariates: &'a [Vec<f64>],
}

impl Battles<'_> {
    pub(super) fn rows(&self) -> usize {
        self.a.len()
    }

    pub(super) fn weight_of(&self, row: usize) -> f64 {
        self.weight.map_or(1.0, |weight| weight[row])
    }

    /// All rows as counts, after checking every value.
    pub(super) fn tally(&self) -> Result<Tally, ControlError> {
        let mut tally = Tally::new(self.systems)?;
        self.check_lengths()?;
        crate::data::check_rows(self.rows())?;
        self.check_values()?;
        for row in 0..self.rows() {
            let (weight, won) = (self.weight_of(row), self.won[row]);
            tally.add_checked(
                self.a[row].into(),
                self.b[row].into(),
                weight * won,
                0.0,
                weight * (1.0 - won),
            );
        }
        Ok(tally)
    }

    fn check_lengths(&self) -> Result<(), ControlError> {
        let columns = self
            .covariates
            .iter()
            .enumerate()
            .map(|(j, column)| (format!("covariate {j}"), column.len()));
        let optional = [
            ("weight", self.weight.map(<[f64]>::len)),
            ("cluster", self.cluster.map(<[u32]>::len)),
        ];
        let optional = optional
            .into_iter()
            .filter_map(|(name, length)| length.map(|length| (name.to_string(), length)));
        let fixed = [
            ("b".to_string(), self.b.len()),
            ("won".to_string(), self.won.len()),
        ];
        same_length(
            self.rows(),
            fixed.into_iter().chain(optional).chain(columns),
        )
    }

    fn check_values(&self) -> Result<(), ControlError> {
        first_bad(self.rows(), |row| self.check_row(row).is_err())
            .map_or(Ok(()), |row| self.check_row(row))?;
        let mut columns = self.covariates.iter().enumerate();
        columns.try_for_each(|(covariate, column)| check_covariate(covariate, column))
    }

    fn check_row(&self, row: usize) -> Result<(), Error> {
        crate::data::check_pair(row, self.a[row].into(), self.b[row].into(), self.systems)?;
        crate::data::check_weight(row, "weight", self.weight_of(row))?;
        check_share(row, "won", self.won[row])
    }
}

pub(super) fn same_length(
    expected: usize,
    columns: impl IntoIterator<Item = (String, usize)>,
) -> Result<(), ControlError> {
    match columns.into_iter().find(|&(_, found)| found != expected) {
        None => Ok(()),
        Some((column, found)) => Err(ControlError::Length {
            column,
            expected,
            found,
        }),
    }
}

pub(super) fn check_covariate(covariate: usize, column: &[f64]) -> Result<(), ControlError> {
    match first_bad(column.len(), |row| {
        column[row].is_nan() || column[row].abs() > LIMIT
    }) {
        None => Ok(()),
        Some(row) => Err(ControlError::Covariate {
            row,
            covariate,
            value: column[row],
        }),
    }
}

/// The first row that is bad, looked for in blocks.
fn first_bad(rows: usize, bad: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let blocks = (0..rows.div_ceil(BLOCK)).into_par_iter();
    blocks.find_map_first(|block| {
        (block * BLOCK..rows.min((block + 1) * BLOCK)).find(|&row| bad(row))
    })
}

pub(super) fn check_share(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Error::Value {
            row,
            field,
            value,
            expected: "from 0 to 1",
        })
    }
}

/// Runs `work` on so many threads; 0 for as many as the machine has. One thread that is of a pool
/// already is this one.
pub(super) fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, ControlError> {
    if threads == 1 && rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool
        .map_err(|error| Error::Threads {
            reason: error.to_string(),
        })?
        .install(work))
}
