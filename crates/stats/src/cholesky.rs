//! Cholesky's decomposition, for matrices of up to a few thousand rows.

/// The lower triangle L of a symmetric positive definite n x n matrix L L'.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky {
    n: usize,
    /// Row-major, n x n; what is above the diagonal is not read.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Decomposes a row-major n x n matrix, of which the lower triangle is read.  None where it is not positive definite
    /// in floating point.
    pub(crate) fn new(n: usize, mut lower: Vec<f64>) -> Option<Cholesky> {
        for i in 0..n {
            let (above, own) = lower.split_at_mut(i * n);
            for j in 0..i {
                let row = &above[j * n..j * n + j + 1];
                own[j] = (own[j] - dot(&own[..j], &row[..j])) / row[j];
            }
            let rest = own[i] - dot(&own[..i], &own[..i]);
            own[i] = if rest > 0.0 { rest.sqrt() } else { return None };
        }
        Some(Cholesky { n, lower })
    }

    /// Replaces `right`, of length n, by the solution x of (L L') x = right.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        for i in 0..self.n {
            let row = self.row(i);
            right[i] = (right[i] - dot(&row[..i], &right[..i])) / row[i];
        }
        for i in (0..self.n).rev() {
            let row = self.row(i);
            right[i] /= row[i];
            let x = right[i];
            right[..i].iter_mut().zip(row).for_each(|(rest, l)| *rest -= x * l);
        }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * self.n..(i + 1) * self.n]
    }
}

/// The sum of products, in eight partial sums that the processor can keep apart; always in the same order.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (head_x, tail_x) = x.as_chunks::<8>();
    let (head_y, tail_y) = y.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in head_x.iter().zip(head_y) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let tail: f64 = tail_x.iter().zip(tail_y).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        // A = B B' + I with B(i, j) = sin(i + 2 j): positive definite; x is chosen and A x computed.
        let n = 21;
        let b = |i: usize, j: usize| ((i + 2 * j) as f64).sin();
        let cell = |i: usize, j: usize| (0..n).map(|k| b(i, k) * b(j, k)).sum::<f64>() + f64::from(u8::from(i == j));
        let matrix: Vec<f64> = (0..n * n).map(|at| cell(at / n, at % n)).collect();
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 3.5).collect();
        let mut right: Vec<f64> = (0..n).map(|i| (0..n).map(|j| cell(i, j) * x[j]).sum()).collect();
        Cholesky::new(n, matrix).unwrap().solve(&mut right);
        assert!(right.iter().zip(&x).all(|(found, x)| (found - x).abs() < 1e-10), "{right:?}");
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert!(Cholesky::new(2, vec![1.0, 0.0, 2.0, 1.0]).is_none());
        assert!(Cholesky::new(1, vec![f64::NAN]).is_none());
        assert!(Cholesky::new(0, vec![]).is_some());
    }
}
