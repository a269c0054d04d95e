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
}
