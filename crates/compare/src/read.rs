//! Reads a side of a comparison from a run, a baseline's file, or files of judgments.

use super::baseline::{is_baseline, read_baseline};
use super::item_parts::{ItemParts, SideReading};
use super::side::{Digest, Side, SideFailure, SideItem, SideResponse, SideVerdict, round_value};
use evenhand_core::{Clusters, Item, Refusal, Response, Verdict};
use evenhand_engine::{EngineError, open_input};
use evenhand_formats::judgments::{
    JudgmentReader, Options, RecordedComparison, RecordedJudgments, RecordedScore,
};
use evenhand_store::{JudgmentColumns, Reader};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Reads a side of a comparison: a run's directory, a file of `evenhand baseline save`, or a file
/// of recorded judgments, battles or scores, which `reading` explains.
///
/// # Errors
/// What cannot be read, or holds no verdict.
pub fn read_side(path: &Path, reading: &SideReading) -> Result<Side, EngineError> {
    let mut side = if path.is_dir() {
        read_run(path, reading)?
    } else if is_baseline(path)? {
        refuse_parts(path, reading)?;
        read_baseline(path)?
    } else {
        read_file(path, &reading.files)?
    };
    side.source = path.display().to_string();
    if side.verdicts.is_empty() {
        return Err(without_verdicts(path).into());
    }
    Ok(side)
}

fn without_verdicts(path: &Path) -> Refusal {
    let path = path.display();
    Refusal::of_input(format!(
        "{path}: there is no verdict in it; compare needs a run that has been judged"
    ))
}

/// A run that is being read.
struct RunReading<'a> {
    reader: &'a Reader,
    side: Side,
    items: FxHashMap<String, u32>,
    systems: FxHashMap<String, u32>,
    copied: FxHashSet<i64>,
    kept: ItemParts,
}

/// A baseline's file has categories and no other field.
fn refuse_parts(path: &Path, reading: &SideReading) -> Result<(), Refusal> {
    let filter = &reading.files.filter;
    if filter.is_empty() && reading.by.is_none() {
        return Ok(());
    }
    Err(Refusal::of_input(format!(
        "{}: a baseline's file holds no fields of items; compare the run itself by --by or --where",
        path.display()
    )))
}

fn read_run(dir: &Path, parts: &SideReading) -> Result<Side, EngineError> {
    let reader = Reader::open(dir)?;
    let mut reading = RunReading {
        side: Side {
            settings: reader.manifest()?.settings,
            run: Some(reader.progress()?),
            copied_from: reader.copied_from()?,
            ..Side::default()
        },
        items: FxHashMap::default(),
        systems: FxHashMap::default(),
        copied: reader.copied_calls()?.into_iter().collect(),
        kept: ItemParts::read(&reader, parts)?,
        reader: &reader,
    };
    reading.read_texts()?;
    reading.read_judgments()?;
    Ok(reading.side)
}

impl RunReading<'_> {
    fn read_texts(&mut self) -> Result<(), EngineError> {
        for system in self.reader.systems()? {
            self.system(&system);
        }
        let mut items = self.reader.items()?;
        items.retain(|item| self.kept.has(&item.id));
        for item in &items {
            self.add_item(item)?;
        }
        self.side.set_questions(&Clusters::of_items(&items));
        Ok(())
    }

    fn add_item(&mut self, item: &Item) -> Result<(), EngineError> {
        let number = self.item(&item.id);
        let kept = &mut self.side.items[number as usize];
        kept.category = self.kept.category_of(item);
        kept.digest = Some(digest_of_item(item));
        for response in self.reader.responses(&item.id)? {
            let system = self.system(&response.system);
            self.side.responses.push(SideResponse {
                item: number,
                system,
                digest: digest_of_response(&response),
            });
        }
        Ok(())
    }

    fn read_judgments(&mut self) -> Result<(), EngineError> {
        let reader = self.reader;
        reader.for_each_judgment(0, |judgment| self.add_judgment(&judgment))?;
        Ok(())
    }

    fn add_judgment(&mut self, judgment: &JudgmentColumns) {
        if !self.kept.has(judgment.item) {
            return;
        }
        let before = self.side.verdicts.len();
        if let Some([first, tie, _]) = judgment.preference {
            self.add_pair(judgment, first + tie / 2.0);
        } else if let Some(score) = judgment.score {
            self.add_score(judgment, score);
        } else if let Some(list) = judgment.list {
            self.add_list(judgment, list);
        }
        if self.side.verdicts.len() == before {
            self.add_failure(judgment);
        }
    }

    fn add_failure(&mut self, judgment: &JudgmentColumns) {
        let list = judgment
            .systems
            .and_then(|list| serde_json::from_str(list).ok());
        let names: Vec<String> = list.unwrap_or_else(|| {
            let pair = std::iter::once(judgment.first).chain(judgment.second);
            pair.map(String::from).collect()
        });
        let failure = SideFailure {
            item: self.item(judgment.item),
            systems: names.iter().map(|name| self.system(name)).collect(),
        };
        self.side.failed.push(failure);
        self.side.failures += 1;
    }

    fn add_pair(&mut self, judgment: &JudgmentColumns, share: f64) {
        if let Some(second) = judgment.second {
            self.push(judgment, judgment.first, Some(second), share);
        }
    }

    fn add_score(&mut self, judgment: &JudgmentColumns, score: f64) {
        self.push(judgment, judgment.first, None, score);
    }

    /// An order of several responses is a verdict on each two of them.
    fn add_list(&mut self, judgment: &JudgmentColumns, list: &str) {
        let Some((systems, places)) = read_list(judgment, list) else {
            return;
        };
        for (a, (first, place)) in systems.iter().zip(&places).enumerate() {
            for (second, other) in systems.iter().zip(&places).skip(a + 1) {
                self.push(
                    judgment,
                    first,
                    Some(second),
                    share_of_places(*place, *other),
                );
            }
        }
    }

    fn push(&mut self, judgment: &JudgmentColumns, first: &str, second: Option<&str>, value: f64) {
        let verdict = SideVerdict {
            item: self.item(judgment.item),
            first: self.system(first),
            second: second.map(|system| self.system(system)),
            value: round_value(value),
            copied: self.is_copied(judgment.calls),
            trial: Some(judgment.trial),
        };
        self.side.verdicts.push(verdict);
    }

    fn is_copied(&self, calls: &str) -> bool {
        if self.copied.is_empty() {
            return false;
        }
        let ids: Vec<i64> = serde_json::from_str(calls).unwrap_or_default();
        ids.iter().any(|id| self.copied.contains(id))
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

fn read_list(judgment: &JudgmentColumns, list: &str) -> Option<(Vec<String>, Vec<f64>)> {
    let systems: Vec<String> = serde_json::from_str(judgment.systems?).ok()?;
    match serde_json::from_str(list).ok()? {
        Verdict::Listwise { places, .. } if places.len() == systems.len() => {
            Some((systems, places))
        }
        _ => None,
    }
}

/// What the first of two places is worth: a lower one is better.
fn share_of_places(place: f64, other: f64) -> f64 {
    match place.total_cmp(&other) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    }
}

fn digest_of_item(item: &Item) -> Digest {
    let criteria = serde_json::to_string(&item.criteria).unwrap_or_default();
    let turns = serde_json::to_string(&item.messages).unwrap_or_default();
    let reference = item.reference.as_deref().unwrap_or_default();
    digest_of(&[&turns, reference, &criteria])
}

fn digest_of_response(response: &Response) -> Digest {
    let earlier = serde_json::to_string(&response.earlier[..]).unwrap_or_default();
    let steps = serde_json::to_string(&response.trajectory.as_deref()).unwrap_or_default();
    digest_of(&[&response.text, &earlier, &steps])
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
fn read_file(path: &Path, reading: &Options) -> Result<Side, EngineError> {
    let mut reader = JudgmentReader::new(reading);
    reader.add_file(open_side(path)?, &path.display().to_string())?;
    Ok(side_of_file(reader.finish()?))
}

fn side_of_file(recorded: RecordedJudgments) -> Side {
    let clusters = recorded.clusters();
    let items = recorded.items.into_iter().map(|id| SideItem {
        id,
        ..SideItem::default()
    });
    let pairs = recorded.comparisons.iter().map(verdict_of_pair);
    let scores = recorded.scores.iter().map(verdict_of_score);
    let mut side = Side {
        items: items.collect(),
        systems: recorded.systems,
        verdicts: pairs.chain(scores).collect(),
        failures: recorded.failures.values().sum(),
        settings: [("judge".to_string(), recorded.judges.join(", "))]
            .into_iter()
            .filter(|(_, judges)| !judges.is_empty())
            .collect(),
        ..Side::default()
    };
    side.set_questions(&clusters);
    side
}

fn verdict_of_pair(row: &RecordedComparison) -> SideVerdict {
    let total = row.wins_a + row.ties + row.both_bad + row.wins_b;
    SideVerdict {
        item: row.item,
        first: row.a.into(),
        second: Some(row.b.into()),
        value: round_value((row.wins_a + 0.5 * (row.ties + row.both_bad)) / total),
        copied: false,
        trial: None,
    }
}

fn verdict_of_score(row: &RecordedScore) -> SideVerdict {
    SideVerdict {
        item: row.item,
        first: row.system.into(),
        second: None,
        value: round_value(row.score),
        copied: false,
        trial: None,
    }
}

/// Opens a file that one side is read from.
pub(super) fn open_side(path: &Path) -> Result<impl BufRead, EngineError> {
    let opened = open_input(path).map_err(|error| unreadable(path, &error))?;
    Ok(BufReader::with_capacity(1 << 16, opened))
}

pub(super) fn unreadable(path: &Path, error: &dyn Display) -> Refusal {
    Refusal::of_input(format!("{}: cannot be read: {error}", path.display()))
}
