//! The logistic function, the normal and Student's distributions: what every estimator takes
//! chances from; and the search for where a chance is reached.

use statrs::distribution::{Beta, ContinuousCDF, Normal, StudentsT};
use std::f64::consts::FRAC_1_SQRT_2;

/// The chance that a system which is ahead by `lead` log-odds wins, 1 / (1 + exp(-lead)); exact for
/// leads of either sign.
pub(crate) fn win_chance(lead: f64) -> f64 {
    1.0 / (1.0 + (-lead).exp())
}

/// The logarithm of [`win_chance`], without its loss of digits or underflow.
pub(crate) fn log_win_chance(lead: f64) -> f64 {
    lead.min(0.0) - (-lead.abs()).exp().ln_1p()
}

/// The information of `games` comparisons at a lead, games p (1 - p) with p its [`win_chance`].
pub(crate) fn win_information(games: f64, lead: f64) -> f64 {
    games * win_chance(lead) * win_chance(-lead)
}

/// The points of so many games less those that a lead promises. Not points - games p: that cancels
/// where the chance is close to 1.
pub(crate) fn surprise(points: f64, games: f64, lead: f64) -> f64 {
    points * win_chance(-lead) - (games - points) * win_chance(lead)
}

/// 1 / (1 + exp(-x)).
pub fn sigmoid(x: f64) -> f64 {
    win_chance(x)
}

/// The quantile at `share`, strictly between 0 and 1.
pub(crate) fn normal_quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

/// The quantile z at (1 + level) / 2: a normal interval at this level is z standard errors to
/// either side.
pub(crate) fn two_sided_quantile(level: f64) -> f64 {
    normal_quantile(0.5 + level / 2.0)
}

/// The chance of a value below `z`; that of one above it is `normal_below(-z)`.
pub(crate) fn normal_below(z: f64) -> f64 {
    libm::erfc(-z * FRAC_1_SQRT_2) / 2.0
}

/// The quantile at `share`, strictly between 0 and 1, for `freedom` degrees of freedom, at least 1
/// (fewer are taken as 1); the normal one where they are infinite.
pub(crate) fn student_quantile(share: f64, freedom: f64) -> f64 {
    if freedom.is_infinite() {
        return normal_quantile(share);
    }
    match StudentsT::new(0.0, 1.0, freedom.max(1.0)) {
        Ok(distribution) => distribution.inverse_cdf(share),
        Err(_) => f64::INFINITY,
    }
}

/// The quantile at `share`, strictly between 0 and 1, of a beta distribution with these shapes,
/// above 0.
pub(crate) fn beta_quantile(share: f64, a: f64, b: f64) -> f64 {
    match Beta::new(a, b) {
        Ok(distribution) => distribution.inverse_cdf(share),
        Err(_) => share,
    }
}

/// The probability of more than `t`, at least 0, for `freedom` degrees of freedom, at least 1; the
/// normal one where they are infinite.
pub(crate) fn student_above(t: f64, freedom: f64) -> f64 {
    if freedom.is_infinite() {
        return normal_below(-t);
    }
    match StudentsT::new(0.0, 1.0, freedom.max(1.0)) {
        Ok(distribution) => distribution.sf(t),
        Err(_) => 1.0,
    }
}

/// The chance of a value below `t`, with so many degrees of freedom, at least 1.
pub(crate) fn student_below(t: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(f64::NAN, |distribution| distribution.cdf(t))
}

/// Halves a range so many times: its lower end moves to the middle where that `belongs_below`, else
/// its upper end does. The two may stand the other way round.
pub(crate) fn halve_range(
    (mut low, mut high): (f64, f64),
    times: u32,
    belongs_below: impl Fn(f64) -> bool,
) -> (f64, f64) {
    for _ in 0..times {
        let middle = (low + high) / 2.0;
        if belongs_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, high)
}

/// Narrows a range to 2^-`halvings` of its width: its lower end moves to where `excess` is at least
/// 0, its upper end to where it is below. The two may stand the other way round.
///
/// It finds what [`halve_range`] finds, in a third of the steps where `excess` is smooth: the next
/// place is where the parabola through the last three has its zero, where it is sure to have one
/// between the bounds, else the middle (Chandrupatla 1997).
pub(crate) fn narrow_range(
    (low, high): (f64, f64),
    halvings: i32,
    excess: impl Fn(f64) -> f64,
) -> (f64, f64) {
    // Places are shares of the way from `low` to `high`. That the excess at either bound has its
    // sign is taken for granted.
    let excess = |share: f64| (share, excess(low + share * (high - low)));
    let width = 2f64.powi(-halvings);
    let ((_, at_low), (_, at_high)) = (excess(0.0), excess(1.0));
    let (mut near, mut far) = (
        (0.0, at_low.max(0.0)),
        (1.0, at_high.min(-f64::MIN_POSITIVE)),
    );
    let mut step = 0.5;
    while far.0 - near.0 > width {
        let found = excess(near.0 + step * (far.0 - near.0));
        let left = match found.1 >= 0.0 {
            true => std::mem::replace(&mut near, found),
            false => std::mem::replace(&mut far, found),
        };
        // The place just found is `last`, the bound on its other side `other`.
        let (last, other) = match found.1 >= 0.0 {
            true => (near, far),
            false => (far, near),
        };
        let place = (last.0 - other.0) / (left.0 - other.0);
        let rise = (last.1 - other.1) / (left.1 - other.1);
        let is_sure = rise.powi(2) < place && (1.0 - rise).powi(2) < 1.0 - place;
        let towards = match is_sure {
            true => {
                last.1 / (other.1 - last.1) * left.1 / (other.1 - left.1)
                    + (left.0 - last.0) / (other.0 - last.0) * last.1 / (left.1 - last.1) * other.1
                        / (left.1 - other.1)
            }
            false => 0.5,
        };
        let least = width / 2.0 / (far.0 - near.0);
        let towards = towards.max(least).min(1.0 - least);
        step = match found.1 >= 0.0 {
            true => towards,
            false => 1.0 - towards,
        };
    }
    (low + near.0 * (high - low), low + far.0 * (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_by_hand() {
        let lead = 3f64.ln();
        assert!(
            (win_chance(lead) - 0.75).abs() < 1e-15 && (win_chance(-lead) - 0.25).abs() < 1e-15
        );
        assert!(
            (log_win_chance(lead) - 0.75f64.ln()).abs() < 1e-15
                && (log_win_chance(-lead) - 0.25f64.ln()).abs() < 1e-15
        );
        assert_eq!(
            (
                win_chance(1e9),
                win_chance(-1e9),
                log_win_chance(1e9),
                log_win_chance(-1e9)
            ),
            (1.0, 0.0, 0.0, -1e9)
        );
    }

    #[test]
    fn it_agrees_with_another_program() {
        // Python's statistics.NormalDist: inv_cdf(0.975), inv_cdf(0.8), cdf(2).
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-12);
        assert!((normal_quantile(0.8) - 0.841_621_233_572_914_3).abs() < 1e-12);
        assert!((normal_below(2.0) - 0.977_249_868_051_820_8).abs() < 1e-15);
        // scipy.stats.norm.sf(10), scipy 1.17.1.
        assert!((normal_below(-10.0) / 7.619_853_024_160_527e-24 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn it_agrees_with_tables() {
        assert!((student_quantile(0.975, 1.0) - 12.706_204_736).abs() < 1e-6);
        assert!((student_quantile(0.975, 9.0) - 2.262_157_163).abs() < 1e-6);
        assert!((student_quantile(0.8, 4.0) - 0.940_964_58).abs() < 1e-6);
        // The normal distribution's; statrs is less exact there.
        assert!((student_quantile(0.975, 1e6) - 1.959_966).abs() < 2e-4);
    }

    #[test]
    fn the_range_closes_in_on_the_change_from_either_side() {
        let (low, high) = halve_range((0.0, 1.0), 20, |x| x * x < 0.5);
        assert!(low * low < 0.5 && high * high >= 0.5 && high - low == 0.5f64.powi(20));
        let (low, high) = halve_range((1.0, 0.0), 20, |x| x * x >= 0.5);
        assert!(low * low >= 0.5 && high * high < 0.5);
    }

    /// Smooth, steep, flat, with a jump, with no change at all: the halving is the slow twin.
    #[test]
    fn a_range_is_narrowed_to_what_halving_finds() {
        use std::cell::Cell;
        type Falling = fn(f64, f64) -> f64;
        let falling: [(Falling, i32); 7] = [
            (|x, root| root - x, 5),
            (|x, root| (-20.0 * x).exp() - (-20.0 * root).exp(), 16),
            (
                |x, root| normal_below(-3.0 * x) - normal_below(-3.0 * root),
                20,
            ),
            (|x, root| (root - x).powi(9), 60),
            (|x, root| (root - x).signum(), 60),
            (|x, root| ((root - x) * 7.0).floor() + 0.01, 60),
            (|x, root| (root - x) * 1e300 * (3.0 - x), 20),
        ];
        for (excess, at_most) in falling {
            for place in 0..50 {
                let root = f64::from(place) / 50.0 + 1e-5;
                for range in [(0.0, 1.0), (-3.0, 2.0)] {
                    let asked = Cell::new(0);
                    let ask = |x: f64| {
                        asked.set(asked.get() + 1);
                        excess(x, root)
                    };
                    let (low, high) = narrow_range(range, 40, ask);
                    let (low_twin, high_twin) = halve_range(range, 40, |x| excess(x, root) >= 0.0);
                    let width = 0.5f64.powi(39) * (range.1 - range.0);
                    let told = format!("{root} {range:?}: {low} {high}, {low_twin} {high_twin}");
                    assert!((low - low_twin).abs() < width, "{told}");
                    assert!((high - high_twin).abs() < width, "{told}");
                    assert!(low == range.0 || excess(low, root) >= 0.0, "{told}");
                    assert!(high == range.1 || excess(high, root) < 0.0, "{told}");
                    assert!(asked.get() <= at_most, "{told}: {}", asked.get());
                }
            }
        }
        let (low, high) = narrow_range((1.0, 0.0), 40, |x| x * x - 0.5);
        assert!(low * low >= 0.5 && high * high < 0.5 && (low - high).abs() <= 0.5f64.powi(40));
    }
}
