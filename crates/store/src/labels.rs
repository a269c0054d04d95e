//! What people said of the responses of a run, as it stood in the data.

use crate::query::read_rows;
use crate::totals::read_count;
use crate::{Reader, Store, StoreError};
use evenhand_core::Side;
use rusqlite::params;

/// One person's preference between two responses to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLabel {
    /// The item's id.
    pub item: String,
    /// One system.
    pub a: String,
    /// The other.
    pub b: String,
    /// Which is preferred: the first is `a`.
    pub preferred: Side,
    /// The person, where it is known.
    pub annotator: Option<String>,
}

impl Store {
    /// Keeps these labels in place of earlier ones. A shared store ([`Store::open_shared`]) keeps
    /// none.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn put_labels(
        &mut self,
        labels: impl IntoIterator<Item = KeptLabel>,
    ) -> Result<(), StoreError> {
        if !self.keeps_judgments() {
            return Ok(());
        }
        self.begin()?;
        self.db.execute("DELETE FROM labels", [])?;
        let mut insert = self.db.prepare_cached(
            "INSERT INTO labels (item, a, b, preferred, annotator) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for label in labels {
            insert.execute(params![
                label.item,
                label.a,
                label.b,
                label.preferred.word(),
                label.annotator
            ])?;
        }
        Ok(())
    }

    /// Counts the labels that are kept.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn count_labels(&self) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM labels";
        Ok(self.db.query_row(sql, [], |row| read_count(row, 0))?)
    }
}

impl Reader {
    /// Whether any labels are kept.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn has_labels(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM labels)";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns what people said, in the order of the data; none for a run from before format 7.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn labels(&self) -> Result<Vec<KeptLabel>, StoreError> {
        let sql = "SELECT item, a, b, preferred, annotator FROM labels ORDER BY id";
        Ok(read_rows(&self.db, sql, |row| {
            let preferred: String = row.get(3)?;
            Ok(KeptLabel {
                item: row.get(0)?,
                a: row.get(1)?,
                b: row.get(2)?,
                preferred: match preferred.as_str() {
                    "a" => Side::First,
                    "b" => Side::Second,
                    _ => Side::Tie,
                },
                annotator: row.get(4)?,
            })
        })?)
    }
}
