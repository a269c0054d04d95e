//! Length-controlled win rates as AlpacaEval publishes them: weights of models and difficulties of
//! instructions, in files.

use super::length::{REFERENCE, SAME_SHARE, wrong};
use super::{About, ClusterBy, LeaderboardOptions, battles, refuse_others, report};
use crate::rank::score::{Ci, Scored, bare};
use crate::{Aggregation, EngineError, RankOptions, Report, ScoreUnit, open_input};
use evenhand_formats::records::{Filter, Input, Place, records};
use evenhand_stats::control::{LengthWeights, length_controlled_error, length_controlled_win_rate};
use evenhand_stats::{Estimate, Scores, competition_ranks};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Files that AlpacaEval publishes for its length control.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Weights of models: their win rates are then those of the weights, and no comparisons are
    /// read.
    pub weights: Option<PathBuf>,
    /// Difficulties of instructions, which are otherwise fitted.
    pub difficulty: Option<PathBuf>,
}

/// Largest absolute weight or difficulty, in log-odds.
const LARGEST: f64 = 1e30;
/// Names of the columns: short, and as AlpacaEval's own files have them.
const MODEL: [&str; 3] = ["model", "", "index"];
const LENGTH: [&str; 2] = ["w_length", "np.tanh(std_delta_len)"];
const DIFFICULTY: [&str; 2] = ["w_difficulty", "instruction_difficulty"];
const WORTH: [&str; 2] = ["w_model", "not_gamed_baseline.astype(float)"];

/// One model of the file of weights.
struct Model {
    name: String,
    weights: LengthWeights,
    /// So many of the first instructions its rate is over; None: all.
    instructions: Option<usize>,
}

/// Ranks the models by the win rates that their weights give.
pub(super) fn leaderboard(
    options: &LeaderboardOptions,
    weights: &Path,
) -> Result<Report, EngineError> {
    check(options)?;
    let Some(path) = &options.published.difficulty else {
        return Err(wrong(
            "--length-control-weights needs --instruction-difficulty, the file beside it",
        ));
    };
    let difficulty: Vec<f64> = difficulties(path)?.into_iter().map(|row| row.1).collect();
    let models = models(weights, &options.filter, difficulty.len())?;
    let names: Vec<String> = models.iter().map(|model| model.name.clone()).collect();
    let keep = battles::kept(&names, options)?;
    let models: Vec<Model> = models
        .into_iter()
        .zip(&keep)
        .filter(|(_, keep)| keep.is_some())
        .map(|row| row.0)
        .collect();
    whole(options, &models, &difficulty)
}

fn check(options: &LeaderboardOptions) -> Result<(), EngineError> {
    let rank = &options.rank;
    let given = [
        ("FILE", !options.paths.is_empty()),
        ("--labels", !options.labels.is_empty()),
        ("--aggregate", rank.aggregation.is_some()),
        ("--differences", rank.differences),
        (
            "--left, --right or --winner",
            options.left.is_some() || options.right.is_some() || options.winner.is_some(),
        ),
        ("--weight", options.weight.is_some()),
        ("--both-bad", options.both_bad.is_some()),
        ("--texts", options.texts.is_some()),
        ("--input-format", options.format.is_some()),
        (
            "--system-column, --item-column or --score-column",
            options.columns.iter().any(Option::is_some),
        ),
        ("--baseline", options.baseline.is_some()),
        ("--both-games", options.both_games),
        ("--outcomes", !options.outcomes.is_empty()),
        ("--cluster", options.cluster != ClusterBy::Auto),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((other, _)) => Err(EngineError::Setting(format!(
            "--length-control-weights: it does not go with {other}: the rates are those of the \
             weights; leave one of the two out"
        ))),
        None => refuse_others("--length-control-weights", options),
    }
}

fn whole(
    options: &LeaderboardOptions,
    models: &[Model],
    difficulty: &[f64],
) -> Result<Report, EngineError> {
    let about = About {
        names: models.iter().map(|model| model.name.clone()).collect(),
        by_item: true,
        ..About::default()
    };
    let method = RankOptions {
        ci: Ci::None,
        ..options.rank.clone()
    }
    .method(Aggregation::WinRatio)?;
    let scored = scored(models, difficulty)?;
    let mut report = report(options, &about, Aggregation::WinRatio, &method).with(
        &about.names,
        scored,
        &method,
        options.rank.scale,
    );
    report.aggregation = "length-controlled-win-rate";
    report.unit = ScoreUnit::LengthControlledShare;
    report.protocol = format!(
        "published weights, with difficulties of {} instructions",
        difficulty.len()
    );
    let zeros = |model: &&Model| model.weights.model == 0.0 && model.weights.difficulty == 0.0;
    for model in models.iter().filter(zeros) {
        let row = report
            .ranking
            .iter_mut()
            .find(|row| row.system == model.name);
        row.into_iter()
            .for_each(|row| row.note = Some(REFERENCE.into()));
    }
    Ok(report)
}

fn scored(models: &[Model], difficulty: &[f64]) -> Result<Scored, EngineError> {
    let over = |model: &Model| &difficulty[..model.instructions.unwrap_or(difficulty.len())];
    let rate = |model: &Model| {
        length_controlled_win_rate(&model.weights, over(model)).map(Estimate::Finite)
    };
    let estimates: Vec<Estimate> = models
        .iter()
        .map(rate)
        .collect::<Result<_, _>>()
        .map_err(|e| wrong(&e.to_string()))?;
    let n: Vec<u64> = models
        .iter()
        .map(|model| over(model).len() as u64)
        .collect();
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
    for (system, model) in scored.systems.iter_mut().zip(models) {
        system.standard_error = length_controlled_error(&model.weights, over(model)).ok();
    }
    Ok(scored)
}

/// The difficulty of each item as published, then those of instructions that the files have no
/// verdict on.
///
/// # Errors
/// A file that cannot be read; an item without a difficulty.
pub(super) fn difficulties_of(
    path: &Path,
    items: &[String],
) -> Result<Vec<Option<f64>>, EngineError> {
    let found = difficulties(path)?;
    let of: HashMap<&str, f64> = found
        .iter()
        .map(|(item, difficulty)| (item.as_str(), *difficulty))
        .collect();
    let lacking = |item: &String| {
        let name = path.display();
        EngineError::Setting(format!(
            "--instruction-difficulty {name}: there is no difficulty of the instruction `{item}`, \
             one of {} that the files have verdicts \
             on; the file has {}, by `instruction_id` or else numbered from 0: give one that has \
             them all",
            items.len(),
            found.len()
        ))
    };
    let one = |item: &String| {
        of.get(item.as_str())
            .copied()
            .map(Some)
            .ok_or_else(|| lacking(item))
    };
    let mut all: Vec<Option<f64>> = items.iter().map(one).collect::<Result<_, _>>()?;
    let judged: BTreeSet<&String> = items.iter().collect();
    all.extend(
        found
            .iter()
            .filter(|(item, _)| !judged.contains(item))
            .map(|(_, difficulty)| Some(*difficulty)),
    );
    Ok(all)
}

/// Instructions with their difficulties, in the order of the file.
fn difficulties(path: &Path) -> Result<Vec<(String, f64)>, EngineError> {
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    table(path, "--instruction-difficulty", None, |record, place| {
        let item = match text(&record, &["instruction_id"]) {
            Some(item) => item,
            None => rows.len().to_string(),
        };
        if !seen.insert(item.clone()) {
            return Err(format!(
                "{place}: the instruction `{item}` has a difficulty already"
            ));
        }
        rows.push((item, number(&record, place, &["instruction_difficulty"])?));
        Ok(())
    })?;
    Ok(rows)
}

fn models(path: &Path, filter: &Filter, instructions: usize) -> Result<Vec<Model>, EngineError> {
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    table(
        path,
        "--length-control-weights",
        Some(filter),
        |record, place| {
            let name = text(&record, &MODEL)
                .ok_or_else(|| expected(&record, place, &MODEL, "the name of a model"))?;
            if !seen.insert(name.clone()) {
                return Err(format!("{place}: the model `{name}` has weights already"));
            }
            let number = |columns| number(&record, place, columns);
            let weights = LengthWeights {
                length: number(&LENGTH)?,
                difficulty: number(&DIFFICULTY)?,
                model: number(&WORTH)?,
            };
            rows.push(Model {
                name,
                weights,
                instructions: first(&record, place, instructions)?,
            });
            Ok(())
        },
    )?;
    Ok(rows)
}

/// How many of the first instructions a model's rate is over, where the file says so.
fn first(record: &Value, place: &Place, instructions: usize) -> Result<Option<usize>, String> {
    let Some(found) = text(record, &["n_total"]) else {
        return Ok(None);
    };
    let whole = found
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|n| n.fract() == 0.0 && (1.0..=instructions as f64).contains(n));
    let what =
        format!("a whole number from 1 to {instructions}, as many as there are difficulties");
    whole
        .map(|n| Some(n as usize))
        .ok_or_else(|| expected(record, place, &["n_total"], &what))
}

/// Hands over the records of a file; what a record lacks is an error of the flag.
fn table(
    path: &Path,
    flag: &str,
    filter: Option<&Filter>,
    mut take: impl FnMut(Value, &Place) -> Result<(), String>,
) -> Result<(), EngineError> {
    let name = path.display().to_string();
    let refused = |why: String| EngineError::Setting(format!("{flag} {why}"));
    let file = open_input(path).map_err(|e| refused(format!("{name}: cannot be read: {e}")))?;
    let input = Input {
        filter: filter.filter(|filter| !filter.is_empty()),
        ..Input::new(&name)
    };
    records(BufReader::new(file), &input, |record, place| {
        take(record, place).map_err(refused)
    })
    .map(|_| ())
}

fn field<'a>(record: &'a Value, columns: &[&str]) -> Option<&'a Value> {
    columns
        .iter()
        .find_map(|column| record.get(*column))
        .filter(|value| !value.is_null())
}

fn text(record: &Value, columns: &[&str]) -> Option<String> {
    match field(record, columns)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number(record: &Value, place: &Place, columns: &[&str]) -> Result<f64, String> {
    let found = match field(record, columns) {
        Some(Value::String(text)) => text.trim().parse().ok(),
        other => other.and_then(Value::as_f64),
    };
    let found = found.filter(|x: &f64| x.abs() <= LARGEST);
    found.ok_or_else(|| {
        expected(
            record,
            place,
            columns,
            "a number from -1e30 to 1e30, in log-odds",
        )
    })
}

fn expected(record: &Value, place: &Place, columns: &[&str], what: &str) -> String {
    let names: Vec<String> = columns
        .iter()
        .filter(|name| !name.is_empty())
        .map(|name| format!("`{name}`"))
        .collect();
    let found: String = field(record, columns)
        .map_or("nothing".into(), Value::to_string)
        .chars()
        .take(40)
        .collect();
    let fields = record.as_object().map(|fields| {
        fields
            .keys()
            .take(10)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ")
    });
    format!(
        "{place}: field {}: expected {what}, found {found}; the fields are: {}",
        names.join(" or "),
        fields.unwrap_or_default()
    )
}
