//! Judgments of a run, kept for readers: they follow from the calls.

use super::{Store, to_json};
use crate::StoreError;
use crate::query::find_row;
use evenhand_core::{Judgment, Response, Verdict, are_flipped, are_split};
use rusqlite::params;

const INSERT: &str = "INSERT OR REPLACE INTO judgments (trial, item, first, second, systems, \
    replicate, verdict, failure, detail, calls, looks, p_first, p_tie, p_second, score, flipped, \
    split)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

impl Store {
    /// Whether a verdict is kept of any trial.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn has_verdict(&self) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM judgments WHERE failure IS NULL LIMIT 1";
        let found = || find_row(&self.db, sql, [], |_| Ok(()));
        Ok(self.keeps_judgments && found()?.is_some())
    }

    /// Returns the kind of failure that is kept of a trial, if one is.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn kept_failure(&self, trial: u64) -> Result<Option<String>, StoreError> {
        if !self.keeps_judgments {
            return Ok(None);
        }
        let sql = "SELECT failure FROM judgments WHERE trial = ?1";
        let number = i64::try_from(trial).unwrap_or(i64::MAX);
        let kept = find_row(&self.db, sql, [number], |row| row.get(0))?;
        Ok(kept.flatten())
    }

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
        let systems: Vec<&str> = responses.iter().map(|one| &*one.system).collect();
        // Two columns hold the systems, but for lists.
        let is_list = systems.len() > 2;
        let list = is_list.then(|| to_json(&systems)).transpose()?;
        let verdict = judgment.outcome.as_ref().ok();
        let preference = verdict.and_then(Verdict::preference);
        let [p_first, p_tie, p_second] =
            preference.map_or([None; 3], |preference| preference.map(Some));
        let score = match verdict {
            Some(Verdict::Pointwise { score, .. }) => Some(*score),
            _ => None,
        };
        let failure = judgment.outcome.as_ref().err();
        let looks = &judgment.looks;
        let looks_json = (!looks.is_empty()).then(|| to_json(looks)).transpose()?;
        let mut calls = Vec::with_capacity(judgment.calls.len());
        for key in &judgment.calls {
            // Mostly a judgment rests on the call that came last. A call that is not there is left
            // out.
            calls.extend(match self.last {
                Some((last, id)) if last == *key => Some(id),
                _ => self.unfiled.find(&self.db, key)?,
            });
        }
        if verdict.is_some() && calls.len() < judgment.calls.len() {
            self.lack_a_call()?;
        }
        self.db.prepare_cached(INSERT)?.execute(params![
            judgment.trial.index as i64,
            item,
            systems.first(),
            systems.get(1),
            list,
            judgment.trial.replicate,
            verdict.map(to_json).transpose()?,
            failure.map(|failure| failure.kind.name()),
            failure.map(|failure| failure.detail.as_str()),
            to_json(&calls)?,
            looks_json,
            p_first,
            p_tie,
            p_second,
            score,
            are_flipped(looks, responses),
            are_split(looks)
        ])?;
        self.commit_if_due()
    }
}
