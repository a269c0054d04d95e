//! Judgments of a run, kept for readers: they follow from the calls.

use super::{Store, to_json};
use crate::StoreError;
use evenhand_core::{Judgment, Response, Verdict, are_flipped, are_split};
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
