//! Dense symmetric matrices, row-major: products by rows, Cholesky's decomposition, the inverse of a graph Laplacian.

/// Rows that are multiplied together while they are in the cache.
const TILE: usize = 16;

/// The scalar product of two lists of the same length, in eight sums that are added at the end.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    let mut lanes = [0.0; 8];
    for (a, b) in xs.zip(ys) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(lane, (a, b))| *lane += a * b);
    }
    lanes.iter().sum::<f64>() + rest
}

/// `x * y` for an m x m matrix and a symmetric one.
pub(super) fn times_symmetric(x: &[f64], y: &[f64], m: usize) -> Vec<f64> {
    let mut product = vec![0.0; m * m];
    for (rows, into) in x.chunks(TILE * m).zip(product.chunks_mut(TILE * m)) {
        for (j, column) in y.chunks(m).enumerate() {
            for (row, into) in rows.chunks(m).zip(into.chunks_mut(m)) {
                into[j] = dot(row, column);
            }
        }
    }
    product
}

/// `a * b * a` for two symmetric m x m matrices, exactly symmetric.
pub(super) fn sandwiched(a: &[f64], b: &[f64], m: usize) -> Vec<f64> {
    let mut product = times_symmetric(&times_symmetric(a, b, m), a, m);
    for i in 0..m {
        for j in 0..i {
            let mean = 0.5 * (product[i * m + j] + product[j * m + i]);
            (product[i * m + j], product[j * m + i]) = (mean, mean);
        }
    }
    product
}

/// The lower triangle l with `l * transposed(l) = matrix`, for the first n rows and columns of a matrix with rows of
/// length m; None if it is not positive definite in floating point.
fn cholesky(mut matrix: Vec<f64>, n: usize, m: usize) -> Option<Vec<f64>> {
    for i in 0..n {
        let (above, row) = matrix.split_at_mut(i * m);
        for j in 0..i {
            row[j] = (row[j] - dot(&row[..j], &above[j * m..j * m + j])) / above[j * m + j];
        }
        let rest = row[i] - dot(&row[..i], &row[..i]);
        // Below the rounding of what was taken away, nothing is left.
        if rest.is_nan() || rest <= 1e-15 * row[i] {
            return None;
        }
        row[i] = rest.sqrt();
        row[i + 1..m].fill(0.0);
    }
    Some(matrix)
}

/// A lower triangle l with `l * transposed(l) = matrix` for a matrix that is positive semidefinite up to rounding: a
/// pivot below 1e-10 of its diagonal counts as 0, with its column.
pub(super) fn semidefinite_root(mut matrix: Vec<f64>, m: usize) -> Vec<f64> {
    for i in 0..m {
        let (above, row) = matrix.split_at_mut(i * m);
        for j in 0..i {
            let pivot = above[j * m + j];
            row[j] = if pivot > 0.0 { (row[j] - dot(&row[..j], &above[j * m..j * m + j])) / pivot } else { 0.0 };
        }
        let rest = row[i] - dot(&row[..i], &row[..i]);
        row[i] = if rest > 1e-10 * row[i] { rest.sqrt() } else { 0.0 };
        row[i + 1..m].fill(0.0);
    }
    matrix
}

/// The Moore-Penrose inverse of the Laplacian of a connected weighted graph of m nodes; None if floating point cannot
/// tell it from a disconnected one.
///
/// With the last node held at 0 the matrix is positive definite; the inverse of the rest, bordered with zeros, becomes the
/// Moore-Penrose inverse when its rows and columns are centred.
pub(super) fn laplacian_inverse(matrix: Vec<f64>, m: usize) -> Option<Vec<f64>> {
    let n = m.checked_sub(1)?;
    let columns = transposed_inverse(&cholesky(matrix, n, m)?, n, m);
    let mut inverse = vec![0.0; m * m];
    for first in (0..n).step_by(TILE) {
        for j in 0..n.min(first + TILE) {
            for i in first.max(j)..n.min(first + TILE) {
                let value = dot(&columns[i * m + i..i * m + n], &columns[j * m + i..j * m + n]);
                (inverse[i * m + j], inverse[j * m + i]) = (value, value);
            }
        }
    }
    centre(&mut inverse, m);
    inverse.iter().all(|x| x.is_finite()).then_some(inverse)
}

/// The columns of the inverse of a lower triangle, as rows.
fn transposed_inverse(lower: &[f64], n: usize, m: usize) -> Vec<f64> {
    let mut rows = vec![0.0; n * m];
    for i in 0..n {
        let (above, row) = rows.split_at_mut(i * m);
        for k in 0..i {
            let factor = lower[i * m + k];
            row[..=k].iter_mut().zip(&above[k * m..]).for_each(|(x, y)| *x -= factor * y);
        }
        row[i] = 1.0;
        row[..=i].iter_mut().for_each(|x| *x /= lower[i * m + i]);
    }
    let mut columns = vec![0.0; n * m];
    for (i, row) in rows.chunks(m).enumerate() {
        row[..=i].iter().enumerate().for_each(|(j, x)| columns[j * m + i] = *x);
    }
    columns
}

/// Makes the rows and columns of a symmetric matrix sum to 0.
fn centre(matrix: &mut [f64], m: usize) {
    let means: Vec<f64> = matrix.chunks(m).map(|row| row.iter().sum::<f64>() / m as f64).collect();
    let grand = means.iter().sum::<f64>() / m as f64;
    for (row, own) in matrix.chunks_mut(m).zip(&means) {
        row.iter_mut().zip(&means).for_each(|(x, other)| *x += grand - own - other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn laplacian(weights: &[f64], m: usize) -> Vec<f64> {
        let (mut matrix, mut weights) = (vec![0.0; m * m], weights.iter());
        for (i, j) in (0..m).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let w = weights.next().unwrap();
            for (r, c, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                matrix[r * m + c] += sign * w;
            }
        }
        matrix
    }

    #[test]
    fn a_pair_by_hand() {
        // Laplacian of one edge of weight 2: eigenvalue 4 for (1, -1) / sqrt 2, so the inverse is (1, -1; -1, 1) / 8.
        let inverse = laplacian_inverse(vec![2.0, -2.0, -2.0, 2.0], 2).unwrap();
        assert!(inverse.iter().zip([0.125, -0.125, -0.125, 0.125]).all(|(x, y)| (x - y).abs() < 1e-15));
        assert_eq!(laplacian_inverse(vec![0.0; 4], 2), None);
        assert_eq!(laplacian_inverse(vec![0.0], 1), Some(vec![0.0]));
    }

    proptest! {
        /// Penrose's equations: A X A = A and X symmetric with rows that sum to 0, which A shares.
        #[test]
        fn the_inverse_is_one(weights in proptest::collection::vec(0.1..3.0f64, 210)) {
            let m = 21;
            let matrix = laplacian(&weights, m);
            let inverse = laplacian_inverse(matrix.clone(), m).unwrap();
            let back = sandwiched(&matrix, &inverse, m);
            for (x, y) in back.iter().zip(&matrix) {
                prop_assert!((x - y).abs() < 1e-11);
            }
            prop_assert!(inverse.chunks(m).all(|row| row.iter().sum::<f64>().abs() < 1e-12));
        }

        #[test]
        fn a_root_squares_to_its_matrix(weights in proptest::collection::vec(0.1..3.0f64, 36)) {
            let (m, matrix) = (9, laplacian(&weights, 9));
            let root = semidefinite_root(matrix.clone(), m);
            for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
                let product = dot(&root[i * m..(i + 1) * m], &root[j * m..(j + 1) * m]);
                prop_assert!((product - matrix[i * m + j]).abs() < 1e-8);
            }
        }
    }
}
