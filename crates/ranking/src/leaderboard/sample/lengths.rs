//! Length-controlled win rates on resamples of the items.

use crate::leaderboard::files::FileSort;
use crate::leaderboard::length::{
    Model, SAME_SHARE, check_length_control, estimates_of_models, find_reference, fit_difficulties,
    fit_model, models_of, read_length,
};
use crate::leaderboard::options::LeaderboardOptions;
use crate::score::scores_of_estimates;
use evenhand_engine::EngineError;
use evenhand_formats::judgments::RecordedJudgments;
use evenhand_stats::Scores;
use evenhand_stats::control::FittedDifficulty;
use std::collections::HashMap;

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
        sort: FileSort,
    ) -> Result<(Lengths, RecordedJudgments), EngineError> {
        check_length_control(options, sort)?;
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
        let difficulty = self.difficulty.as_ref().map(|found| &found.difficulty[..]);
        let rates = self.models.iter().map(|model| {
            let fit = fit_model(model, difficulty, ANY_LEVEL, times).ok();
            (model.system, fit.map(|found| found.win_rate))
        });
        let estimates = estimates_of_models(self.systems, self.reference, rates);
        scores_of_estimates(estimates, &self.judgments_of_systems(), SAME_SHARE)
    }
}
