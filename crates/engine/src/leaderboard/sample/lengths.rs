//! Length-controlled win rates on resamples of the items.

use super::super::LeaderboardOptions;
use super::super::length::{self, Model};
use crate::EngineError;
use evenhand_formats::judgments::Recorded;
use evenhand_stats::control::{FittedDifficulty, Preferences, fit_length_control};
use evenhand_stats::{Estimate, Scores, Undefined, competition_ranks};
use std::collections::HashMap;

/// Shares that differ by less share a rank.
const SAME_SHARE: f64 = 1e-12;

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
    pub(super) fn read(options: &LeaderboardOptions) -> Result<(Lengths, Recorded), EngineError> {
        length::check(options)?;
        let recorded = length::read(options)?;
        let reference = length::reference(&recorded)?;
        let models = length::models(&recorded, reference)?;
        let difficulty = length::difficulty(&models, recorded.items.len())?;
        Ok((
            Lengths {
                systems: recorded.systems.len(),
                reference,
                models,
                difficulty,
            },
            recorded,
        ))
    }

    /// Judgments, and items, of each system; the reference is in all.
    pub(super) fn counts(&self) -> (Vec<u64>, Vec<usize>) {
        let mut items = vec![0; self.systems];
        for model in &self.models {
            items[usize::from(model.system)] = model.items.len();
        }
        items[usize::from(self.reference)] =
            self.models.iter().map(|model| model.items.len()).sum();
        (items.iter().map(|&n| n as u64).collect(), items)
    }

    /// Win rates where each item counts so many times; None: once.
    pub(super) fn scores(&self, times: Option<&HashMap<u32, f64>>) -> Scores {
        let mut estimates = vec![Estimate::Undefined(Undefined::NoData); self.systems];
        estimates[usize::from(self.reference)] = Estimate::Finite(0.5);
        for model in &self.models {
            estimates[usize::from(model.system)] = self.win_rate(model, times);
        }
        let ranks = competition_ranks(&estimates, SAME_SHARE);
        let weight = self.counts().1.into_iter().map(|n| n as f64).collect();
        Scores {
            estimates,
            ranks,
            weight,
            resolution: SAME_SHARE,
            fit: None,
        }
    }

    fn win_rate(&self, model: &Model, times: Option<&HashMap<u32, f64>>) -> Estimate {
        let lacking = Estimate::Undefined(Undefined::NotComparable);
        let Ok(columns) = length::columns(
            model,
            self.difficulty
                .as_ref()
                .map(|found| found.difficulty.as_slice()),
        ) else {
            return lacking;
        };
        let (mut preferred, mut length, mut difficulty) = (Vec::new(), Vec::new(), Vec::new());
        for row in columns {
            let times = times.map_or(1, |times| {
                times.get(&row.item).map_or(0, |times| *times as usize)
            });
            preferred.extend(std::iter::repeat_n(row.preferred, times));
            length.extend(std::iter::repeat_n(row.length, times));
            difficulty.extend(std::iter::repeat_n(row.difficulty, times));
        }
        let difficulty = self.difficulty.as_ref().map(|_| difficulty.as_slice());
        let data = Preferences {
            preferred: &preferred,
            length: &length,
            difficulty,
        };
        fit_length_control(&data, 0.95).map_or(lacking, |found| Estimate::Finite(found.win_rate))
    }
}
