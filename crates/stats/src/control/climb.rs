//! The maximum likelihood of a design, or which covariate has none.

use super::design::{Design, Run};
use super::newton::{self, Derivatives, Maximum};
use super::{ControlError, pass};
use crate::linear::Dependent;

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
    let derivatives =
        |at: &[f64]| grounded(pass::derivatives(design, at), at, design.systems, ridge);
    let found = newton::maximise(start.to_vec(), &scale, derivatives)
        .map_err(|row| collinear(design, &row, &scale))?;
    match separating(design, &found.step, &scale) {
        Some(covariate) if !found.fit.converged => Err(ControlError::Separated { covariate }),
        _ => Ok(found),
    }
}

/// Takes the ridge off, and adds c * 1 1' to the information of the strengths. The likelihood does
/// not change when all strengths grow alike, so without this the matrix is singular; with it, steps
/// and sandwich are orthogonal to 1, which keeps the strengths at mean 0 and their covariance
/// relative to it, for every c > 0.
fn grounded(mut found: Derivatives, at: &[f64], systems: usize, ridge: f64) -> Derivatives {
    let n = at.len();
    let trace: f64 = (0..systems).map(|i| found.information[i * n + i]).sum();
    let constant = trace / (systems * systems) as f64;
    for (i, strength) in at.iter().enumerate().take(systems) {
        found.information[i * n..=i * n + i]
            .iter_mut()
            .for_each(|x| *x += constant);
        found.information[i * n + i] += ridge;
        found.gradient[i] -= ridge * strength;
    }
    found
}

/// Which earlier covariates determine the one in `row`. (Strengths come first, and are never
/// dependent.)
fn collinear(design: &Design, row: &Dependent, scale: &[f64]) -> ControlError {
    let factors = row.factors.iter().zip(scale).skip(design.systems);
    let own = scale.get(row.row).copied().unwrap_or(1.0);
    let by = factors
        .enumerate()
        .filter(|(_, (factor, scale))| (*factor * *scale).abs() > PART * own);
    ControlError::Collinear {
        covariate: row.row.saturating_sub(design.systems),
        by: by.map(|(j, _)| j).collect(),
    }
}

/// If no row speaks against `direction` and some speak for it, the likelihood rises along it
/// without end (Albert and Anderson 1984); gives the covariate with the largest part in it.
fn separating(design: &Design, direction: &[f64], scale: &[f64]) -> Option<usize> {
    let length = newton::length(direction, scale);
    let speaks_against = |(row, lead): (usize, f64)| match design.won[row] {
        1.0 => lead < -FLAT * length,
        0.0 => lead > FLAT * length,
        _ => lead.abs() > FLAT * length,
    };
    let leads = design.runs.iter().flat_map(|run| {
        run.rows
            .clone()
            .map(move |row| (row, lead(design, run, row, direction)))
    });
    let parts = direction
        .iter()
        .zip(scale)
        .map(|(x, s)| x.abs() * s)
        .skip(design.systems);
    let largest = parts.enumerate().max_by(|x, y| x.1.total_cmp(&y.1));
    largest
        .filter(|_| length > FLAT && !leads.into_iter().any(speaks_against))
        .map(|(covariate, _)| covariate)
}

fn lead(design: &Design, run: &Run, row: usize, at: &[f64]) -> f64 {
    let strengths = run.pair.map_or(0.0, |(i, j)| at[i] - at[j]);
    let covariates = design.columns.iter().zip(&at[design.systems..]);
    strengths
        + covariates
            .map(|(column, coefficient)| coefficient * column[row])
            .sum::<f64>()
}
