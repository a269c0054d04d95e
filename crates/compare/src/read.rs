//! Reads a side of a comparison from a run, a baseline's file, or files of judgments: which items
//! count, their categories, and what a judge said of them.

use super::answers::AnswerSize;
use super::baseline::{is_baseline, read_baseline};
use super::side::{
    Digest, SideAnswer, SideData, SideFailure, SideItem, SideResponse, SideVerdict, round_value,
};
use evenhand_core::{Clusters, Item, LARGEST_SCORE, Refusal, Setting, shell_word};
use evenhand_engine::{EngineError, open_buffered};
use evenhand_formats::judgments::{JudgmentReader, Options};
use evenhand_protocols::Protocol;
use evenhand_store::{JudgmentColumns, Reader, describe_calls_alone};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use std::cmp::Ordering;
use std::path::Path;

/// Reads a side of a comparison: a run's directory, a file of `evenhand baseline save`, or a file
/// of recorded judgments, battles or scores, which `reading` explains.
///
/// # Errors
/// Refuses a file or run that cannot be read, and one without a verdict.
pub fn read_side(path: &Path, reading: &SideReading) -> Result<SideData, EngineError> {
    let mut side = if path.is_dir() {
        read_run(path, reading)?
    } else if is_baseline(path)? {
        if !reading.files.columns.filter.is_empty() || reading.by.is_some() {
            return Err(Refusal::of_input(format!(
                "{}: a baseline's file holds no fields of items; compare the run itself by {} or \
                 {}",
                path.display(),
                Setting::By,
                Setting::Where
            ))
            .into());
        }
        read_baseline(path)?
    } else {
        read_file(path, &reading.files)?
    };
    side.source = path.display().to_string();
    if side.verdicts.is_empty() {
        let run = path.display();
        let word = shell_word(&run.to_string());
        return Err(Refusal::of_input(match describe_calls_alone(&side.settings) {
            Some(kind) => format!(
                "{run}: {kind}; rank the systems with `evenhand rank` ({} {word} reuses the replies \
                 to the same requests) and compare that run; `evenhand view {word}` shows what was \
                 found here",
                Setting::Reuse
            ),
            None => format!(
                "{run}: there is no verdict in it; compare needs a run that has been judged"
            ),
        })
        .into());
    }
    Ok(side)
}

/// A run that is being read.
struct RunReading {
    side: SideData,
    items: FxHashMap<String, u32>,
    systems: FxHashMap<String, u32>,
    /// The calls that were copied from other runs, with the number of the run that each is from.
    copied: FxHashMap<i64, usize>,
    /// Those of them behind judgments that count.
    met: FxHashSet<i64>,
    /// Whether the judgment under way rests on one.
    is_copied: bool,
    kept: ItemParts,
}

fn read_run(dir: &Path, parts: &SideReading) -> Result<SideData, EngineError> {
    let reader = Reader::open(dir)?;
    let (runs, copied): (Vec<_>, Vec<_>) = reader.copied_calls()?.into_iter().unzip();
    let copied = copied.into_iter().enumerate();
    let copied = copied.flat_map(|(run, calls)| calls.into_iter().map(move |call| (call, run)));
    let mut reading = RunReading {
        side: SideData {
            settings: reader.manifest()?.settings,
            run: Some(reader.progress()?),
            begun: reader.begun()?,
            answered_by: name_answerers(&reader)?,
            ..SideData::default()
        },
        items: FxHashMap::default(),
        systems: FxHashMap::default(),
        copied: copied.collect(),
        met: FxHashSet::default(),
        is_copied: false,
        kept: ItemParts::read(&reader, parts)?,
    };
    for system in reader.systems()? {
        reading.system(&system);
    }
    let mut items = reader.items()?;
    items.retain(|item| reading.kept.has(&item.id));
    for item in &items {
        let number = reading.item(&item.id);
        let criteria = serde_json::to_string(&item.criteria).unwrap_or_default();
        let turns = serde_json::to_string(&item.messages).unwrap_or_default();
        let reference = item.reference.as_deref().unwrap_or_default();
        let kept = &mut reading.side.items[number as usize];
        kept.category = reading.kept.category_of(item);
        kept.digest = Some(digest_of(&[&turns, reference, &criteria]));
        for response in reader.responses(&item.id)? {
            let earlier = serde_json::to_string(&response.earlier[..]).unwrap_or_default();
            let steps = serde_json::to_string(&response.trajectory.as_deref()).unwrap_or_default();
            let system = reading.system(&response.system);
            let size = AnswerSize::of(&response);
            reading.side.answers.push(SideAnswer {
                item: number,
                system,
                length: size.length,
                latency: size.latency.map(round_value),
            });
            reading.side.responses.push(SideResponse {
                item: number,
                system,
                digest: digest_of(&[&response.text, &earlier, &steps]),
            });
        }
    }
    reading.side.set_questions(&Clusters::of_items(&items));
    reader.for_each_judgment(0, |judgment| reading.add_judgment(&judgment))?;
    reading.side.score_range = score_range_of(&reading.side, &items);
    let mut replies = vec![0; runs.len()];
    for call in &reading.met {
        replies[reading.copied[call]] += 1;
    }
    let copied_from = runs.into_iter().zip(replies);
    reading.side.copied_from = copied_from.filter(|(_, replies)| *replies > 0).collect();
    Ok(reading.side)
}

/// The least and the most that a score of a run can be. A range that its own scores leave, as those
/// of a protocol that is written elsewhere may, is none.
fn score_range_of(side: &SideData, items: &[Item]) -> Option<[f64; 2]> {
    let protocol = Protocol::parse(side.settings.get("protocol")?).ok()?;
    let [low, high] = protocol.score_range(items)?.map(round_value);
    let mut scores = side.verdicts.iter().filter(|one| one.second.is_none());
    let keeps = |one: &SideVerdict| (low..=high).contains(&one.value);
    scores.all(keeps).then_some([low, high])
}

impl RunReading {
    fn add_judgment(&mut self, judgment: &JudgmentColumns) {
        if !self.kept.has(judgment.item) {
            return;
        }
        self.is_copied = !self.copied.is_empty() && {
            let calls: Vec<i64> = serde_json::from_str(judgment.calls).unwrap_or_default();
            let copied = calls.iter().filter(|call| self.copied.contains_key(*call));
            self.met.extend(copied.clone());
            copied.count() > 0
        };
        let before = self.side.verdicts.len();
        if let Some([first, tie, _]) = judgment.preference {
            if let Some(second) = judgment.second {
                self.push(judgment, judgment.first, Some(second), first + tie / 2.0);
            }
        } else if let Some(score) = judgment.score.filter(|score| score.abs() <= LARGEST_SCORE) {
            self.push(judgment, judgment.first, None, score);
        } else if let Some(places) = judgment.places() {
            self.add_list(judgment, &places);
        }
        if self.side.verdicts.len() == before {
            self.add_failure(judgment);
        }
    }

    fn add_failure(&mut self, judgment: &JudgmentColumns) {
        let names = judgment.systems_shown();
        let failure = SideFailure {
            item: self.item(judgment.item),
            systems: names.iter().map(|name| self.system(name)).collect(),
        };
        self.side.failed.push(failure);
        self.side.failures += 1;
    }

    /// An order of several responses is a verdict on each two of them: a lower place is better.
    /// One that is of others adds none.
    fn add_list(&mut self, judgment: &JudgmentColumns, places: &[f64]) {
        let systems = judgment.systems_shown();
        if places.len() != systems.len() {
            return;
        }
        for (a, (first, place)) in systems.iter().zip(places).enumerate() {
            for (second, other) in systems.iter().zip(places).skip(a + 1) {
                let share = match place.total_cmp(other) {
                    Ordering::Less => 1.0,
                    Ordering::Equal => 0.5,
                    Ordering::Greater => 0.0,
                };
                self.push(judgment, first, Some(second), share);
            }
        }
    }

    fn push(&mut self, judgment: &JudgmentColumns, first: &str, second: Option<&str>, value: f64) {
        let verdict = SideVerdict {
            item: self.item(judgment.item),
            first: self.system(first),
            second: second.map(|system| self.system(system)),
            value: round_value(value),
            copied: self.is_copied,
            trial: Some(judgment.trial),
        };
        self.side.verdicts.push(verdict);
    }

    fn item(&mut self, id: &str) -> u32 {
        let items = &mut self.side.items;
        number_of(&mut self.items, id, || {
            items.push(SideItem {
                id: id.into(),
                ..SideItem::default()
            });
        })
    }

    fn system(&mut self, name: &str) -> u32 {
        let systems = &mut self.side.systems;
        number_of(&mut self.systems, name, || systems.push(name.into()))
    }
}

fn number_of(known: &mut FxHashMap<String, u32>, name: &str, add: impl FnOnce()) -> u32 {
    if let Some(number) = known.get(name) {
        return *number;
    }
    let number = known.len() as u32;
    known.insert(name.into(), number);
    add();
    number
}

/// Names who answered: with the judge, where there are several.
fn name_answerers(reader: &Reader) -> Result<Vec<String>, EngineError> {
    let is_one = reader.judges()?.len() < 2;
    let answered = reader.answered_by(0)?;
    let names = answered.iter().map(|one| match is_one {
        true => one.by.to_string(),
        false => format!("{} for {}", one.by, one.judge),
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    Ok(names)
}

/// The digest of texts, each with its length before it, so that no two lists have the same bytes.
fn digest_of(texts: &[&str]) -> Digest {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().to_hex()[..16].to_string()
}

/// Reads a file of judgments, battles or scores. Texts are not known of it.
fn read_file(path: &Path, reading: &Options) -> Result<SideData, EngineError> {
    let mut reader = JudgmentReader::new(reading);
    reader.add_file(open_buffered(path)?, &path.display().to_string())?;
    let mut recorded = reader.finish()?;
    recorded.set_half_pairs_aside();
    let clusters = recorded.clusters();
    let mut side = SideData {
        systems: recorded.systems,
        failures: recorded.failures.values().sum(),
        ..SideData::default()
    };
    for id in recorded.items {
        side.items.push(SideItem {
            id,
            ..SideItem::default()
        });
    }
    if !recorded.judges.is_empty() {
        let judges = recorded.judges.join(", ");
        side.settings.insert("judge".into(), judges);
    }
    for row in &recorded.comparisons {
        let total = row.wins_a + row.ties + row.both_bad + row.wins_b;
        let share = round_value((row.wins_a + 0.5 * (row.ties + row.both_bad)) / total);
        let (first, second) = (row.a.into(), Some(row.b.into()));
        let verdict = SideVerdict::new(row.item, first, second, share);
        side.verdicts.push(verdict);
    }
    for row in &recorded.scores {
        let score = round_value(row.score);
        let verdict = SideVerdict::new(row.item, row.system.into(), None, score);
        side.verdicts.push(verdict);
    }
    side.set_questions(&clusters);
    Ok(side)
}

/// Which part of a side is read, and how.
#[derive(Clone, Debug, Default)]
pub struct SideReading {
    /// How files of judgments are understood. Its filter also says which items of a run count.
    pub files: Options,
    /// The field of a run's items by which they have categories, in place of `category`.
    pub by: Option<String>,
}

/// The items that count, with their categories; None where all of a run do, by their own.
pub(super) struct ItemParts(Option<FxHashMap<String, Option<String>>>);

impl ItemParts {
    /// Reads which items count and what their categories are.
    ///
    /// # Errors
    /// A field that no item has.
    pub(super) fn read(reader: &Reader, parts: &SideReading) -> Result<ItemParts, EngineError> {
        let filter = &parts.files.columns.filter;
        if filter.is_empty() && parts.by.is_none() {
            return Ok(ItemParts(None));
        }
        let items = reader.items()?;
        // An item's free fields stand beside its own.
        let mut records: Vec<Value> = Vec::new();
        for item in &items {
            let mut record = serde_json::to_value(item).unwrap_or_default();
            if let Value::Object(object) = &mut record {
                for (name, value) in &item.fields {
                    object.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
            records.push(record);
        }
        // A column `Category` of the data is the category, which a run keeps under its own name.
        let conditions = filter
            .conditions()
            .iter()
            .map(|condition| condition.field());
        for field in conditions.chain(parts.by.as_deref()) {
            let is_kept = records.iter().any(|record| find(record, field).is_some());
            if field.eq_ignore_ascii_case("category") && !is_kept {
                for (item, record) in items.iter().zip(&mut records) {
                    if let (Value::Object(object), Some(category)) = (record, &item.category) {
                        object.insert(field.into(), category.as_str().into());
                    }
                }
            }
        }
        for condition in filter.conditions() {
            let mut rows = records.iter().zip(0..);
            if !rows.any(|(record, place)| condition.is_in(record, place)) {
                return Err(
                    without_field(reader, Setting::Where, condition.field(), &records).into(),
                );
            }
        }
        let by = parts.by.as_deref();
        if let Some(field) = by
            && !records.iter().any(|record| find(record, field).is_some())
        {
            return Err(without_field(reader, Setting::By, field, &records).into());
        }
        let text_of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), Into::into);
        let mut kept = FxHashMap::default();
        for ((item, record), place) in items.iter().zip(&records).zip(0..) {
            if filter.keeps(record, place) {
                let category = match by {
                    Some(field) => find(record, field).map(text_of),
                    None => item.category.clone(),
                };
                kept.insert(item.id.clone(), category);
            }
        }
        Ok(ItemParts(Some(kept)))
    }

    pub(super) fn has(&self, item: &str) -> bool {
        self.0.as_ref().is_none_or(|kept| kept.contains_key(item))
    }

    pub(super) fn category_of(&self, item: &Item) -> Option<String> {
        match &self.0 {
            None => item.category.clone(),
            Some(kept) => kept.get(&item.id).cloned().flatten(),
        }
    }
}

fn without_field(reader: &Reader, setting: Setting, field: &str, records: &[Value]) -> Refusal {
    let first = records.first().and_then(Value::as_object);
    let names = first
        .into_iter()
        .flat_map(|object| object.keys().map(String::as_str));
    let names: Vec<&str> = names.filter(|name| *name != "fields").collect();
    Refusal::of_input(format!(
        "{setting} {field}: no item of {} keeps such a field; they keep {}. A run keeps a \
         category, and the fields that its prompts show",
        reader.dir().display(),
        names.join(", ")
    ))
}

/// The value of a field, or of one within fields, as `meta.lang`.
fn find<'v>(record: &'v Value, path: &str) -> Option<&'v Value> {
    let found = match record.get(path) {
        Some(value) => Some(value),
        None => {
            let (first, rest) = path.split_once('.')?;
            return find(record.get(first)?, rest);
        }
    };
    found.filter(|value| !value.is_null())
}
