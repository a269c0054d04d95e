//! The sign-flip test: exact for few numbers, by a saddlepoint for many.

use crate::special::normal_below;
use std::f64::consts::{LN_2, PI};

/// Up to so many numbers all patterns of signs are counted.
const COUNTED: usize = 16;

/// The two-sided p-value of the sign-flip test (Fisher 1935, "The Design of Experiments", section
/// 21) that the numbers are symmetric around 0: the share of the 2^m patterns of signs of the m
/// numbers that are not 0 whose sum is at least as far from 0 as the one that was found. It is
/// exact for numbers that would as well have had the other sign, whatever their sizes, and never
/// below 2^(1-m), however many patterns there are: nothing is drawn.
///
/// For more than [`COUNTED`] numbers the tail is the saddlepoint approximation of Lugannani and
/// Rice, whose error is relative to the tail, however far out (Robinson 1982, "Saddlepoint
/// approximations for permutation tests and confidence intervals"), with the second continuity
/// correction of Daniels (1987, "Tail probability approximations", section 6) where the numbers
/// are multiples of a step, as differences of whole scores are.
///
/// In (0, 1]; 1 where all numbers are 0.
pub(crate) fn flip_p_value(numbers: &[f64]) -> f64 {
    let largest = numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let moved = || numbers.iter().filter(|x| x.abs() > 1e-12 * largest);
    let sizes: Vec<f64> = moved().map(|x| x.abs()).collect();
    let found = moved().sum::<f64>().abs();
    let least = least_p_value(sizes.len());
    let all_one_way = moved().all(|x| *x > 0.0) || moved().all(|x| *x < 0.0);
    let p = match sizes.len() {
        0 => 1.0,
        // The one pattern and its mirror are the furthest.
        _ if all_one_way => least,
        1..=COUNTED => count_patterns(&sizes, found),
        _ => 2.0 * tail_of_many(sizes, found),
    };
    p.clamp(least, 1.0)
}

/// The smallest p-value that so many moved numbers can give: 2^(1-m), at most 1.
pub fn least_p_value(moved: usize) -> f64 {
    let exponent = 1 - i32::try_from(moved).unwrap_or(i32::MAX);
    2f64.powi(exponent).clamp(f64::MIN_POSITIVE, 1.0)
}

/// The share of the patterns whose sum is as extreme. The first number keeps its sign: a pattern
/// and its mirror are equally far. Each pattern differs from the one before by one sign (Gray's
/// code).
fn count_patterns(sizes: &[f64], found: f64) -> f64 {
    let total: f64 = sizes.iter().sum();
    // Sums in another order round differently: a hair less is as extreme.
    let limit = found - 1e-9 * total;
    let patterns = 1_u32 << (sizes.len() - 1);
    let (mut sum, mut extreme) = (total, 0_u32);
    let mut signs = vec![1.0; sizes.len()];
    for pattern in 1..=patterns {
        extreme += u32::from(sum.abs() >= limit);
        let turned = pattern.trailing_zeros() as usize + 1;
        if turned < sizes.len() {
            signs[turned] = -signs[turned];
            sum += 2.0 * signs[turned] * sizes[turned];
        }
    }
    f64::from(extreme) / f64::from(patterns)
}

/// The chance that a sum of the sizes with random signs is at least `found`.
///
/// Sizes that stand out make the sum's distribution one of several humps, which no saddlepoint
/// follows: their signs are counted, and the tail of the rest is taken for each pattern.
fn tail_of_many(mut sizes: Vec<f64>, found: f64) -> f64 {
    sizes.sort_by(|one, other| other.total_cmp(one));
    let squares: f64 = sizes.iter().map(|a| a * a).sum();
    let outstanding = 2.5 * (squares / sizes.len() as f64).sqrt();
    let counted = sizes
        .iter()
        .take(MOST_OUTSTANDING)
        .filter(|a| **a > outstanding)
        .count();
    let (large, rest) = sizes.split_at(counted);
    // Sums of multiples of a step are two steps apart.
    let spacing = step_of(&sizes).map_or(0.0, |step| 2.0 * step);
    let patterns = 1_u32 << counted;
    let tails = (0..patterns).map(|pattern| {
        let signed = large.iter().enumerate();
        let signed = signed.map(|(place, a)| if pattern >> place & 1 == 1 { -a } else { *a });
        let needed = found - signed.sum::<f64>();
        if needed > 0.0 {
            saddlepoint_tail(rest, needed, spacing)
        } else {
            1.0 - saddlepoint_tail(rest, spacing - needed, spacing)
        }
    });
    tails.sum::<f64>() / f64::from(patterns)
}

/// At most so many sizes are taken for outstanding.
const MOST_OUTSTANDING: usize = 6;

/// The chance that a sum of the sizes with random signs, whose values are `spacing` apart (0: they
/// are anywhere), is at least `found`, from 0.
fn saddlepoint_tail(sizes: &[f64], found: f64, spacing: f64) -> f64 {
    let aim = found - spacing / 2.0;
    if aim <= 0.0 {
        return 0.5;
    }
    if aim >= sizes.iter().sum() {
        return 0.0;
    }
    // K'(t) = sum a tanh(a t) bends downwards: Newton's steps from 0 never go too far.
    let mut t = 0.0;
    for _ in 0..500 {
        let slope: f64 = sizes.iter().map(|a| a * (a * t).tanh()).sum();
        let step = (aim - slope) / curvature(sizes, t);
        t += step;
        if step <= 1e-10 * t {
            break;
        }
    }
    if !t.is_finite() {
        return 0.0;
    }
    let generating: f64 = sizes.iter().map(|a| log_cosh(a * t)).sum();
    let w = (2.0 * (t * aim - generating)).max(0.0).sqrt();
    let scale = match spacing {
        0.0 => t,
        spacing => 2.0 / spacing * (spacing * t / 2.0).sinh(),
    };
    let u = scale * curvature(sizes, t).sqrt();
    if w < 1e-4 || !u.is_finite() {
        return normal_below(-w);
    }
    let density = (-w * w / 2.0).exp() / (2.0 * PI).sqrt();
    (normal_below(-w) + density * (1.0 / u - 1.0 / w)).clamp(0.0, 1.0)
}

/// K''(t).
fn curvature(sizes: &[f64], t: f64) -> f64 {
    sizes.iter().map(|a| (a / (a * t).cosh()).powi(2)).sum()
}

/// log cosh x for x from 0, without overflow.
fn log_cosh(x: f64) -> f64 {
    x + (-2.0 * x).exp().ln_1p() - LN_2
}

/// The largest number that all sizes are multiples of, but for rounding to a millionth; None where
/// it is too small to matter.
fn step_of(sizes: &[f64]) -> Option<f64> {
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let rounding = (1e-9 * largest).max(2.5e-6);
    let step = sizes
        .iter()
        .fold(0.0, |step, size| common_step(*size, step, rounding));
    (step > 1e-3 * largest && step > 20.0 * rounding).then_some(step)
}

/// Euclid's algorithm with remainders of either sign, which ends where nothing but rounding is left.
fn common_step(mut one: f64, mut other: f64, rounding: f64) -> f64 {
    while other > rounding {
        (one, other) = (other, (one - other * (one / other).round()).abs());
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All patterns, one by one: the slow obvious twin.
    fn by_counting(numbers: &[f64]) -> f64 {
        let found = numbers.iter().sum::<f64>().abs() - 1e-9;
        let patterns = 1_u64 << numbers.len();
        let sum = |pattern: u64| {
            let signed = numbers.iter().enumerate();
            let signed = signed.map(|(place, x)| if pattern >> place & 1 == 1 { -x } else { *x });
            signed.sum::<f64>()
        };
        let extreme = (0..patterns).filter(|pattern| sum(*pattern).abs() >= found);
        extreme.count() as f64 / patterns as f64
    }

    fn draws(count: usize, mut state: u64) -> Vec<f64> {
        let mut uniform = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..count).map(|_| uniform() * 2.0 - 0.8).collect()
    }

    #[test]
    fn few_numbers_are_counted() {
        for seed in 1..30 {
            let numbers = draws(1 + seed as usize % 12, seed);
            let (found, twin) = (flip_p_value(&numbers), by_counting(&numbers));
            assert!((found - twin).abs() < 1e-12, "{numbers:?}: {found} {twin}");
        }
        // 1, 2, 3, 2: only all plus and all minus reach 8, of 16 patterns; zeros do not matter.
        assert_eq!(flip_p_value(&[1.0, 0.0, 2.0, 3.0, 2.0, 0.0]), 2.0 / 16.0);
        assert_eq!(flip_p_value(&[0.0; 9]), 1.0);
        assert_eq!(flip_p_value(&[]), 1.0);
    }

    /// Against all patterns of 17 to 20 numbers: any sizes, whole ones, thirds, and a few that are
    /// much larger than the rest.
    #[test]
    fn the_saddlepoint_comes_near_the_count() {
        let whole = |x: f64| (x * 3.0).round();
        let third = |x: f64| (x * 3.0).round() / 3.0;
        let tailed = |x: f64| x.powi(3) * 4.0;
        // The last has next to all of its variance in a few of the numbers.
        let shapes: [(fn(f64) -> f64, f64); 4] =
            [(|x| x, 0.03), (whole, 0.03), (third, 0.03), (tailed, 0.15)];
        for (shape, (form, most)) in shapes.iter().enumerate() {
            for seed in 1..12 {
                let mut numbers: Vec<f64> = draws(17 + seed as usize % 4, seed * 77);
                let lean = seed as f64 / 40.0;
                numbers.iter_mut().for_each(|x| *x = form(*x + lean));
                let numbers: Vec<f64> = numbers.into_iter().filter(|x| *x != 0.0).collect();
                let (found, twin) = (flip_p_value(&numbers), by_counting(&numbers));
                let error = (found / twin).ln().abs();
                assert!(error < *most, "{shape} {numbers:?}: {found} {twin}");
            }
        }
    }

    #[test]
    fn equal_sizes_are_the_sign_test() {
        for (up, down) in [(18, 12), (40, 17), (9, 60), (200, 150), (3000, 2900)] {
            let numbers = [vec![0.5; up], vec![-0.5; down]].concat();
            let exact = crate::mcnemar(up as u32, down as u32).unwrap().exact_p;
            let error = (flip_p_value(&numbers) / exact).ln().abs();
            assert!(
                error < 0.02,
                "{up} {down}: {} {exact}",
                flip_p_value(&numbers)
            );
        }
    }

    #[test]
    fn no_number_of_numbers_is_too_many() {
        assert_eq!(flip_p_value(&[-1.5; 40]), 2f64.powi(-39));
        let many: Vec<f64> = (0..5000).map(|i| -1.0 - f64::from(i % 7) / 7.0).collect();
        assert_eq!(flip_p_value(&many), f64::MIN_POSITIVE);
        let mut nearly = many[..60].to_vec();
        nearly[30] = 1.0;
        let p = flip_p_value(&nearly);
        assert!(p < 2f64.powi(-50) && p > 2f64.powi(-59), "{p}");
        assert_eq!(
            (least_p_value(0), least_p_value(1), least_p_value(6)),
            (1.0, 1.0, 1.0 / 32.0)
        );
    }
}
