//! One JSON object a line; only the fields of the plan are kept.

use super::chunk::{Chunk, TextRow};
use super::fault::{Fault, Result};
use super::plan::{CLUSTERS, Part, Plan, ValueKind};
use crate::error::DataProblem;
use crate::source::json::{SingleKeys, key_twice, message_of, read_or_mend, twice};
use crate::source::value_source::find_path;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::ops::Range;

/// Reads all lines of a piece; blank lines are not rows.
pub(super) fn parse_lines(text: &[u8], plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut row = JsonRow {
        plan,
        text: Vec::new(),
        cells: vec![Cell::ABSENT; plan.fields.len()],
        ranges: Vec::new(),
        faults: Vec::new(),
        item: None,
    };
    for (line, bytes) in text.split(|&byte| byte == b'\n').enumerate() {
        if !bytes.trim_ascii().is_empty()
            && let Err(problem) = row.parse_line(bytes, chunk)
            && !chunk.refuse_row(Fault::after(line as u64, problem), plan)?
        {
            return Ok(());
        }
    }
    Ok(())
}

/// The line under way: its wanted values written one after the other.
struct JsonRow<'a> {
    plan: &'a Plan,
    text: Vec<u8>,
    cells: Vec<Cell>,
    ranges: Vec<Range<usize>>,
    /// What is wrong with cells that not every row needs.
    faults: Vec<(usize, DataProblem)>,
    /// The field that names an item, where no row may.
    item: Option<&'static str>,
}

/// The value of a field.
#[derive(Clone)]
struct Cell {
    range: Range<usize>,
    /// None where the object lacks the field.
    found: Option<ValueKind>,
}

impl Cell {
    /// The first byte of the text, a `1`: a weight that is absent is 1.
    const ABSENT: Cell = Cell {
        range: 0..1,
        found: None,
    };
}

impl JsonRow<'_> {
    fn parse_line(&mut self, bytes: &[u8], chunk: &mut Chunk) -> Result {
        chunk.met += 1;
        read_or_mend(bytes, |bytes| {
            self.text.clear();
            // The text of every absent cell.
            self.text.push(b'1');
            self.cells.fill(Cell::ABSENT);
            let mut json = serde_json::Deserializer::from_slice(bytes);
            json.deserialize_map(&mut *self)?;
            json.end()
        })
        .map_err(|error| json_problem(&error))?;
        if let Some(field) = self.item.take() {
            return Err(DataProblem::ItemsOfSome {
                field: field.to_owned(),
                is_here: true,
            });
        }
        self.ranges.clear();
        self.faults.clear();
        for (at, (field, cell)) in self.plan.fields.iter().zip(&self.cells).enumerate() {
            let fault = match cell.found {
                Some(found) if !field.part.takes(found) => Some(field.wrong_type(found.name())),
                None if !field.optional => Some(DataProblem::LacksField {
                    field: field.name.clone(),
                    expected: field.part.expected(),
                }),
                _ => None,
            };
            match (fault, field.part) {
                // It is known later whether the row needs it.
                (Some(problem), Part::Covariate | Part::Text) => {
                    self.faults.push((at, problem));
                    self.ranges.push(0..0);
                    continue;
                }
                (Some(problem), _) => return Err(problem),
                (None, _) => {}
            }
            match cell.found {
                None if matches!(field.part, Part::Filter | Part::Label) => self.ranges.push(0..0),
                _ => self.ranges.push(cell.range.clone()),
            }
        }
        let mut cells = TextRow {
            text: &self.text,
            cells: &self.ranges,
            faults: &self.faults,
        };
        chunk.push_row(self.plan, &mut cells, 0)
    }

    /// Keeps the value that was written from `start` on for the fields of this name. False where
    /// they have one.
    fn keep_value(&mut self, key: &str, start: usize, found: ValueKind) -> bool {
        let end = self.text.len();
        let mut is_first = true;
        for (field, cell) in self.plan.fields.iter().zip(&mut self.cells) {
            if field.name == key {
                cell.range = start..end;
                is_first &= cell.found.replace(found).is_none();
            }
        }
        is_first
    }

    /// Keeps what stands at the ends of the paths that begin in this field, and the field itself.
    fn keep_paths(&mut self, key: &str, value: Value) {
        let record = Value::Object([(key.to_owned(), value)].into_iter().collect());
        for (field, cell) in self.plan.fields.iter().zip(&mut self.cells) {
            let begins = field.within.as_deref() == Some(key) || field.name == key;
            if let Some(value) = find_path(&record, &field.name).filter(|_| begins) {
                let start = self.text.len();
                let written = value.deserialize_any(ValueWriter(&mut self.text));
                // A value in memory is no text that could be wrong.
                let found = written.unwrap_or(ValueKind::Null);
                cell.range = start..self.text.len();
                cell.found = Some(found);
            }
        }
    }
}

/// Returns the words of the JSON reader, without its line, which is always the first.
fn json_problem(error: &serde_json::Error) -> DataProblem {
    if let Some(key) = key_twice(error) {
        return DataProblem::KeyTwice(key);
    }
    let what = message_of(error);
    DataProblem::JsonLine(format!("{what} at column {}", error.column()))
}

impl<'de> Visitor<'de> for &mut JsonRow<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with named fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            let mut fields = self.plan.fields.iter();
            if fields.any(|field| field.within.as_deref() == Some(&key)) {
                let SingleKeys(value) = map.next_value()?;
                self.keep_paths(&key, value);
            } else if self.plan.fields.iter().any(|field| field.name == key) {
                let start = self.text.len();
                let found = map.next_value_seed(ValueWriter(&mut self.text))?;
                if !self.keep_value(&key, start, found) {
                    return Err(twice(&key));
                }
            } else if map.next_value::<Option<IgnoredAny>>()?.is_some() && self.plan.without_items {
                self.item = CLUSTERS.into_iter().find(|name| *name == key);
            }
        }
        Ok(())
    }
}

/// A field's name, borrowed where it holds no escape.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Writes a value as text and returns its kind.
struct ValueWriter<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for ValueWriter<'_> {
    type Value = ValueKind;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<ValueKind, D::Error> {
        value.deserialize_any(self)
    }
}

impl ValueWriter<'_> {
    fn write<E: Error>(self, value: impl fmt::Display, found: ValueKind) -> Result<ValueKind, E> {
        write!(self.0, "{value}").map_err(E::custom)?;
        Ok(found)
    }
}

impl<'de> Visitor<'de> for ValueWriter<'_> {
    type Value = ValueKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<ValueKind, E> {
        self.0.extend_from_slice(text.as_bytes());
        Ok(ValueKind::Text)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<ValueKind, E> {
        self.write(number, ValueKind::Integer)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<ValueKind, E> {
        self.write(number, ValueKind::Integer)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<ValueKind, E> {
        self.write(number, ValueKind::Number)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<ValueKind, E> {
        self.write(value, ValueKind::Truth)
    }

    fn visit_unit<E>(self) -> Result<ValueKind, E> {
        Ok(ValueKind::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ValueKind, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(ValueKind::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ValueKind, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(ValueKind::Object)
    }
}

/// Returns the names of the fields of the first object.
pub(super) fn read_header(line: &[u8]) -> Result<Vec<String>> {
    let object: Result<serde_json::Map<String, Value>, _> =
        read_or_mend(line, |line| serde_json::from_slice(line));
    match object {
        Ok(object) => Ok(object.into_iter().map(|(name, _)| name).collect()),
        Err(error) => Err(json_problem(&error)),
    }
}
