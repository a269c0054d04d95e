//! The maximum likelihood of a design, or which covariate has none.

use super::design::Design;
use super::newton::{self, Maximum};
use super::{ControlError, pass};
use crate::linear::Derivatives;

/// Leads along a direction below this part of the largest are rounding.
const FLAT: f64 = 1e-6;
/// A covariate has a part in a combination if it explains more than this share of the largest
/// value.
const PART: f64 = 1e-6;

/// The strengths and coefficients with the greatest likelihood, less ridge / 2 * sum of squared
/// strengths, from `start`, whose strengths have mean 0.
///
/// # Errors
/// Covariates without a coefficient: collinear or separating ones.
pub(super) fn climb(design: &Design, start: &[f64], ridge: f64) -> Result<Maximum, ControlError> {
    let scale = design.scale();
    let derivatives = |at: &[f64]| penalise(pass::derivatives(design, at), at, design, ridge);
    let found = newton::maximise(start.to_vec(), &scale, derivatives);
    let found = found.map_err(|dependent| {
        // Which earlier covariates determine this one. (Strengths come first, and are never
        // dependent.)
        let own = scale.get(dependent.row).copied().unwrap_or(1.0);
        let factors = dependent.factors.iter().zip(&scale).skip(design.systems);
        let parts = factors.map(|(factor, scale)| (factor * scale).abs());
        let by = parts.enumerate().filter(|&(_, part)| part > PART * own);
        ControlError::Collinear {
            covariate: dependent.row.saturating_sub(design.systems),
            by: by.map(|(covariate, _)| covariate).collect(),
        }
    })?;
    match find_separating(design, &found.step, &scale) {
        // A fit that has converged is finite, whatever its last step looks like.
        Some(covariate) if !found.fit.converged => Err(ControlError::Separated { covariate }),
        _ => Ok(found),
    }
}

/// If no row speaks against `direction` and some speak for it, the likelihood rises along it
/// without end (Albert and Anderson 1984); gives the covariate with the largest part in it.
fn find_separating(design: &Design, direction: &[f64], scale: &[f64]) -> Option<usize> {
    let parts = direction.iter().zip(scale).map(|(x, s)| x.abs() * s);
    let parts = parts.skip(design.systems).enumerate();
    let (covariate, _) = parts.max_by(|x, y| x.1.total_cmp(&y.1))?;
    let length = newton::largest_change(direction, scale);
    if length.is_nan() || length <= FLAT {
        return None;
    }
    let flat = FLAT * length;
    for run in &design.runs {
        let strengths = run.pair.map_or(0.0, |(i, j)| direction[i] - direction[j]);
        for row in run.rows.clone() {
            let covariates = design.columns.iter().zip(&direction[design.systems..]);
            let leads = covariates.map(|(column, coefficient)| coefficient * column[row]);
            let lead = strengths + leads.sum::<f64>();
            // Whether what came of the row gets less likely along the direction.
            let speaks_against = match design.won[row] {
                1.0 => lead < -flat,
                0.0 => lead > flat,
                _ => lead.abs() > flat,
            };
            if speaks_against {
                return None;
            }
        }
    }
    Some(covariate)
}

/// Takes the ridge off, and adds c * 1 1' to the information of the strengths. The likelihood does
/// not change when all strengths grow alike, so without this the matrix is singular; with it, steps
/// and sandwich are orthogonal to 1, which keeps the strengths at mean 0 and their covariance
/// relative to it, for every c > 0; c is of the size of the entries, so that it costs the matrix no
/// digits.
fn penalise(mut found: Derivatives, at: &[f64], design: &Design, ridge: f64) -> Derivatives {
    let n = at.len();
    let systems = design.systems;
    let trace: f64 = (0..systems).map(|i| found.information[i * n + i]).sum();
    let constant = trace / (systems * systems) as f64;
    for (i, strength) in at.iter().enumerate().take(systems) {
        for x in &mut found.information[i * n..=i * n + i] {
            *x += constant;
        }
        found.information[i * n + i] += ridge;
        found.gradient[i] -= ridge * strength;
    }
    found
}
