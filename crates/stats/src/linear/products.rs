//! Products of symmetric matrices.

use super::vectors::{dots, four_rows};

/// Rows that are multiplied together while they are in the cache.
const TILE: usize = 16;

/// `a * b * a` for two symmetric m x m matrices, exactly symmetric.
pub(crate) fn sandwiched(a: &[f64], b: &[f64], m: usize) -> Vec<f64> {
    let mut product = multiply(&multiply(a, b, m, |_| m), a, m, |last| last + 1);
    mirror(&mut product, m);
    product
}

/// `x * y` for an m x m matrix and a symmetric one. Of the rows up to `last` only the first
/// `columns(last)` entries are sure to be filled.
fn multiply(x: &[f64], y: &[f64], m: usize, columns: impl Fn(usize) -> usize) -> Vec<f64> {
    let mut product = vec![0.0; m * m];
    let size = TILE * m.max(1);
    for ((rows, into), first) in x
        .chunks(size)
        .zip(product.chunks_mut(size))
        .zip((0..m).step_by(TILE))
    {
        let last = m.min(first + TILE) - 1;
        for (j, column) in y.chunks(m).take(columns(last)).enumerate() {
            for (rows, into) in rows.chunks(4 * m).zip(into.chunks_mut(4 * m)) {
                let products = dots(column, four_rows(rows, m));
                for (into, product) in into.chunks_mut(m).zip(products) {
                    into[j] = product;
                }
            }
        }
    }
    product
}

/// Copies the lower triangle of an m x m matrix to the upper.
pub(crate) fn mirror(matrix: &mut [f64], m: usize) {
    for i in 0..m {
        for j in 0..i {
            matrix[j * m + i] = matrix[i * m + j];
        }
    }
}

/// The sum of the diagonal.
pub(crate) fn trace(matrix: &[f64], m: usize) -> f64 {
    (0..m).map(|i| matrix[i * m + i]).sum()
}

/// The n x n matrix with this number on the diagonal and zeros elsewhere.
pub(crate) fn diagonal(n: usize, entry: f64) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        matrix[i * n + i] = entry;
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_hand() {
        let (outer, inner) = ([1.0, 2.0, 2.0, 0.0], [1.0, 0.0, 0.0, 3.0]);
        assert_eq!(sandwiched(&outer, &inner, 2), [13.0, 2.0, 2.0, 4.0]);
        assert_eq!((trace(&inner, 2), sandwiched(&[], &[], 0)), (4.0, vec![]));
    }

    #[test]
    fn every_size_meets_its_twin() {
        for m in 1..40 {
            let cell =
                |at: usize, seed: f64| ((at / m * (at % m) + at / m + at % m) as f64 * seed).sin();
            let of = |seed: f64| (0..m * m).map(|at| cell(at, seed)).collect::<Vec<_>>();
            let (a, b) = (of(0.7), of(1.3));
            let by_definition = |x: &[f64], y: &[f64]| -> Vec<f64> {
                (0..m * m)
                    .map(|at| (0..m).map(|k| x[at / m * m + k] * y[k * m + at % m]).sum())
                    .collect()
            };
            let twin = by_definition(&by_definition(&a, &b), &a);
            let found = sandwiched(&a, &b, m);
            assert!(
                found.iter().zip(&twin).all(|(x, y)| (x - y).abs() < 1e-10),
                "{m}"
            );
        }
    }
}
