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
    /// Sums of the squares and of the fourth powers of the sizes over the largest.
    squares: f64,
    fourths: f64,
}

impl ClusterSizes {
    /// Adds a cluster; one of no size does not count.
    pub(crate) fn add(&mut self, size: f64) {
        if size <= 0.0 {
            return;
        }
        self.count += 1;
        if size > self.largest {
            let shrunk = (self.largest / size).powi(2);
            self.squares *= shrunk;
            self.fourths *= shrunk * shrunk;
            self.largest = size;
        }
        let square = (size / self.largest).powi(2);
        self.squares += square;
        self.fourths += square * square;
    }

    /// As how many of one size these are, in whole clusters, the next above: 2 at least where there
    /// are 2.
    pub(crate) fn clusters(&self) -> usize {
        match self.count {
            0 | 1 => self.count,
            // Sums of equal sizes are whole but for rounding.
            _ => ((self.squares * self.squares / self.fourths - 1e-9).ceil() as usize).max(2),
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
}
