//! What a plan of comparisons can tell apart, before anything is spent.

use super::influence::information;
use super::{InferenceError, check_length, check_two};
use crate::bootstrap::{check_level, check_share};
use crate::linear::laplacian_inverse;
use crate::normal::normal_quantile;
use crate::{Error, Tally};

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
    if let Some(row) = strengths.iter().position(|x| !x.is_finite()) {
        return Err(Error::Value {
            row,
            field: "strength",
            value: strengths[row],
            expected: "of any sign",
        }
        .into());
    }
    let (m, systems) = (plan.systems(), (0..plan.systems()).collect::<Vec<usize>>());
    let inverse = laplacian_inverse(&information(plan, &systems, strengths), m)
        .ok_or(InferenceError::Singular)?;
    let variance = inverse[a * m + a] + inverse[b * m + b] - 2.0 * inverse[a * m + b];
    Ok((normal_quantile(0.5 + level / 2.0) + normal_quantile(power)) * variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

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
