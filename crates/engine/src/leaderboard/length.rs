//! Length-controlled win rates against one reference (Dubois, Galambosi, Liang and Hashimoto 2024,
//! section 3).

use super::evidence::{Sort, sort};
use super::recorded::won;
use super::{LeaderboardOptions, published, recorded, refuse_others, report};
use crate::rank::score::{Ci, Method, Scored, bare};
use crate::report::Interval;
use crate::{Aggregation, EngineError, RankOptions, Report, ScoreUnit, WarningKind};
use evenhand_formats::judgments::{Compared, Recorded};
use evenhand_stats::control::{
    ControlError, FittedDifficulty, JointPreferences, LengthControlled, Preferences,
    fit_difficulty, fit_length_control, length_feature,
};
use evenhand_stats::{Estimate, Scores, Undefined, competition_ranks};
use std::collections::{BTreeMap, BTreeSet};

/// So many models tell how difficult an instruction is.
const MODELS_FOR_DIFFICULTY: usize = 3;
/// The prior of difficulties: normal with standard deviation 1, in log-odds.
const RIDGE: f64 = 1.0;
/// Shares that differ by less share a rank.
pub(super) const SAME_SHARE: f64 = 1e-12;
/// The note of the reference.
pub(super) const REFERENCE: &str = "the reference: 0.5 by definition";
/// Where the reference's output is the shorter (or the longer) one less often than this, equal
/// lengths are hardly seen.
const HARDLY: f64 = 0.05;

/// One model's preferences over the reference, an entry for each item.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) system: u16,
    pub(super) items: Vec<u32>,
    preferred: Vec<f64>,
    length: Result<Vec<f64>, ControlError>,
    found: Result<LengthControlled, ControlError>,
}

/// Ranks the models and their reference by win rates at equal lengths.
pub(crate) fn leaderboard(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    check(options)?;
    let recorded = read(options)?;
    let reference = reference(&recorded)?;
    let mut models = models(&recorded, reference)?;
    let difficulty = match &options.published.difficulty {
        Some(path) => Difficulty::Published(published::difficulties_of(path, &recorded.items)?),
        None => {
            difficulty(&models, recorded.items.len())?.map_or(Difficulty::None, Difficulty::Fitted)
        }
    };
    let level = options.rank.bootstrap.level;
    models
        .iter_mut()
        .for_each(|model| model.found = fitted(model, difficulty.of_items(), level));
    whole(options, &recorded, reference, &models, &difficulty)
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
    fn of_items(&self) -> Option<&[Option<f64>]> {
        match self {
            Difficulty::None => None,
            Difficulty::Fitted(found) => Some(&found.difficulty),
            Difficulty::Published(found) => Some(found),
        }
    }
}

pub(super) fn wrong(what: &str) -> EngineError {
    EngineError::Setting(format!("--length-control: {what}"))
}

pub(super) fn check(options: &LeaderboardOptions) -> Result<(), EngineError> {
    let given = [
        ("--labels", !options.labels.is_empty()),
        ("--aggregate", options.rank.aggregation.is_some()),
        ("--differences", options.rank.differences),
        ("--systems", options.systems.is_some()),
    ];
    if let Some((other, _)) = given.iter().find(|(_, given)| *given) {
        return Err(wrong(&format!(
            "it does not go with {other}; leave one of the two out"
        )));
    }
    refuse_others("--length-control", options)?;
    match sort(options)? {
        Sort::Recorded => Ok(()),
        _ => Err(wrong(
            "it is for AlpacaEval's annotations or preferences, and not for battles or counts",
        )),
    }
}

pub(super) fn read(options: &LeaderboardOptions) -> Result<Recorded, EngineError> {
    let recorded = recorded::read(&options.paths, options)?;
    match (recorded.comparisons.is_empty(), recorded.scores.is_empty()) {
        (false, _) => Ok(recorded),
        (true, false) => Err(wrong(
            "it needs comparisons with a reference, and these are scores",
        )),
        (true, true) => Err(wrong(
            "the files hold no verdict on a model and another one as its reference",
        )),
    }
}

/// The one system that all others are compared with; of two systems the first of every comparison.
pub(super) fn reference(recorded: &Recorded) -> Result<u16, EngineError> {
    let rows = &recorded.comparisons;
    let firsts: BTreeSet<u16> = rows.iter().map(|row| row.a).collect();
    let in_all = |system: &u16| rows.iter().all(|row| row.a == *system || row.b == *system);
    let common: Vec<u16> = (0..recorded.systems.len() as u16).filter(in_all).collect();
    let name = |system: &u16| recorded.systems[usize::from(*system)].as_str();
    match (common.as_slice(), firsts.iter().next()) {
        ([one], _) => Ok(*one),
        ([_, _], Some(first)) if firsts.len() == 1 => Ok(*first),
        ([one, two], _) => {
            let (one, two) = (name(one), name(two));
            Err(wrong(&format!(
                "either of {one} and {two} could be the reference; it must be output 1 of every \
                 comparison"
            )))
        }
        _ if rows.iter().all(|row| !firsts.contains(&row.b)) => {
            let names = firsts.iter().map(name).collect::<Vec<_>>().join(", ");
            Err(wrong(&format!(
                "the files have more than one reference: {names}; give those with one of them"
            )))
        }
        _ => Err(wrong(
            "no system is in every comparison, so there is no common reference",
        )),
    }
}

/// The models, in the order of their numbers. Several verdicts on one item are averaged.
pub(super) fn models(recorded: &Recorded, reference: u16) -> Result<Vec<Model>, EngineError> {
    let mut sums: BTreeMap<(u16, u32), ([f64; 3], f64)> = BTreeMap::new();
    for row in &recorded.comparisons {
        let (model, said) = said(row, reference).ok_or_else(|| {
            wrong(
                "the files do not say how long the responses are; AlpacaEval's annotations and \
                   preferences do",
            )
        })?;
        let (sum, count) = sums.entry((model, row.item)).or_default();
        sum.iter_mut()
            .zip(said)
            .for_each(|(sum, value)| *sum += value);
        *count += 1.0;
    }
    let rows: Vec<((u16, u32), [f64; 3])> = sums
        .into_iter()
        .map(|(key, (sum, n))| (key, sum.map(|x| x / n)))
        .collect();
    let model = |rows: &[((u16, u32), [f64; 3])]| {
        let column = |at: usize| rows.iter().map(|row| row.1[at]).collect::<Vec<f64>>();
        let (system, items) = (rows[0].0.0, rows.iter().map(|row| row.0.1).collect());
        let (length, found) = (
            length_feature(&column(1), &column(2)),
            Err(Undefined::NoData.into()),
        );
        Model {
            system,
            items,
            preferred: column(0),
            length,
            found,
        }
    };
    Ok(rows.chunk_by(|x, y| x.0.0 == y.0.0).map(model).collect())
}

/// Whose verdict it is, and: the points of the model, the reference's length and the model's. None
/// without lengths.
fn said(row: &Compared, reference: u16) -> Option<(u16, [f64; 3])> {
    let (a, b) = (row.length_a?, row.length_b?);
    Some(if row.a == reference {
        (row.b, [1.0 - won(row), a, b])
    } else {
        (row.a, [won(row), b, a])
    })
}

/// Fitted jointly over all models whose lengths vary, if they are enough.
pub(super) fn difficulty(
    models: &[Model],
    items: usize,
) -> Result<Option<FittedDifficulty>, EngineError> {
    let models: Vec<(&Model, &Vec<f64>)> = models
        .iter()
        .filter_map(|model| Some((model, model.length.as_ref().ok()?)))
        .collect();
    if models.len() < MODELS_FOR_DIFFICULTY {
        return Ok(None);
    }
    let (mut model, mut item, mut preferred, mut length) = (vec![], vec![], vec![], vec![]);
    for ((one, lengths), number) in models.iter().zip(0..) {
        model.resize(model.len() + one.items.len(), number);
        item.extend(&one.items);
        preferred.extend(&one.preferred);
        length.extend(*lengths);
    }
    let data = JointPreferences {
        models: models.len(),
        items,
        model: &model,
        item: &item,
        preferred: &preferred,
        length: &length,
    };
    fit_difficulty(&data, RIDGE)
        .map(Some)
        .map_err(|error| wrong(&error.to_string()))
}

/// One instruction of a model.
pub(super) struct Instruction {
    pub(super) item: u32,
    /// None where the model has no verdict.
    pub(super) preferred: Option<f64>,
    pub(super) length: f64,
    pub(super) difficulty: f64,
}

/// All instructions whose difficulty is known, so that every model's mean is over the same; without
/// difficulties its own.
pub(super) fn columns(
    model: &Model,
    difficulty: Option<&[Option<f64>]>,
) -> Result<Vec<Instruction>, ControlError> {
    let own = model.length.as_ref().map_err(ControlError::clone)?;
    let rows = model.items.iter().zip(&model.preferred).zip(own);
    let rows = rows.map(|((&item, &preferred), &length)| Instruction {
        item,
        preferred: Some(preferred),
        length,
        difficulty: 0.0,
    });
    let Some(found) = difficulty else {
        return Ok(rows.collect());
    };
    let mut of_item: BTreeMap<u32, Instruction> = rows.map(|row| (row.item, row)).collect();
    let known = (0u32..)
        .zip(found)
        .filter_map(|(item, difficulty)| Some((item, (*difficulty)?)));
    let none = |item| Instruction {
        item,
        preferred: None,
        length: 0.0,
        difficulty: 0.0,
    };
    Ok(known
        .map(|(item, difficulty)| Instruction {
            difficulty,
            ..of_item.remove(&item).unwrap_or(none(item))
        })
        .collect())
}

fn fitted(
    model: &Model,
    difficulty: Option<&[Option<f64>]>,
    level: f64,
) -> Result<LengthControlled, ControlError> {
    let rows = columns(model, difficulty)?;
    let preferred: Vec<Option<f64>> = rows.iter().map(|row| row.preferred).collect();
    let length: Vec<f64> = rows.iter().map(|row| row.length).collect();
    let of_items: Vec<f64> = rows.iter().map(|row| row.difficulty).collect();
    let difficulty = difficulty.map(|_| of_items.as_slice());
    fit_length_control(
        &Preferences {
            preferred: &preferred,
            length: &length,
            difficulty,
        },
        level,
    )
}

fn whole(
    options: &LeaderboardOptions,
    recorded: &Recorded,
    reference: u16,
    models: &[Model],
    difficulty: &Difficulty,
) -> Result<Report, EngineError> {
    let keep: Vec<Option<u16>> = (0..recorded.systems.len() as u16).map(Some).collect();
    let mut about = recorded::about(recorded, &keep);
    about
        .warnings
        .extend(warning(difficulty).map(|text| WarningKind::LengthControl.says(text)));
    let method = RankOptions {
        ci: Ci::None,
        ..options.rank.clone()
    }
    .method(Aggregation::WinRatio)?;
    let method = Method {
        ci: options.rank.ci,
        ..method
    };
    let report = report(options, &about, Aggregation::WinRatio, &method);
    let ci = match method.ci {
        Ci::None => report.ci.clone(),
        _ => Interval {
            method: "length-control",
            rounds: 0,
            ..report.ci.clone()
        },
    };
    let scored = scored(recorded, reference, models, &method);
    let mut report =
        Report { ci, ..report }.with(&about.names, scored, &method, options.rank.scale);
    report.aggregation = "length-controlled-win-rate";
    report.unit = ScoreUnit::LengthControlledShare;
    report.protocol = format!(
        "{}, length-controlled {}",
        report.protocol,
        how(models, difficulty)
    );
    annotate(&mut report, recorded, reference, models);
    Ok(report)
}

fn how(models: &[Model], difficulty: &Difficulty) -> String {
    match difficulty {
        Difficulty::Fitted(_) => {
            let fitted = models.iter().filter(|model| model.length.is_ok()).count();
            format!("with difficulties of instructions fitted over {fitted} models")
        }
        Difficulty::Published(found) => format!(
            "with published difficulties of {} instructions",
            found.len()
        ),
        Difficulty::None => "without difficulties of instructions".into(),
    }
}

fn warning(difficulty: &Difficulty) -> Option<String> {
    match difficulty {
        Difficulty::None => Some(format!(
            "the difficulty of instructions is left out, since it takes {MODELS_FOR_DIFFICULTY} \
             models whose lengths vary: what is difficulty may then count as length"
        )),
        Difficulty::Fitted(found) if !found.fit.converged => Some(format!(
            "the difficulties of instructions did not converge in {} sweeps (gradient {:.2e}): do \
             not trust the scores",
            found.fit.iterations, found.fit.gradient
        )),
        Difficulty::Fitted(_) | Difficulty::Published(_) => None,
    }
}

fn scored(recorded: &Recorded, reference: u16, models: &[Model], method: &Method) -> Scored {
    let mut estimates = vec![Estimate::Undefined(Undefined::NoData); recorded.systems.len()];
    let mut n = vec![0; recorded.systems.len()];
    recorded
        .comparisons
        .iter()
        .flat_map(|row| [row.a, row.b])
        .for_each(|system| n[usize::from(system)] += 1);
    estimates[usize::from(reference)] = Estimate::Finite(0.5);
    for model in models {
        let lacking = Estimate::Undefined(Undefined::NotComparable);
        estimates[usize::from(model.system)] = model
            .found
            .as_ref()
            .map_or(lacking, |found| Estimate::Finite(found.win_rate));
    }
    let (ranks, weight) = (
        competition_ranks(&estimates, SAME_SHARE),
        n.iter().map(|&n| n as f64).collect(),
    );
    let mut scored = bare(
        &Scores {
            estimates,
            ranks,
            weight,
            resolution: SAME_SHARE,
            fit: None,
        },
        &n,
    );
    for model in models {
        let system = &mut scored.systems[usize::from(model.system)];
        system.standard_error = standard_error(&model.found);
        system.interval =
            (method.ci != Ci::None).then(|| interval(&model.found, method.plan.level));
    }
    scored
}

fn standard_error(found: &Result<LengthControlled, ControlError>) -> Option<f64> {
    Some(found.as_ref().ok()?.interval.as_ref().ok()?.standard_error)
}

fn interval(
    found: &Result<LengthControlled, ControlError>,
    level: f64,
) -> Result<evenhand_stats::Interval, String> {
    let found = found.as_ref().map_err(ControlError::to_string)?;
    let ends = found
        .interval
        .as_ref()
        .map_err(|reason| reason.to_string())?;
    let (low, high) = (Some(ends.low), Some(ends.high));
    Ok(evenhand_stats::Interval {
        low,
        high,
        level,
        rounds: 0,
        infinite: 0,
        undefined: 0,
    })
}

/// Raw win rates, and notes that say what a share or its absence means.
fn annotate(report: &mut Report, recorded: &Recorded, reference: u16, models: &[Model]) {
    let name = |system: u16| &recorded.systems[usize::from(system)];
    for row in &mut report.ranking {
        if row.system == *name(reference) {
            row.note = Some(REFERENCE.into());
        }
        let Some(model) = models
            .iter()
            .find(|model| row.system == *name(model.system))
        else {
            continue;
        };
        match &model.found {
            Ok(found) => {
                row.raw_win_rate = Some(found.raw_win_rate);
                row.note = row.note.take().or(extrapolated(model));
            }
            Err(error) => row.note = Some(format!("no score: {}", explained(error))),
        }
    }
}

/// Whether the model's outputs are nearly always the shorter or nearly always the longer ones.
fn extrapolated(model: &Model) -> Option<String> {
    let length = model.length.as_ref().ok()?;
    let share = |side: fn(&f64) -> bool| {
        length.iter().filter(|x| side(x)).count() as f64 / length.len() as f64
    };
    let (shorter, longer) = (share(|x| *x > 0.0), share(|x| *x < 0.0));
    let (side, most, least) = if shorter > longer {
        ("shorter", shorter, longer)
    } else {
        ("longer", longer, shorter)
    };
    (least < HARDLY).then(|| {
        format!(
            "its outputs are {side} than the reference's on {:.0} % of items: equal lengths are an \
             extrapolation",
            100.0 * most
        )
    })
}

/// The error with the covariates' names.
fn explained(error: &ControlError) -> String {
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
