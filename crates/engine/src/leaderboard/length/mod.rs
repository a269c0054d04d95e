//! Length-controlled win rates against one reference (Dubois, Galambosi, Liang and Hashimoto 2024,
//! section 3).

mod fit;
mod preferences;

pub(super) use fit::{Instruction, fit_difficulties, rows_of_model};
pub(super) use preferences::{Model, check_length_control, find_reference, models_of, read_length};

use super::gathered::{FileSummary, KeptSystems};
use super::options::LeaderboardOptions;
use super::published_files::difficulties_of_items;
use super::recorded::summarise_recorded;
use crate::rank::counts::count_systems;
use crate::rank::method::{Ci, Method};
use crate::rank::scored::{Scored, Standing, exact_interval, scores_of_estimates};
use crate::report::data::RankingRow;
use crate::{Aggregation, EngineError, Report, ScoreUnit, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::judgments::RecordedJudgments;
use evenhand_stats::control::{ControlError, FittedDifficulty, LengthControlled};
use evenhand_stats::{Estimate, Fit, Interval, Undefined};
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
    let fits = fit_models(&models, &difficulty, options.rank.bootstrap.level);
    let board = Board {
        recorded: &recorded,
        reference,
        models,
        fits,
        difficulty,
    };
    board.report(options)
}

fn fit_models(models: &[Model], difficulty: &Difficulty, level: f64) -> Vec<Fitted> {
    let difficulty = difficulty.of_items();
    let models = models.iter();
    models
        .map(|model| fit_model(model, difficulty, level))
        .collect()
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
                let fitted = count_with_lengths(models);
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
            Difficulty::None => Some(describe_left_out()),
            Difficulty::Fitted(found) => warn_of_unconverged(&found.fit),
            Difficulty::Published(_) => None,
        }
    }
}

fn count_with_lengths(models: &[Model]) -> usize {
    models.iter().filter(|model| model.length.is_ok()).count()
}

fn describe_left_out() -> String {
    format!(
        "the difficulty of instructions is left out, since it takes {MODELS_FOR_DIFFICULTY} models \
         whose lengths vary: what is difficulty may then count as length"
    )
}

fn warn_of_unconverged(fit: &Fit) -> Option<String> {
    let (sweeps, gradient) = (fit.iterations, fit.gradient);
    (!fit.converged).then(|| {
        format!(
            "the difficulties of instructions did not converge in {sweeps} sweeps (gradient \
             {gradient:.2e}): do not trust the scores"
        )
    })
}

/// The win rate of a model at equal lengths, or why it has none.
type Fitted = Result<LengthControlled, ControlError>;

/// All that a report of win rates at equal lengths is made of.
struct Board<'a> {
    recorded: &'a RecordedJudgments,
    reference: u16,
    models: Vec<Model>,
    /// One for each model.
    fits: Vec<Fitted>,
    difficulty: Difficulty,
}

impl Board<'_> {
    fn report(&self, options: &LeaderboardOptions) -> Result<Report, EngineError> {
        let files = self.summarise();
        let rank = &options.rank;
        let method = rank.method_with_own_intervals(Aggregation::WinRatio)?;
        let mut report = files.report(options, Aggregation::WinRatio, &method);
        report.ci = report.ci.made_by("length-control", method.ci);
        let report = report.with_scores(&files.names, self.score(&method), &method, rank.scale);
        Ok(self.name_estimator(report))
    }

    /// Says in a report what it is of; the ranking's columns are those of win ratios.
    fn name_estimator(&self, mut report: Report) -> Report {
        let difficulties = self.difficulty.describe(&self.models);
        report.protocol += &format!(", length-controlled {difficulties}");
        for row in &mut report.ranking {
            self.annotate(row);
        }
        Report {
            aggregation: LENGTH_CONTROLLED,
            unit: ScoreUnit::LengthControlledShare,
            ..report
        }
    }

    fn summarise(&self) -> FileSummary {
        let all = KeptSystems::all(&self.recorded.systems);
        let mut files = summarise_recorded(self.recorded, &all);
        let warning = self.difficulty.warning();
        let warning = warning.map(|text| WarningKind::LengthControl.says(text));
        files.warnings.extend(warning);
        files
    }

    fn score(&self, method: &Method) -> Scored {
        let mut scored = scored_shares(self.estimates(), &self.comparisons_of_systems());
        for (model, fit) in self.fitted_models() {
            let system = &mut scored.systems[usize::from(model.system)];
            add_uncertainty(system, fit, method);
        }
        scored
    }

    fn estimates(&self) -> Vec<Estimate> {
        let mut estimates = vec![Estimate::Undefined(Undefined::NoData); self.systems()];
        estimates[usize::from(self.reference)] = Estimate::Finite(0.5);
        for (model, fit) in self.fitted_models() {
            estimates[usize::from(model.system)] = win_rate_estimate(fit);
        }
        estimates
    }

    fn systems(&self) -> usize {
        self.recorded.systems.len()
    }

    fn fitted_models(&self) -> impl Iterator<Item = (&Model, &Fitted)> {
        self.models.iter().zip(&self.fits)
    }

    fn comparisons_of_systems(&self) -> Vec<u64> {
        let rows = self.recorded.comparisons.iter();
        count_systems(self.systems(), rows.flat_map(|row| [row.a, row.b]))
    }

    /// Adds the raw win rate, and a note that says what a share or its absence means.
    fn annotate(&self, row: &mut RankingRow) {
        if row.system == *self.name(self.reference) {
            row.note = Some(REFERENCE.into());
        }
        if let Some((model, fit)) = self.find_fitted(&row.system) {
            annotate_fitted(row, model, fit);
        }
    }

    fn find_fitted(&self, name: &str) -> Option<(&Model, &Fitted)> {
        let mut models = self.fitted_models();
        models.find(|(model, _)| self.name(model.system) == name)
    }

    fn name(&self, system: u16) -> &str {
        &self.recorded.systems[usize::from(system)]
    }
}

fn add_uncertainty(system: &mut Standing, fit: &Fitted, method: &Method) {
    system.standard_error = standard_error(fit);
    if method.ci != Ci::None {
        system.interval = Some(share_interval(fit, method.plan.level));
    }
}

fn annotate_fitted(row: &mut RankingRow, model: &Model, fit: &Fitted) {
    match fit {
        Ok(found) => {
            row.raw_win_rate = Some(found.raw_win_rate);
            row.note = row.note.take().or(note_on_extrapolation(model));
        }
        Err(error) => row.note = Some(format!("no score: {}", explain_fit_error(error))),
    }
}

/// Ranks shares, and puts them into the form of all scores.
pub(super) fn scored_shares(estimates: Vec<Estimate>, n: &[u64]) -> Scored {
    Scored::without_intervals(&scores_of_estimates(estimates, n, SAME_SHARE), n)
}

fn win_rate_estimate(fit: &Fitted) -> Estimate {
    match fit {
        Ok(found) => Estimate::Finite(found.win_rate),
        Err(_) => Estimate::Undefined(Undefined::NotComparable),
    }
}

fn standard_error(fit: &Fitted) -> Option<f64> {
    Some(fit.as_ref().ok()?.interval.as_ref().ok()?.standard_error)
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
    // The feature is the reference's length less the model's, squeezed.
    let shorter = share_of(length, |x| **x > 0.0);
    let longer = share_of(length, |x| **x < 0.0);
    let side = if shorter > longer {
        "shorter"
    } else {
        "longer"
    };
    (shorter.min(longer) < HARDLY).then(|| describe_extrapolation(side, shorter.max(longer)))
}

fn describe_extrapolation(side: &str, share: f64) -> String {
    let percent = 100.0 * share;
    format!(
        "its outputs are {side} than the reference's on {percent:.0} % of items: equal lengths are \
         an extrapolation"
    )
}

fn share_of(values: &[f64], wanted: fn(&&f64) -> bool) -> f64 {
    let count = values.iter().filter(wanted).count();
    count as f64 / values.len() as f64
}

/// Says the error without the numbers of covariates, which no reader knows.
fn explain_fit_error(error: &ControlError) -> String {
    match error {
        ControlError::Separated { .. } => ONE_SIDED.into(),
        ControlError::Collinear { .. } => NOT_TOLD_APART.into(),
        ControlError::Constant { .. } => CONSTANT_LENGTH.into(),
        ControlError::TooFewRows { rows, parameters } => {
            format!("it has {rows} items, and {parameters} numbers are to be fitted")
        }
        other => other.to_string(),
    }
}

const ONE_SIDED: &str = "its verdicts are too one-sided for the fit, which gets better without end";
const NOT_TOLD_APART: &str = "its lengths cannot be told from its strength or the difficulties";
const CONSTANT_LENGTH: &str =
    "its outputs differ from the reference's by the same length everywhere";
