//! The maximum likelihood of a design, or which covariate has none.

use super::design::{Design, Run};
use super::newton::{self, Maximum};
use super::{ControlError, pass};
use crate::linear::{Dependent, Derivatives};

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
    let found = found.map_err(|row| collinear_error(design, &row, &scale))?;
    match find_separating(design, &found.step, &scale) {
        // A fit that has converged is finite, whatever its last step looks like.
        Some(covariate) if !found.fit.converged => Err(ControlError::Separated { covariate }),
        _ => Ok(found),
    }
}

/// Takes the ridge off, and adds c * 1 1' to the information of the strengths. The likelihood does
/// not change when all strengths grow alike, so without this the matrix is singular; with it, steps
/// and sandwich are orthogonal to 1, which keeps the strengths at mean 0 and their covariance
/// relative to it, for every c > 0.
fn penalise(mut found: Derivatives, at: &[f64], design: &Design, ridge: f64) -> Derivatives {
    let (n, systems) = (at.len(), design.systems);
    let constant = mean_information(&found.information, n, systems);
    for (i, strength) in at.iter().enumerate().take(systems) {
        for x in &mut found.information[i * n..=i * n + i] {
            *x += constant;
        }
        found.information[i * n + i] += ridge;
        found.gradient[i] -= ridge * strength;
    }
    found
}

/// The c of [`penalise`]: of the size of the entries, so that it costs the matrix no digits.
fn mean_information(information: &[f64], n: usize, systems: usize) -> f64 {
    let trace: f64 = (0..systems).map(|i| information[i * n + i]).sum();
    trace / (systems * systems) as f64
}

/// Which earlier covariates determine the one in `row`. (Strengths come first, and are never
/// dependent.)
fn collinear_error(design: &Design, row: &Dependent, scale: &[f64]) -> ControlError {
    ControlError::Collinear {
        covariate: row.row.saturating_sub(design.systems),
        by: determining_covariates(design, row, scale),
    }
}

fn determining_covariates(design: &Design, row: &Dependent, scale: &[f64]) -> Vec<usize> {
    let own = scale.get(row.row).copied().unwrap_or(1.0);
    let factors = row.factors.iter().zip(scale).skip(design.systems);
    let parts = factors.map(|(factor, scale)| (factor * scale).abs());
    let by = parts.enumerate().filter(|&(_, part)| part > PART * own);
    by.map(|(covariate, _)| covariate).collect()
}

/// If no row speaks against `direction` and some speak for it, the likelihood rises along it
/// without end (Albert and Anderson 1984); gives the covariate with the largest part in it.
fn find_separating(design: &Design, direction: &[f64], scale: &[f64]) -> Option<usize> {
    let length = newton::largest_change(direction, scale);
    let covariate = largest_part(design, direction, scale).filter(|_| length > FLAT)?;
    let mut leads = leads_along(design, direction);
    let against = |(row, lead)| speaks_against(design.won[row], lead, FLAT * length);
    (!leads.any(against)).then_some(covariate)
}

/// The covariate with the largest part in a direction.
fn largest_part(design: &Design, direction: &[f64], scale: &[f64]) -> Option<usize> {
    let parts = direction.iter().zip(scale).map(|(x, s)| x.abs() * s);
    let parts = parts.skip(design.systems).enumerate();
    let largest = parts.max_by(|x, y| x.1.total_cmp(&y.1));
    largest.map(|(covariate, _)| covariate)
}

/// The lead of every row along a direction.
fn leads_along(design: &Design, direction: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    design.runs.iter().flat_map(move |run| {
        let rows = run.rows.clone();
        rows.map(move |row| (row, lead_of_row(design, run, row, direction)))
    })
}

/// Whether a row that won this share gets less likely with a lead; less than `flat` is rounding.
fn speaks_against(won: f64, lead: f64, flat: f64) -> bool {
    match won {
        1.0 => lead < -flat,
        0.0 => lead > flat,
        _ => lead.abs() > flat,
    }
}

fn lead_of_row(design: &Design, run: &Run, row: usize, at: &[f64]) -> f64 {
    let strengths = run.pair.map_or(0.0, |(i, j)| at[i] - at[j]);
    let covariates = design.columns.iter().zip(&at[design.systems..]);
    let leads = covariates.map(|(column, coefficient)| coefficient * column[row]);
    strengths + leads.sum::<f64>()
}
