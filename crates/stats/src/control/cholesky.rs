//! Cholesky's decomposition of a dense symmetric matrix, by rows.

/// How much of a diagonal entry must be left after the earlier rows have been taken out of it; less is rounding.
const RANK_TOLERANCE: f64 = 1e-10;

/// The lower triangle L of a matrix A = L L'.
pub(super) struct Cholesky {
    size: usize,
    /// Row-major; what is above the diagonal is not read.
    lower: Vec<f64>,
}

/// A row that is a combination of the rows before it.
pub(super) struct Dependent {
    pub(super) row: usize,
    /// The combination: one factor for each earlier row.
    pub(super) factors: Vec<f64>,
}

impl Cholesky {
    /// Decomposes a symmetric matrix of `size` rows, of which only the lower triangle is read.
    ///
    /// # Errors
    /// The first row that the earlier ones determine: Golub and Van Loan 2013, section 4.2.
    pub(super) fn of(mut matrix: Vec<f64>, size: usize) -> Result<Cholesky, Dependent> {
        for i in 0..size {
            let (above, row) = matrix.split_at_mut(i * size);
            for j in 0..i {
                let other = &above[j * size..=j * size + j];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let left = row[i] - dot(&row[..i], &row[..i]);
            if left.is_nan() || left <= RANK_TOLERANCE * row[i] {
                let factors = row[..i].to_vec();
                return Err(Cholesky { size, lower: matrix }.dependent(i, factors));
            }
            row[i] = left.sqrt();
        }
        Ok(Cholesky { size, lower: matrix })
    }

    /// Solves A x = right.
    pub(super) fn solve(&self, right: &mut [f64]) {
        for i in 0..self.size.min(right.len()) {
            right[i] = (right[i] - dot(self.row(i), &right[..i])) / self.diagonal(i);
        }
        self.solve_upper(right);
    }

    /// Solves L' x = right for as many unknowns as `right` has.
    fn solve_upper(&self, right: &mut [f64]) {
        for i in (0..right.len()).rev() {
            let (earlier, rest) = right.split_at_mut(i);
            rest[0] /= self.diagonal(i);
            earlier.iter_mut().zip(self.row(i)).for_each(|(x, l)| *x -= rest[0] * l);
        }
    }

    fn dependent(&self, row: usize, mut factors: Vec<f64>) -> Dependent {
        self.solve_upper(&mut factors);
        Dependent { row, factors }
    }

    /// Row i up to the diagonal.
    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * self.size..i * self.size + i]
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.lower[i * self.size + i]
    }
}

/// The sum of products, in eight interleaved sums so that the processor can add several at once.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x8, y8) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = x8.remainder().iter().zip(y8.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 8];
    for (a, b) in x8.zip(y8) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    halves(sums) + rest
}

/// The sum, added up as in [`dot`].
pub(super) fn sum(x: &[f64]) -> f64 {
    let x8 = x.chunks_exact(8);
    let rest: f64 = x8.remainder().iter().sum();
    let mut sums = [0.0; 8];
    for a in x8 {
        for lane in 0..8 {
            sums[lane] += a[lane];
        }
    }
    halves(sums) + rest
}

fn halves(sums: [f64; 8]) -> f64 {
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved_by_hand() {
        // A = [[4, 2, 0], [2, 5, 2], [0, 2, 5]], x = (1, 2, 3): A x = (8, 18, 19).
        let factor = Cholesky::of(vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 0.0, 2.0, 5.0], 3).ok().unwrap();
        let mut x = vec![8.0, 18.0, 19.0];
        factor.solve(&mut x);
        assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-14), "{x:?}");
    }

    #[test]
    fn a_dependent_row_is_named_with_its_combination() {
        // Columns (1, 0), (0, 2) and their combination 3, -1/2: (3, -1); A is their inner products.
        let matrix = vec![1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 3.0, -2.0, 10.0];
        let found = Cholesky::of(matrix, 3).err().unwrap();
        assert_eq!((found.row, found.factors), (2, vec![3.0, -0.5]));
        assert_eq!(Cholesky::of(vec![0.0], 1).err().unwrap().row, 0);
        assert_eq!(Cholesky::of(vec![f64::NAN], 1).err().unwrap().row, 0);
    }

    #[test]
    fn sums_of_any_length() {
        let x: Vec<f64> = (1..12).map(f64::from).collect();
        assert_eq!((sum(&x), dot(&x, &x), dot(&x[..3], &x[..3])), (66.0, 506.0, 14.0));
    }
}
