//! Length-controlled win rates on resamples of the items.

use crate::EngineError;
use crate::leaderboard::length::{
    Instruction, Model, SAME_SHARE, check_length_control, find_reference, fit_difficulties,
    models_of, read_length, rows_of_model,
};
use crate::leaderboard::options::LeaderboardOptions;
use evenhand_formats::judgments::RecordedJudgments;
use evenhand_stats::control::{FittedDifficulty, Preferences, fit_length_control};
use evenhand_stats::{Estimate, Scores, Undefined, competition_ranks};
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
        let mut all = 0;
        for model in &self.models {
            items[usize::from(model.system)] = model.items.len();
            all += model.items.len();
        }
        items[usize::from(self.reference)] = all;
        items
    }

    /// Returns win rates where each item counts so many times; None: once.
    pub(super) fn win_rates(&self, times: Option<&HashMap<u32, f64>>) -> Scores {
        let mut estimates = vec![Estimate::Undefined(Undefined::NoData); self.systems];
        estimates[usize::from(self.reference)] = Estimate::Finite(0.5);
        for model in &self.models {
            estimates[usize::from(model.system)] = self.win_rate(model, times);
        }
        let items = self.items_of_systems().into_iter();
        Scores {
            ranks: competition_ranks(&estimates, SAME_SHARE),
            estimates,
            weight: items.map(|n| n as f64).collect(),
            resolution: SAME_SHARE,
            fit: None,
        }
    }

    fn win_rate(&self, model: &Model, times: Option<&HashMap<u32, f64>>) -> Estimate {
        let columns = self.resampled_columns(model, times);
        let rate = columns.and_then(|columns| columns.fit());
        rate.map_or(
            Estimate::Undefined(Undefined::NotComparable),
            Estimate::Finite,
        )
    }

    fn resampled_columns(
        &self,
        model: &Model,
        times: Option<&HashMap<u32, f64>>,
    ) -> Option<ResampledColumns> {
        let difficulty = self.difficulty.as_ref();
        let difficulty = difficulty.map(|found| found.difficulty.as_slice());
        let mut columns = ResampledColumns {
            with_difficulty: difficulty.is_some(),
            ..ResampledColumns::default()
        };
        for row in rows_of_model(model, difficulty).ok()? {
            let times = match times {
                Some(times) => times.get(&row.item).map_or(0, |times| *times as usize),
                None => 1,
            };
            columns.repeat(&row, times);
        }
        Some(columns)
    }
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
