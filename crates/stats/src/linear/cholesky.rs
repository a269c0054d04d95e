//! Cholesky's decomposition of a symmetric matrix, by rows (Golub and Van Loan 2013, section 4.2).
//!
//! Four rows are decomposed together, so that the rows above them are fetched from memory once for
//! all four.

use super::vectors::{dot, dots, four_rows};

/// How many rows are decomposed together.
const BLOCK: usize = 4;

/// The lower triangle L of a symmetric positive definite n x n matrix L L'.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky {
    n: usize,
    /// n x n; what is above the diagonal is not read.
    lower: Vec<f64>,
}

/// A row that is a combination of the rows before it.
#[derive(Debug)]
pub(crate) struct Dependent {
    pub(crate) row: usize,
    /// The combination: one factor for each earlier row.
    pub(crate) factors: Vec<f64>,
}

impl Cholesky {
    /// Decomposes an n x n matrix, of which the lower triangle is read. None where it is not
    /// positive definite in floating point.
    pub(crate) fn new(n: usize, matrix: Vec<f64>) -> Option<Cholesky> {
        Cholesky::within(n, matrix, 0.0).ok()
    }

    /// Decomposes an n x n matrix, of which the lower triangle is read. A row of which no more than
    /// the share `rounding` of its diagonal entry is left, when the rows before it have been taken
    /// out, counts as dependent on them.
    ///
    /// # Errors
    /// The first such row.
    pub(crate) fn within(
        n: usize,
        mut lower: Vec<f64>,
        rounding: f64,
    ) -> Result<Cholesky, Dependent> {
        let pivot = |rest: f64, diagonal: f64| (rest > rounding * diagonal).then(|| rest.sqrt());
        match decompose(n, &mut lower, pivot) {
            Ok(()) => Ok(Cholesky { n, lower }),
            Err(row) => {
                // The combination of earlier rows that the dependent row is.
                let decomposed = Cholesky { n, lower };
                let mut factors = decomposed.row(row)[..row].to_vec();
                decomposed.solve_upper(&mut factors);
                Err(Dependent { row, factors })
            }
        }
    }

    /// Replaces `right`, of length n, by the solution x of (L L') x = right.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        for i in 0..self.n {
            let row = self.row(i);
            right[i] = (right[i] - dot(&row[..i], &right[..i])) / row[i];
        }
        self.solve_upper(right);
    }

    /// Solves L' x = right for as many unknowns as `right` has.
    fn solve_upper(&self, right: &mut [f64]) {
        for i in (0..right.len()).rev() {
            let row = self.row(i);
            right[i] /= row[i];
            let x = right[i];
            for (rest, l) in right[..i].iter_mut().zip(row) {
                *rest -= x * l;
            }
        }
    }

    /// The inverse of L L', whole.
    pub(crate) fn inverse(&self) -> Vec<f64> {
        let n = self.n;
        let columns = self.inverse_columns();
        let mut inverse = vec![0.0; n * n];
        for first in (0..n).step_by(BLOCK) {
            for i in first..n {
                let products = dots(
                    &columns[i * n + i..(i + 1) * n],
                    four_rows(&columns[first * n..], n).map(|column| &column[i..]),
                );
                for (j, product) in (first..n).zip(products) {
                    (inverse[i * n + j], inverse[j * n + i]) = (product, product);
                }
            }
        }
        inverse
    }

    /// The columns of L^-1, as rows.
    fn inverse_columns(&self) -> Vec<f64> {
        let n = self.n;
        let mut columns = vec![0.0; n * n];
        for (block, first) in columns
            .chunks_mut(BLOCK * n.max(1))
            .zip((0..n).step_by(BLOCK))
        {
            for i in first..n {
                let row = self.row(i);
                let known = dots(
                    &row[first..i],
                    four_rows(block, n).map(|column| &column[first..]),
                );
                for ((column, known), j) in block.chunks_mut(n).zip(known).zip(first..=i) {
                    column[i] = (f64::from(u8::from(i == j)) - known) / row[i];
                }
            }
        }
        columns
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * self.n..(i + 1) * self.n]
    }
}

/// A lower triangle L, zeros above it, with L L' = matrix for an n x n matrix that is positive
/// semidefinite up to rounding: a pivot below 1e-10 of its diagonal entry counts as 0, with its
/// column.
pub(crate) fn semidefinite_root(n: usize, mut matrix: Vec<f64>) -> Vec<f64> {
    // This pivot refuses nothing, so there is no error.
    _ = decompose(n, &mut matrix, |rest, diagonal| {
        let kept = rest > 1e-10 * diagonal;
        Some(if kept { rest.sqrt() } else { 0.0 })
    });
    for (i, row) in matrix.chunks_mut(n.max(1)).enumerate() {
        row[i + 1..].fill(0.0);
    }
    matrix
}

/// Makes the lower triangle of a matrix that of its decomposition. `pivot` gives the diagonal from
/// what is left of the matrix's diagonal entry, and that entry.
///
/// # Errors
/// The first row that `pivot` refuses; the rows before it are decomposed, and it is up to its
/// diagonal.
fn decompose(
    n: usize,
    lower: &mut [f64],
    pivot: impl Fn(f64, f64) -> Option<f64>,
) -> Result<(), usize> {
    for first in (0..n).step_by(BLOCK) {
        let (above, below) = lower.split_at_mut(first * n);
        let block = &mut below[..BLOCK.min(n - first) * n];
        for (j, row) in above.chunks(n).enumerate() {
            // One row from memory serves four rows in the cache.
            let known = dots(&row[..j], four_rows(block, n));
            for (own, known) in block.chunks_mut(n).zip(known) {
                own[j] = pivot_share(own[j] - known, row[j]);
            }
        }
        for i in 0..block.len() / n {
            let (above, own) = block.split_at_mut(i * n);
            let mut at = first;
            for row in above.chunks(n) {
                own[at] = pivot_share(own[at] - dot(&own[..at], &row[..at]), row[at]);
                at += 1;
            }
            let rest = own[at] - dot(&own[..at], &own[..at]);
            own[at] = pivot(rest, own[at]).ok_or(at)?;
        }
    }
    Ok(())
}

/// The quotient; 0 where the pivot is.
#[inline]
fn pivot_share(rest: f64, pivot: f64) -> f64 {
    if pivot == 0.0 { 0.0 } else { rest / pivot }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = B B' + I with B(i, j) = sin(i + 2 j): positive definite.
    fn example(n: usize) -> Vec<f64> {
        let b = |i: usize, j: usize| ((i + 2 * j) as f64).sin();
        let cell = |i: usize, j: usize| {
            (0..n).map(|k| b(i, k) * b(j, k)).sum::<f64>() + f64::from(u8::from(i == j))
        };
        (0..n * n).map(|at| cell(at / n, at % n)).collect()
    }

    #[test]
    fn a_system_is_solved() {
        for n in 1..22 {
            let matrix = example(n);
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 3.5).collect();
            let mut right: Vec<f64> = matrix.chunks(n).map(|row| dot(row, &x)).collect();
            Cholesky::new(n, matrix).unwrap().solve(&mut right);
            assert!(
                right
                    .iter()
                    .zip(&x)
                    .all(|(found, x)| (found - x).abs() < 1e-10),
                "{n}: {right:?}"
            );
        }
    }

    #[test]
    fn a_system_is_solved_by_hand() {
        // A = [[4, 2, 0], [2, 5, 2], [0, 2, 5]], x = (1, 2, 3): A x = (8, 18, 19).
        let factor = Cholesky::new(3, vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 0.0, 2.0, 5.0]).unwrap();
        let mut x = vec![8.0, 18.0, 19.0];
        factor.solve(&mut x);
        assert!(
            x.iter()
                .zip([1.0, 2.0, 3.0])
                .all(|(a, b)| (a - b).abs() < 1e-14),
            "{x:?}"
        );
    }

    #[test]
    fn an_inverse_times_its_matrix_is_one() {
        for n in 0..22 {
            let matrix = example(n);
            let inverse = Cholesky::new(n, matrix.clone()).unwrap().inverse();
            for at in 0..n * n {
                let (i, j) = (at / n, at % n);
                let product = dot(&inverse[i * n..(i + 1) * n], &matrix[j * n..(j + 1) * n]);
                assert!(
                    (product - f64::from(u8::from(i == j))).abs() < 1e-10,
                    "{n}: {i} {j} {product}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert!(Cholesky::new(2, vec![1.0, 0.0, 2.0, 1.0]).is_none());
        assert!(Cholesky::new(1, vec![f64::NAN]).is_none());
        assert!(Cholesky::new(0, vec![]).is_some());
    }

    #[test]
    fn a_dependent_row_is_named_with_its_combination() {
        // Columns (1, 0), (0, 2) and their combination 3, -1/2: (3, -1); A is their inner products.
        let matrix = vec![1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 3.0, -2.0, 10.0];
        let found = Cholesky::within(3, matrix, 1e-10).unwrap_err();
        assert_eq!((found.row, found.factors), (2, vec![3.0, -0.5]));
        assert_eq!(Cholesky::within(1, vec![0.0], 1e-10).unwrap_err().row, 0);
        assert_eq!(
            Cholesky::within(1, vec![f64::NAN], 1e-10).unwrap_err().row,
            0
        );
    }

    #[test]
    fn a_root_squares_to_its_matrix() {
        // The Laplacian of the complete graph of 9 nodes has rank 8.
        let n = 9;
        let matrix: Vec<f64> = (0..n * n)
            .map(|at| if at / n == at % n { 8.0 } else { -1.0 })
            .collect();
        let root = semidefinite_root(n, matrix.clone());
        for (at, cell) in matrix.iter().enumerate() {
            let (i, j) = (at / n, at % n);
            assert!(
                (dot(&root[i * n..(i + 1) * n], &root[j * n..(j + 1) * n]) - cell).abs() < 1e-12
            );
            assert!(j <= i || root[at] == 0.0);
        }
        assert_eq!(root[n * n - 1], 0.0);
    }
}
