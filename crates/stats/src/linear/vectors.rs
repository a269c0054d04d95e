//! Sums over lists of numbers, always added up in the same order.

/// The scalar product of two lists of the same length, in eight interleaved sums that the processor
/// can keep apart.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x8, x_rest), (y8, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in x8.iter().zip(y8) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(a, b)| a * b).sum();
    add_lanes(sums) + rest
}

/// The scalar products of a list with four others, at least as long: each number of `x` is fetched
/// once for all four.
pub(super) fn dots(x: &[f64], others: [&[f64]; 4]) -> [f64; 4] {
    let (x4, x_rest) = x.as_chunks::<4>();
    let [p, q, r, s] = others.map(|other| other[..x.len()].as_chunks::<4>());
    let mut sums = [[0.0; 4]; 4];
    for ((((x, p), q), r), s) in x4.iter().zip(p.0).zip(q.0).zip(r.0).zip(s.0) {
        for lane in 0..4 {
            sums[0][lane] += x[lane] * p[lane];
            sums[1][lane] += x[lane] * q[lane];
            sums[2][lane] += x[lane] * r[lane];
            sums[3][lane] += x[lane] * s[lane];
        }
    }
    let rest =
        [p, q, r, s].map(|(_, rest)| x_rest.iter().zip(rest).map(|(a, b)| a * b).sum::<f64>());
    std::array::from_fn(|at| (sums[at][0] + sums[at][2]) + (sums[at][1] + sums[at][3]) + rest[at])
}

/// The first four rows of length m; the last of all is repeated for those that are missing.
pub(super) fn four_rows(rows: &[f64], m: usize) -> [&[f64]; 4] {
    let last = rows.len() / m - 1;
    std::array::from_fn(|at| &rows[at.min(last) * m..(at.min(last) + 1) * m])
}

/// The sum, added up as in [`dot`].
pub(crate) fn lane_sum(x: &[f64]) -> f64 {
    let (x8, x_rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for a in x8 {
        for lane in 0..8 {
            sums[lane] += a[lane];
        }
    }
    add_lanes(sums) + x_rest.iter().sum::<f64>()
}

#[inline]
fn add_lanes(sums: [f64; 8]) -> f64 {
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// The largest absolute value; 0 of an empty list, NaN if one is NaN.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let mut most: f64 = 0.0;
    for value in values {
        let size = value.abs();
        // Also where the size is NaN.
        if !(most.is_nan() || size <= most) {
            most = size;
        }
    }
    most
}

/// The largest of numbers that are not negative; 0 where there is none.
#[inline]
pub(crate) fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// The values less their mean.
pub(crate) fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let mean = mean(&values);
    for value in &mut values {
        *value -= mean;
    }
    values
}

/// The mean, summed in order; NaN of an empty list.
pub(crate) fn mean(values: &[f64]) -> f64 {
    mean_of(values.iter().copied())
}

/// The mean of values that are not in a list, as [`mean`].
pub(crate) fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

/// The sum of the squared differences to `mean`, in order.
pub(crate) fn squared_deviations(values: &[f64], mean: f64) -> f64 {
    values.iter().map(|x| (x - mean) * (x - mean)).sum()
}

/// The standard deviation with n - 1; not a number below two values.
pub(crate) fn sample_deviation(values: &[f64]) -> f64 {
    let squares = squared_deviations(values, mean(values));
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// The standard error of the mean of two or more numbers.
pub(crate) fn error_of_mean(values: &[f64], mean: f64) -> f64 {
    let n = values.len() as f64;
    (squared_deviations(values, mean) / (n - 1.0) / n).sqrt()
}

/// `x - y`.
pub(crate) fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// Adds `factor * x` to the sums.
#[inline]
pub(crate) fn add_scaled(sums: &mut [f64], x: &[f64], factor: f64) {
    for (sum, x) in sums.iter_mut().zip(x) {
        *sum += factor * x;
    }
}

/// Adds `by` to the first of two numbers and takes it from the second.
#[inline]
pub(crate) fn move_apart(values: &mut [f64], (i, j): (usize, usize), by: f64) {
    values[i] += by;
    values[j] -= by;
}

/// The mean of (weight, value); None where no weight is above 0.
pub(crate) fn weighted_mean(terms: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut total, mut sum) = (0.0, 0.0);
    for (weight, value) in terms {
        total += weight;
        sum += weight * value;
    }
    (total > 0.0).then(|| sum / total)
}

/// Whether all numbers are finite.
pub(super) fn is_finite(values: &[f64]) -> bool {
    values.iter().all(|x| x.is_finite())
}

/// `from + length * step`.
pub(super) fn move_by(from: &[f64], step: &[f64], length: f64) -> Vec<f64> {
    from.iter().zip(step).map(|(x, d)| x + length * d).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_any_length() {
        for n in 0..20u32 {
            let x: Vec<f64> = (1..=n).map(f64::from).collect();
            let (once, squares) = (
                f64::from(n * (n + 1)) / 2.0,
                f64::from(n * (n + 1) * (2 * n + 1)) / 6.0,
            );
            assert_eq!((lane_sum(&x), dot(&x, &x)), (once, squares));
            let ones = vec![1.0; 30];
            assert_eq!(
                dots(&x, [&x, &ones, &x, &ones]),
                [squares, once, squares, once]
            );
        }
    }

    #[test]
    fn a_value_that_is_none_is_not_passed_over() {
        assert_eq!((largest(&[1.0, -3.0, 2.0]), largest(&[])), (3.0, 0.0));
        assert!(largest(&[f64::NAN, 1.0]).is_nan() && largest(&[1.0, f64::NAN]).is_nan());
        assert_eq!(centred(vec![1.0, 2.0, 6.0]), [-2.0, -1.0, 3.0]);
    }
}
