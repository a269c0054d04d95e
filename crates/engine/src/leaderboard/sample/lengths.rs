//! Length-controlled win rates on resamples of the items.

use crate::EngineError;
use crate::leaderboard::length::{
    Instruction, Model, SAME_SHARE, check_length_control, find_reference, fit_difficulties,
    models_of, read_length, rows_of_model,
};
use crate::leaderboard::options::LeaderboardOptions;
use crate::rank::scored::scores_of_estimates;
use evenhand_core::Refusal;
use evenhand_formats::judgments::RecordedJudgments;
use evenhand_stats::control::{FittedDifficulty, Preferences, fit_length_control};
use evenhand_stats::{Estimate, Scores, Undefined};
use std::collections::HashMap;
use std::iter::repeat_n;

/// The level of intervals that nobody looks at.
const ANY_LEVEL: f64 = 0.95;

/// Models with their preferences over one reference.
///
/// A resample fits every model's weights again; the difficulties of the instructions and the unit
/// of the lengths stay as they were fitted on all items.
#[derive(Debug)]
pub(super) struct Lengths {
    systems: usize,
    reference: u16,
    models: Vec<Model>,
    difficulty: Option<FittedDifficulty>,
}

impl Lengths {
    pub(super) fn read(
        options: &LeaderboardOptions,
    ) -> Result<(Lengths, RecordedJudgments), EngineError> {
        check_length_control(options)?;
        let recorded = read_length(options)?;
        Ok((Lengths::of_recorded(&recorded)?, recorded))
    }

    fn of_recorded(recorded: &RecordedJudgments) -> Result<Lengths, Refusal> {
        let reference = find_reference(recorded)?;
        let models = models_of(recorded, reference)?;
        Ok(Lengths {
            systems: recorded.systems.len(),
            reference,
            difficulty: fit_difficulties(&models, recorded.items.len())?,
            models,
        })
    }

    /// Returns the items of each system; the reference is in all. Each holds one judgment.
    pub(super) fn items_of_systems(&self) -> Vec<usize> {
        let mut items = vec![0; self.systems];
        for model in &self.models {
            items[usize::from(model.system)] = model.items.len();
        }
        items[usize::from(self.reference)] = items.iter().sum();
        items
    }

    /// Returns win rates where each item counts so many times; None: once.
    pub(super) fn win_rates(&self, times: Option<&HashMap<u32, f64>>) -> Scores {
        let mut estimates = vec![Estimate::Undefined(Undefined::NoData); self.systems];
        estimates[usize::from(self.reference)] = Estimate::Finite(0.5);
        for model in &self.models {
            estimates[usize::from(model.system)] = self.win_rate(model, times);
        }
        scores_of_estimates(estimates, &self.judgments_of_systems(), SAME_SHARE)
    }

    pub(super) fn judgments_of_systems(&self) -> Vec<u64> {
        let items = self.items_of_systems().into_iter();
        items.map(|n| n as u64).collect()
    }

    fn win_rate(&self, model: &Model, times: Option<&HashMap<u32, f64>>) -> Estimate {
        let columns = self.resampled_columns(model, times);
        match columns.and_then(|columns| columns.fit()) {
            Some(rate) => Estimate::Finite(rate),
            None => Estimate::Undefined(Undefined::NotComparable),
        }
    }

    fn resampled_columns(
        &self,
        model: &Model,
        times: Option<&HashMap<u32, f64>>,
    ) -> Option<ResampledColumns> {
        let difficulty = self.difficulty.as_ref();
        let difficulty = difficulty.map(|found| &found.difficulty[..]);
        let mut columns = ResampledColumns {
            with_difficulty: difficulty.is_some(),
            ..ResampledColumns::default()
        };
        for row in rows_of_model(model, difficulty).ok()? {
            columns.repeat(&row, times_of(row.item, times));
        }
        Some(columns)
    }
}

/// How often an item was drawn; once where nothing was drawn.
fn times_of(item: u32, drawn: Option<&HashMap<u32, f64>>) -> usize {
    let Some(times) = drawn else { return 1 };
    times.get(&item).map_or(0, |times| *times as usize)
}

/// A model's preferences on a resample, by columns.
#[derive(Default)]
struct ResampledColumns {
    preferred: Vec<Option<f64>>,
    length: Vec<f64>,
    difficulty: Vec<f64>,
    with_difficulty: bool,
}

impl ResampledColumns {
    fn repeat(&mut self, row: &Instruction, times: usize) {
        self.preferred.extend(repeat_n(row.preferred, times));
        self.length.extend(repeat_n(row.length, times));
        self.difficulty.extend(repeat_n(row.difficulty, times));
    }

    fn fit(&self) -> Option<f64> {
        let data = Preferences {
            preferred: &self.preferred,
            length: &self.length,
            difficulty: self.with_difficulty.then_some(&self.difficulty[..]),
        };
        let found = fit_length_control(&data, ANY_LEVEL).ok()?;
        Some(found.win_rate)
    }
}
