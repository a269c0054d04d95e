//! As how many clusters of one size clusters of unlike sizes are.

/// Clusters of some sizes, such as the weights that items have in a score.
///
/// A score is as far off as its clusters say, the large ones most: of a hundred items of which three
/// weigh as much as all others, it rests on three. What a cluster of size s adds varies by s² where
/// its rows say the same, and the estimated sum of such variances has (sum s²)² / sum s⁴ degrees of
/// freedom (Satterthwaite 1946), which is the number of clusters where they are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClusterSizes {
    count: usize,
    largest: f64,
    /// Sums of the first four powers of the sizes over the largest.
    powers: [f64; 4],
}

impl ClusterSizes {
    /// Adds a cluster; one of no size does not count.
    pub(crate) fn add(&mut self, size: f64) {
        if size <= 0.0 {
            return;
        }
        self.count += 1;
        if size > self.largest {
            let shrunk = self.largest / size;
            let each = self.powers.iter_mut().zip(1..);
            each.for_each(|(sum, power)| *sum *= shrunk.powi(power));
            self.largest = size;
        }
        let share = size / self.largest;
        let each = self.powers.iter_mut().zip(1..);
        each.for_each(|(sum, power)| *sum += share.powi(power));
    }

    /// As how many of one size these are, in whole clusters, the next above: 2 at least where there
    /// are 2.
    pub(crate) fn clusters(&self) -> usize {
        match self.count {
            0 | 1 => self.count,
            // Sums of equal sizes are whole but for rounding.
            _ => {
                let [_, squares, _, fourths] = self.powers;
                ((squares * squares / fourths - 1e-9).ceil() as usize).max(2)
            }
        }
    }

    /// How many times as large as the sum of squares around the common mean the sum around the
    /// truth is, on average: G / (G - 1) of G clusters of one size, more where a few large ones
    /// draw the mean to themselves. Each is away from it by s (x - m), m the mean of all, whose
    /// variance is s² - 2 s³ / S + s² Σ s² / S² times that of x, S the sum of sizes. Infinite of
    /// one cluster.
    pub(crate) fn correction(&self) -> f64 {
        let [sum, squares, cubes, _] = self.powers;
        let left = squares - 2.0 * cubes / sum + (squares / sum).powi(2);
        match left > 0.0 {
            true => squares / left,
            false => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[f64]) -> usize {
        let mut found = ClusterSizes::default();
        sizes.iter().for_each(|size| found.add(*size));
        found.clusters()
    }

    #[test]
    fn by_hand() {
        assert_eq!([of(&[]), of(&[0.0]), of(&[7.0])], [0, 0, 1]);
        assert_eq!([of(&[1e-100; 30]), of(&[1e100; 30])], [30, 30]);
        // (78 + 2 * 400)^2 / (78 + 2 * 160000) = 2.4.
        assert_eq!(of(&[vec![1.0; 78], vec![20.0; 2]].concat()), 3);
        assert_eq!(of(&[1.0, 0.0, 1.0]), 2);
        // (2 + 36)^2 / (2 + 1296) = 1.1.
        assert_eq!(of(&[1.0, 6.0, 1.0]), 2);
        // (97 + 3 * 400)^2 / (97 + 3 * 160000) = 3.5, in any order.
        let mut sizes = [vec![1.0; 97], vec![20.0; 3]].concat();
        assert_eq!(of(&sizes), 4);
        sizes.reverse();
        assert_eq!(of(&sizes), 4);
    }

    #[test]
    fn what_the_common_mean_takes_by_hand() {
        let of = |sizes: &[f64]| {
            let mut found = ClusterSizes::default();
            sizes.iter().for_each(|size| found.add(*size));
            found.correction()
        };
        assert_eq!(
            [of(&[7.0; 2]), of(&[0.1; 5]), of(&[3.0; 30])],
            [2.0, 1.25, 30.0 / 29.0]
        );
        assert_eq!(of(&[4.0]), f64::INFINITY);
        // 4860 / (4860 - 2 * 192060 / 180 + 4860^2 / 180^2), in any order.
        let mut sizes = [vec![1.0; 60], vec![40.0; 3]].concat();
        assert!((of(&sizes) - 4860.0 / 3455.0).abs() < 1e-12);
        sizes.reverse();
        assert!((of(&sizes) - 4860.0 / 3455.0).abs() < 1e-12);
    }
}
