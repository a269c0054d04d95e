//! The sign-flip test: exact for few numbers, by a saddlepoint for many.

use crate::special::{narrow_range, normal_below};
use std::f64::consts::{LN_2, PI};

/// Up to so many numbers all patterns of signs are counted.
const COUNTED: usize = 32;

/// The sums of some numbers whose signs are flipped.
///
/// The sign-flip test (Fisher 1935, "The Design of Experiments", section 21) of numbers that are
/// symmetric around 0 asks for the share of the 2^m patterns of signs of the m numbers that are not
/// 0 whose sum is at least as far from 0 as the one that was found. It is exact for numbers that
/// would as well have had the other sign, whatever their sizes, and no p-value is below 2^(1-m),
/// however many patterns there are: nothing is drawn.
///
/// For more than [`COUNTED`] numbers the tail is the saddlepoint approximation of Lugannani and
/// Rice, whose error is relative to the tail, however far out (Robinson 1982, "Saddlepoint
/// approximations for permutation tests and confidence intervals"), with the second continuity
/// correction of Daniels (1987, "Tail probability approximations", section 6) where the numbers are
/// multiples of a step, as differences of whole scores are.
pub(crate) struct Flips {
    /// The sizes of the numbers that are not 0, descending.
    sizes: Vec<f64>,
    /// The sum that was found, without its sign.
    found: f64,
    /// The sums of the sizes in either half under all patterns, ascending; None for too many.
    halves: Option<[Vec<f64>; 2]>,
}

impl Flips {
    pub(crate) fn of(numbers: &[f64]) -> Flips {
        Flips::counted_up_to(COUNTED, numbers)
    }

    fn counted_up_to(counted: usize, numbers: &[f64]) -> Flips {
        let largest = numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let moved = || numbers.iter().filter(|x| x.abs() > 1e-12 * largest);
        let mut sizes: Vec<f64> = moved().map(|x| x.abs()).collect();
        sizes.sort_by(|one, other| other.total_cmp(one));
        let (one, other) = sizes.split_at(sizes.len() / 2);
        let halves = (sizes.len() <= counted).then(|| [one, other].map(signed_sums));
        let found = moved().sum::<f64>().abs();
        Flips {
            sizes,
            found,
            halves,
        }
    }

    /// How many numbers are not 0.
    pub(crate) fn moved(&self) -> usize {
        self.sizes.len()
    }

    /// The two-sided p-value of the sum that was found, in (0, 1]; 1 where all numbers are 0.
    pub(crate) fn p_value(&self) -> f64 {
        self.p_value_of(self.found)
    }

    /// The furthest sum from 0 whose p-value is not below alpha; None where that is any.
    pub(super) fn furthest_possible(&self, alpha: f64) -> Option<f64> {
        let total: f64 = self.sizes.iter().sum();
        if least_p_value(self.moved()) >= alpha {
            return None;
        }
        // The sum that was found is on the side of the end that the test says.
        let range = match self.p_value() < alpha {
            true => (0.0, self.found),
            false => (self.found, total),
        };
        let (kept, _) = narrow_range(range, HALVINGS, |sum| self.p_value_of(sum) - alpha);
        Some(kept)
    }

    fn p_value_of(&self, sum: f64) -> f64 {
        let total: f64 = self.sizes.iter().sum();
        // Sums in another order round differently: a hair less is as extreme.
        let limit = sum - 1e-9 * total;
        let least = least_p_value(self.moved());
        let p = match &self.halves {
            _ if limit <= 0.0 => 1.0,
            // The one pattern and its mirror are the furthest.
            _ if sum >= (1.0 - 1e-9) * total => least,
            Some([one, other]) => 2.0 * share_of_pairs(one, other, limit),
            None => 2.0 * tail_of_many(&self.sizes, sum),
        };
        p.clamp(least, 1.0)
    }
}

/// Halvings of the range in which the furthest possible sum lies.
const HALVINGS: i32 = 40;

/// The smallest p-value that so many moved numbers can give: 2^(1-m), at most 1.
pub fn least_p_value(moved: usize) -> f64 {
    let exponent = 1 - i32::try_from(moved).unwrap_or(i32::MAX);
    2f64.powi(exponent).clamp(f64::MIN_POSITIVE, 1.0)
}

/// The share of the pairs of numbers, both lists ascending, whose sum reaches the limit: the lists
/// are met from both ends (Horowitz and Sahni 1974).
fn share_of_pairs(one: &[f64], other: &[f64], limit: f64) -> f64 {
    let (mut reached, mut from) = (0, other.len());
    for sum in one {
        while from > 0 && sum + other[from - 1] >= limit {
            from -= 1;
        }
        reached += other.len() - from;
    }
    reached as f64 / (one.len() as f64 * other.len() as f64)
}

/// The sums of the sizes under all patterns of signs, ascending.
fn signed_sums(sizes: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for size in sizes {
        let (less, more) = (
            sums.iter().map(|sum| sum - size),
            sums.iter().map(|sum| sum + size),
        );
        sums = less.chain(more).collect();
    }
    sums.sort_by(f64::total_cmp);
    sums
}

/// The chance that a sum of the sizes with random signs is at least `found`.
///
/// Sizes that stand out make the sum's distribution one of several humps, which no saddlepoint
/// follows: their signs are counted, and the tail of the rest is taken for each pattern.
fn tail_of_many(sizes: &[f64], found: f64) -> f64 {
    let squares: f64 = sizes.iter().map(|a| a * a).sum();
    let outstanding = 2.5 * (squares / sizes.len() as f64).sqrt();
    let counted = sizes
        .iter()
        .take(MOST_OUTSTANDING)
        .filter(|a| **a > outstanding)
        .count();
    let (large, rest) = sizes.split_at(counted);
    // Verdicts have few sizes, each of them many times.
    let runs = rest.chunk_by(|one, other| one == other);
    let rest = Vec::from_iter(runs.map(|run| (run[0], run.len() as f64)));
    // Sums of multiples of a step are two steps apart.
    let spacing = step_of(sizes).map_or(0.0, |step| 2.0 * step);
    let patterns = 1_u32 << counted;
    let tails = (0..patterns).map(|pattern| {
        let signed = large.iter().enumerate();
        let signed = signed.map(|(place, a)| if pattern >> place & 1 == 1 { -a } else { *a });
        let needed = found - signed.sum::<f64>();
        if needed > 0.0 {
            saddlepoint_tail(&rest, needed, spacing)
        } else {
            1.0 - saddlepoint_tail(&rest, spacing - needed, spacing)
        }
    });
    tails.sum::<f64>() / f64::from(patterns)
}

/// At most so many sizes are taken for outstanding.
const MOST_OUTSTANDING: usize = 6;

/// The chance that a sum of sizes (each so many times) with random signs, whose values are
/// `spacing` apart (0: they are anywhere), is at least `found`, from 0.
fn saddlepoint_tail(sizes: &[(f64, f64)], found: f64, spacing: f64) -> f64 {
    let aim = found - spacing / 2.0;
    if aim <= 0.0 {
        return 0.5;
    }
    if aim >= sizes.iter().map(|(a, times)| a * times).sum() {
        return 0.0;
    }
    // K'(t) = sum a tanh(a t) bends downwards: Newton's steps from 0 never go too far.
    let mut t = 0.0;
    for _ in 0..500 {
        let (slope, curvature) = slope_and_curvature(sizes, t);
        let step = (aim - slope) / curvature;
        t += step;
        if step <= 1e-10 * t {
            break;
        }
    }
    if !t.is_finite() {
        return 0.0;
    }
    let generating: f64 = sizes.iter().map(|(a, times)| times * log_cosh(a * t)).sum();
    let w = (2.0 * (t * aim - generating)).max(0.0).sqrt();
    let scale = match spacing {
        0.0 => t,
        spacing => 2.0 / spacing * (spacing * t / 2.0).sinh(),
    };
    let u = scale * slope_and_curvature(sizes, t).1.sqrt();
    if w < 1e-4 || !u.is_finite() {
        return normal_below(-w);
    }
    let density = (-w * w / 2.0).exp() / (2.0 * PI).sqrt();
    (normal_below(-w) + density * (1.0 / u - 1.0 / w)).clamp(0.0, 1.0)
}

/// K'(t), the sum of a tanh(a t), and K''(t), the sum of (a / cosh(a t))^2, of one exponential for
/// each size, as most of a test's time goes into them.
fn slope_and_curvature(sizes: &[(f64, f64)], t: f64) -> (f64, f64) {
    sizes
        .iter()
        .fold((0.0, 0.0), |(slope, curvature), (a, times)| {
            let m = (-2.0 * a * t).exp_m1();
            let tanh = -m / (2.0 + m);
            let by_cosh = 4.0 * (1.0 + m) / (2.0 + m).powi(2);
            (
                slope + times * a * tanh,
                curvature + times * a * a * by_cosh,
            )
        })
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

/// Euclid's algorithm with remainders of either sign, which ends where nothing but rounding is
/// left.
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
            let (found, twin) = (Flips::of(&numbers).p_value(), by_counting(&numbers));
            assert!((found - twin).abs() < 1e-12, "{numbers:?}: {found} {twin}");
        }
        // 1, 2, 3, 2: only all plus and all minus reach 8, of 16 patterns; zeros do not matter.
        assert_eq!(
            Flips::of(&[1.0, 0.0, 2.0, 3.0, 2.0, 0.0]).p_value(),
            2.0 / 16.0
        );
        assert_eq!(Flips::of(&[0.0; 9]).p_value(), 1.0);
        assert_eq!(Flips::of(&[]).p_value(), 1.0);
    }

    /// Against all patterns of 22 to 26: any sizes, whole ones and thirds.
    #[test]
    fn the_saddlepoint_comes_near_the_count() {
        let shapes: [fn(f64) -> f64; 3] =
            [|x| x, |x| (x * 3.0).round(), |x| (x * 3.0).round() / 3.0];
        for (shape, form) in shapes.iter().enumerate() {
            for seed in 1..12 {
                let mut numbers: Vec<f64> = draws(22 + seed as usize % 5, seed * 77);
                let lean = seed as f64 / 40.0;
                numbers.iter_mut().for_each(|x| *x = form(*x + lean));
                let (found, count) = (
                    Flips::counted_up_to(1, &numbers).p_value(),
                    Flips::of(&numbers).p_value(),
                );
                let error = (found / count).ln().abs();
                assert!(error < 0.05, "{shape} {numbers:?}: {found} {count}");
            }
        }
    }

    /// One number that is larger than all others together is a hump of its own.
    #[test]
    fn a_number_that_stands_out_is_followed() {
        for seed in 1..8 {
            let mut numbers = draws(24, seed * 31);
            for large in [3.0, -9.0, 40.0] {
                numbers[5] = large;
                let (found, count) = (
                    Flips::counted_up_to(1, &numbers).p_value(),
                    Flips::of(&numbers).p_value(),
                );
                assert!(
                    (found / count).ln().abs() < 0.1,
                    "{numbers:?}: {found} {count}"
                );
            }
        }
    }

    #[test]
    fn equal_sizes_are_the_sign_test() {
        for (up, down) in [(18, 12), (40, 17), (9, 60), (200, 150), (3000, 2900)] {
            let numbers = [vec![0.5; up], vec![-0.5; down]].concat();
            let exact = crate::mcnemar(up as u32, down as u32).unwrap().exact_p;
            let found = Flips::of(&numbers).p_value();
            assert!(
                (found / exact).ln().abs() < 0.02,
                "{up} {down}: {found} {exact}"
            );
        }
    }

    #[test]
    fn no_number_of_numbers_is_too_many() {
        assert_eq!(Flips::of(&[-1.5; 40]).p_value(), 2f64.powi(-39));
        let many: Vec<f64> = (0..5000).map(|i| -1.0 - f64::from(i % 7) / 7.0).collect();
        assert_eq!(Flips::of(&many).p_value(), f64::MIN_POSITIVE);
        let mut nearly = many[..60].to_vec();
        nearly[30] = 1.0;
        let p = Flips::of(&nearly).p_value();
        assert!(p < 2f64.powi(-50) && p > 2f64.powi(-59), "{p}");
        assert_eq!(
            (least_p_value(0), least_p_value(1), least_p_value(6)),
            (1.0, 1.0, 1.0 / 32.0)
        );
    }

    #[test]
    fn the_furthest_possible_sum_is_where_p_reaches_alpha() {
        for seed in 1..40 {
            let numbers = draws(4 + seed as usize * 2, seed);
            let flips = Flips::of(&numbers);
            for alpha in [0.2, 0.05, 0.01] {
                let Some(furthest) = flips.furthest_possible(alpha) else {
                    assert!(least_p_value(numbers.len()) >= alpha);
                    continue;
                };
                let scale = 1.0 + furthest;
                assert!(flips.p_value_of(furthest) >= alpha);
                assert!(flips.p_value_of(furthest + 1e-6 * scale) < alpha);
                assert_eq!(flips.found > furthest, flips.p_value() < alpha);
            }
        }
    }
}
