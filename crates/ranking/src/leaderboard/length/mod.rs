//! Length-controlled win rates against one reference (Dubois, Galambosi, Liang and Hashimoto 2024,
//! section 3).

mod fit;
mod preferences;

pub(super) use fit::{fit_difficulties, rows_of_model};
pub(super) use preferences::{Model, check_length_control, find_reference, models_of, read_length};

use super::gathered::KeptSystems;
use super::options::LeaderboardOptions;
use super::published_files::difficulties_of_items;
use super::recorded::summarise_recorded;
use crate::counts::count_systems;
use crate::method::{Ci, Method};
use crate::report::data::Intervals;
use crate::scored::{Scored, exact_interval, scores_of_estimates};
use crate::{Aggregation, Report, ScoreUnit, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::judgments::RecordedJudgments;
use evenhand_stats::control::{ControlError, FittedDifficulty, LengthControlled};
use evenhand_stats::{Estimate, Interval, Undefined};
use fit::fit_model;

/// So many models tell how difficult an instruction is.
const MODELS_FOR_DIFFICULTY: usize = 3;
/// Shares that differ by less share a rank.
pub(super) const SAME_SHARE: f64 = 1e-12;
/// The name of the estimator in reports.
pub(super) const LENGTH_CONTROLLED: &str = "length-controlled-win-rate";
/// The note of the reference.
pub(super) const REFERENCE: &str = "the reference: 0.5 by definition";
/// Where the reference's output is the shorter (or the longer) one less often than this, equal
/// lengths are hardly seen.
const HARDLY: f64 = 0.05;

/// Ranks the models and their reference by win rates at equal lengths.
pub(super) fn rank_at_equal_lengths(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    check_length_control(options)?;
    let recorded = read_length(options)?;
    let reference = find_reference(&recorded)?;
    let models = models_of(&recorded, reference)?;
    let difficulty = Difficulty::find(options, &recorded, &models)?;
    let level = options.rank.bootstrap.level;
    let of_items = difficulty.of_items();
    let fits: Vec<Fitted> = models
        .iter()
        .map(|model| fit_model(model, of_items, level))
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
    report.ci = report.ci.made_by(Intervals::LengthControl, method.ci);
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
                "the difficulty of instructions is left out, since it takes \
                 {MODELS_FOR_DIFFICULTY} models whose lengths vary: what is difficulty may then \
                 count as length"
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
    let mut estimates = vec![Estimate::Undefined(Undefined::NoData); systems];
    estimates[usize::from(reference)] = Estimate::Finite(0.5);
    for (model, fit) in models.iter().zip(fits) {
        estimates[usize::from(model.system)] = match fit {
            Ok(found) => Estimate::Finite(found.win_rate),
            Err(_) => Estimate::Undefined(Undefined::NotComparable),
        };
    }
    let rows = recorded.comparisons.iter();
    let n = count_systems(systems, rows.flat_map(|row| [row.a, row.b]));
    let mut scored = scored_shares(estimates, &n);
    for (model, fit) in models.iter().zip(fits) {
        let system = &mut scored.systems[usize::from(model.system)];
        let interval = fit.as_ref().ok().map(|found| found.interval.as_ref());
        let interval = interval.and_then(Result::ok);
        system.standard_error = interval.map(|interval| interval.standard_error);
        if method.ci != Ci::None {
            system.interval = Some(share_interval(fit, method.plan.level));
        }
    }
    scored
}

/// Ranks shares, and puts them into the form of all scores.
pub(super) fn scored_shares(estimates: Vec<Estimate>, n: &[u64]) -> Scored {
    Scored::without_intervals(&scores_of_estimates(estimates, n, SAME_SHARE), n)
}

fn share_interval(fit: &Fitted, level: f64) -> Result<Interval, String> {
    let found = fit.as_ref().map_err(ControlError::to_string)?;
    let interval = found.interval.as_ref();
    let ends = interval.map_err(|reason| reason.to_string())?;
    Ok(exact_interval(ends.low, ends.high, level))
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
        ControlError::Separated { .. } => {
            "its verdicts are too one-sided for the fit, which gets better without end".into()
        }
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
