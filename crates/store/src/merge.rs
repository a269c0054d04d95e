//! Runs of parts of a job, put together.

use crate::lookup::{StoredCall, read_kept_result, read_result_of};
use crate::prompts::put_together;
use crate::query::{find_row, read_rows};
use crate::schema::parse_looks;
use crate::store::{Store, noted_by_this_program};
use crate::texts::{ITEM_COLUMNS, RESPONSE_COLUMNS};
use crate::totals::{read_count, read_tokens};
use crate::{Reader, StoreError};
use evenhand_core::{CallResult, Reply, RequestKey, Usage, are_flipped, are_split};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// The most trials that are named.
const NAMED: usize = 20;

/// How many calls and judgments of one run were copied, known already or left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedRun {
    /// Calls that were copied, each attempt of its own.
    pub calls: u64,
    /// Calls that another run had brought already, with the same answer.
    pub calls_twice: u64,
    /// Calls that another run had brought with another answer, which stands.
    pub calls_differ: u64,
    /// Calls that were left out: their row was changed since it was kept, or cannot be read.
    pub calls_damaged: u64,
    /// Judgments that were copied.
    pub judgments: u64,
    /// Judgments that another run had brought already.
    pub judgments_twice: u64,
    /// Judgments that were left out: another run's verdict on the trial is another, or they rest on
    /// a call that was left out or whose answer is another.
    pub judgments_differ: u64,
    /// The first of the trials whose judgments were left out, at most 20.
    pub differing_trials: Vec<u64>,
}

/// The ids of a run's calls and those that they have where they were copied to, ascending; None
/// for a call that is not there with the same answer.
type Copied = Vec<(i64, Option<i64>)>;

impl Store {
    /// Copies the texts and people's labels, the calls and the judgments of other runs into this
    /// one, in which nothing was judged yet; what several hold is of the first. Calls count as
    /// spent where they were spent, and are found under the key of their own text alone.
    ///
    /// Two runs differ where a judge was asked twice and said different things. Judgments follow
    /// from calls, so that those which rest on what was not copied are left out; the whole job,
    /// going on with this run, makes them anew.
    ///
    /// # Errors
    /// A database that cannot be read or written.
    pub fn merge(&mut self, runs: &[Reader]) -> Result<Vec<MergedRun>, StoreError> {
        self.begin()?;
        self.merge_texts(runs)?;
        let mut merged = Vec::with_capacity(runs.len());
        for run in runs {
            let mut counts = MergedRun::default();
            let copied = self.merge_calls(run, &mut counts)?;
            self.merge_judgments(run, &copied, &mut counts)?;
            merged.push(counts);
        }
        // What stands in each of them stands here.
        let mut stand = runs.iter().map(|run| noted_by_this_program(&run.db));
        if self.keeps_judgments() && stand.all(|stands| matches!(stands, Ok(Some(true)))) {
            self.note_settled()?;
        }
        self.commit()?;
        Ok(merged)
    }

    /// Items in the order of their first trials, which is that of the data.
    fn merge_texts(&mut self, runs: &[Reader]) -> Result<(), StoreError> {
        let mut items: Vec<(i64, usize, String)> = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let sql = "SELECT items.item, coalesce(first, 9223372036854775807) FROM items LEFT JOIN
                       (SELECT item, min(trial) AS first FROM judgments GROUP BY item)
                       USING (item) ORDER BY items.id";
            let found: Vec<(String, i64)> =
                read_rows(&run.db, sql, |row| Ok((row.get(0)?, row.get(1)?)))?;
            items.extend(found.into_iter().map(|(item, first)| (first, at, item)));
        }
        items.sort_by_key(|(first, at, _)| (*first, *at));
        let put_item =
            format!("INSERT OR IGNORE INTO items ({ITEM_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
        let put_response = format!(
            "INSERT OR IGNORE INTO responses (item, {RESPONSE_COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        );
        for (_, at, item) in &items {
            let sql = format!("SELECT {ITEM_COLUMNS} FROM items WHERE item = ?1");
            let texts = find_row(&runs[*at].db, &sql, [item], read_values)?.unwrap_or_default();
            let mut put_item = self.db.prepare_cached(&put_item)?;
            put_item.execute(params_from_iter(texts))?;
            let sql = format!("SELECT item, {RESPONSE_COLUMNS} FROM responses WHERE item = ?1");
            let mut select = runs[*at].db.prepare_cached(&sql)?;
            let mut rows = select.query([item])?;
            let mut put_response = self.db.prepare_cached(&put_response)?;
            while let Some(row) = rows.next()? {
                put_response.execute(params_from_iter(read_values(row)?))?;
            }
        }
        // Each part keeps all labels of the data.
        for run in runs {
            let labels = run.labels()?;
            if !labels.is_empty() {
                return self.put_labels(labels);
            }
        }
        Ok(())
    }

    fn merge_calls(&mut self, run: &Reader, counts: &mut MergedRun) -> Result<Copied, StoreError> {
        let mut copied = Copied::new();
        let mut sessions: HashMap<i64, i64> = HashMap::new();
        let before: i64 =
            self.db
                .query_row("SELECT coalesce(max(id), 0) FROM calls", [], |row| {
                    row.get(0)
                })?;
        let mut select = run.db.prepare(
            "SELECT calls.id, key, attempt, identity, request, reply, error, prompt_tokens, \
             completion_tokens, cached_tokens, reasoning_tokens, raw, batch, session
             FROM calls JOIN judges ON judges.id = calls.judge ORDER BY calls.id",
        )?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let Some((key, call)) = read_call(&run.db, row)? else {
                counts.calls_damaged += 1;
                copied.push((id, None));
                continue;
            };
            let there = self.unfiled.find(&self.db, &key)?;
            if let Some(there) = there.filter(|there| *there <= before) {
                let known = read_result_of(&self.db, &key, there)?;
                let is_same = known.is_some_and(|known| says(known) == says(call.result));
                match is_same {
                    true => counts.calls_twice += 1,
                    false => counts.calls_differ += 1,
                }
                copied.push((id, is_same.then_some(there)));
                continue;
            }
            let session = row.get(13)?;
            let session = match sessions.get(&session) {
                Some(known) => *known,
                None => {
                    let sql = "SELECT started, program, reused FROM sessions WHERE id = ?1";
                    let session_row = find_row(&run.db, sql, [session], read_values)?;
                    self.db.execute(
                        "INSERT INTO sessions (started, program, reused) VALUES (?1, ?2, ?3)",
                        params_from_iter(session_row.unwrap_or_default()),
                    )?;
                    let new = self.db.last_insert_rowid();
                    sessions.insert(session, new);
                    new
                }
            };
            let judge = self.judge_id(&call.judge)?;
            let mut values = read_values(row)?;
            values[3] = Value::Integer(judge);
            let kept = self
                .prompts
                .take_apart(&self.db, &call.request, &call.about)?;
            values[4] = Value::Text(kept.unwrap_or(call.request));
            values[13] = Value::Integer(session);
            let mut insert = self.db.prepare_cached(
                "INSERT INTO calls (key, attempt, judge, request, reply, error, prompt_tokens, \
                 completion_tokens, cached_tokens, reasoning_tokens, raw, batch, session)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?;
            insert.execute(params_from_iter(&values[1..]))?;
            let new = self.db.last_insert_rowid();
            self.unfiled.add(&key, new);
            self.prompts.note_reply(&call.about, new, &call.result);
            counts.calls += 1;
            copied.push((id, Some(new)));
        }
        Ok(copied)
    }

    fn merge_judgments(
        &self,
        run: &Reader,
        copied: &Copied,
        counts: &mut MergedRun,
    ) -> Result<(), StoreError> {
        const COLUMNS: &str = "trial, item, first, second, systems, replicate, verdict, failure, \
                               detail, calls, looks, p_first, p_tie, p_second, score";
        let select = format!("SELECT {COLUMNS}, flipped, split FROM judgments ORDER BY trial");
        let mut select = run.db.prepare(&select)?;
        let mut insert = self.db.prepare(&format!(
            "INSERT INTO judgments ({COLUMNS}, flipped, split)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
        ))?;
        let of_trial = "SELECT item, first, second, systems, replicate, verdict, failure
                        FROM judgments WHERE trial = ?1";
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let trial = read_count(row, 0)?;
            let known = find_row(&self.db, of_trial, [trial as i64], read_values)?;
            if let Some(known) = known {
                let own: Vec<Value> = (1..8)
                    .map(|column| row.get(column))
                    .collect::<rusqlite::Result<_>>()?;
                if known == own {
                    counts.judgments_twice += 1;
                } else {
                    counts.leave_out(trial);
                }
                continue;
            }
            let ids: Option<Vec<i64>> = match row.get_ref(9)? {
                ValueRef::Text(json) => serde_json::from_slice(json).ok(),
                _ => None,
            };
            let ids = ids.map(|ids| {
                let found = ids.iter().map(|id| {
                    let place = copied.binary_search_by_key(id, |(id, _)| *id).ok()?;
                    copied[place].1
                });
                found.collect::<Option<Vec<i64>>>()
            });
            let Some(Some(ids)) = ids else {
                counts.leave_out(trial);
                continue;
            };
            let mut values = read_values(row)?;
            values[9] = Value::Text(crate::store::to_json(&ids)?);
            // A run of an older format has no columns for how the looks compare.
            if values[15] == Value::Null || values[16] == Value::Null {
                let looks = match row.get_ref(10)? {
                    ValueRef::Text(json) => parse_looks(json),
                    _ => Vec::new(),
                };
                values[15] = Value::from(are_flipped(&looks, &[]));
                values[16] = Value::from(are_split(&looks));
            }
            insert.execute(params_from_iter(values))?;
            counts.judgments += 1;
        }
        Ok(())
    }
}

impl MergedRun {
    fn leave_out(&mut self, trial: u64) {
        self.judgments_differ += 1;
        if self.differing_trials.len() < NAMED {
            self.differing_trials.push(trial);
        }
    }
}

/// Returns a call under the key of its own text; None where the row was changed or cannot be read.
fn read_call(db: &Connection, row: &Row) -> rusqlite::Result<Option<(RequestKey, StoredCall)>> {
    let read = || -> rusqlite::Result<(RequestKey, Arc<str>, String)> {
        let judge: String = row.get(3)?;
        Ok((RequestKey(row.get(1)?), judge.into(), row.get(4)?))
    };
    let Ok((key, judge, kept)) = read() else {
        return Ok(None);
    };
    let Some((request, about)) = put_together(db, &kept)? else {
        return Ok(None);
    };
    let (Ok(reply), Ok(error), Ok(usage)) = (row.get(5), row.get(6), read_tokens(row, 7)) else {
        return Ok(None);
    };
    let call = StoredCall {
        judge,
        result: read_kept_result(&request, reply, error, usage),
        request,
        about,
        raw: None,
        batch: false,
    };
    Ok((call.is_unchanged(&key) && call.is_readable()).then_some((key, call)))
}

/// Returns the result of a call without its tokens and who answered, which differ from one asking
/// to the next.
fn says(result: CallResult) -> CallResult {
    result.map(|reply| Reply {
        usage: Usage::default(),
        answered_by: None,
        ..reply
    })
}

/// Returns a row's columns as they are.
fn read_values(row: &Row) -> rusqlite::Result<Vec<Value>> {
    let count = row.as_ref().column_count();
    (0..count).map(|column| row.get(column)).collect()
}

#[cfg(test)]
#[path = "tests/merge.rs"]
mod tests;
