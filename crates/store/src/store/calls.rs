//! Calls of a run: kept, found and summed.

use super::{Store, to_json};
use crate::query::read_rows;
use crate::totals::{
    self, Answered, MissingProbabilities, ProbabilityBounds, Totals, read_count, read_tokens,
};
use crate::{StoreError, lookup};
use evenhand_core::{About, CallResult, Reply, RequestKey, Usage};
use rusqlite::params;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A call that is over, with everything that is kept of it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Its content address.
    pub key: &'a RequestKey,
    /// Who was asked, by identity.
    pub judge: &'a Arc<str>,
    /// The request's canonical text.
    pub request: &'a str,
    /// The item and the systems' responses that it shows, whose texts are then kept once; the
    /// default where that is not known.
    pub about: &'a About,
    /// Its result.
    pub result: &'a CallResult,
    /// The server's answer, byte for byte.
    pub raw: Option<&'a str>,
    /// Whether it came by a batch file, which costs less.
    pub batch: bool,
}

impl Store {
    /// Keeps what became of a call.
    ///
    /// # Errors
    /// A call that is there already and not wanted again, since nothing is paid for twice, and a
    /// database that cannot be written.
    pub fn put(&mut self, call: &Call) -> Result<(), StoreError> {
        self.put_in(self.session, call)?;
        self.share(call);
        Ok(())
    }

    /// Keeps a call in this session.
    pub(super) fn put_in(&mut self, session: i64, call: &Call) -> Result<(), StoreError> {
        self.begin()?;
        let wanted = self.retries.lacking_attempt(call.key);
        if wanted.is_none() && self.unfiled.find(&self.db, call.key)?.is_some() {
            return Err(StoreError::PaidTwice {
                call: call.key.to_string(),
            });
        }
        let judge = self.judge_id(call.judge)?;
        let usage = call.result.as_ref().map(|reply| reply.usage);
        let usage = usage.unwrap_or_default().capped();
        // Tokens have columns of their own.
        let reply = call.result.as_ref().ok().map(|reply| Reply {
            usage: Usage::default(),
            ..reply.clone()
        });
        let reply = reply.as_ref().map(to_json).transpose()?;
        let error = call.result.as_ref().err().map(to_json).transpose()?;
        let kept = self
            .prompts
            .take_apart(&self.db, call.request, call.about)?;
        let mut insert = self.db.prepare_cached(
            "INSERT INTO calls (key, attempt, judge, request, reply, error, prompt_tokens, \
             completion_tokens, cached_tokens, reasoning_tokens, raw, batch, session)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?;
        insert.execute(params![
            &call.key.0[..],
            wanted.unwrap_or(0),
            judge,
            kept.as_deref().unwrap_or(call.request),
            reply,
            error,
            usage.prompt_tokens as i64,
            usage.completion_tokens as i64,
            usage.cached_tokens as i64,
            usage.reasoning_tokens as i64,
            call.raw,
            call.batch,
            session
        ])?;
        drop(insert);
        let request = kept.as_deref().unwrap_or(call.request);
        let texts = [Some(request), reply.as_deref(), call.raw];
        self.unmoved += texts.into_iter().flatten().map(str::len).sum::<usize>();
        self.retries.mark_answered(call.key);
        let id = self.db.last_insert_rowid();
        self.unfiled.add(call.key, id);
        self.prompts.note_reply(call.about, id, call.result);
        self.last = Some((*call.key, id));
        self.commit_if_due()
    }

    pub(crate) fn judge_id(&mut self, judge: &Arc<str>) -> Result<i64, StoreError> {
        if let Some(id) = self.judges.get(judge) {
            return Ok(*id);
        }
        let insert = "INSERT OR IGNORE INTO judges (identity) VALUES (?1)";
        self.db.execute(insert, [&**judge])?;
        let select = "SELECT id FROM judges WHERE identity = ?1";
        let id = self.db.query_row(select, [&**judge], |row| row.get(0))?;
        self.judges.insert(judge.clone(), id);
        Ok(id)
    }

    /// Returns what became of a call: of its last attempt, or None where it was not asked or
    /// another attempt is wanted.
    ///
    /// A row that cannot be read is an error of this one call
    /// ([`CallErrorKind::Model`](evenhand_core::CallErrorKind::Model), which is stored in no other
    /// way), so that the rest of the run can be used.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn result(&self, key: &RequestKey) -> Result<Option<CallResult>, StoreError> {
        if self.retries.lacks(key) {
            return Ok(None);
        }
        Ok(match self.unfiled.find(&self.db, key)? {
            Some(id) => lookup::read_result_of(&self.db, key, id)?,
            None => None,
        })
    }

    /// Sums the tokens of these calls, each once with all its attempts. A call that is not there
    /// counts nothing.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn usage_of<'k>(
        &self,
        keys: impl Iterator<Item = &'k RequestKey>,
    ) -> Result<Usage, StoreError> {
        let mut sum = Usage::default();
        for totals in self.totals_of(keys)? {
            sum += totals.usage;
        }
        Ok(sum)
    }

    /// Sums these calls judge by judge, in the order in which the judges were first asked in this
    /// directory, each call once with the tokens of all its attempts. A call that is not there
    /// counts nothing.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn totals_of<'k>(
        &self,
        keys: impl Iterator<Item = &'k RequestKey>,
    ) -> Result<Vec<Totals>, StoreError> {
        let mut select = self.db.prepare_cached(
            "SELECT judges.id, identity, batch = 1, prompt_tokens, completion_tokens, \
             cached_tokens, reasoning_tokens
             FROM calls JOIN judges ON judges.id = calls.judge WHERE calls.id = ?1",
        )?;
        let mut totals: BTreeMap<i64, Totals> = BTreeMap::new();
        for key in keys {
            // Whose call it is, and how it came, the last attempt says.
            let mut of_last: Option<(i64, bool)> = None;
            for id in self.unfiled.attempts(&self.db, key)? {
                let mut rows = select.query([id])?;
                let Some(row) = rows.next()? else {
                    continue;
                };
                let (judge, batch) = match of_last {
                    Some(of_last) => of_last,
                    None => (row.get(0)?, row.get(2)?),
                };
                let sum = totals.entry(judge).or_default();
                if of_last.is_none() {
                    sum.judge = row.get(1)?;
                    sum.calls += 1;
                    of_last = Some((judge, batch));
                }
                let usage = read_tokens(row, 3)?;
                sum.usage += usage;
                if batch {
                    sum.by_batch += usage;
                }
            }
        }
        Ok(totals.into_values().collect())
    }

    /// Sums all calls, judge by judge in the order of their first calls.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn totals(&self) -> Result<Vec<Totals>, StoreError> {
        Ok(totals::sum_all(&self.db)?)
    }

    /// Sums the calls that were made for this run, without those that were copied from others.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn spent(&self) -> Result<Vec<Totals>, StoreError> {
        Ok(totals::sum_spent(&self.db)?)
    }

    /// Lists who answered the calls, as their servers say it: judge by judge, in the order of their
    /// first calls. Nothing is known of a judge whose server does not say it, and of replies that
    /// earlier versions kept.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn answered_by(&self) -> Result<Vec<Answered>, StoreError> {
        Ok(totals::list_answered(&self.db, 0)?)
    }

    /// Lists the judges that did not give all the probabilities that they were asked for.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn missing_probabilities(&self) -> Result<Vec<MissingProbabilities>, StoreError> {
        // Of a request that is kept by its parts, the template says what was asked for; the number
        // that it begins with is the template's id.
        let sql = "SELECT identity, count(*), sum(reply ->> '$.answers' IS NULL) AS lacking
             FROM calls JOIN judges ON judges.id = calls.judge
             LEFT JOIN templates ON templates.id = CAST(request AS INTEGER)
             WHERE CASE WHEN json_valid(reply) AND json_valid(coalesce(text, request))
               THEN coalesce(text, request) ->> '$.task.answers' IS NOT NULL END
             GROUP BY judges.id HAVING lacking > 0 ORDER BY judges.id";
        Ok(read_rows(&self.db, sql, |row| {
            Ok(MissingProbabilities {
                judge: row.get(0)?,
                asked: read_count(row, 1)?,
                without: read_count(row, 2)?,
            })
        })?)
    }

    /// Returns how far the probabilities of the calls are known, where a server named only the
    /// likeliest tokens; None where all are exact.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn probability_bounds(&self) -> Result<Option<ProbabilityBounds>, StoreError> {
        let sql = "SELECT count(*), coalesce(avg(within), 0), coalesce(max(within), 0) FROM
             (SELECT CASE WHEN json_valid(reply) THEN reply ->> '$.answers_within' END AS within
              FROM calls WHERE instr(reply, '\"answers_within\"') > 0) WHERE within > 0";
        let bounds = self.db.query_row(sql, [], |row| {
            Ok(ProbabilityBounds {
                calls: read_count(row, 0)?,
                mean: row.get(1)?,
                most: row.get(2)?,
            })
        })?;
        Ok((bounds.calls > 0).then_some(bounds))
    }

    /// Counts the calls whose server gave log-probabilities that cannot be.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn count_impossible(&self) -> Result<u64, StoreError> {
        // The mark is found by its text: within a text its quotes would be escaped.
        let sql =
            "SELECT count(*) FROM calls WHERE instr(reply, '\"answers_impossible\":true') > 0";
        Ok(self.db.query_row(sql, [], |row| read_count(row, 0))?)
    }
}
