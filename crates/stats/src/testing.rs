//! Data for unit tests.

use crate::Tally;

/// A tally of rows (a, b, wins of a, ties, wins of b).
pub(crate) fn tally_of(systems: usize, rows: &[(usize, usize, f64, f64, f64)]) -> Tally {
    let mut tally = Tally::new(systems).unwrap();
    for &(a, b, wins, ties, losses) in rows {
        tally.add(a, b, wins, ties, losses).unwrap();
    }
    tally
}

/// A tally of rows (a, b, wins of a, wins of b).
pub(crate) fn tally_without_ties(systems: usize, rows: &[(usize, usize, f64, f64)]) -> Tally {
    let rows: Vec<_> = rows
        .iter()
        .map(|&(a, b, wins, losses)| (a, b, wins, 0.0, losses))
        .collect();
    tally_of(systems, &rows)
}
