//! The difficulty of instructions, from the preferences of many models over one reference.

use super::ControlError;
use super::input::{check_column, check_covariate};
use super::logistic::chance_at;
use crate::Fit;
use crate::checks::{
    Entry, check_argument, check_probability, check_some, check_system, check_weight,
};
use crate::linear::largest;

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
#[non_exhaustive]
pub struct FittedDifficulty {
    /// For each instruction its difficulty in log-odds, mean 0 over those that were judged; higher
    /// is easier for the models (harder for the reference). None if it was not judged.
    pub difficulty: Vec<Option<f64>>,
    /// How the fit ended.
    pub fit: Fit,
}

/// A model's skill theta and what a longer reference is worth to it, phi.
#[derive(Clone, Copy, Default)]
struct ModelWeights {
    skill: f64,
    length: f64,
}

/// The sums of one model: gradient and information of its two weights.
#[derive(Clone, Copy, Default)]
struct Sums {
    gradient: [f64; 2],
    /// Constant, product, length.
    information: [f64; 3],
}

impl Sums {
    /// Newton's step in two numbers; in the first alone if the length does not vary.
    fn newton_step(&self) -> [f64; 2] {
        let ([g, h], [a, b, c]) = (self.gradient, self.information);
        let determinant = a * c - b * b;
        if a == 0.0 {
            return [0.0; 2];
        }
        if determinant <= 1e-10 * a * c {
            return [(g / a).clamp(-LONGEST, LONGEST), 0.0];
        }
        let step = [(c * g - b * h) / determinant, (a * h - b * g) / determinant];
        let factor = (LONGEST / largest(&step)).min(1.0);
        step.map(|x| x * factor)
    }
}

/// One row: what was won beyond the chance, and the slope of the chance.
struct Residual {
    row: usize,
    surprise: f64,
    slope: f64,
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
/// ([`crate::Undefined::NoData`]). A model that won everything leaves the fit unconverged, and so
/// says [`Fit::converged`].
pub fn fit_difficulty(
    data: &JointPreferences,
    ridge: f64,
) -> Result<FittedDifficulty, ControlError> {
    check_data(data, ridge)?;
    let mut judged = vec![false; data.items];
    for &item in data.item {
        judged[item as usize] = true;
    }
    let mut joint = JointModel {
        data,
        difficulty: vec![0.0; data.items],
        models: vec![ModelWeights::default(); data.models],
    };
    // Instructions and models are moved in turn until a sweep moves next to nothing.
    let mut fit = Fit::unfinished();
    while !fit.converged && fit.iterations < MAX_SWEEPS {
        fit.iterations += 1;
        let items = joint.move_items(ridge);
        // Without this, what is common to all items would creep to the models sweep by sweep.
        let centre = joint.centre(&judged);
        let (models, gradient) = joint.move_models();
        fit.gradient = gradient;
        fit.converged = items.max(centre).max(models) <= NEGLIGIBLE;
    }
    let difficulty = joint.difficulty.iter().zip(&judged);
    let known = difficulty.map(|(&difficulty, &judged)| judged.then_some(difficulty));
    Ok(FittedDifficulty {
        difficulty: known.collect(),
        fit,
    })
}

fn check_data(data: &JointPreferences, ridge: f64) -> Result<(), ControlError> {
    let rows = data.model.len();
    check_column("item", data.item.len(), rows)?;
    check_column("preferred", data.preferred.len(), rows)?;
    check_column("length", data.length.len(), rows)?;
    check_weight(0, "ridge", ridge)?;
    check_argument("ridge", ridge, ridge != 0.0, "above 0")?;
    check_covariate(0, data.length)?;
    for row in 0..rows {
        check_system(row, data.model[row].into(), data.models)?;
        let item = Entry::new(row, "item", data.item[row].into());
        let known = (data.item[row] as usize) < data.items;
        item.require(known, "below the number of items")?;
        check_probability(row, "preferred", data.preferred[row])?;
    }
    Ok(check_some(rows)?)
}

/// The joint model at some point of the search.
struct JointModel<'a> {
    data: &'a JointPreferences<'a>,
    difficulty: Vec<f64>,
    models: Vec<ModelWeights>,
}

impl JointModel<'_> {
    /// One Newton step for every instruction; gives the longest.
    fn move_items(&mut self, ridge: f64) -> f64 {
        // The gradient and the information of each instruction, the ridge's included.
        let start = self.difficulty.iter().map(|gamma| (-ridge * gamma, ridge));
        let mut sums: Vec<(f64, f64)> = start.collect();
        for residual in self.residuals() {
            let (gradient, information) = &mut sums[self.data.item[residual.row] as usize];
            *gradient += residual.surprise;
            *information += residual.slope;
        }
        let mut longest = 0.0;
        for (difficulty, (gradient, information)) in self.difficulty.iter_mut().zip(sums) {
            let step: f64 = (gradient / information).clamp(-LONGEST, LONGEST);
            *difficulty += step;
            longest = f64::max(longest, step.abs());
        }
        longest
    }

    /// Moves what all instructions have in common to the models, where it costs no ridge; gives how
    /// much.
    fn centre(&mut self, judged: &[bool]) -> f64 {
        // The mean over the instructions judged; the others are at 0.
        let count = judged.iter().filter(|judged| **judged).count();
        let mean = self.difficulty.iter().sum::<f64>() / count as f64;
        for (difficulty, _) in self.difficulty.iter_mut().zip(judged).filter(|x| *x.1) {
            *difficulty -= mean;
        }
        for model in &mut self.models {
            model.skill += mean;
        }
        mean.abs()
    }

    /// One Newton step for every model; gives the longest, and the largest derivative before it.
    fn move_models(&mut self) -> (f64, f64) {
        let mut sums = vec![Sums::default(); self.models.len()];
        for Residual {
            row,
            surprise,
            slope,
        } in self.residuals()
        {
            let length = self.data.length[row];
            let sums = &mut sums[usize::from(self.data.model[row])];
            sums.gradient[0] += surprise;
            sums.gradient[1] += surprise * length;
            sums.information[0] += slope;
            sums.information[1] += slope * length;
            sums.information[2] += slope * length * length;
        }
        let (mut longest, mut steepest) = (0.0, 0.0);
        for (model, sums) in self.models.iter_mut().zip(&sums) {
            let [skill, length] = sums.newton_step();
            model.skill += skill;
            model.length += length;
            longest = f64::max(longest, skill.abs().max(length.abs()));
            let [by_skill, by_length] = sums.gradient;
            steepest = f64::max(steepest, by_skill.abs().max(by_length.abs()));
        }
        (longest, steepest)
    }

    fn residuals(&self) -> impl Iterator<Item = Residual> {
        let rows = 0..self.data.model.len();
        rows.map(|row| {
            let model = self.models[usize::from(self.data.model[row])];
            let difficulty = self.difficulty[self.data.item[row] as usize];
            let lead = model.skill + model.length * self.data.length[row] + difficulty;
            let chance = chance_at(lead);
            Residual {
                row,
                surprise: chance.surprise(self.data.preferred[row]),
                slope: chance.slope,
            }
        })
    }
}
