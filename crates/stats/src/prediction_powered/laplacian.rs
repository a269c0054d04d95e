//! The inverse of a graph's Laplacian on the vectors of mean 0, where strengths live.

/// The Moore-Penrose inverse of a k x k Laplacian (row-major, symmetric, rows sum to 0) of a connected graph; None where
/// it is not positive definite on the vectors of mean 0, in floating point.
///
/// With J the matrix of ones and c > 0: (L + c J/k)^-1 = L+ + J/(c k).  c is the mean of the diagonal, for good condition.
pub(super) fn pseudo_inverse(laplacian: &[f64], k: usize) -> Option<Vec<f64>> {
    let c = (0..k).map(|i| laplacian[i * k + i]).sum::<f64>() / k as f64;
    let lifted = laplacian.iter().map(|x| x + c / k as f64).collect();
    let lower = inverse_root(cholesky(lifted, k)?, k);
    let mut inverse = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..=i {
            let product: f64 = (i..k).map(|m| lower[m * k + i] * lower[m * k + j]).sum();
            inverse[i * k + j] = product - 1.0 / (c * k as f64);
            inverse[j * k + i] = inverse[i * k + j];
        }
    }
    inverse.iter().all(|x| x.is_finite()).then_some(inverse)
}

/// The lower triangle l with l l' = matrix; what is above the diagonal is not to be read.
fn cholesky(mut matrix: Vec<f64>, k: usize) -> Option<Vec<f64>> {
    for i in 0..k {
        for j in 0..=i {
            let known: f64 = (0..j).map(|m| matrix[i * k + m] * matrix[j * k + m]).sum();
            let rest = matrix[i * k + j] - known;
            matrix[i * k + j] = match i == j {
                true if rest > 0.0 => rest.sqrt(),
                true => return None,
                false => rest / matrix[j * k + j],
            };
        }
    }
    Some(matrix)
}

/// The inverse of a lower triangle, as a lower triangle.
fn inverse_root(lower: Vec<f64>, k: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; k * k];
    for j in 0..k {
        inverse[j * k + j] = 1.0 / lower[j * k + j];
        for i in j + 1..k {
            let sum: f64 = (j..i).map(|m| lower[i * k + m] * inverse[m * k + j]).sum();
            inverse[i * k + j] = -sum / lower[i * k + i];
        }
    }
    inverse
}

/// matrix * vector.
pub(super) fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(vector.len()).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

/// outer * inner * outer for symmetric k x k matrices.
pub(super) fn sandwich(outer: &[f64], inner: &[f64], k: usize) -> Vec<f64> {
    product(&product(outer, inner, k), outer, k)
}

fn product(left: &[f64], right: &[f64], k: usize) -> Vec<f64> {
    let mut result = vec![0.0; k * k];
    for (into, row) in result.chunks_exact_mut(k).zip(left.chunks_exact(k)) {
        for (factor, other) in row.iter().zip(right.chunks_exact(k)) {
            into.iter_mut().zip(other).for_each(|(cell, x)| *cell += factor * x);
        }
    }
    result
}

/// The sum of the diagonal.
pub(super) fn trace(matrix: &[f64], k: usize) -> f64 {
    (0..k).map(|i| matrix[i * k + i]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_three() {
        // numpy.linalg.pinv([[2, -2, 0], [-2, 3, -1], [0, -1, 1]]).
        let found = pseudo_inverse(&[2.0, -2.0, 0.0, -2.0, 3.0, -1.0, 0.0, -1.0, 1.0], 3).unwrap();
        let ninths = [3.0, 0.0, -3.0, 0.0, 1.5, -1.5, -3.0, -1.5, 4.5];
        assert!(found.iter().zip(ninths).all(|(x, y)| (x - y / 9.0).abs() < 1e-14), "{found:?}");
    }

    #[test]
    fn a_graph_that_is_not_connected_has_none() {
        assert_eq!(pseudo_inverse(&[0.0; 4], 2), None);
        let apart = [1.0, -1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0, 1.0];
        assert_eq!(pseudo_inverse(&apart, 4), None);
    }

    #[test]
    fn matrices_are_multiplied() {
        let (outer, inner) = ([1.0, 2.0, 2.0, 0.0], [1.0, 0.0, 0.0, 3.0]);
        assert_eq!(sandwich(&outer, &inner, 2), [13.0, 2.0, 2.0, 4.0]);
        assert_eq!((times(&outer, &[1.0, 1.0]), trace(&inner, 2)), (vec![3.0, 2.0], 4.0));
    }
}
