//! The weighted median.

use super::{total_weight, weight_of};
use crate::data::Cell;

/// The median of the cells (in ascending order of score), each counted as often as its cluster's
/// weight says: where the weights are counts, the median of the cells repeated as often. None if
/// nothing counts.
pub(super) fn weighted_median(column: &[Cell], weights: &[f64]) -> Option<f64> {
    let half = 0.5 * total_weight(column, weights);
    let mut counted = column
        .iter()
        .map(|cell| (weight_of(cell, weights), cell.score))
        .filter(|&(weight, _)| weight > 0.0);
    // The first score with half of the weight up to it.
    let mut below = 0.0;
    let (_, middle) = counted.find(|(weight, _)| {
        below += weight;
        below >= half
    })?;
    // Where exactly half is below, the median is between this score and the next.
    let next = counted.next().filter(|_| below <= half);
    let upper = next.map_or(middle, |(_, score)| score);
    Some(0.5 * middle + 0.5 * upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow twin: repeat, sort, take the middle.
    fn twin(scores: &[f64], counts: &[u8]) -> Option<f64> {
        let mut all: Vec<f64> = scores
            .iter()
            .zip(counts)
            .flat_map(|(&x, &n)| std::iter::repeat_n(x, n.into()))
            .collect();
        all.sort_by(f64::total_cmp);
        let n = all.len();
        (n > 0).then(|| 0.5 * all[(n - 1) / 2] + 0.5 * all[n / 2])
    }

    proptest! {
        #[test]
        fn counts_are_repeats(rows in proptest::collection::vec((-5i8..5, 0u8..4), 0..12)) {
            let (mut scores, counts): (Vec<f64>, Vec<u8>) = rows.into_iter().map(|(x, n)| (f64::from(x), n)).unzip();
            scores.sort_by(f64::total_cmp);
            let column: Vec<Cell> = scores.iter().zip(0..).map(|(&score, cluster)| Cell { score, cluster }).collect();
            let weights: Vec<f64> = counts.iter().map(|&n| n.into()).collect();
            prop_assert_eq!(weighted_median(&column, &weights), twin(&scores, &counts));
        }
    }
}
