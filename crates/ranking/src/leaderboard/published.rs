//! Length-controlled win rates as AlpacaEval publishes them, and the files that it publishes for
//! them: weights of its models, and difficulties of instructions.

use super::gathered::{FileSummary, KeptSystems};
use super::length::{LENGTH_CONTROLLED, REFERENCE, refuse_length_control, scored_shares};
use super::options::{ClusterBy, Given, LeaderboardOptions, check_own_estimator, refuse_beside};
use crate::method::Ci;
use crate::{Aggregation, Report, ScoreUnit};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, open_input};
use evenhand_formats::records::{Filter, Input, read_objects};
use evenhand_stats::Estimate;
use evenhand_stats::control::{LengthWeights, length_controlled_error, length_controlled_win_rate};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::io::BufReader;
use std::path::Path;

/// Largest absolute weight or difficulty, in log-odds.
const LARGEST: f64 = 1e30;
/// Fields of a record that an error lists.
const FIELDS_SHOWN: usize = 10;
/// Characters of a wrong value that an error shows.
const VALUE_SHOWN: usize = 40;

/// Names of a column: short, and as AlpacaEval's own files have them.
type Column = &'static [&'static str];

const MODEL: Column = &["model", "", "index"];
const INSTRUCTIONS: Column = &["n_total"];
const W_LENGTH: Column = &["w_length", "np.tanh(std_delta_len)"];
const W_DIFFICULTY: Column = &["w_difficulty", "instruction_difficulty"];
const W_MODEL: Column = &["w_model", "not_gamed_baseline.astype(float)"];
const INSTRUCTION: Column = &["instruction_id"];
const DIFFICULTY: Column = &["instruction_difficulty"];

/// Ranks the models by the win rates that their weights give. What the user set is checked before:
/// upkeep sets more.
pub(super) fn rank_by_weights(
    options: &LeaderboardOptions,
    weights: &Path,
) -> Result<Report, EngineError> {
    let path = options.published.difficulty.as_ref().ok_or_else(|| {
        let needed = Setting::InstructionDifficulty;
        let weights = Setting::LengthControlWeights;
        let why = format!("{weights} needs {needed}, the file beside it");
        refuse_length_control(Cause::Needs(needed), why)
    })?;
    let rated = read_difficulties(path)?;
    let difficulty: Vec<f64> = rated.iter().map(|row| row.difficulty).collect();
    let mut models = read_weights(weights, &options.reading.columns.filter, difficulty.len())?;
    let names: Vec<String> = models.iter().map(|model| model.name.clone()).collect();
    let kept = KeptSystems::select(&names, options)?;
    // Only after all names are known: a misspelt one is refused with those that there are.
    models.retain(|model| kept.names.contains(&model.name));

    let (mut rates, mut over, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for model in &models {
        let difficulties = model.difficulties(&difficulty);
        let rate = length_controlled_win_rate(&model.weights, difficulties)
            .map_err(|error| refuse_length_control(Cause::Data, error.to_string()))?;
        rates.push(Estimate::Finite(rate));
        over.push(difficulties.len() as u64);
        errors.push(length_controlled_error(&model.weights, difficulties).ok());
    }
    let mut scored = scored_shares(rates, &over);
    for (system, error) in scored.systems.iter_mut().zip(errors) {
        system.standard_error = error;
    }

    let files = FileSummary {
        names: models.iter().map(|model| model.name.clone()).collect(),
        by_item: true,
        ..FileSummary::default()
    };
    // Weights come without the data that intervals would be made of.
    let method = options
        .rank
        .with_ci(Ci::None)
        .method(Aggregation::WinRatio)?;
    let report = files.report(options, Aggregation::WinRatio, &method);
    let report = report.with_scores(&files.names, scored, &method, options.rank.scale);
    let mut report = Report {
        aggregation: LENGTH_CONTROLLED,
        unit: ScoreUnit::LengthControlledShare,
        protocol: format!(
            "published weights, with difficulties of {} instructions",
            difficulty.len()
        ),
        ..report
    };
    for model in models.iter().filter(|model| model.is_reference()) {
        let mut rows = report.ranking.iter_mut();
        if let Some(row) = rows.find(|row| row.system == model.name) {
            row.note = Some(REFERENCE.into());
        }
    }
    Ok(report)
}

/// Refuses whatever comparisons would be read or ranked by: there are none.
pub(super) fn check_beside_weights(options: &LeaderboardOptions) -> Result<(), Refusal> {
    use Setting::{ItemColumn, Left, Right, ScoreColumn, SystemColumn, Winner};
    const WHY: &str = ": the rates are those of the weights";
    let (setting, rank, reading) = (
        Setting::LengthControlWeights,
        &options.rank,
        &options.reading,
    );
    if !options.paths.is_empty() {
        let why = format!("it does not go with files of judgments{WHY}; leave one of the two out");
        return Err(Refusal::new(setting, Cause::Data, why));
    }
    let others = [
        Given::new(&[Setting::Labels], !options.labels.is_empty()),
        Given::new(&[Setting::Aggregate], rank.aggregation.is_some()),
        Given::new(&[Setting::Differences], rank.differences),
        Given::new(&[Setting::Cluster], options.cluster != ClusterBy::Auto),
        Given::new(&[Left, Right, Winner], options.names_columns()),
        Given::new(&[Setting::Weight], options.names_weight()),
        Given::new(&[Setting::BothBad], options.both_bad.is_some()),
        Given::new(&[Setting::Texts], options.texts.is_some()),
        Given::new(&[Setting::InputFormat], options.format.is_some()),
        Given::new(
            &[SystemColumn, ItemColumn, ScoreColumn],
            [&reading.system, &reading.item, &reading.score]
                .into_iter()
                .any(Option::is_some),
        ),
        Given::new(&[Setting::Baseline], reading.baseline.is_some()),
        Given::new(&[Setting::BothGames], reading.both_games),
        Given::new(&[Setting::Outcomes], !reading.columns.outcomes.is_empty()),
    ];
    refuse_beside(setting, &others, WHY)?;
    check_own_estimator(setting, options)
}

/// One model of the file of weights.
struct WeighedModel {
    name: String,
    weights: LengthWeights,
    /// So many of the first instructions its rate is over; None: all.
    instructions: Option<usize>,
}

impl WeighedModel {
    /// Whether the model is the reference, whose weights are 0 but for that of lengths.
    fn is_reference(&self) -> bool {
        self.weights.model == 0.0 && self.weights.difficulty == 0.0
    }

    /// Returns the difficulties of its instructions.
    fn difficulties<'a>(&self, all: &'a [f64]) -> &'a [f64] {
        &all[..self.instructions.unwrap_or(all.len())]
    }
}

/// An instruction with its published difficulty.
struct RatedInstruction {
    name: String,
    difficulty: f64,
}

/// Returns the difficulty of each item as published, then those of instructions that the files
/// have no verdict on.
///
/// # Errors
/// A file that cannot be read; an item without a difficulty.
pub(super) fn difficulties_of_items(
    path: &Path,
    items: &[String],
) -> Result<Vec<Option<f64>>, EngineError> {
    let rated = read_difficulties(path)?;
    let by_name: HashMap<&str, f64> = rated
        .iter()
        .map(|row| (row.name.as_str(), row.difficulty))
        .collect();
    let mut all = Vec::new();
    for item in items {
        let Some(difficulty) = by_name.get(item.as_str()) else {
            let reason = format!(
                "there is no difficulty of the instruction `{item}`, one of {} that the files have \
                 verdicts on; the file has {}, by `instruction_id` or else numbered from 0: give \
                 one that has them all",
                items.len(),
                rated.len()
            );
            let refusal = Refusal::new(Setting::InstructionDifficulty, Cause::Data, reason);
            return Err(refusal.with_value(path.display()).into());
        };
        all.push(Some(*difficulty));
    }
    let judged: BTreeSet<&String> = items.iter().collect();
    let others = rated.iter().filter(|row| !judged.contains(&row.name));
    all.extend(others.map(|row| Some(row.difficulty)));
    Ok(all)
}

/// Reads instructions with their difficulties, in the order of the file.
fn read_difficulties(path: &Path) -> Result<Vec<RatedInstruction>, EngineError> {
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    let table = Table::new(path, Setting::InstructionDifficulty);
    table.for_each_record(|record| {
        // Instructions without a name are numbered, as AlpacaEval's are.
        let name = text_of(record, INSTRUCTION).unwrap_or_else(|| rows.len().to_string());
        if !seen.insert(name.clone()) {
            return Err(format!("the instruction `{name}` has a difficulty already"));
        }
        let difficulty = number_of(record, DIFFICULTY)?;
        rows.push(RatedInstruction { name, difficulty });
        Ok(())
    })?;
    Ok(rows)
}

/// Reads models with their weights; no model's rate is over more than so many instructions.
fn read_weights(
    path: &Path,
    filter: &Filter,
    instructions: usize,
) -> Result<Vec<WeighedModel>, EngineError> {
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    let table = Table {
        filter: Some(filter).filter(|filter| !filter.is_empty()),
        ..Table::new(path, Setting::LengthControlWeights)
    };
    table.for_each_record(|record| {
        let name =
            text_of(record, MODEL).ok_or_else(|| expected(record, MODEL, "the name of a model"))?;
        if !seen.insert(name.clone()) {
            return Err(format!("the model `{name}` has weights already"));
        }
        let weights = LengthWeights {
            length: number_of(record, W_LENGTH)?,
            difficulty: number_of(record, W_DIFFICULTY)?,
            model: number_of(record, W_MODEL)?,
        };
        // A file need not say how many of the first instructions a model's rate is over.
        let count = match text_of(record, INSTRUCTIONS) {
            None => None,
            // A spreadsheet may have written it as `805.0`.
            Some(found) => match found.trim().parse::<f64>() {
                Ok(n) if n.fract() == 0.0 && (1.0..=instructions as f64).contains(&n) => {
                    Some(n as usize)
                }
                _ => {
                    let what = format!(
                        "a whole number from 1 to {instructions}, as many as there are difficulties"
                    );
                    return Err(expected(record, INSTRUCTIONS, &what));
                }
            },
        };
        rows.push(WeighedModel {
            name,
            weights,
            instructions: count,
        });
        Ok(())
    })?;
    Ok(rows)
}

/// A file of records, and the setting that names it.
struct Table<'a> {
    path: &'a Path,
    setting: Setting,
    filter: Option<&'a Filter>,
}

impl<'a> Table<'a> {
    fn new(path: &'a Path, setting: Setting) -> Table<'a> {
        Table {
            path,
            setting,
            filter: None,
        }
    }

    /// Hands over the records; what is wrong with one is refused with its place.
    fn for_each_record(
        &self,
        mut take: impl FnMut(&Value) -> Result<(), String>,
    ) -> Result<(), EngineError> {
        let name = self.path.display().to_string();
        let file = open_input(self.path)
            .map_err(|e| self.refuse_at(&name, format!("cannot be read: {e}")))?;
        let input = Input {
            filter: self.filter,
            ..Input::new(&name)
        };
        read_objects(BufReader::new(file), &input, |record, place| {
            take(&record).map_err(|why| EngineError::from(self.refuse_at(place, why)))
        })?;
        Ok(())
    }

    fn refuse_at(&self, place: impl Display, why: String) -> Refusal {
        Refusal::new(self.setting, Cause::File, why).with_value(place)
    }
}

fn field_of(record: &Value, column: Column) -> Option<&Value> {
    let field = column.iter().find_map(|name| record.get(name))?;
    (!field.is_null()).then_some(field)
}

fn text_of(record: &Value, column: Column) -> Option<String> {
    match field_of(record, column)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number_of(record: &Value, column: Column) -> Result<f64, String> {
    let number: Option<f64> = match field_of(record, column) {
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(other) => other.as_f64(),
        None => None,
    };
    number
        .filter(|number| number.abs() <= LARGEST)
        .ok_or_else(|| expected(record, column, "a number from -1e30 to 1e30, in log-odds"))
}

fn expected(record: &Value, column: Column, what: &str) -> String {
    let found = field_of(record, column).map_or("nothing".into(), Value::to_string);
    let found: String = found.chars().take(VALUE_SHOWN).collect();
    let names = column.iter().filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let fields = record
        .as_object()
        .into_iter()
        .flat_map(|record| record.keys());
    let fields: Vec<&str> = fields.take(FIELDS_SHOWN).map(String::as_str).collect();
    format!(
        "field {}: expected {what}, found {found}; the fields are: {}",
        names.join(" or "),
        fields.join(", ")
    )
}
