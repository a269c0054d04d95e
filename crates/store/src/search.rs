//! Texts of a run that hold some words.

use crate::{Reader, StoreError};
use evenhand_core::Reply;
use regex::{Regex, RegexBuilder};
use rusqlite::types::ValueRef;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::panic::resume_unwind;
use std::thread;

/// Ids of calls.
type Ids = RangeInclusive<i64>;

/// Parts in which the calls are searched, at most: each has a connection of its own.
const MOST_PARTS: usize = 4;

/// Calls in a part, at least: fewer are searched before another connection is open.
const FEWEST_IN_PART: i64 = 20_000;

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
        let in_texts = |reply: Reply| {
            let reasoning = reply.reasoning.as_deref();
            self.are_in(&reply.text) || reasoning.is_some_and(|text| self.are_in(text))
        };
        is_match(self.in_json.as_ref(), json) && serde_json::from_str(json).is_ok_and(in_texts)
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

    /// Returns the ids of the calls whose reply holds these words, in its text or in its reasoning,
    /// in ascending order. Calls of a large run are searched side by side, in parts.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn find_replies_with(&self, words: &str) -> Result<Vec<i64>, StoreError> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let parts = self.split_calls(threads.min(MOST_PARTS), FEWEST_IN_PART)?;
        self.find_in_parts(words, &parts)
    }

    /// Returns ranges of ids that hold all calls, of about equal length and at least this one.
    fn split_calls(&self, parts: usize, fewest: i64) -> Result<Vec<Ids>, StoreError> {
        let last: Option<i64> = self
            .db
            .query_row("SELECT max(id) FROM calls", [], |row| row.get(0))?;
        let last = last.unwrap_or_default().max(0);
        let parts = (last / fewest).clamp(1, i64::try_from(parts).unwrap_or(1));
        let firsts = (1..parts).map(|part| last / parts * part);
        let ends = firsts.clone().map(|first| first - 1).chain([i64::MAX]);
        let starts = [i64::MIN].into_iter().chain(firsts);
        Ok(starts.zip(ends).map(|(start, end)| start..=end).collect())
    }

    fn find_in_parts(&self, words: &str, parts: &[Ids]) -> Result<Vec<i64>, StoreError> {
        let Some((mine, others)) = parts.split_first() else {
            return Ok(Vec::new());
        };
        let readers: Vec<Reader> = others
            .iter()
            .map(|_| self.open_again())
            .collect::<Result<_, _>>()?;
        thread::scope(|scope| {
            let search = |(reader, ids): (Reader, &Ids)| {
                let ids = ids.clone();
                scope.spawn(move || reader.find_among(words, ids))
            };
            let others: Vec<_> = readers.into_iter().zip(others).map(search).collect();
            let mut found = self.find_among(words, mine.clone())?;
            for other in others {
                found.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok(found)
        })
    }

    /// Searches the replies of the calls with these ids.
    fn find_among(&self, words: &str, ids: Ids) -> Result<Vec<i64>, StoreError> {
        let words = Words::new(words);
        let sql = "SELECT id, reply FROM calls
                   WHERE id BETWEEN ?1 AND ?2 AND reply IS NOT NULL ORDER BY id";
        let mut select = self.db.prepare_cached(sql)?;
        let mut rows = select.query([ids.start(), ids.end()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if words.are_in_reply(text_of(row.get_ref(1)?)) {
                found.push(row.get(0)?);
            }
        }
        Ok(found)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn calls_are_split_into_ranges_without_a_gap() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = fixtures::open(dir.path());
        for number in 0..10 {
            let text = format!("q{number}");
            fixtures::put(&mut store, &text, &fixtures::reply(&text));
        }
        store.commit().unwrap();
        let reader = Reader::open(dir.path()).unwrap();
        let split = |parts, fewest| reader.split_calls(parts, fewest).unwrap();
        assert_eq!(split(1, 1), [i64::MIN..=i64::MAX]);
        assert_eq!(split(4, 6), [i64::MIN..=i64::MAX]);
        assert_eq!(split(4, 5), [i64::MIN..=4, 5..=i64::MAX]);
        assert_eq!(split(3, 1), [i64::MIN..=2, 3..=5, 6..=i64::MAX]);
    }

    #[test]
    fn parts_side_by_side_find_what_one_search_finds() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = fixtures::open(dir.path());
        for number in 0..50 {
            let said = if number % 7 < 3 {
                "It RAINS."
            } else {
                "It is dry."
            };
            fixtures::put(&mut store, &format!("q{number}"), &fixtures::reply(said));
        }
        store.commit().unwrap();
        let reader = Reader::open(dir.path()).unwrap();
        let expected: Vec<i64> = (1..=50).filter(|id| (id - 1) % 7 < 3).collect();
        for parts in 1..=9 {
            let parts = reader.split_calls(parts, 1).unwrap();
            assert_eq!(reader.find_in_parts("rains", &parts).unwrap(), expected);
        }
        assert_eq!(reader.find_replies_with("rains").unwrap(), expected);
        assert_eq!(reader.find_replies_with("snows").unwrap(), [0_i64; 0]);
    }

    #[test]
    fn a_run_without_calls_has_none_to_find() {
        let dir = tempfile::tempdir().unwrap();
        let _store = fixtures::open(dir.path());
        let reader = Reader::open(dir.path()).unwrap();
        assert!(reader.find_replies_with("rains").unwrap().is_empty());
    }
}
