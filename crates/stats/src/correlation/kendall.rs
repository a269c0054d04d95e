//! Kendall's tau-b by exact counts of pairs.

use super::ranks::dense_ranks;
use super::{Correlation, check_points};
use crate::checks::ensure;
use crate::{Error, Undefined};

/// How the pairs of points are ordered by two variables; exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KendallCounts {
    /// Pairs that both variables order, in the same way.
    pub concordant: u64,
    /// Pairs that both variables order, in opposite ways.
    pub discordant: u64,
    /// Pairs tied in x and not in y.
    pub tied_x: u64,
    /// Pairs tied in y and not in x.
    pub tied_y: u64,
    /// Pairs tied in both.
    pub tied_both: u64,
}

impl KendallCounts {
    /// All pairs.
    pub fn pairs(&self) -> u64 {
        self.concordant + self.discordant + self.tied_x + self.tied_y + self.tied_both
    }

    /// (C - D) / sqrt((C + D + T_x)(C + D + T_y)) (Kendall 1945), T_x the pairs tied in x alone,
    /// T_y in y alone; from -1 to 1.
    ///
    /// # Errors
    /// No pairs ([`Undefined::NoPairs`]); all pairs tied in a variable ([`Undefined::Constant`]).
    pub fn tau_b(&self) -> Result<f64, Undefined> {
        ensure(self.pairs() > 0, || Undefined::NoPairs)?;
        let ordered = self.concordant + self.discordant;
        let by_x = (ordered + self.tied_y) as f64;
        let by_y = (ordered + self.tied_x) as f64;
        ensure(by_x * by_y > 0.0, || Undefined::Constant)?;
        let excess = (self.concordant as i64 - self.discordant as i64) as f64;
        Ok(excess / (by_x * by_y).sqrt())
    }
}

/// Kendall's tau-b of the points (x\[i\], y\[i\]), from -1 to 1; see [`KendallCounts::tau_b`].
///
/// # Errors
/// Lists of different length; a value that is NaN or beyond ±1e100; fewer than 2 points
/// ([`Undefined::TooFewPoints`]), a list of equal values ([`Undefined::Constant`]).
pub fn kendall_tau_b(x: &[f64], y: &[f64]) -> Result<f64, Error> {
    Correlation::KendallTauB.correlate(x, y)
}

/// The pairs of points (x\[i\], y\[i\]) by order, in O(n log n) (Knight 1966); up to 2^32 - 1
/// points.
///
/// # Errors
/// Lists of different length; a value that is NaN or beyond ±1e100; fewer than 2 points
/// ([`Undefined::TooFewPoints`]).
pub fn kendall_counts(x: &[f64], y: &[f64]) -> Result<KendallCounts, Error> {
    check_points(x, y)?;
    Ok(count_pairs(x, y))
}

/// For points that have been checked already.
pub(super) fn count_pairs(x: &[f64], y: &[f64]) -> KendallCounts {
    let mut points: Vec<(u32, u32)> = dense_ranks(x).into_iter().zip(dense_ranks(y)).collect();
    points.sort_unstable();
    let in_x = tied_pairs(&points, |point| point.0);
    let tied_both = tied_pairs(&points, |point| point);
    // In order of x, the pairs that y orders otherwise are those that sorting by y turns round.
    let mut y: Vec<u32> = points.iter().map(|point| point.1).collect();
    let discordant = sort_counting(&mut y);
    let in_y = tied_pairs(&y, |y| y);
    KendallCounts {
        concordant: pairs_of(y.len()) + tied_both - in_x - in_y - discordant,
        discordant,
        tied_x: in_x - tied_both,
        tied_y: in_y - tied_both,
        tied_both,
    }
}

fn pairs_of(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}

/// Pairs with the same key, among rows sorted by it.
fn tied_pairs<T: Copy, K: PartialEq>(rows: &[T], key: impl Fn(T) -> K) -> u64 {
    rows.chunk_by(|&a, &b| key(a) == key(b))
        .map(|equal| pairs_of(equal.len()))
        .sum()
}

/// Sorts by merging, and counts the pairs that stood in descending order.
fn sort_counting(values: &mut Vec<u32>) -> u64 {
    let (mut merged, mut width, mut count) = (values.clone(), 1, 0);
    while width < values.len() {
        for (from, to) in values.chunks(2 * width).zip(merged.chunks_mut(2 * width)) {
            let (left, right) = from.split_at(width.min(from.len()));
            count += merge_counting(left, right, to);
        }
        std::mem::swap(values, &mut merged);
        width *= 2;
    }
    count
}

/// Merges two sorted runs; counts the pairs of a left value above a right one.
fn merge_counting(left: &[u32], right: &[u32], to: &mut [u32]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    for slot in to {
        if j == right.len() || (i < left.len() && left[i] <= right[j]) {
            *slot = left[i];
            i += 1;
        } else {
            *slot = right[j];
            j += 1;
            count += (left.len() - i) as u64;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Points (1,1) (1,2) (2,2) (3,1): of the six pairs one is tied in x, two in y, (1,1)-(2,2)
        // is concordant, (1,2)-(3,1) and (2,2)-(3,1) are discordant; tau = -1 / sqrt(5 * 4).
        let found = kendall_counts(&[3.0, 1.0, 2.0, 1.0], &[1.0, 1.0, 2.0, 2.0]).unwrap();
        let expected = KendallCounts {
            concordant: 1,
            discordant: 2,
            tied_x: 1,
            tied_y: 2,
            tied_both: 0,
        };
        assert_eq!(found, expected);
        assert!((found.tau_b().unwrap() + 1.0 / 20.0f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn perfect_order_is_exactly_one() {
        for n in [2, 3, 7, 100, 1001] {
            let x: Vec<f64> = (0..n).map(f64::from).collect();
            let down: Vec<f64> = x.iter().map(|x| -x * x).collect();
            assert_eq!(
                (kendall_tau_b(&x, &x), kendall_tau_b(&x, &down)),
                (Ok(1.0), Ok(-1.0))
            );
        }
    }

    #[test]
    fn counts_beyond_32_bits_are_exact() {
        // 300,000 points in descending order but for y tied in threes: 100,000 groups of 3 pairs,
        // all else discordant.
        let n = 300_000u32;
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let y: Vec<f64> = (0..n).map(|i| -f64::from(i / 3)).collect();
        let found = kendall_counts(&x, &y).unwrap();
        assert_eq!(
            (found.concordant, found.tied_y, found.tied_x),
            (0, 300_000, 0)
        );
        assert_eq!(found.discordant, 300_000 * 299_999 / 2 - 300_000);
    }
}
