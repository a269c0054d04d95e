//! Laplacians of weighted graphs: rows and columns sum to 0, so strengths are determined up to
//! their origin.

use super::cholesky::Cholesky;
use super::vectors::{is_finite, mean};
use crate::index;
use crate::special::win_information;

/// Adds `weight` (e_i - e_j) (e_i - e_j)' to an m x m matrix: an edge of the graph.
pub(crate) fn add_edge(matrix: &mut [f64], m: usize, (i, j): (usize, usize), weight: f64) {
    matrix[i * m + i] += weight;
    matrix[j * m + j] += weight;
    matrix[i * m + j] -= weight;
    matrix[j * m + i] -= weight;
}

/// The information that comparisons have of strengths in log-odds: the Laplacian of the graph whose
/// edges weigh as much as the games of two have.
pub(crate) fn strength_information(
    strengths: &[f64],
    games: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let m = strengths.len();
    let mut matrix = vec![0.0; m * m];
    for (i, j) in index::pairs(m) {
        let weight = win_information(games(i, j), strengths[i] - strengths[j]);
        add_edge(&mut matrix, m, (i, j), weight);
    }
    matrix
}

/// Solves `matrix * x = right` for the Laplacian of a connected graph and a right side that sums to
/// 0, with the last unknown held at 0. None where the rest is not positive definite in floating
/// point.
pub(crate) fn laplacian_solve(matrix: &[f64], mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len().checked_sub(1)?;
    Cholesky::new(n, without_last(matrix, n + 1))?.solve(&mut right[..n]);
    right[n] = 0.0;
    Some(right)
}

/// The Moore-Penrose inverse of the Laplacian of a connected weighted graph of m nodes; None if
/// floating point cannot tell it from a disconnected one.
///
/// With the last node held at 0 the matrix is positive definite; the inverse of the rest, bordered
/// with zeros, becomes the Moore-Penrose inverse when its rows and columns are centred.
pub(crate) fn laplacian_inverse(matrix: &[f64], m: usize) -> Option<Vec<f64>> {
    let n = m.checked_sub(1)?;
    // Below the rounding of what was taken away, nothing is left.
    let kept = Cholesky::within(n, without_last(matrix, m), 1e-15).ok()?;
    let mut inverse = vec![0.0; m * m];
    let rows = inverse.chunks_mut(m);
    for (row, own) in rows.zip(kept.inverse().chunks(n.max(1))) {
        row[..n].copy_from_slice(own);
    }
    let means: Vec<f64> = inverse.chunks(m).map(mean).collect();
    let grand = mean(&means);
    for (row, own) in inverse.chunks_mut(m).zip(&means) {
        let own = grand - own;
        for (x, other) in row.iter_mut().zip(&means) {
            *x += own - other;
        }
    }
    is_finite(&inverse).then_some(inverse)
}

/// The matrix without its last row and column.
fn without_last(matrix: &[f64], m: usize) -> Vec<f64> {
    matrix
        .chunks_exact(m)
        .take(m - 1)
        .flat_map(|row| &row[..m - 1])
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sandwiched;
    use super::*;
    use proptest::prelude::*;

    fn laplacian(weights: &[f64], m: usize) -> Vec<f64> {
        let (mut matrix, mut weights) = (vec![0.0; m * m], weights.iter());
        let pairs = (0..m).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.for_each(|pair| add_edge(&mut matrix, m, pair, *weights.next().unwrap()));
        matrix
    }

    #[test]
    fn a_pair_by_hand() {
        // Laplacian of one edge of weight 2: eigenvalue 4 for (1, -1) / sqrt 2, so the inverse is
        // (1, -1; -1, 1) / 8.
        let inverse = laplacian_inverse(&[2.0, -2.0, -2.0, 2.0], 2).unwrap();
        assert!(
            inverse
                .iter()
                .zip([0.125, -0.125, -0.125, 0.125])
                .all(|(x, y)| (x - y).abs() < 1e-15)
        );
        assert_eq!(laplacian_inverse(&[0.0], 1), Some(vec![0.0]));
    }

    #[test]
    fn a_path_of_three() {
        let matrix = [2.0, -2.0, 0.0, -2.0, 3.0, -1.0, 0.0, -1.0, 1.0];
        // numpy.linalg.pinv of it.
        let ninths = [3.0, 0.0, -3.0, 0.0, 1.5, -1.5, -3.0, -1.5, 4.5];
        let found = laplacian_inverse(&matrix, 3).unwrap();
        assert!(
            found
                .iter()
                .zip(ninths)
                .all(|(x, y)| (x - y / 9.0).abs() < 1e-14),
            "{found:?}"
        );
        // x = (1, 0.5, 0) gives the right side (1, -0.5, -0.5).
        let x = laplacian_solve(&matrix, vec![1.0, -0.5, -0.5]).unwrap();
        assert!(
            x.iter()
                .zip([1.0, 0.5, 0.0])
                .all(|(a, b)| (a - b).abs() < 1e-15),
            "{x:?}"
        );
    }

    #[test]
    fn a_graph_that_is_not_connected_has_none() {
        assert_eq!(
            (
                laplacian_inverse(&[0.0; 4], 2),
                laplacian_solve(&[0.0; 4], vec![0.0; 2])
            ),
            (None, None)
        );
        let apart = [
            1.0, -1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0, 1.0,
        ];
        assert_eq!(laplacian_inverse(&apart, 4), None);
    }

    proptest! {
        /// Penrose's equations: A X A = A and X symmetric with rows that sum to 0, which A shares.
        #[test]
        fn the_inverse_is_one(weights in proptest::collection::vec(0.1..3.0f64, 210)) {
            let m = 21;
            let matrix = laplacian(&weights, m);
            let inverse = laplacian_inverse(&matrix, m).unwrap();
            let back = sandwiched(&matrix, &inverse, m);
            for (x, y) in back.iter().zip(&matrix) {
                prop_assert!((x - y).abs() < 1e-11);
            }
            prop_assert!(inverse.chunks(m).all(|row| row.iter().sum::<f64>().abs() < 1e-12));
        }
    }
}
