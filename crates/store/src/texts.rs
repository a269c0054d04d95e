//! The texts that were judged, as they stood in the data.

use crate::query::{find_row, read_rows};
use crate::scan::read_str;
use crate::store::to_json;
use crate::totals::read_count;
use crate::{Reader, Store, StoreError};
use evenhand_core::{Criterion, FreeFields, Item, Message, Response, Trajectory};
use rusqlite::{Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What an item has beside its texts and its category.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ItemExtras {
    question: Option<String>,
    constraints: Option<serde_json::Value>,
    criteria: Vec<Criterion>,
    turn: Option<u32>,
    fields: FreeFields,
}

/// What a response has beside its texts.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ResponseExtras {
    whole: bool,
    fields: FreeFields,
}

pub(crate) const ITEM_COLUMNS: &str = "item, text, turns, category, reference, more";
pub(crate) const RESPONSE_COLUMNS: &str = "system, text, turns, trajectory, more";

impl Store {
    /// Keeps an item and responses to it, as they stand in the data, for readers of the run.
    ///
    /// What is kept stays: an item or response that is here already is not written again, also
    /// where its text has changed. The manifest holds the digest of the data, so that one run never
    /// meets two texts of one item. A shared store ([`Store::open_shared`]), which serves several
    /// data sets, keeps no texts.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn put_texts(&mut self, item: &Item, responses: &[Response]) -> Result<(), StoreError> {
        if !self.keeps_judgments() {
            return Ok(());
        }
        self.begin()?;
        // Messages stand apart where the text alone does not say them.
        let is_plain =
            matches!(&item.messages[..], [only] if *only == Message::user(&*only.content));
        let turns = (!is_plain).then(|| to_json(&item.messages)).transpose()?;
        let more = ItemExtras {
            question: item.question.clone(),
            constraints: item.constraints.clone(),
            criteria: item.criteria.clone(),
            turn: item.turn,
            fields: item.fields.clone(),
        };
        let mut insert = self.db.prepare_cached(
            "INSERT OR IGNORE INTO items (item, text, turns, category, reference, more)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        insert.execute(params![
            item.id,
            item.instruction(),
            turns,
            item.category,
            item.reference,
            to_json_if_any(&more)?
        ])?;
        let mut insert = self.db.prepare_cached(
            "INSERT OR IGNORE INTO responses (item, system, text, turns, trajectory, more)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for response in responses {
            let earlier = &response.earlier[..];
            let more = ResponseExtras {
                whole: response.whole,
                fields: (*response.fields).clone(),
            };
            insert.execute(params![
                item.id,
                &*response.system,
                &*response.text,
                (!earlier.is_empty())
                    .then(|| to_json(&earlier))
                    .transpose()?,
                response.trajectory.as_deref().map(to_json).transpose()?,
                to_json_if_any(&more)?
            ])?;
        }
        Ok(())
    }

    /// Counts the items and the responses whose texts are kept.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn count_texts(&self) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM responses)";
        let read = |row: &Row| Ok((read_count(row, 0)?, read_count(row, 1)?));
        Ok(self.db.query_row(sql, [], read)?)
    }
}

fn to_json_if_any<T: Default + PartialEq + Serialize>(
    value: &T,
) -> Result<Option<String>, StoreError> {
    (*value != T::default()).then(|| to_json(value)).transpose()
}

impl Reader {
    /// Returns the items whose texts the run keeps, in the order of the data; none for a run from
    /// before format 6.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn items(&self) -> Result<Vec<Item>, StoreError> {
        let sql = format!("SELECT {ITEM_COLUMNS} FROM items ORDER BY id");
        let mut select = self.db.prepare(&sql)?;
        let rows = select.query_and_then([], read_item)?;
        rows.collect()
    }

    /// Whether the run keeps the texts that were judged; those of formats before 6 do not.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn keeps_texts(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM items)";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns the item of this id; None where the run does not keep it.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn item(&self, id: &str) -> Result<Option<Item>, StoreError> {
        let sql = format!("SELECT {ITEM_COLUMNS} FROM items WHERE item = ?1");
        let mut select = self.db.prepare_cached(&sql)?;
        let mut rows = select.query([id])?;
        rows.next()?.map(read_item).transpose()
    }

    /// Returns the responses to an item that the run keeps, in the order of the data.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn responses(&self, item: &str) -> Result<Vec<Response>, StoreError> {
        let sql =
            format!("SELECT {RESPONSE_COLUMNS} FROM responses WHERE item = ?1 ORDER BY rowid");
        let mut select = self.db.prepare_cached(&sql)?;
        let rows = select.query_and_then([item], read_response)?;
        rows.collect()
    }

    /// Returns the instruction of an item; None where the run does not keep it.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn item_text(&self, id: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT text FROM items WHERE item = ?1";
        Ok(find_row(&self.db, sql, [id], |row| row.get(0))?)
    }

    /// Calls `see` with the id and the category of each item that the run keeps, in the order of
    /// the data.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn for_each_category(
        &self,
        mut see: impl FnMut(&str, Option<&str>),
    ) -> Result<(), StoreError> {
        let sql = "SELECT item, category FROM items ORDER BY id";
        let mut select = self.db.prepare_cached(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            see(read_str(row, 0)?.unwrap_or_default(), read_str(row, 1)?);
        }
        Ok(())
    }

    /// Calls `see` with the item, the system and the free fields of each response that the run
    /// keeps with such fields.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn for_each_fields(
        &self,
        mut see: impl FnMut(&str, &str, &FreeFields),
    ) -> Result<(), StoreError> {
        let sql = "SELECT item, system, more FROM responses WHERE more IS NOT NULL";
        let mut select = self.db.prepare_cached(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let more: ResponseExtras = read_json(row, 2)?.unwrap_or_default();
            let [item, system] =
                [read_str(row, 0)?, read_str(row, 1)?].map(Option::unwrap_or_default);
            see(item, system, &more.fields);
        }
        Ok(())
    }

    /// Lists the systems whose responses the run keeps, in the order of the data.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn systems(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT system FROM responses GROUP BY system ORDER BY min(rowid)";
        Ok(read_rows(&self.db, sql, |row| row.get(0))?)
    }

    /// Returns how many systems have a response.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn system_count(&self) -> Result<u64, StoreError> {
        let sql = "SELECT count(DISTINCT system) FROM responses";
        Ok(self.db.query_row(sql, [], |row| read_count(row, 0))?)
    }
}

fn read_item(row: &Row) -> Result<Item, StoreError> {
    let text: String = row.get(1)?;
    let turns: Option<Vec<Message>> = read_json(row, 2)?;
    let more: ItemExtras = read_json(row, 5)?.unwrap_or_default();
    Ok(Item {
        id: row.get(0)?,
        messages: turns.unwrap_or_else(|| vec![Message::user(text)]),
        reference: row.get(4)?,
        category: row.get(3)?,
        question: more.question,
        constraints: more.constraints,
        criteria: more.criteria,
        turn: more.turn,
        fields: more.fields,
    })
}

fn read_response(row: &Row) -> Result<Response, StoreError> {
    let turns: Option<Vec<Message>> = read_json(row, 2)?;
    let trajectory: Option<Trajectory> = read_json(row, 3)?;
    let more: ResponseExtras = read_json(row, 4)?.unwrap_or_default();
    let (system, text): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(Response {
        earlier: turns.unwrap_or_default().into(),
        whole: more.whole,
        trajectory: trajectory.map(Arc::new),
        fields: Arc::new(more.fields),
        ..Response::new(system, text)
    })
}

/// Reads a column of JSON; None where it is NULL.
pub(crate) fn read_json<T: DeserializeOwned>(
    row: &Row,
    column: usize,
) -> Result<Option<T>, StoreError> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| serde_json::from_str(&text).map_err(|e| StoreError::Corrupt(e.to_string())))
        .transpose()
}
