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

/// The preferences of all models that are fitted together, by columns.
#[derive(Default)]
struct JointColumns {
    models: u16,
    model: Vec<u16>,
    item: Vec<u32>,
    preferred: Vec<f64>,
    length: Vec<f64>,
}

impl JointColumns {
    /// Gathers the models whose lengths vary.
    fn of_models(models: &[Model]) -> JointColumns {
        let mut columns = JointColumns::default();
        for model in models {
            if let Ok(lengths) = &model.length {
                columns.add(model, lengths);
            }
        }
        columns
    }

    fn add(&mut self, model: &Model, lengths: &[f64]) {
        let rows = self.model.len() + model.items.len();
        self.model.resize(rows, self.models);
        self.item.extend(&model.items);
        self.preferred.extend(&model.preferred);
        self.length.extend(lengths);
        self.models += 1;
    }

    fn fit(&self, items: usize) -> Result<FittedDifficulty, ControlError> {
        let data = JointPreferences {
            models: usize::from(self.models),
            items,
            model: &self.model,
            item: &self.item,
            preferred: &self.preferred,
            length: &self.length,
        };
        fit_difficulty(&data, RIDGE)
    }
}

/// Fits the difficulties jointly over all models whose lengths vary, if those are enough.
///
/// # Errors
/// A fit that the data do not allow.
pub(crate) fn fit_difficulties(
    models: &[Model],
    items: usize,
) -> Result<Option<FittedDifficulty>, Refusal> {
    let columns = JointColumns::of_models(models);
    if usize::from(columns.models) < MODELS_FOR_DIFFICULTY {
        return Ok(None);
    }
    let fitted = columns.fit(items);
    fitted.map(Some).map_err(refuse_fit)
}

fn refuse_fit(error: ControlError) -> Refusal {
    refuse_length_control(Cause::Data, error.to_string())
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
    let own = own_rows(model)?;
    Ok(match difficulty {
        Some(found) => rated_rows(own, found),
        None => own,
    })
}

/// Returns a row for each instruction whose difficulty is known.
fn rated_rows(own: Vec<Instruction>, difficulty: &[Option<f64>]) -> Vec<Instruction> {
    let own = own.into_iter().map(|row| (row.item, row));
    let mut of_item: BTreeMap<u32, Instruction> = own.collect();
    let mut rows = Vec::new();
    for (item, difficulty) in (0u32..).zip(difficulty) {
        if let Some(difficulty) = *difficulty {
            let row = of_item.remove(&item);
            // A mean over other instructions would not compare with the other models'.
            let row = row.unwrap_or_else(|| Instruction::without_verdict(item));
            rows.push(Instruction { difficulty, ..row });
        }
    }
    rows
}

fn own_rows(model: &Model) -> Result<Vec<Instruction>, ControlError> {
    let lengths = model.length.as_ref().map_err(ControlError::clone)?;
    let rows = model.items.iter().zip(&model.preferred).zip(lengths);
    let rows = rows.map(|((&item, &preferred), &length)| Instruction {
        item,
        preferred: Some(preferred),
        length,
        difficulty: 0.0,
    });
    Ok(rows.collect())
}

impl Instruction {
    fn without_verdict(item: u32) -> Instruction {
        Instruction {
            item,
            preferred: None,
            length: 0.0,
            difficulty: 0.0,
        }
    }
}

/// Fits a model's win rate at equal lengths.
pub(super) fn fit_model(
    model: &Model,
    difficulty: Option<&[Option<f64>]>,
    level: f64,
) -> Result<LengthControlled, ControlError> {
    let rows = rows_of_model(model, difficulty)?;
    let columns = ModelColumns::of_rows(&rows);
    fit_length_control(&columns.preferences(difficulty.is_some()), level)
}

/// A model's rows, by columns.
struct ModelColumns {
    preferred: Vec<Option<f64>>,
    length: Vec<f64>,
    difficulty: Vec<f64>,
}

impl ModelColumns {
    fn of_rows(rows: &[Instruction]) -> ModelColumns {
        ModelColumns {
            preferred: rows.iter().map(|row| row.preferred).collect(),
            length: rows.iter().map(|row| row.length).collect(),
            difficulty: rows.iter().map(|row| row.difficulty).collect(),
        }
    }

    fn preferences(&self, with_difficulty: bool) -> Preferences<'_> {
        Preferences {
            preferred: &self.preferred,
            length: &self.length,
            difficulty: with_difficulty.then_some(&self.difficulty),
        }
    }
}
