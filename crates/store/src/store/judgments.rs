//! Judgments of a run, kept for readers: they follow from the calls.

use super::{Store, to_json};
use crate::{StoreError, lookup};
use evenhand_core::{Judgment, RequestKey, Response, Verdict, are_flipped, are_split};
use rusqlite::params;

const INSERT: &str = "INSERT OR REPLACE INTO judgments (trial, item, first, second, systems, \
    replicate, verdict, failure, detail, calls, looks, p_first, p_tie, p_second, score, flipped, \
    split)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

impl Store {
    /// Keeps a judgment, in place of an earlier one of the same trial. `responses` are those of the
    /// trial, in slot order. A shared store ([`Store::open_shared`]) keeps none.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn put_judgment(
        &mut self,
        judgment: &Judgment,
        item: &str,
        responses: &[Response],
    ) -> Result<(), StoreError> {
        if !self.keeps_judgments {
            return Ok(());
        }
        self.begin()?;
        self.insert_judgment(judgment, item, responses)?;
        self.commit_if_due()
    }

    fn insert_judgment(
        &self,
        judgment: &Judgment,
        item: &str,
        responses: &[Response],
    ) -> Result<(), StoreError> {
        let systems: Vec<&str> = responses.iter().map(|one| &*one.system).collect();
        let [p_first, p_tie, p_second] = preference_of(judgment);
        let (failure, detail) = failure_of(judgment);
        self.db.prepare_cached(INSERT)?.execute(params![
            judgment.trial.index as i64,
            item,
            systems.first(),
            systems.get(1),
            list_systems(&systems)?,
            judgment.trial.replicate,
            verdict_json(judgment)?,
            failure,
            detail,
            self.call_ids(&judgment.calls)?,
            looks_json(judgment)?,
            p_first,
            p_tie,
            p_second,
            score_of(judgment),
            are_flipped(&judgment.looks),
            are_split(&judgment.looks)
        ])?;
        Ok(())
    }

    /// The rows of these calls as a JSON array, without those that are not there.
    fn call_ids(&self, keys: &[RequestKey]) -> Result<String, StoreError> {
        let mut ids = Vec::with_capacity(keys.len());
        for key in keys {
            ids.extend(self.call_id(key)?);
        }
        to_json(&ids)
    }

    fn call_id(&self, key: &RequestKey) -> Result<Option<i64>, StoreError> {
        // Mostly a judgment rests on the call that came last.
        match self.last {
            Some((last, id)) if last == *key => Ok(Some(id)),
            _ => Ok(lookup::find_id(&self.db, key)?),
        }
    }
}

fn preference_of(judgment: &Judgment) -> [Option<f64>; 3] {
    let verdict = judgment.outcome.as_ref().ok();
    let preference = verdict.and_then(Verdict::preference);
    preference.map_or([None; 3], |preference| preference.map(Some))
}

/// Returns the systems as a list, where two columns do not hold them all.
fn list_systems(systems: &[&str]) -> Result<Option<String>, StoreError> {
    let is_list = systems.len() > 2;
    is_list.then(|| to_json(&systems)).transpose()
}

fn verdict_json(judgment: &Judgment) -> Result<Option<String>, StoreError> {
    let verdict = judgment.outcome.as_ref().ok();
    verdict.map(to_json).transpose()
}

/// Returns the kind of a failure, and what is said of it.
fn failure_of(judgment: &Judgment) -> (Option<&str>, Option<&str>) {
    let failure = judgment.outcome.as_ref().err();
    let kind = failure.map(|failure| failure.kind.name());
    (kind, failure.map(|failure| failure.detail.as_str()))
}

fn looks_json(judgment: &Judgment) -> Result<Option<String>, StoreError> {
    let looks = &judgment.looks;
    (!looks.is_empty()).then(|| to_json(looks)).transpose()
}

fn score_of(judgment: &Judgment) -> Option<f64> {
    match judgment.outcome {
        Ok(Verdict::Pointwise { score, .. }) => Some(score),
        _ => None,
    }
}
