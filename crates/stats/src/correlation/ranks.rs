//! Ranks with ties.

use crate::index::ascending_positions;

/// Mid-ranks from 1: equal values share the mean of the ranks that they take together. No value may
/// be NaN (a NaN is ranked by its bits); 0 and -0 are equal.
pub fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for equal in ascending_positions(values).chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = below as f64 + (equal.len() + 1) as f64 / 2.0;
        for &i in equal {
            ranks[i] = rank;
        }
        below += equal.len();
    }
    ranks
}

/// The mid-ranks from 1 of values in ascending order, given how often each occurs.
pub(crate) fn mid_ranks_of_counts(counts: &[f64]) -> Vec<f64> {
    let (mut below, mut ranks) = (0.0, Vec::with_capacity(counts.len()));
    for count in counts {
        below += count;
        ranks.push(below - count + (count + 1.0) / 2.0);
    }
    ranks
}

/// Ranks from 0 without gaps: equal values share a rank, and the next larger value has the next.
pub(super) fn dense_ranks(values: &[f64]) -> Vec<u32> {
    let mut ranks = vec![0; values.len()];
    let order = ascending_positions(values);
    let runs = order.chunk_by(|&a, &b| values[a] == values[b]);
    for (rank, equal) in (0..).zip(runs) {
        for &i in equal {
            ranks[i] = rank;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_a_rank() {
        let values = [3.0, 0.0, 3.0, -1.0, -0.0, 3.0];
        assert_eq!(mid_ranks(&values), [5.0, 2.5, 5.0, 1.0, 2.5, 5.0]);
        assert_eq!(dense_ranks(&values), [2, 1, 2, 0, 1, 2]);
        assert!(mid_ranks(&[]).is_empty());
    }
}
