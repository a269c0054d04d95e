//! Raises a cluster's gradient to what it would be had the fit not given way to it.

use super::vectors::{dot, largest};

/// The most terms of the series: a share of 0.98 is then met to 1e-5.
const MOST_TERMS: u32 = 500;

/// Turns the gradient u of a cluster into (I - K S)^(-1/2) u, K being the cluster's own information
/// and S the inverse of the information of all clusters.
///
/// A fit gives way to each cluster by its share of the information, its leverage, so gradients at
/// the fit are too small. Raised so, the sum of their outer products is free of bias where the
/// model is right (CR2 of Bell and McCaffrey 2002, in the space of the parameters: V'(I - V S
/// V')^(-1/2) r is it for rows V'V = K with residuals r). Of G clusters that say equally much each
/// is raised by the root of G / (G - 1). Along what one cluster alone determines the gradient is 0,
/// and stays so.
///
/// `touched` are the t parameters that the cluster touches; `gradient` has t numbers and
/// `information`, symmetric, t x t; `inverse` is n x n.
pub(crate) fn raise_by_leverage(
    gradient: &mut [f64],
    information: &[f64],
    inverse: &[f64],
    n: usize,
    touched: &[usize],
) {
    let t = touched.len();
    // (1 - x)^(-1/2) = 1 + x / 2 + 3 x^2 / 8 + ..: each term is the one before times (2k - 1) x /
    // 2k.
    let mut term = gradient.to_vec();
    let mut step = vec![0.0; t];
    for k in 1..=MOST_TERMS {
        for (moved, &row) in step.iter_mut().zip(touched) {
            let row = &inverse[row * n..(row + 1) * n];
            *moved = touched.iter().zip(&term).map(|(&at, x)| row[at] * x).sum();
        }
        let factor = f64::from(2 * k - 1) / f64::from(2 * k);
        for (term, row) in term.iter_mut().zip(information.chunks_exact(t)) {
            *term = factor * dot(row, &step);
        }
        for (sum, term) in gradient.iter_mut().zip(&term) {
            *sum += term;
        }
        if largest(&term) <= 1e-13 * largest(gradient) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_one_number_by_hand() {
        // A share of 3/4 leaves a root of 1/4: twice as much.
        for (share, raised) in [(0.0, 1.0), (0.75, 2.0), (0.96, 5.0)] {
            let mut gradient = [3.0];
            raise_by_leverage(&mut gradient, &[2.0 * share], &[0.5], 1, &[0]);
            assert!((gradient[0] - 3.0 * raised).abs() < 1e-6, "{gradient:?}");
        }
    }

    #[test]
    fn raised_twice_it_is_what_leaving_the_cluster_out_says() {
        // (I - K S) of the gradient raised twice is the gradient.
        let information = [0.5, 0.2, 0.2, 0.3];
        let inverse = [0.9, 9.0, -0.3, 9.0, 9.0, 9.0, -0.3, 9.0, 0.8];
        let mut gradient = [1.0, -2.0];
        for _ in 0..2 {
            raise_by_leverage(&mut gradient, &information, &inverse, 3, &[0, 2]);
        }
        let [x, y] = gradient;
        let moved = [0.9 * x - 0.3 * y, -0.3 * x + 0.8 * y];
        let left = [
            x - 0.5 * moved[0] - 0.2 * moved[1],
            y - 0.2 * moved[0] - 0.3 * moved[1],
        ];
        assert!(
            (left[0] - 1.0).abs() < 1e-9 && (left[1] + 2.0).abs() < 1e-9,
            "{left:?}"
        );
    }

    #[test]
    fn what_one_cluster_alone_determines_stays() {
        let mut gradient = [0.0, 1.0];
        raise_by_leverage(
            &mut gradient,
            &[1.0, 0.0, 0.0, 0.5],
            &[1.0, 0.0, 0.0, 1.0],
            2,
            &[0, 1],
        );
        assert_eq!(gradient[0], 0.0);
        assert!((gradient[1] - 2f64.sqrt()).abs() < 1e-9);
    }
}
