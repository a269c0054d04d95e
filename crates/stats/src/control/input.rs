//! Comparisons in columns, checked.

use super::ControlError;
use crate::bootstrap::start_pool;
use crate::checks::{check_pair, check_probability, check_rows, check_weight, ensure};
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
    /// The outcome for the first system: 1 won, 0 lost, 0.5 tied; anything between is a share of a
    /// win.
    pub won: &'a [f64],
    /// How much each row counts, from 0 to 1e100; None: 1 each.
    pub weight: Option<&'a [f64]>,
    /// The cluster (item) that each row belongs to, any numbers; None: every row stands for itself.
    pub cluster: Option<&'a [u32]>,
    /// One column for each covariate: what the first response has more of than the second; between
    /// -1e30 and 1e30.
    pub covariates: &'a [Vec<f64>],
}

impl Battles<'_> {
    pub(crate) fn rows(&self) -> usize {
        self.a.len()
    }

    pub(crate) fn weight_of(&self, row: usize) -> f64 {
        self.weight.map_or(1.0, |weight| weight[row])
    }

    /// Whether the first system of a row has the higher number.
    #[inline]
    fn is_turned(&self, row: usize) -> bool {
        self.a[row] > self.b[row]
    }

    /// The outcome for the system with the lower number.
    #[inline]
    pub(super) fn won_by_lower(&self, row: usize) -> f64 {
        if self.is_turned(row) {
            1.0 - self.won[row]
        } else {
            self.won[row]
        }
    }

    /// How much more of a covariate the response of the system with the lower number has.
    #[inline]
    pub(super) fn more_of_lower(&self, column: &[f64], row: usize) -> f64 {
        if self.is_turned(row) {
            -column[row]
        } else {
            column[row]
        }
    }

    /// All rows as counts, after checking every value.
    pub(super) fn checked_tally(&self) -> Result<Tally, ControlError> {
        let mut tally = Tally::new(self.systems)?;
        let rows = self.rows();
        check_column("b", self.b.len(), rows)?;
        check_column("won", self.won.len(), rows)?;
        check_optional("weight", self.weight, rows)?;
        check_optional("cluster", self.cluster, rows)?;
        for (j, column) in self.covariates.iter().enumerate() {
            check_column(&format!("covariate {j}"), column.len(), rows)?;
        }
        check_rows(rows)?;
        // The search runs on all threads; the row found is checked again for its error.
        if let Some(row) = find_first(rows, |row| self.check_row(row).is_err()) {
            self.check_row(row)?;
        }
        for (covariate, column) in self.covariates.iter().enumerate() {
            check_covariate(covariate, column)?;
        }
        for row in 0..rows {
            let (a, b) = (self.a[row].into(), self.b[row].into());
            let weight = self.weight_of(row);
            let won = self.won[row];
            tally.add_checked(a, b, weight * won, 0.0, weight * (1.0 - won));
        }
        Ok(tally)
    }

    fn check_row(&self, row: usize) -> Result<(), Error> {
        check_pair(row, self.a[row].into(), self.b[row].into(), self.systems)?;
        check_weight(row, "weight", self.weight_of(row))?;
        check_probability(row, "won", self.won[row])
    }
}

pub(super) fn check_column(
    column: &str,
    found: usize,
    expected: usize,
) -> Result<(), ControlError> {
    ensure(found == expected, || ControlError::Length {
        column: column.to_string(),
        expected,
        found,
    })
}

/// A column that may be left out.
pub(super) fn check_optional<T>(
    column: &str,
    found: Option<&[T]>,
    expected: usize,
) -> Result<(), ControlError> {
    found.map_or(Ok(()), |found| check_column(column, found.len(), expected))
}

pub(super) fn check_covariate(covariate: usize, column: &[f64]) -> Result<(), ControlError> {
    let bad = |row: usize| column[row].is_nan() || column[row].abs() > LIMIT;
    match find_first(column.len(), bad) {
        None => Ok(()),
        Some(row) => Err(ControlError::Covariate {
            row,
            covariate,
            value: column[row],
        }),
    }
}

/// The first row that is bad, looked for in blocks.
fn find_first(rows: usize, bad: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let blocks = (0..rows.div_ceil(BLOCK)).into_par_iter();
    blocks.find_map_first(|block| {
        (block * BLOCK..rows.min((block + 1) * BLOCK)).find(|&row| bad(row))
    })
}

/// At least as many rows as numbers to be found.
pub(super) fn check_row_count(rows: usize, parameters: usize) -> Result<(), ControlError> {
    ensure(rows >= parameters, || ControlError::TooFewRows {
        rows,
        parameters,
    })
}

/// Runs `work` on so many threads; 0 for as many as the machine has. One thread that is of a pool
/// already is this one.
pub(super) fn run_on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, ControlError> {
    if threads == 1 && rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    Ok(start_pool(threads)?.install(work))
}
