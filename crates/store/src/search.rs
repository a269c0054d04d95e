//! Texts of a run that hold some words.

use crate::{Reader, StoreError};
use evenhand_core::Reply;
use regex::{Regex, RegexBuilder};
use rusqlite::types::ValueRef;

/// Words that are looked for, in any case.
struct Words {
    pattern: Option<Regex>,
    /// As they stand within a JSON text.
    in_json: Option<Regex>,
}

impl Words {
    fn new(words: &str) -> Words {
        let quoted = serde_json::to_string(words).unwrap_or_default();
        let inner = quoted.trim_matches('"');
        Words {
            pattern: build(words),
            // A quoted text that ends in a quote of its own loses that one too: no great harm, as
            // what is found is looked at again.
            in_json: build(inner),
        }
    }

    fn are_in(&self, text: &str) -> bool {
        is_match(self.pattern.as_ref(), text)
    }

    /// Whether a reply's text, or its reasoning, holds them; most are told by their JSON.
    fn are_in_reply(&self, json: &str) -> bool {
        is_match(self.in_json.as_ref(), json)
            && serde_json::from_str(json).is_ok_and(|reply| self.are_in_texts(&reply))
    }

    fn are_in_texts(&self, reply: &Reply) -> bool {
        let reasoning = reply.reasoning.as_deref();
        self.are_in(&reply.text) || reasoning.is_some_and(|text| self.are_in(text))
    }
}

/// Returns None for words that are too long to look for.
fn build(words: &str) -> Option<Regex> {
    let mut builder = RegexBuilder::new(&regex::escape(words));
    builder.case_insensitive(true).build().ok()
}

fn is_match(pattern: Option<&Regex>, text: &str) -> bool {
    pattern.is_some_and(|pattern| pattern.is_match(text))
}

impl Reader {
    /// Calls `see` with the id of each item whose instruction holds these words.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn for_each_item_with(
        &self,
        words: &str,
        mut see: impl FnMut(&str),
    ) -> Result<(), StoreError> {
        let words = Words::new(words);
        self.for_each_texts("SELECT item, '', text FROM items", |item, _, text| {
            if words.are_in(text) {
                see(item);
            }
        })
    }

    /// Calls `see` with item and system of each response whose text holds these words.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn for_each_response_with(
        &self,
        words: &str,
        mut see: impl FnMut(&str, &str),
    ) -> Result<(), StoreError> {
        let words = Words::new(words);
        let sql = "SELECT item, system, text FROM responses";
        self.for_each_texts(sql, |item, system, text| {
            if words.are_in(text) {
                see(item, system);
            }
        })
    }

    /// Calls `see` with the id of each call whose reply holds these words, in its text or in its
    /// reasoning.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn for_each_reply_with(
        &self,
        words: &str,
        mut see: impl FnMut(i64),
    ) -> Result<(), StoreError> {
        let words = Words::new(words);
        let sql = "SELECT id, reply FROM calls WHERE reply IS NOT NULL";
        let mut select = self.db.prepare_cached(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            if words.are_in_reply(text_of(row.get_ref(1)?)) {
                see(row.get(0)?);
            }
        }
        Ok(())
    }

    fn for_each_texts(
        &self,
        sql: &str,
        mut see: impl FnMut(&str, &str, &str),
    ) -> Result<(), StoreError> {
        let mut select = self.db.prepare_cached(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let [item, system, text] = [row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?];
            see(text_of(item), text_of(system), text_of(text));
        }
        Ok(())
    }
}

/// Returns a column's text; empty for what is none.
fn text_of(value: ValueRef<'_>) -> &str {
    value.as_str().unwrap_or_default()
}
