//! Reads a run's judgments into memory, all of them or what came since.

use super::CallTable;
use crate::{EntryOutcome, JudgmentEntry, LookFlags, RunIndex};
use evenhand_core::{FailureKind, Verdict};
use evenhand_engine::PriceTable;
use evenhand_store::{JudgmentColumns, Reader, StoreError};

/// What is read, and where it goes.
pub(super) struct Loader<'a> {
    pub(super) reader: &'a Reader,
    pub(super) index: &'a mut RunIndex,
    pub(super) calls: &'a mut CallTable,
    pub(super) prices: &'a PriceTable,
}

impl Loader<'_> {
    /// Reads calls and judgments that are not in memory yet. Where a session judged a trial again,
    /// or out of turn, all judgments are read anew.
    pub(super) fn read_new(&mut self) -> Result<(), StoreError> {
        self.read_names()?;
        self.read_calls()?;
        let Some(last) = self.index.last_trial() else {
            return self.read_all();
        };
        self.read_judgments(last + 1)?;
        let kept = self.reader.judgment_counts()?;
        let known = self.index.judgments() as u64;
        let failures = self.index.failures() as u64;
        if kept.judgments != known || kept.judgments - kept.verdicts != failures {
            *self.index = RunIndex::default();
            self.read_names()?;
            self.read_all()?;
        }
        Ok(())
    }

    fn read_all(&mut self) -> Result<(), StoreError> {
        self.index.reserve(self.reader.count_judgments()? as usize);
        self.read_judgments(0)
    }

    fn read_names(&mut self) -> Result<(), StoreError> {
        for system in self.reader.systems()? {
            self.index.know_system(&system);
        }
        let index = &mut *self.index;
        self.reader
            .for_each_category(|item, category| index.know_item(item, category))
    }

    fn read_calls(&mut self) -> Result<(), StoreError> {
        let (calls, prices) = (&mut *self.calls, self.prices);
        self.reader
            .for_each_call(calls.last(), |call| calls.add(&call, prices))
    }

    fn read_judgments(&mut self, since: u64) -> Result<(), StoreError> {
        let (index, calls) = (&mut *self.index, &*self.calls);
        self.reader
            .for_each_judgment(since, |judgment| add_judgment(index, calls, &judgment))
    }
}

fn add_judgment(index: &mut RunIndex, calls: &CallTable, judgment: &JudgmentColumns<'_>) {
    let listed: Vec<String> = parse_list(judgment.systems);
    let ids: Vec<u32> = parse_list(Some(judgment.calls));
    let (tokens, cost) = calls.sum(&ids);
    let entry = JudgmentEntry {
        trial: judgment.trial,
        item: judgment.item,
        category: None,
        systems: systems_of(judgment, &listed),
        replicate: judgment.replicate,
        outcome: outcome_of(judgment),
        looks: LookFlags {
            flipped: judgment.flipped,
            split: judgment.split,
        },
        calls: ids,
    };
    let number = index.judgments() as u32;
    index.add(&entry);
    index.set_usage(number, tokens, cost);
}

fn parse_list<T: serde::de::DeserializeOwned>(text: Option<&str>) -> Vec<T> {
    let parsed = text.map(serde_json::from_str);
    parsed.and_then(Result::ok).unwrap_or_default()
}

fn systems_of<'a>(judgment: &JudgmentColumns<'a>, listed: &'a [String]) -> Vec<&'a str> {
    if listed.is_empty() {
        return std::iter::once(judgment.first)
            .chain(judgment.second)
            .collect();
    }
    listed.iter().map(String::as_str).collect()
}

fn outcome_of(judgment: &JudgmentColumns<'_>) -> EntryOutcome {
    if let Some(preference) = judgment.preference {
        return EntryOutcome::Pair(preference);
    }
    if let Some(score) = judgment.score {
        return EntryOutcome::Score(score);
    }
    match judgment.list.and_then(places_of) {
        Some(places) => match places[..] {
            // A list of two is a pair, whose verdict is certain.
            [first, second] if first < second => EntryOutcome::Pair([1.0, 0.0, 0.0]),
            [first, second] if first > second => EntryOutcome::Pair([0.0, 0.0, 1.0]),
            [_, _] => EntryOutcome::Pair([0.0, 1.0, 0.0]),
            _ => EntryOutcome::Places(places),
        },
        None => {
            // A verdict that cannot be read counts as a reply that cannot.
            let mut kinds = FailureKind::ALL.into_iter();
            let kind = kinds.find(|kind| Some(kind.name()) == judgment.failure);
            EntryOutcome::Failed(kind.unwrap_or(FailureKind::Unparsed))
        }
    }
}

fn places_of(verdict: &str) -> Option<Vec<f64>> {
    match serde_json::from_str(verdict).ok()? {
        Verdict::Listwise { places, .. } => Some(places),
        _ => None,
    }
}
