//! Scans of all judgments and all calls by their plain columns.

use crate::query::read_rows;
use crate::schema::parse_looks;
use crate::sessions::run_of_program;
use crate::totals::read_count;
use crate::{Reader, StoreError};
use evenhand_core::{Verdict, are_flipped, are_split};
use rusqlite::Row;
use std::collections::BTreeMap;

/// A judgment's plain columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgmentColumns<'a> {
    /// The trial's place in the plan.
    pub trial: u64,
    /// The item's id.
    pub item: &'a str,
    /// The system in the first slot.
    pub first: &'a str,
    /// The system in the second slot; None for a single response.
    pub second: Option<&'a str>,
    /// All systems in slot order as a JSON array, where there are more than two.
    pub systems: Option<&'a str>,
    /// Which repetition it is, from 0.
    pub replicate: u32,
    /// The probabilities of the first, a tie, the second; None without a verdict on a pair.
    pub preference: Option<[f64; 3]>,
    /// The score of a single response.
    pub score: Option<f64>,
    /// The verdict as JSON, where it is one on a list.
    pub list: Option<&'a str>,
    /// The kind of failure; None where there is a verdict.
    pub failure: Option<&'a str>,
    /// Whether both orders within the judgment prefer different responses.
    pub flipped: bool,
    /// Whether votes of a panel, or samples of one order, disagree.
    pub split: bool,
    /// The ids of its calls, as a JSON array.
    pub calls: &'a str,
}

/// A call's plain columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallColumns<'a> {
    /// Its id, which judgments name.
    pub id: i64,
    /// Who was asked, by identity.
    pub judge: &'a str,
    /// Which attempt it is, from 0.
    pub attempt: u32,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the reply.
    pub completion_tokens: u64,
    /// Of the prompt's tokens, those that the server had cached.
    pub cached_tokens: u64,
    /// Whether it came by a batch file, which costs less.
    pub batch: bool,
}

impl JudgmentColumns<'_> {
    /// Returns the systems that were shown, in slot order.
    pub fn systems_shown(&self) -> Vec<String> {
        let listed = self
            .systems
            .and_then(|list| serde_json::from_str(list).ok());
        listed.unwrap_or_else(|| {
            let pair = std::iter::once(self.first).chain(self.second);
            pair.map(String::from).collect()
        })
    }

    /// Returns the place of each system shown, in slot order and from 1 for the best, where the
    /// verdict is an order; None for any other, and for one that cannot be read.
    pub fn places(&self) -> Option<Vec<f64>> {
        match serde_json::from_str(self.list?) {
            Ok(Verdict::Listwise { places, .. }) => Some(places),
            _ => None,
        }
    }
}

impl Reader {
    /// Calls `see` with each judgment from trial `since` on, in plan order. Nothing is parsed.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn for_each_judgment(
        &self,
        since: u64,
        mut see: impl FnMut(JudgmentColumns),
    ) -> Result<(), StoreError> {
        let mut select = self.db.prepare_cached(
            "SELECT trial, item, first, second, replicate, p_first, p_tie, p_second, score, \
             flipped, split, failure, calls, systems, \
             CASE WHEN p_first IS NULL AND score IS NULL THEN verdict END, \
             CASE WHEN split IS NULL THEN looks END
             FROM judgments WHERE trial >= ?1 ORDER BY trial",
        )?;
        let mut rows = select.query([i64::try_from(since).unwrap_or(i64::MAX)])?;
        while let Some(row) = rows.next()? {
            see(read_judgment(row)?);
        }
        Ok(())
    }

    /// Calls `see` with each call behind the one of id `after`, in the order of their ids. Earlier
    /// attempts are calls of their own.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn for_each_call(
        &self,
        after: i64,
        mut see: impl FnMut(CallColumns),
    ) -> Result<(), StoreError> {
        let mut select = self.db.prepare_cached(
            "SELECT calls.id, identity, attempt, prompt_tokens, completion_tokens, cached_tokens, \
             batch = 1 FROM calls JOIN judges ON judges.id = calls.judge
             WHERE calls.id > ?1 ORDER BY calls.id",
        )?;
        let mut rows = select.query([after])?;
        while let Some(row) = rows.next()? {
            see(CallColumns {
                id: row.get(0)?,
                judge: read_str(row, 1)?.unwrap_or_default(),
                attempt: row.get(2)?,
                prompt_tokens: read_count(row, 3)?,
                completion_tokens: read_count(row, 4)?,
                cached_tokens: read_count(row, 5)?,
                batch: row.get(6)?,
            });
        }
        Ok(())
    }

    /// Lists the ids of the calls that were copied from other runs, by the run's name as its
    /// command gave it; the name is None where an earlier version did not keep it.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn copied_calls(&self) -> Result<CopiedCalls, StoreError> {
        let sql = "SELECT program, calls.id FROM calls JOIN sessions \
                   ON sessions.id = calls.session WHERE reused = 1 ORDER BY calls.id";
        let copied: Vec<(String, i64)> =
            read_rows(&self.db, sql, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut runs = CopiedCalls::new();
        for (program, call) in copied {
            runs.entry(run_of_program(&program)).or_default().push(call);
        }
        Ok(runs)
    }
}

/// Calls that were copied from other runs, by the run's name.
pub type CopiedCalls = BTreeMap<Option<String>, Vec<i64>>;

fn read_judgment<'a>(row: &'a Row) -> rusqlite::Result<JudgmentColumns<'a>> {
    // A run of an older format has no columns for how the looks compare.
    let (flipped, split) = match (row.get(9)?, row.get(10)?) {
        (Some(flipped), Some(split)) => (flipped, split),
        _ => {
            let looks = parse_looks(read_str(row, 15)?.unwrap_or_default().as_bytes());
            (are_flipped(&looks, &[]), are_split(&looks))
        }
    };
    let preference = match [row.get(5)?, row.get(6)?, row.get(7)?] {
        [Some(first), Some(tie), Some(second)] => Some([first, tie, second]),
        _ => None,
    };
    Ok(JudgmentColumns {
        trial: read_count(row, 0)?,
        item: read_str(row, 1)?.unwrap_or_default(),
        first: read_str(row, 2)?.unwrap_or_default(),
        second: read_str(row, 3)?,
        replicate: row.get(4)?,
        preference,
        score: row.get(8)?,
        flipped,
        split,
        failure: read_str(row, 11)?,
        calls: read_str(row, 12)?.unwrap_or_default(),
        systems: read_str(row, 13)?,
        list: read_str(row, 14)?,
    })
}

pub(crate) fn read_str<'a>(row: &'a Row, column: usize) -> rusqlite::Result<Option<&'a str>> {
    Ok(row.get_ref(column)?.as_str_or_null()?)
}
