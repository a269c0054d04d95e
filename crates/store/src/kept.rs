//! One judgment with everything that is kept of it.

use crate::lookup::read_kept_result;
use crate::prompts::put_together;
use crate::query::find_row;
use crate::texts::read_json;
use crate::totals::{read_count, read_tokens};
use crate::{Reader, StoreError};
use evenhand_core::{CallResult, Look, Usage, Verdict};
use rusqlite::{Connection, Row};

/// A judgment with its looks and its calls.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptJudgment {
    /// The trial's place in the plan.
    pub trial: u64,
    /// The item's id.
    pub item: String,
    /// The systems in slot order.
    pub systems: Vec<String>,
    /// Which repetition it is, from 0.
    pub replicate: u32,
    /// The verdict; None for a failure.
    pub verdict: Option<Verdict>,
    /// The kind of failure; None where there is a verdict.
    pub failure: Option<String>,
    /// What was found in place of a verdict.
    pub detail: Option<String>,
    /// The looks that it was made of, where there was more than one.
    pub looks: Vec<Look>,
    /// The calls that it rests on, in the order in which they were asked.
    pub calls: Vec<KeptCall>,
}

/// A call with everything that is kept of it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptCall {
    /// Its id in the run.
    pub id: i64,
    /// Who was asked, by identity.
    pub judge: String,
    /// The request's canonical text; what is kept of it, where it cannot be put together.
    pub request: String,
    /// The reply or the error; an unreadable row is an error of the call.
    pub result: CallResult,
    /// Which attempt it is, from 0.
    pub attempt: u32,
    /// Its tokens.
    pub usage: Usage,
    /// Whether it came by a batch file, which costs less.
    pub batch: bool,
    /// Whether it was copied from another run, so that it cost nothing here.
    pub copied: bool,
}

impl Reader {
    /// Returns the judgment of a trial with its looks and calls; None where it is not judged.
    ///
    /// # Errors
    /// A database that cannot be read, and a judgment that was damaged.
    pub fn judgment(&self, trial: u64) -> Result<Option<KeptJudgment>, StoreError> {
        let Some((mut judgment, ids)) = self.find_judgment(trial)? else {
            return Ok(None);
        };
        let sql = "SELECT calls.id, identity, request, reply, error, attempt, prompt_tokens, \
             completion_tokens, cached_tokens, reasoning_tokens, batch = 1, reused = 1
             FROM calls JOIN judges ON judges.id = calls.judge
             JOIN sessions ON sessions.id = calls.session WHERE calls.id = ?1";
        for id in ids {
            let found = find_row(&self.db, sql, [id], |row| read_call(&self.db, row))?;
            judgment.calls.extend(found);
        }
        Ok(Some(judgment))
    }

    /// Returns the looks of a trial's judgment; none where it is not judged, or took one look.
    ///
    /// # Errors
    /// Those of [`Reader::judgment`].
    pub fn looks(&self, trial: u64) -> Result<Vec<Look>, StoreError> {
        let found = self.find_judgment(trial)?;
        Ok(found.map_or_else(Vec::new, |(judgment, _)| judgment.looks))
    }

    /// Finds a judgment without its calls, and the ids of these.
    fn find_judgment(&self, trial: u64) -> Result<Option<(KeptJudgment, Vec<i64>)>, StoreError> {
        let mut select = self.db.prepare_cached(
            "SELECT trial, item, first, second, systems, replicate, verdict, failure, detail, \
             looks, calls FROM judgments WHERE trial = ?1",
        )?;
        let mut rows = select.query([i64::try_from(trial).unwrap_or(i64::MAX)])?;
        rows.next()?.map(read_judgment).transpose()
    }
}

fn read_judgment(row: &Row) -> Result<(KeptJudgment, Vec<i64>), StoreError> {
    let systems = match read_json(row, 4)? {
        Some(all) => all,
        None => {
            let first: String = row.get(2)?;
            let second: Option<String> = row.get(3)?;
            std::iter::once(first).chain(second).collect()
        }
    };
    let judgment = KeptJudgment {
        trial: read_count(row, 0)?,
        item: row.get(1)?,
        systems,
        replicate: row.get(5)?,
        verdict: read_json(row, 6)?,
        failure: row.get(7)?,
        detail: row.get(8)?,
        looks: read_json(row, 9)?.unwrap_or_default(),
        calls: Vec::new(),
    };
    Ok((judgment, read_json(row, 10)?.unwrap_or_default()))
}

fn read_call(db: &Connection, row: &Row) -> rusqlite::Result<KeptCall> {
    let kept: String = row.get(2)?;
    let request = put_together(db, &kept)?.map_or(kept, |(request, _)| request);
    Ok(KeptCall {
        id: row.get(0)?,
        judge: row.get(1)?,
        result: read_kept_result(&request, row.get(3)?, row.get(4)?, read_tokens(row, 6)?),
        request,
        attempt: row.get(5)?,
        usage: read_tokens(row, 6)?,
        batch: row.get(10)?,
        copied: row.get(11)?,
    })
}
