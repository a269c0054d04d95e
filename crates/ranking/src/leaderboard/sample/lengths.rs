//! Length-controlled win rates on resamples of the items.

use crate::leaderboard::length::{
    Model, SAME_SHARE, check_length_control, find_reference, fit_difficulties, models_of,
    read_length, rows_of_model,
};
use crate::leaderboard::options::LeaderboardOptions;
use crate::scored::scores_of_estimates;
use evenhand_engine::EngineError;
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
        let reference = find_reference(&recorded)?;
        let models = models_of(&recorded, reference)?;
        let lengths = Lengths {
            systems: recorded.systems.len(),
            reference,
            difficulty: fit_difficulties(&models, recorded.items.len())?,
            models,
        };
        Ok((lengths, recorded))
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

    pub(super) fn judgments_of_systems(&self) -> Vec<u64> {
        let items = self.items_of_systems().into_iter();
        items.map(|n| n as u64).collect()
    }

    /// Returns win rates where each item counts so many times; None: once.
    pub(super) fn win_rates(&self, times: Option<&HashMap<u32, f64>>) -> Scores {
        let mut estimates = vec![Estimate::Undefined(Undefined::NoData); self.systems];
        estimates[usize::from(self.reference)] = Estimate::Finite(0.5);
        for model in &self.models {
            estimates[usize::from(model.system)] = match self.win_rate(model, times) {
                Some(rate) => Estimate::Finite(rate),
                None => Estimate::Undefined(Undefined::NotComparable),
            };
        }
        scores_of_estimates(estimates, &self.judgments_of_systems(), SAME_SHARE)
    }

    fn win_rate(&self, model: &Model, times: Option<&HashMap<u32, f64>>) -> Option<f64> {
        let difficulty = self.difficulty.as_ref().map(|found| &found.difficulty[..]);
        let (mut preferred, mut length, mut difficulties) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows_of_model(model, difficulty).ok()? {
            let drawn = match times {
                None => 1,
                Some(times) => times.get(&row.item).map_or(0, |times| *times as usize),
            };
            preferred.extend(repeat_n(row.preferred, drawn));
            length.extend(repeat_n(row.length, drawn));
            difficulties.extend(repeat_n(row.difficulty, drawn));
        }
        let data = Preferences {
            preferred: &preferred,
            length: &length,
            difficulty: difficulty.is_some().then_some(&difficulties[..]),
        };
        Some(fit_length_control(&data, ANY_LEVEL).ok()?.win_rate)
    }
}
