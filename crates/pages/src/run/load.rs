//! Reads a run's judgments into memory, all of them or what came since.

use super::overview::About;
use super::{CallTable, OpenRun, majority_labels};
use crate::{EntryOutcome, JudgmentEntry, LookFlags, RunIndex};
use evenhand_core::{FailureKind, Verdict};
use evenhand_store::{Answered, JudgmentColumns, JudgmentCounts, Reader, StoreError};

impl OpenRun {
    /// Reads calls and judgments that are not in memory yet, and what else the store says of the
    /// run at that moment. Where a session judged a trial again, or out of turn, all judgments are
    /// read anew.
    pub(super) fn read_new(&mut self) -> Result<(), StoreError> {
        let (reader, prices) = (&self.reader, &self.prices);
        let (index, calls) = (&mut self.index, &mut self.calls);
        let answered_by = &mut self.answered_by;
        (self.version, self.about, self.kept_labels) = reader.at_once(|| {
            // First: that the run's process ended since is then found the next time.
            let version = reader.version()?;
            read_names(reader, index)?;
            for new in reader.answered_by(calls.last())? {
                let is_same = |one: &&mut Answered| one.judge == new.judge && one.by == new.by;
                match answered_by.iter_mut().find(is_same) {
                    Some(known) => known.calls += new.calls,
                    None => answered_by.push(new),
                }
            }
            reader.for_each_call(calls.last(), |call| calls.add(&call, prices))?;
            if let Some(last) = index.last_trial() {
                read_judgments(reader, index, calls, last + 1)?;
                let kept = reader.judgment_counts()?;
                let known = index.judgments() as u64;
                let failures = index.failures() as u64;
                if kept.judgments != known || kept.judgments - kept.verdicts != failures {
                    *index = RunIndex::default();
                    read_names(reader, index)?;
                }
            }
            if index.judgments() == 0 {
                index.reserve(reader.count_judgments()? as usize);
                read_judgments(reader, index, calls, 0)?;
            }
            let judgments = index.judgments() as u64;
            let counts = JudgmentCounts {
                judgments,
                verdicts: judgments - index.failures() as u64,
            };
            let labels = majority_labels(&reader.labels()?);
            Ok((version, About::read(reader, counts)?, labels))
        })?;
        Ok(())
    }
}

fn read_names(reader: &Reader, index: &mut RunIndex) -> Result<(), StoreError> {
    for system in reader.systems()? {
        index.know_system(&system);
    }
    reader.for_each_category(|item, category| index.know_item(item, category))
}

fn read_judgments(
    reader: &Reader,
    index: &mut RunIndex,
    calls: &CallTable,
    since: u64,
) -> Result<(), StoreError> {
    reader.for_each_judgment(since, |judgment| {
        let listed: Vec<String> = parse_list(judgment.systems);
        let systems = if listed.is_empty() {
            let slots = [Some(judgment.first), judgment.second];
            slots.into_iter().flatten().collect()
        } else {
            listed.iter().map(String::as_str).collect()
        };
        let ids: Vec<u32> = parse_list(Some(judgment.calls));
        let (tokens, cost) = calls.sum(&ids);
        let number = index.judgments() as u32;
        index.add(&JudgmentEntry {
            trial: judgment.trial,
            item: judgment.item,
            category: None,
            systems,
            replicate: judgment.replicate,
            outcome: outcome_of(&judgment),
            looks: LookFlags {
                flipped: judgment.flipped,
                split: judgment.split,
            },
            calls: ids,
        });
        index.set_usage(number, tokens, cost);
    })
}

fn parse_list<T: serde::de::DeserializeOwned>(text: Option<&str>) -> Vec<T> {
    let parsed = text.map(serde_json::from_str);
    parsed.and_then(Result::ok).unwrap_or_default()
}

fn outcome_of(judgment: &JudgmentColumns<'_>) -> EntryOutcome {
    if let Some(preference) = judgment.preference {
        return EntryOutcome::Pair(preference);
    }
    if let Some(score) = judgment.score {
        return EntryOutcome::Score(score);
    }
    let list = judgment.list.map(serde_json::from_str);
    if let Some(Ok(Verdict::Listwise { places, .. })) = list {
        return EntryOutcome::of_places(places);
    }
    // A verdict that cannot be read counts as a reply that cannot.
    let kind = judgment.failure.and_then(|name| name.parse().ok());
    EntryOutcome::Failed(kind.unwrap_or(FailureKind::Unparsed))
}
