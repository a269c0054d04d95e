//! Judgments that stand as they are kept, so that whoever goes on with a run need not make them
//! anew from their calls.
//!
//! A judgment follows from its calls, and what turns the one into the other is in the manifest, but
//! for the program itself. So a note in `derived` says which program made all verdicts that are
//! kept. It is there from the first judgment of a run on, or from the end of a session that made
//! all of them anew, and is taken back as soon as one rests on something that is not kept.

use super::Store;
use crate::StoreError;
use crate::query::find_row;
use crate::totals::read_count;
use evenhand_core::{Judgment, Look, RequestKey, Response, Trial, Verdict};
use rusqlite::{Connection, Row};
use std::ops::Range;

/// The name of the note.
const NAME: &str = "settled";

/// The program whose verdicts stand: another version may read replies in another way.
const PROGRAM: &str = concat!("evenhand ", env!("CARGO_PKG_VERSION"));

/// Judgments that are read together.
const TOGETHER: i64 = 1024;

/// Whether verdicts stand, and those of some trials that follow each other, in their order.
#[derive(Debug, Default)]
pub(super) struct Settled {
    stands: bool,
    /// Whether a verdict of this session does without a call that has no reply.
    lacks_calls: bool,
    verdicts: Vec<KeptVerdict>,
    trials: Range<u64>,
}

/// A row with a verdict.
#[derive(Debug)]
struct KeptVerdict {
    trial: u64,
    item: String,
    systems: Vec<String>,
    replicate: u32,
    verdict: String,
    looks: Option<String>,
    calls: Vec<RequestKey>,
}

impl Store {
    /// Takes the verdicts that are kept as they are, where they stand; a run without judgments
    /// begins so.
    ///
    /// # Errors
    /// A database that cannot be read or written.
    pub fn trust_verdicts(&mut self) -> Result<(), StoreError> {
        if !self.keeps_judgments {
            return Ok(());
        }
        let noted = noted_by_this_program(&self.db)?;
        let is_new = || find_row(&self.db, "SELECT 1 FROM judgments LIMIT 1", [], |_| Ok(()));
        match noted {
            Some(true) => self.settled.stands = true,
            // Another version's: it is not to find ours under its own note.
            Some(false) => self.unsettle()?,
            None if is_new()?.is_none() => self.note_settled()?,
            None => {}
        }
        Ok(())
    }

    /// Notes that the verdicts that are kept stand, after a session that made so many judgments
    /// anew; nothing is noted where more are kept than these, or one of them lacks a call.
    ///
    /// # Errors
    /// A database that cannot be read or written.
    pub fn settle(&mut self, judged: u64) -> Result<(), StoreError> {
        if !self.keeps_judgments || self.settled.stands || self.settled.lacks_calls {
            return Ok(());
        }
        let sql = "SELECT count(*) FROM judgments";
        let kept = self.db.query_row(sql, [], |row| read_count(row, 0))?;
        match kept == judged {
            true => self.note_settled(),
            false => Ok(()),
        }
    }

    pub(crate) fn note_settled(&mut self) -> Result<(), StoreError> {
        self.begin()?;
        let insert = "INSERT OR REPLACE INTO derived (name, text) VALUES (?1, ?2)";
        self.db.execute(insert, [NAME, PROGRAM])?;
        self.settled.stands = true;
        Ok(())
    }

    /// Takes the note back: whoever goes on with the run makes all judgments anew.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn unsettle(&mut self) -> Result<(), StoreError> {
        if self.keeps_judgments {
            self.begin()?;
            let delete = "DELETE FROM derived WHERE name = ?1";
            self.db.prepare_cached(delete)?.execute([NAME])?;
            self.settled = Settled {
                lacks_calls: self.settled.lacks_calls,
                ..Settled::default()
            };
        }
        Ok(())
    }

    /// Takes the note back for as long as this session lasts: a verdict rests on a call that has no
    /// reply, and would be another once that is answered.
    pub(super) fn lack_a_call(&mut self) -> Result<(), StoreError> {
        self.settled.lacks_calls = true;
        self.unsettle()
    }

    /// Returns the judgment of a trial where it stands as it is kept: with a verdict, of this item
    /// and these responses, with no look that failed. Any other is to be made from its calls.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn standing_judgment(
        &mut self,
        trial: &Trial,
        item: &str,
        responses: &[Response],
    ) -> Result<Option<Judgment>, StoreError> {
        if !self.settled.stands {
            return Ok(None);
        }
        if !self.settled.trials.contains(&trial.index) {
            let (verdicts, trials) = read_from(&self.db, trial.index)?;
            (self.settled.verdicts, self.settled.trials) = (verdicts, trials);
        }
        let verdicts = &self.settled.verdicts;
        let Ok(at) = verdicts.binary_search_by_key(&trial.index, |row| row.trial) else {
            return Ok(None);
        };
        let row = &verdicts[at];
        let systems = responses.iter().map(|response| &*response.system);
        let is_same = row.item == item
            && row.replicate == trial.replicate
            && row.systems.iter().map(String::as_str).eq(systems);
        if !is_same {
            return Ok(None);
        }
        // What cannot be read is made anew.
        let Ok(verdict) = serde_json::from_str::<Verdict>(&row.verdict) else {
            return Ok(None);
        };
        let looks = row.looks.as_deref().map(serde_json::from_str::<Vec<Look>>);
        let Ok(looks) = looks.unwrap_or_else(|| Ok(Vec::new())) else {
            return Ok(None);
        };
        // Another session may come to the reply that a failed look lacked.
        if looks.iter().any(|look| look.outcome.is_err()) {
            return Ok(None);
        }
        Ok(Some(Judgment {
            trial: trial.clone(),
            outcome: Ok(verdict),
            calls: row.calls.clone(),
            looks,
        }))
    }
}

/// Whether the note is that of this program; None where there is none.
pub(crate) fn noted_by_this_program(db: &Connection) -> rusqlite::Result<Option<bool>> {
    let sql = "SELECT text = ?2 FROM derived WHERE name = ?1";
    find_row(db, sql, [NAME, PROGRAM], |row| row.get(0))
}

/// Reads verdicts from a trial on, and of which trials there are no others.
fn read_from(db: &Connection, trial: u64) -> Result<(Vec<KeptVerdict>, Range<u64>), StoreError> {
    let mut select = db.prepare_cached(
        "SELECT trial, item, first, second, systems, replicate, verdict, looks, calls
         FROM judgments WHERE trial >= ?1 ORDER BY trial LIMIT ?2",
    )?;
    let first = i64::try_from(trial).unwrap_or(i64::MAX);
    let mut rows = select.query([first, TOGETHER])?;
    let (mut verdicts, mut end, mut seen) = (Vec::new(), u64::MAX, 0);
    while let Some(row) = rows.next()? {
        seen += 1;
        if seen == TOGETHER {
            end = read_count(row, 0)? + 1;
        }
        verdicts.extend(read_verdict(db, row)?);
    }
    Ok((verdicts, trial..end))
}

/// Reads a row; None where it has no verdict, or names calls that are not there.
fn read_verdict(db: &Connection, row: &Row) -> rusqlite::Result<Option<KeptVerdict>> {
    let verdict: Option<String> = row.get(6)?;
    let Some(verdict) = verdict else {
        return Ok(None);
    };
    let listed: Option<String> = row.get(4)?;
    let systems = match listed.map(|listed| serde_json::from_str(&listed)) {
        Some(Ok(systems)) => systems,
        Some(Err(_)) => return Ok(None),
        None => {
            let slots: [Option<String>; 2] = [row.get(2)?, row.get(3)?];
            slots.into_iter().flatten().collect()
        }
    };
    let ids: String = row.get(8)?;
    let Ok(ids) = serde_json::from_str::<Vec<i64>>(&ids) else {
        return Ok(None);
    };
    let mut calls = Vec::with_capacity(ids.len());
    for id in ids {
        let key = find_row(db, "SELECT key FROM calls WHERE id = ?1", [id], |row| {
            row.get(0)
        });
        match key {
            Ok(Some(key)) => calls.push(RequestKey(key)),
            _ => return Ok(None),
        }
    }
    Ok(Some(KeptVerdict {
        trial: read_count(row, 0)?,
        item: row.get(1)?,
        systems,
        replicate: row.get(5)?,
        verdict,
        looks: row.get(7)?,
        calls,
    }))
}

#[cfg(test)]
#[path = "../tests/settled.rs"]
mod tests;
