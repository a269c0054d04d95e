//! Battles that a board keeps one by one, where counts of pairs would lose what its ranking needs:
//! which battles share an item, the values of a field, covariates.

use super::control::{board_columns, read_controlled};
use super::files::{FileSort, battle_reading, open_battles, sort_of_files};
use super::options::{ClusterBy, LeaderboardOptions};
use crate::method::Ci;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::battles::{self, BattleOutcome, Rows, read_rows};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Display, Path};

/// What a board keeps of each battle, beside who met whom and how it ended. Its first files decide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Keeps {
    /// The field by whose values the battles are ranked too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// The covariates whose effect is taken out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    control: Vec<String>,
    /// The columns of texts in which they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    texts: Option<[String; 2]>,
    /// The column with the item, where the user named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<String>,
    /// The column whose values count once in intervals, in the place of items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<String>,
    /// Whether each battle counts by itself in intervals, though files may name items.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    single: bool,
}

/// A battle as a board keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptRow {
    a: String,
    b: String,
    /// Who won, in the usual words of battles.
    winner: String,
    /// The item, or what counts once in its place; None where the files name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<String>,
    /// How much it counts.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    weight: f64,
    /// Its value of the field; None where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// The numbers of each covariate: one, one of each response, or none for the order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<Vec<f64>>,
}

impl KeptRow {
    /// Returns how much the battle counts.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }
}

fn one() -> f64 {
    1.0
}

fn is_one(weight: &f64) -> bool {
    *weight == 1.0
}

/// The columns under which a board's battles are read again; the field of slices has its own name.
const COLUMNS: [&str; 5] = ["model_a", "model_b", "winner", "weight", "question_id"];

impl Keeps {
    /// Returns what a board that begins with these files keeps of each battle; None where counts of
    /// pairs serve: no field, no covariates, and no items that count once in intervals.
    ///
    /// # Errors
    /// A file that cannot be read; a field that a board keeps under another meaning.
    pub(super) fn of_new(options: &LeaderboardOptions) -> Result<Option<Keeps>, EngineError> {
        if options.by.is_none()
            && options.control.is_empty()
            && (options.cluster == ClusterBy::None || !name_items(options)?)
        {
            return Ok(None);
        }
        let by = options.by.as_deref().map(str::trim);
        let cluster = match &options.cluster {
            ClusterBy::Column(column) => Some(column.as_str()),
            _ => None,
        };
        // Items stand under the last of its columns anyway.
        let [.., item] = COLUMNS;
        let other = cluster.filter(|column| *column != item);
        for (setting, column) in [(Setting::By, by), (Setting::Cluster, other)] {
            let is_own = |name: &&str| COLUMNS.contains(name) || name.starts_with("control ");
            if let Some(column) = column.filter(is_own) {
                let reason = "a board keeps a column of this name for itself; rank by it without \
                              a board, or give the column another name";
                let refusal = Refusal::new(setting, Cause::Data, reason);
                return Err(refusal.with_value(column).into());
            }
        }
        Ok(Some(Keeps {
            by: by.map(str::to_owned),
            control: options.control.clone(),
            texts: options.texts.clone(),
            item: options.reading.item.clone(),
            cluster: cluster.map(str::to_owned),
            single: options.cluster == ClusterBy::None,
        }))
    }

    /// Gives the options what the board keeps and nobody said again.
    ///
    /// # Errors
    /// Options that say something else: its history would be of several rankings.
    pub(super) fn settle(
        &self,
        board: &Path,
        options: &mut LeaderboardOptions,
    ) -> Result<(), Refusal> {
        let board = board.display();
        let by = options.by.as_deref().map(str::trim);
        if by.is_some() && by != self.by.as_deref() {
            return Err(refuse_other(Setting::By, &board, &self.by));
        }
        let has_control = !options.control.is_empty() && options.control != self.control;
        if has_control || (options.texts.is_some() && options.texts != self.texts) {
            let setting = match has_control {
                true => Setting::Control,
                false => Setting::Texts,
            };
            let kept = match (has_control, &self.texts) {
                (true, _) => (!self.control.is_empty()).then(|| self.control.join(",")),
                (false, texts) => texts.as_ref().map(|texts| texts.join(",")),
            };
            return Err(refuse_other(setting, &board, &kept));
        }
        let item = &options.reading.item;
        if item.is_some() && *item != self.item {
            return Err(refuse_other(Setting::ItemColumn, &board, &self.item));
        }
        let is_controlled = options.control.is_empty() && !self.control.is_empty();
        if is_controlled && !options.ci_is_chosen {
            options.rank.ci = Ci::Sandwich;
        }
        options.by = self.by.clone();
        options.control = self.control.clone();
        options.texts = self.texts.clone();
        Ok(())
    }

    /// Returns what counts once in intervals.
    ///
    /// # Errors
    /// Another unit than that with which the board was begun; `rows` are its battles.
    pub(super) fn settle_cluster(
        &self,
        board: &Path,
        given: &ClusterBy,
        rows: &[KeptRow],
    ) -> Result<ClusterBy, Refusal> {
        let kept = match (&self.cluster, self.single) {
            (Some(column), _) => ClusterBy::Column(column.clone()),
            (None, true) => ClusterBy::None,
            (None, false) => ClusterBy::Auto,
        };
        // Of battles that name no item each counts by itself already.
        let have_items = rows.iter().any(|row| row.item.is_some());
        let is_same = match (given, &kept) {
            (ClusterBy::Auto, _) => true,
            (ClusterBy::Item, ClusterBy::Auto) => true,
            (ClusterBy::None, ClusterBy::Auto) => !have_items,
            // As boards of before kept a column.
            (ClusterBy::Column(column), ClusterBy::Auto) => self.item.as_ref() == Some(column),
            (given, kept) => given == kept,
        };
        if !is_same {
            let kept = match &kept {
                ClusterBy::Column(column) => Some(column.clone()),
                ClusterBy::None => Some("none".into()),
                ClusterBy::Auto | ClusterBy::Item => None,
            };
            return Err(refuse_other(Setting::Cluster, &board.display(), &kept));
        }
        Ok(match given {
            ClusterBy::Item => ClusterBy::Item,
            _ => kept,
        })
    }

    /// Returns the settings of every edition, as they would be given.
    pub(super) fn in_words(&self) -> Vec<String> {
        let texts = self.texts.as_ref().map(|texts| texts.join(","));
        let control = (!self.control.is_empty()).then(|| self.control.join(","));
        let cluster = match self.single {
            true => Some("none".into()),
            false => self.cluster.clone(),
        };
        let kept = [
            (Setting::By, self.by.clone()),
            (Setting::Control, control),
            (Setting::Texts, texts),
            (Setting::ItemColumn, self.item.clone()),
            (Setting::Cluster, cluster),
        ];
        let kept = kept.into_iter();
        kept.filter_map(|(setting, value)| Some(format!("{setting} {}", value?)))
            .collect()
    }

    /// The column under which what counts once is written and read again.
    fn item_column(&self) -> &str {
        let [.., item] = COLUMNS;
        self.cluster.as_deref().unwrap_or(item)
    }

    /// Returns by what the battles that are written by [`Keeps::records`] count once.
    pub(super) fn cluster_of_records(&self, settled: &ClusterBy) -> ClusterBy {
        match (&self.cluster, settled) {
            (None, ClusterBy::Column(_)) => ClusterBy::Item,
            _ => settled.clone(),
        }
    }

    /// Reads a file's battles, as they are kept; and with them what is left out. The options are
    /// those of the board.
    ///
    /// # Errors
    /// A file that cannot be read, or lacks what the board keeps; one that names items where the
    /// board's `before` names none, or the other way round.
    pub(super) fn read(
        &self,
        path: &Path,
        options: &LeaderboardOptions,
        before: &[KeptRow],
    ) -> Result<(Vec<KeptRow>, Rows), EngineError> {
        let mut own = LeaderboardOptions {
            paths: vec![path.to_owned()],
            // Items are kept, whatever counts once in this edition.
            cluster: match self.cluster.as_ref().or(self.item.as_ref()) {
                Some(item) => ClusterBy::Column(item.clone()),
                None => ClusterBy::Auto,
            },
            ..options.clone()
        };
        own.rank.ci = Ci::Bootstrap;
        own.reading.columns.keep_clusters = true;
        own.reading.columns.label = self.by.clone();
        let (rows, covariates) = read_controlled(&own, battle_reading(&own))?;
        let has_items = rows.cluster.is_some();
        if let Some(first) = before.first().filter(|row| row.item.is_some() != has_items) {
            let (here, there) = match first.item {
                Some(_) => ("name no item", "do"),
                None => ("name items", "do not"),
            };
            return Err(Refusal::of_input(format!(
                "{}: its battles {here}, and those of the board {there}, so that what counts once \
                 in intervals is not known; give all files the column, or begin another board from \
                 all of them with {} none",
                path.display(),
                Setting::Cluster
            ))
            .into());
        }
        let name = |system: u16| rows.names[usize::from(system)].clone();
        let kept = (0..rows.a.len()).map(|row| {
            let item = rows.cluster.as_ref().map(|items| items[row] as usize);
            let label = rows.label.get(row).map(|label| *label as usize);
            let value = label.and_then(|label| rows.label_values.get(label));
            KeptRow {
                a: name(rows.a[row]),
                b: name(rows.b[row]),
                winner: word_of(rows.outcome[row]).into(),
                item: item.and_then(|item| rows.cluster_values.get(item).cloned()),
                weight: rows.weight.as_ref().map_or(1.0, |weights| weights[row]),
                value: value.filter(|value| !value.is_empty()).cloned(),
                numbers: covariates.iter().map(|found| found.of_row(row)).collect(),
            }
        });
        let kept = kept.collect();
        Ok((kept, rows))
    }

    /// Writes battles as the records of a file, whose rows are read as those of the first files
    /// were.
    pub(super) fn records(&self, rows: &[KeptRow]) -> String {
        let mut text = String::new();
        for row in rows {
            let mut record = Map::new();
            let [a, b, winner, weight, _] = COLUMNS;
            for (column, value) in [(a, &row.a), (b, &row.b), (winner, &row.winner)] {
                record.insert(column.into(), Value::from(value.as_str()));
            }
            if row.weight != 1.0 {
                record.insert(weight.into(), row.weight.into());
            }
            if let Some(value) = &row.item {
                record.insert(self.item_column().into(), Value::from(value.as_str()));
            }
            if let Some(by) = &self.by {
                let value = row.value.as_deref().unwrap_or_default();
                record.insert(by.clone(), Value::from(value));
            }
            for (at, numbers) in row.numbers.iter().enumerate() {
                for (column, number) in board_columns(at).into_iter().zip(numbers) {
                    record.insert(column, Value::from(*number));
                }
            }
            text += &Value::Object(record).to_string();
            text.push('\n');
        }
        text
    }
}

/// Refuses a setting that is another than a board's.
pub(super) fn refuse_other(
    setting: Setting,
    board: &Display<'_>,
    kept: &Option<String>,
) -> Refusal {
    let kept = match kept {
        Some(kept) => format!("{setting} {kept}"),
        None => format!("no {setting}"),
    };
    let reason = format!(
        "{board} was begun with {kept} and keeps what that needs; leave {setting} out to keep it, \
         or begin another board from all files"
    );
    Refusal::new(setting, Cause::Data, reason)
}

/// Whether a file of battles among these names items, in a column that is known or named.
pub(super) fn name_items(options: &LeaderboardOptions) -> Result<bool, EngineError> {
    for path in &options.paths {
        let mut own = LeaderboardOptions {
            paths: vec![path.clone()],
            ..options.clone()
        };
        // Without intervals no items would be read.
        own.rank.ci = Ci::Bootstrap;
        if sort_of_files(&own)? != FileSort::Battles {
            continue;
        }
        let reading = battles::Options {
            beginning: Some(1),
            ..battle_reading(&own)
        };
        if read_rows(&mut [open_battles(path)?], &reading)?
            .cluster
            .is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the word that means this outcome in every row and file.
fn word_of(outcome: BattleOutcome) -> &'static str {
    match outcome {
        BattleOutcome::A => "model_a",
        BattleOutcome::Tie => "tie",
        BattleOutcome::BothBad => "tie (bothbad)",
        BattleOutcome::B => "model_b",
    }
}
