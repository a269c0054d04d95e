//! The fits of length control: difficulties of instructions, and each model's win rate.

use super::preferences::Model;
use super::{MODELS_FOR_DIFFICULTY, refuse_length_control};
use evenhand_core::{Cause, Refusal};
use evenhand_stats::control::{
    ControlError, FittedDifficulty, JointPreferences, LengthControlled, Preferences,
    fit_difficulty, fit_length_control,
};
use std::collections::BTreeMap;

/// The prior of difficulties: normal with standard deviation 1, in log-odds.
const RIDGE: f64 = 1.0;

/// Fits the difficulties jointly over all models whose lengths vary, if those are enough.
///
/// # Errors
/// A fit that the data do not allow.
pub(crate) fn fit_difficulties(
    models: &[Model],
    items: usize,
) -> Result<Option<FittedDifficulty>, Refusal> {
    // The preferences of all models that are fitted together, by columns.
    let mut fitted = 0_u16;
    let (mut model, mut item) = (Vec::new(), Vec::new());
    let (mut preferred, mut length) = (Vec::new(), Vec::new());
    for one in models {
        let Ok(lengths) = &one.length else { continue };
        model.resize(model.len() + one.items.len(), fitted);
        item.extend(&one.items);
        preferred.extend(&one.preferred);
        length.extend(lengths);
        fitted += 1;
    }
    if usize::from(fitted) < MODELS_FOR_DIFFICULTY {
        return Ok(None);
    }
    let data = JointPreferences {
        models: usize::from(fitted),
        items,
        model: &model,
        item: &item,
        preferred: &preferred,
        length: &length,
    };
    fit_difficulty(&data, RIDGE)
        .map(Some)
        .map_err(|error| refuse_length_control(Cause::Data, error.to_string()))
}

/// One instruction of a model.
pub(crate) struct Instruction {
    pub(crate) item: u32,
    /// None where the model has no verdict.
    pub(crate) preferred: Option<f64>,
    pub(crate) length: f64,
    pub(crate) difficulty: f64,
}

/// Returns all instructions whose difficulty is known, so that every model's mean is over the
/// same; without difficulties the model's own.
///
/// # Errors
/// Lengths that say nothing.
pub(crate) fn rows_of_model(
    model: &Model,
    difficulty: Option<&[Option<f64>]>,
) -> Result<Vec<Instruction>, ControlError> {
    let lengths = model.length.as_ref().map_err(ControlError::clone)?;
    let rows = model.items.iter().zip(&model.preferred).zip(lengths);
    let own = rows.map(|((&item, &preferred), &length)| Instruction {
        item,
        preferred: Some(preferred),
        length,
        difficulty: 0.0,
    });
    let Some(difficulty) = difficulty else {
        return Ok(own.collect());
    };
    let mut of_item: BTreeMap<u32, Instruction> = own.map(|row| (row.item, row)).collect();
    let mut rows = Vec::new();
    for (item, difficulty) in (0u32..).zip(difficulty) {
        let Some(difficulty) = *difficulty else {
            continue;
        };
        // A mean over other instructions would not compare with the other models'.
        let row = of_item.remove(&item).unwrap_or(Instruction {
            item,
            preferred: None,
            length: 0.0,
            difficulty,
        });
        rows.push(Instruction { difficulty, ..row });
    }
    Ok(rows)
}

/// Fits a model's win rate at equal lengths.
pub(super) fn fit_model(
    model: &Model,
    difficulty: Option<&[Option<f64>]>,
    level: f64,
) -> Result<LengthControlled, ControlError> {
    let rows = rows_of_model(model, difficulty)?;
    let preferred: Vec<Option<f64>> = rows.iter().map(|row| row.preferred).collect();
    let length: Vec<f64> = rows.iter().map(|row| row.length).collect();
    let difficulties: Vec<f64> = rows.iter().map(|row| row.difficulty).collect();
    let data = Preferences {
        preferred: &preferred,
        length: &length,
        difficulty: difficulty.is_some().then_some(&difficulties[..]),
    };
    fit_length_control(&data, level)
}
