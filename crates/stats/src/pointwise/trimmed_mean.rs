//! The weighted trimmed mean.

use super::{total_weight, weight_of};
use crate::data::Cell;

/// The share that a trimmed mean cuts off at each end, in thousandths: 0 (the mean) to 499.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Trim(u16);

impl Trim {
    /// Cuts so many thousandths at each end; None for 500 and more, which would leave nothing.
    pub fn from_permille(permille: u16) -> Option<Trim> {
        (permille < 500).then_some(Trim(permille))
    }

    /// How many of `total` are cut off at each end: a whole number.
    pub(crate) fn cut_from(self, total: f64) -> f64 {
        (f64::from(self.0) * total / 1000.0).floor()
    }
}

impl Default for Trim {
    /// A tenth at each end.
    fn default() -> Self {
        Trim(100)
    }
}

/// The mean of the cells (in ascending order of score) without the lowest and highest, each counted
/// as often as its cluster's weight says: where the weights are counts, the trimmed mean of the
/// cells repeated as often. None if nothing counts.
pub(super) fn weighted_trimmed_mean(trim: Trim, column: &[Cell], weights: &[f64]) -> Option<f64> {
    let total = total_weight(column, weights);
    let (low, high) = (trim.cut_from(total), total - trim.cut_from(total));
    let (mut below, mut kept, mut sum) = (0.0, 0.0, 0.0);
    for cell in column {
        let above = below + weight_of(cell, weights);
        let inside = (f64::min(above, high) - f64::max(below, low)).max(0.0);
        (below, kept, sum) = (above, kept + inside, sum + inside * cell.score);
    }
    (kept > 0.0).then(|| sum / kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow twin: repeat, sort, cut, average.
    fn twin(trim: Trim, scores: &[f64], counts: &[u8]) -> Option<f64> {
        let mut all: Vec<f64> = scores
            .iter()
            .zip(counts)
            .flat_map(|(&x, &n)| std::iter::repeat_n(x, n.into()))
            .collect();
        all.sort_by(f64::total_cmp);
        let cut = all.len() * usize::from(trim.0) / 1000;
        let kept = &all[cut..all.len() - cut];
        (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64)
    }

    fn column(scores: &[f64]) -> Vec<Cell> {
        scores
            .iter()
            .zip(0..)
            .map(|(&score, cluster)| Cell { score, cluster })
            .collect()
    }

    #[test]
    fn ten_and_nine_by_hand() {
        // Of ten, one goes at each end: (1 + ... + 8) / 8 = 4.5. Of nine, a tenth is none: (0 +
        // ... + 8) / 9 = 4.
        let scores: Vec<f64> = (0..9).map(f64::from).chain([1000.0]).collect();
        assert_eq!(
            weighted_trimmed_mean(Trim::default(), &column(&scores), &[1.0; 10]),
            Some(4.5)
        );
        assert_eq!(
            weighted_trimmed_mean(Trim::default(), &column(&scores[..9]), &[1.0; 9]),
            Some(4.0)
        );
        assert_eq!(
            (
                Trim::from_permille(500),
                weighted_trimmed_mean(Trim(0), &[], &[])
            ),
            (None, None)
        );
    }

    proptest! {
        #[test]
        fn counts_are_repeats(rows in proptest::collection::vec((-5i8..5, 0u8..4), 0..12), permille in 0u16..500) {
            let (mut scores, counts): (Vec<f64>, Vec<u8>) = rows.into_iter().map(|(x, n)| (f64::from(x), n)).unzip();
            scores.sort_by(f64::total_cmp);
            let weights: Vec<f64> = counts.iter().map(|&n| n.into()).collect();
            prop_assert_eq!(weighted_trimmed_mean(Trim(permille), &column(&scores), &weights), twin(Trim(permille), &scores, &counts));
        }
    }
}
