//! Comparisons of a panel, put together by judge and pair.

use super::JudgedComparison;
use crate::checks::{check_argument, check_pair};
use crate::{Comparisons, Error, Estimate, Tally};
use std::collections::BTreeMap;

/// All comparisons of one pair by one judge: weights of (a won, tie, b won).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) judge: usize,
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) outcome: [f64; 3],
}

impl Cell {
    pub(super) fn games(&self) -> f64 {
        self.outcome.iter().sum()
    }

    /// What the first system got, a tie half.
    pub(super) fn points(&self) -> f64 {
        self.outcome[0] + self.outcome[1] / 2.0
    }
}

/// The rows of a panel, each with its cell.
pub(super) struct Cells {
    /// Without outcomes.
    empty: Vec<Cell>,
    /// The cell and the outcome of each row.
    rows: Vec<(usize, [f64; 3])>,
}

impl Cells {
    pub(super) fn new(
        systems: usize,
        judges: usize,
        rows: &[JudgedComparison],
    ) -> Result<Cells, Error> {
        for (number, JudgedComparison { judge, comparison }) in rows.iter().enumerate() {
            let known = usize::from(*judge) < judges;
            let expected = "a number below that of judges";
            check_argument("judge of a row", f64::from(*judge), known, expected)?;
            check_pair(number, comparison.a.into(), comparison.b.into(), systems)?;
        }
        Comparisons::new(systems, rows.iter().map(|row| row.comparison).collect())?;
        let keys = rows.iter().map(key);
        let mut numbers: BTreeMap<_, usize> = keys.map(|key| (key, 0)).collect();
        for (number, place) in numbers.values_mut().enumerate() {
            *place = number;
        }
        let empty = numbers.keys().map(|&(judge, a, b)| Cell {
            judge: judge.into(),
            a: a.into(),
            b: b.into(),
            outcome: [0.0; 3],
        });
        Ok(Cells {
            empty: empty.collect(),
            rows: rows
                .iter()
                .map(|row| (numbers[&key(row)], outcome(row)))
                .collect(),
        })
    }

    /// All rows, each once.
    pub(super) fn all(&self) -> Vec<Cell> {
        self.weighted(|_| 1.0)
    }

    /// The rows, each as often as `times` says of its position; cells without any left out.
    pub(super) fn weighted(&self, times: impl Fn(usize) -> f64) -> Vec<Cell> {
        let mut cells = self.empty.clone();
        for (row, &(cell, outcome)) in self.rows.iter().enumerate() {
            let times = times(row);
            for (sum, more) in cells[cell].outcome.iter_mut().zip(outcome) {
                *sum += times * more;
            }
        }
        cells.retain(|cell| cell.games() > 0.0);
        cells
    }
}

/// The judge and the pair, the lower system first.
fn key(row: &JudgedComparison) -> (u16, u16, u16) {
    let (a, b) = (row.comparison.a, row.comparison.b);
    (row.judge, a.min(b), a.max(b))
}

/// The outcome with the lower system first.
fn outcome(row: &JudgedComparison) -> [f64; 3] {
    let [first, tie, second] = row.comparison.outcome();
    if row.comparison.a < row.comparison.b {
        [first, tie, second]
    } else {
        [second, tie, first]
    }
}

/// The comparisons of all judges together.
pub(super) fn tally(cells: &[Cell], systems: usize) -> Tally {
    let mut tally = Tally::sized(systems);
    for cell in cells {
        let [wins, ties, losses] = cell.outcome;
        tally.add_checked(cell.a, cell.b, wins, ties, losses);
    }
    tally
}

/// The cells between systems of finite strength.
pub(super) fn among(cells: &[Cell], estimates: &[Estimate]) -> Vec<Cell> {
    let finite = |system: usize| estimates[system].finite().is_some();
    let both = cells.iter().filter(|cell| finite(cell.a) && finite(cell.b));
    both.copied().collect()
}
