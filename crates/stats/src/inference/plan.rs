//! The difference that a plan of comparisons can detect, before anything is spent.

use super::influence::invert_information;
use super::{InferenceError, check_length, check_two};
use crate::Tally;
use crate::checks::{check_finite, check_level, check_share};

use crate::special::{normal_quantile, two_sided_quantile};

/// The smallest true difference in Bradley-Terry strength, in log-odds, that a two-sided z test
/// finds with the given power: (z_(1+level)/2 + z_power) sqrt((e_a - e_b)' A⁻¹ (e_a - e_b)), with
/// A = Σ over pairs of n p (1 - p) (e_i - e_j) (e_i - e_j)' at the expected `strengths`.
///
/// `plan` holds how many comparisons each pair will have, whatever their outcome; they count as
/// independent, so several judgments of one item are worth less than this says.
///
/// # Errors
/// No such system; not one finite strength for each system; a bad level or power; a plan that does
/// not connect all systems ([`InferenceError::Singular`]).
pub fn detectable_strength(
    plan: &Tally,
    strengths: &[f64],
    (a, b): (usize, usize),
    level: f64,
    power: f64,
) -> Result<f64, InferenceError> {
    check_level(level)?;
    check_share("power", power)?;
    check_two(a, b, plan.systems())?;
    check_length("strengths", plan.systems(), strengths.len())?;
    check_finite("strength", strengths)?;
    let deviations = two_sided_quantile(level) + normal_quantile(power);
    let m = plan.systems();
    let systems: Vec<usize> = (0..m).collect();
    let inverse = invert_information(plan, &systems, strengths)?;
    let variance = inverse[a * m + a] + inverse[b * m + b] - 2.0 * inverse[a * m + b];
    Ok(deviations * variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn equal_systems_by_hand() {
        // Three equal systems, 100 comparisons a pair: conductance 25 each; a direct edge beside a
        // path of two is 37.5.
        let mut plan = Tally::new(3).unwrap();
        [(0, 1), (0, 2), (1, 2)]
            .iter()
            .for_each(|&(a, b)| plan.add(a, b, 0.0, 100.0, 0.0).unwrap());
        let found = detectable_strength(&plan, &[0.0; 3], (0, 2), 0.95, 0.8).unwrap();
        assert!(
            (found - 2.801_585_218_112_968_3 / 37.5f64.sqrt()).abs() < 1e-12,
            "{found}"
        );
    }

    #[test]
    fn what_is_undefined_is_said() {
        let mut plan = Tally::new(3).unwrap();
        plan.add(0, 1, 9.0, 0.0, 0.0).unwrap();
        let run =
            |strengths: &[f64], power| detectable_strength(&plan, strengths, (0, 1), 0.95, power);
        assert_eq!(run(&[0.0; 3], 0.8), Err(InferenceError::Singular));
        assert!(matches!(
            run(&[0.0; 2], 0.8),
            Err(InferenceError::Length { .. })
        ));
        assert!(matches!(
            run(&[0.0, f64::NAN, 0.0], 0.8),
            Err(InferenceError::Input(Error::Value { row: 1, .. }))
        ));
        assert!(matches!(
            run(&[0.0; 3], 1.0),
            Err(InferenceError::Input(Error::Share { .. }))
        ));
    }
}
