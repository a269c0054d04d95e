//! The difficulty of instructions, from the preferences of many models over one reference.

use super::ControlError;
use super::input::{check_covariate, check_share, same_length};
use super::logistic::chance;
use crate::{Error, Fit, Undefined};

/// Sweeps before giving up.
const MAX_SWEEPS: usize = 1000;
/// A sweep that moves nothing by more than this (in log-odds) is the last.
const NEGLIGIBLE: f64 = 1e-11;
/// Longest step in log-odds.
const LONGEST: f64 = 2.0;

/// Preferences of many models over one reference, in columns with one entry for each judgment.
#[derive(Clone, Copy, Debug)]
pub struct JointPreferences<'a> {
    /// How many models there are; they are numbered from 0.
    pub models: usize,
    /// How many instructions there are; they are numbered from 0.
    pub items: usize,
    /// Whose output was judged.
    pub model: &'a [u16],
    /// On which instruction.
    pub item: &'a [u32],
    /// The share or probability, from 0 to 1, with which it was preferred to the reference.
    pub preferred: &'a [f64],
    /// Its [`super::length_feature`], computed within the model.
    pub length: &'a [f64],
}

/// Fitted difficulties.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedDifficulty {
    /// For each instruction its difficulty in log-odds, mean 0 over those that were judged; higher
    /// is easier for the models (harder for the reference). None if it was not judged.
    pub difficulty: Vec<Option<f64>>,
    /// How the fit ended.
    pub fit: Fit,
}

/// What is added up for one model: gradient and information of its two weights.
#[derive(Clone, Copy, Default)]
struct Sums {
    gradient: [f64; 2],
    /// Constant, product, length.
    information: [f64; 3],
}

/// The joint model of Dubois et al. 2024, section 3, with every model's weight of the difficulty at
/// 1: `log odds(model m preferred on item i) = theta_m + phi_m * length + gamma_i`, maximising the
/// log-likelihood less `ridge / 2 * sum of gamma^2`; gives gamma, for
/// [`super::fit_length_control`]. A ridge of 1 is a normal prior with standard deviation 1 (ridge
/// above 0, at most 1e100: without it an instruction that every model won has no finite
/// difficulty).
///
/// Newton's steps for instructions and for models take turns; time grows with the rows.
///
/// # Errors
/// A column of another length, a value out of range, a model or item that does not exist; no rows
/// ([`Undefined::NoData`]). A model that won everything leaves the fit unconverged, and so says
/// [`Fit::converged`].
pub fn fit_difficulty(
    data: &JointPreferences,
    ridge: f64,
) -> Result<FittedDifficulty, ControlError> {
    check(data, ridge)?;
    let (mut gamma, mut weights) = (vec![0.0; data.items], vec![[0.0; 2]; data.models]);
    let mut judged = vec![false; data.items];
    data.item
        .iter()
        .for_each(|&item| judged[item as usize] = true);
    let mut fit = Fit {
        iterations: 0,
        gradient: f64::MAX,
        converged: false,
    };
    while !fit.converged && fit.iterations < MAX_SWEEPS {
        fit.iterations += 1;
        let moved = (
            move_items(data, &mut gamma, &weights, ridge),
            centre(&mut gamma, &mut weights, &judged),
        );
        let (models, gradient) = move_models(data, &gamma, &mut weights);
        fit.gradient = gradient;
        fit.converged = moved.0.max(moved.1).max(models) <= NEGLIGIBLE;
    }
    let difficulty = gamma
        .iter()
        .zip(&judged)
        .map(|(&gamma, &judged)| judged.then_some(gamma))
        .collect();
    Ok(FittedDifficulty { difficulty, fit })
}

fn check(data: &JointPreferences, ridge: f64) -> Result<(), ControlError> {
    let columns = [
        ("item", data.item.len()),
        ("preferred", data.preferred.len()),
        ("length", data.length.len()),
    ];
    same_length(
        data.model.len(),
        columns.map(|(name, length)| (name.to_string(), length)),
    )?;
    crate::data::check_weight(0, "ridge", ridge)?;
    if ridge == 0.0 {
        return Err(Error::Value {
            row: 0,
            field: "ridge",
            value: ridge,
            expected: "above 0",
        }
        .into());
    }
    check_covariate(0, data.length)?;
    for row in 0..data.model.len() {
        check_row(data, row)?;
    }
    if data.model.is_empty() {
        Err(Undefined::NoData.into())
    } else {
        Ok(())
    }
}

fn check_row(data: &JointPreferences, row: usize) -> Result<(), Error> {
    crate::data::check_system(row, data.model[row].into(), data.models)?;
    if data.item[row] as usize >= data.items {
        return Err(Error::Value {
            row,
            field: "item",
            value: data.item[row].into(),
            expected: "below the number of items",
        });
    }
    check_share(row, "preferred", data.preferred[row])
}

/// For each row: its position, what was won beyond the chance, and the slope.
fn surprises<'a>(
    data: &'a JointPreferences,
    gamma: &'a [f64],
    weights: &'a [[f64; 2]],
) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
    (0..data.model.len()).map(|row| {
        let [theta, phi] = weights[usize::from(data.model[row])];
        let chance = chance(theta + phi * data.length[row] + gamma[data.item[row] as usize]);
        (row, chance.surprise(data.preferred[row]), chance.slope)
    })
}

/// One Newton step for every instruction; gives the longest.
fn move_items(data: &JointPreferences, gamma: &mut [f64], weights: &[[f64; 2]], ridge: f64) -> f64 {
    let mut sums: Vec<(f64, f64)> = gamma.iter().map(|gamma| (-ridge * gamma, ridge)).collect();
    for (row, surprise, slope) in surprises(data, gamma, weights) {
        let sum = &mut sums[data.item[row] as usize];
        *sum = (sum.0 + surprise, sum.1 + slope);
    }
    let steps = sums
        .iter()
        .map(|(gradient, information)| (gradient / information).clamp(-LONGEST, LONGEST));
    gamma
        .iter_mut()
        .zip(steps)
        .fold(0.0, |most, (gamma, step)| {
            *gamma += step;
            f64::max(most, step.abs())
        })
}

/// Moves what all instructions have in common to the models, where it costs no ridge; gives how
/// much.
fn centre(gamma: &mut [f64], weights: &mut [[f64; 2]], judged: &[bool]) -> f64 {
    let count = judged.iter().filter(|judged| **judged).count() as f64;
    let mean = gamma.iter().sum::<f64>() / count;
    gamma
        .iter_mut()
        .zip(judged)
        .filter(|(_, judged)| **judged)
        .for_each(|(gamma, _)| *gamma -= mean);
    weights.iter_mut().for_each(|[theta, _]| *theta += mean);
    mean.abs()
}

/// One Newton step for every model; gives the longest, and the largest derivative before it.
fn move_models(data: &JointPreferences, gamma: &[f64], weights: &mut [[f64; 2]]) -> (f64, f64) {
    let mut sums = vec![Sums::default(); weights.len()];
    for (row, surprise, slope) in surprises(data, gamma, weights) {
        let (sum, x) = (&mut sums[usize::from(data.model[row])], data.length[row]);
        sum.gradient = [sum.gradient[0] + surprise, sum.gradient[1] + surprise * x];
        let [constant, product, length] = sum.information;
        sum.information = [
            constant + slope,
            product + slope * x,
            length + slope * x * x,
        ];
    }
    let (mut longest, mut steepest) = (0.0, 0.0);
    for ([theta, phi], sum) in weights.iter_mut().zip(&sums) {
        let step = step(sum);
        *theta += step[0];
        *phi += step[1];
        longest = f64::max(longest, step[0].abs().max(step[1].abs()));
        steepest = f64::max(steepest, sum.gradient[0].abs().max(sum.gradient[1].abs()));
    }
    (longest, steepest)
}

/// Newton's step in two numbers; in the first alone if the length does not vary.
fn step(sum: &Sums) -> [f64; 2] {
    let ([g, h], [a, b, c]) = (sum.gradient, sum.information);
    let determinant = a * c - b * b;
    if a == 0.0 {
        return [0.0; 2];
    }
    if determinant <= 1e-10 * a * c {
        return [(g / a).clamp(-LONGEST, LONGEST), 0.0];
    }
    let (x, y) = ((c * g - b * h) / determinant, (a * h - b * g) / determinant);
    let shorten = (LONGEST / x.abs().max(y.abs())).min(1.0);
    [x * shorten, y * shorten]
}
