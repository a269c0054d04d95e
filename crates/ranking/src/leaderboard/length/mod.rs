//! Length-controlled win rates against one reference (Dubois, Galambosi, Liang and Hashimoto 2024,
//! section 3).

mod preferences;

pub(super) use preferences::{Model, check_length_control, find_reference, models_of, read_length};

use super::files::FileSort;
use super::gathered::KeptSystems;
use super::options::LeaderboardOptions;
use super::published::difficulties_of_items;
use super::recorded::summarise_recorded;
use crate::method::{Ci, Method};
use crate::report::data::Intervals;
use crate::score::{Scored, count_systems, exact_interval, scores_of_estimates};
use crate::{Aggregation, Report, ScoreUnit, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::judgments::RecordedJudgments;
use evenhand_stats::control::{
    ControlError, FittedDifficulty, JointPreferences, LengthControlled, Preferences,
    fit_difficulty, fit_length_control,
};
use evenhand_stats::{Estimate, Undefined};
use std::collections::{BTreeMap, HashMap};
use std::iter::repeat_n;

/// So many models tell how difficult an instruction is.
const MODELS_FOR_DIFFICULTY: usize = 3;
/// Shares that differ by less share a rank.
pub(super) const SAME_SHARE: f64 = 1e-12;
/// The prior of difficulties: normal with standard deviation 1, in log-odds.
const RIDGE: f64 = 1.0;
/// The name of the estimator in reports.
pub(super) const LENGTH_CONTROLLED: &str = "length-controlled-win-rate";
/// The note of the reference.
pub(super) const REFERENCE: &str = "the reference: 0.5 by definition";
/// Where the reference's output is the shorter (or the longer) one less often than this, equal
/// lengths are hardly seen.
const HARDLY: f64 = 0.05;

/// Ranks the models and their reference by win rates at equal lengths.
pub(super) fn rank_at_equal_lengths(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<Report, EngineError> {
    check_length_control(options, sort)?;
    let recorded = read_length(options)?;
    let reference = find_reference(&recorded)?;
    let models = models_of(&recorded, reference)?;
    let difficulty = Difficulty::find(options, &recorded, &models)?;
    let level = options.rank.bootstrap.level;
    let of_items = difficulty.of_items();
    let fits: Vec<Fitted> = models
        .iter()
        .map(|model| fit_model(model, of_items, level, None))
        .collect();

    let mut files = summarise_recorded(&recorded, &KeptSystems::all(&recorded.systems));
    let warning = difficulty.warning();
    let warning = warning.map(|text| WarningKind::LengthControl.says(text));
    files.warnings.extend(warning);
    let method = options
        .rank
        .method_with_own_intervals(Aggregation::WinRatio)?;
    let scored = score_models(&recorded, reference, &models, &fits, &method);
    let mut report = files.report(options, Aggregation::WinRatio, &method);
    report.ci = report.ci.made_by(Intervals::LengthControl, method.rank.ci);
    let mut report = report.with_scores(&files.names, scored, &method, options.rank.scale);

    // Says what it is of; the ranking's columns are those of win ratios.
    let difficulties = difficulty.describe(&models);
    report.protocol += &format!(", length-controlled {difficulties}");
    report.aggregation = LENGTH_CONTROLLED;
    report.unit = ScoreUnit::LengthControlledShare;
    let name = |system: u16| &recorded.systems[usize::from(system)];
    for row in &mut report.ranking {
        if row.system == *name(reference) {
            row.note = Some(REFERENCE.into());
        }
        let mut fitted = models.iter().zip(&fits);
        match fitted.find(|(model, _)| *name(model.system) == row.system) {
            Some((model, Ok(found))) => {
                row.raw_win_rate = Some(found.raw_win_rate);
                row.note = row.note.take().or(note_on_extrapolation(model));
            }
            Some((_, Err(error))) => {
                row.note = Some(format!("no score: {}", explain_fit_error(error)));
            }
            None => {}
        }
    }
    Ok(report)
}

/// A refusal of length control.
pub(super) fn refuse_length_control(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::LengthControl, cause, why)
}

/// Where the difficulties of the instructions come from.
enum Difficulty {
    /// Nowhere: they are left out of the model.
    None,
    /// A joint fit over these models.
    Fitted(FittedDifficulty),
    /// A file.
    Published(Vec<Option<f64>>),
}

impl Difficulty {
    fn find(
        options: &LeaderboardOptions,
        recorded: &RecordedJudgments,
        models: &[Model],
    ) -> Result<Difficulty, EngineError> {
        if let Some(path) = &options.published.difficulty {
            let found = difficulties_of_items(path, &recorded.items)?;
            return Ok(Difficulty::Published(found));
        }
        let fitted = fit_difficulties(models, recorded.items.len())?;
        Ok(fitted.map_or(Difficulty::None, Difficulty::Fitted))
    }

    fn of_items(&self) -> Option<&[Option<f64>]> {
        match self {
            Difficulty::None => None,
            Difficulty::Fitted(found) => Some(&found.difficulty),
            Difficulty::Published(found) => Some(found),
        }
    }

    fn describe(&self, models: &[Model]) -> String {
        match self {
            Difficulty::Fitted(_) => {
                let fitted = models.iter().filter(|model| model.length.is_ok()).count();
                format!("with difficulties of instructions fitted over {fitted} models")
            }
            Difficulty::Published(found) => {
                let count = found.len();
                format!("with published difficulties of {count} instructions")
            }
            Difficulty::None => "without difficulties of instructions".into(),
        }
    }

    fn warning(&self) -> Option<String> {
        match self {
            Difficulty::None => Some(format!(
                "the difficulty of instructions is left out, as it takes {MODELS_FOR_DIFFICULTY} \
                 models whose lengths vary; difficulty may then count as length"
            )),
            Difficulty::Fitted(found) if !found.fit.converged => Some(format!(
                "the difficulties of instructions did not converge in {} sweeps (gradient {:.2e}): \
                 do not trust the scores",
                found.fit.iterations, found.fit.gradient
            )),
            Difficulty::Fitted(_) | Difficulty::Published(_) => None,
        }
    }
}

/// The win rate of a model at equal lengths, or why it has none.
type Fitted = Result<LengthControlled, ControlError>;

fn score_models(
    recorded: &RecordedJudgments,
    reference: u16,
    models: &[Model],
    fits: &[Fitted],
    method: &Method,
) -> Scored {
    let systems = recorded.systems.len();
    let rates = models.iter().zip(fits).map(|(model, fit)| {
        let rate = fit.as_ref().ok().map(|found| found.win_rate);
        (model.system, rate)
    });
    let estimates = estimates_of_models(systems, reference, rates);
    let rows = recorded.comparisons.iter();
    let n = count_systems(systems, rows.flat_map(|row| [row.a, row.b]));
    let mut scored = scored_shares(estimates, &n);
    for (model, fit) in models.iter().zip(fits) {
        let system = &mut scored.systems[usize::from(model.system)];
        let interval = fit.as_ref().ok().map(|found| found.interval.as_ref());
        let interval = interval.and_then(Result::ok);
        system.standard_error = interval.map(|interval| interval.standard_error);
        if method.rank.ci != Ci::None {
            let found = fit.as_ref().map_err(ControlError::to_string);
            system.interval = Some(found.and_then(|found| {
                let ends = found.interval.as_ref().map_err(|why| why.to_string())?;
                Ok(exact_interval(
                    ends.low,
                    ends.high,
                    method.rank.bootstrap.level,
                ))
            }));
        }
    }
    scored
}

/// Ranks shares, and puts them into the form of all scores.
pub(super) fn scored_shares(estimates: Vec<Estimate>, n: &[u64]) -> Scored {
    Scored::without_intervals(&scores_of_estimates(estimates, n, SAME_SHARE), n)
}

/// Says where the model's outputs are nearly always the shorter or nearly always the longer ones.
fn note_on_extrapolation(model: &Model) -> Option<String> {
    let length = model.length.as_ref().ok()?;
    let share_of = |wanted: fn(&&f64) -> bool| {
        length.iter().filter(wanted).count() as f64 / length.len() as f64
    };
    // The feature is the reference's length less the model's, squeezed.
    let (shorter, longer) = (share_of(|x| **x > 0.0), share_of(|x| **x < 0.0));
    if shorter.min(longer) >= HARDLY {
        return None;
    }
    let side = if shorter > longer {
        "shorter"
    } else {
        "longer"
    };
    Some(format!(
        "its outputs are {side} than the reference's on {:.0} % of items: equal lengths are an \
         extrapolation",
        100.0 * shorter.max(longer)
    ))
}

/// Says the error without the numbers of covariates, which no reader knows.
fn explain_fit_error(error: &ControlError) -> String {
    match error {
        ControlError::Separated { .. } => "its verdicts are too one-sided for a finite fit".into(),
        ControlError::Collinear { .. } => {
            "its lengths cannot be told from its strength or the difficulties".into()
        }
        ControlError::Constant { .. } => {
            "its outputs differ from the reference's by the same length everywhere".into()
        }
        ControlError::TooFewRows { rows, parameters } => {
            format!("it has {rows} items, and {parameters} numbers are to be fitted")
        }
        other => other.to_string(),
    }
}

/// Fits the difficulties jointly over all models whose lengths vary, if those are enough.
///
/// # Errors
/// A fit that the data do not allow.
pub(super) fn fit_difficulties(
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
struct Instruction {
    item: u32,
    /// None where the model has no verdict.
    preferred: Option<f64>,
    length: f64,
    difficulty: f64,
}

/// Returns all instructions whose difficulty is known, so that every model's mean is over the
/// same; without difficulties the model's own.
///
/// # Errors
/// Lengths that say nothing.
fn rows_of_model(
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

/// Fits a model's win rate at equal lengths, where each item counts so many times; None: once.
pub(super) fn fit_model(
    model: &Model,
    difficulty: Option<&[Option<f64>]>,
    level: f64,
    times: Option<&HashMap<u32, f64>>,
) -> Result<LengthControlled, ControlError> {
    let (mut preferred, mut length, mut difficulties) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows_of_model(model, difficulty)? {
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
    fit_length_control(&data, level)
}

/// The win rates of the models and of their reference, by the numbers of so many systems; None for
/// a model that has none.
pub(super) fn estimates_of_models(
    systems: usize,
    reference: u16,
    rates: impl Iterator<Item = (u16, Option<f64>)>,
) -> Vec<Estimate> {
    let mut estimates = vec![Estimate::Undefined(Undefined::NoData); systems];
    estimates[usize::from(reference)] = Estimate::Finite(0.5);
    for (model, rate) in rates {
        estimates[usize::from(model)] = match rate {
            Some(rate) => Estimate::Finite(rate),
            None => Estimate::Undefined(Undefined::NotComparable),
        };
    }
    estimates
}
