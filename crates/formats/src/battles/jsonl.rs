//! One JSON object a line; only the fields of the plan are looked at.

use super::chunk::Chunk;
use super::columns::{Part, Plan};
use super::csv::Fault;
use super::error::Problem;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::ops::Range;

/// Reads all lines of a piece; blank lines are no rows.
pub(super) fn read(text: &[u8], plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut row = Row {
        plan,
        text: Vec::new(),
        cells: vec![(0..0, None); plan.fields.len()],
        ranges: Vec::new(),
    };
    for (line, bytes) in text.split(|&byte| byte == b'\n').enumerate() {
        if !bytes.trim_ascii().is_empty() {
            row.line(bytes, chunk)
                .map_err(|problem| (line as u64, problem))?;
        }
    }
    Ok(())
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Bool => "true or false",
            Type::Number => "a number",
            Type::String => "a string",
            Type::Array => "an array",
            Type::Object => "an object",
        }
    }

    /// Whether a cell of this part may be of this type.
    fn fits(self, part: Part) -> bool {
        match part {
            Part::System | Part::Text => self == Type::String,
            Part::Filter => !matches!(self, Type::Array | Type::Object),
            Part::Cluster | Part::Winner => matches!(self, Type::String | Type::Number),
            Part::Weight | Part::Covariate | Part::Count => self == Type::Number,
        }
    }
}

/// The line under way: its wanted values written one after the other.
struct Row<'a> {
    plan: &'a Plan,
    text: Vec<u8>,
    /// Range and type of each field's value; None where the object has no such field.
    cells: Vec<(Range<usize>, Option<Type>)>,
    ranges: Vec<Range<usize>>,
}

impl Row<'_> {
    fn line(&mut self, bytes: &[u8], chunk: &mut Chunk) -> Result<(), Problem> {
        // A weight that is not there is 1.
        chunk.met += 1;
        self.text.clear();
        self.text.push(b'1');
        self.cells.fill((0..1, None));
        let mut json = serde_json::Deserializer::from_slice(bytes);
        json.deserialize_map(&mut *self)
            .and_then(|()| json.end())
            .map_err(|error| not_json(&error))?;
        self.check()?;
        self.ranges.clear();
        let fields = self.plan.fields.iter().zip(&self.cells);
        self.ranges
            .extend(fields.map(|(field, (range, found))| match found {
                None if field.part == Part::Filter => 0..0,
                _ => range.clone(),
            }));
        chunk.push(self.plan, &self.text, &self.ranges)
    }

    fn check(&self) -> Result<(), Problem> {
        for (field, (_, found)) in self.plan.fields.iter().zip(&self.cells) {
            let (name, expected) = (|| field.name.clone(), field.part.expected());
            match found {
                None if field.optional => {}
                None => {
                    return Err(Problem::MissingField {
                        field: name(),
                        expected,
                    });
                }
                Some(found) if found.fits(field.part) => {}
                Some(found) => {
                    return Err(Problem::WrongType {
                        field: name(),
                        expected,
                        found: found.name(),
                    });
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, key: &str, start: usize, found: Type) {
        let end = self.text.len();
        for (field, cell) in self.plan.fields.iter().zip(&mut self.cells) {
            if field.name == key {
                *cell = (start..end, Some(found));
            }
        }
    }
}

/// The words of the JSON reader, without its line, which is always the first.
fn not_json(error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    Problem::Json(format!("{what} at column {}", error.column()))
}

impl<'de> Visitor<'de> for &mut Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with named fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            if self.plan.fields.iter().any(|field| field.name == key) {
                let start = self.text.len();
                let found = map.next_value_seed(Cell(&mut self.text))?;
                self.keep(&key, start, found);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// A field's name, borrowed where it holds no escape.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Writes a value as text and says its type.
struct Cell<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Cell<'_> {
    type Value = Type;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Type, D::Error> {
        value.deserialize_any(self)
    }
}

impl Cell<'_> {
    fn number<E: serde::de::Error>(self, number: impl fmt::Display) -> Result<Type, E> {
        write!(self.0, "{number}").map_err(E::custom)?;
        Ok(Type::Number)
    }
}

impl<'de> Visitor<'de> for Cell<'_> {
    type Value = Type;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Type, E> {
        self.0.extend_from_slice(text.as_bytes());
        Ok(Type::String)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Type, E> {
        self.number(number)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Type, E> {
        self.number(number)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Type, E> {
        self.number(number)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Type, E> {
        write!(self.0, "{value}").map_err(E::custom)?;
        Ok(Type::Bool)
    }

    fn visit_unit<E>(self) -> Result<Type, E> {
        Ok(Type::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Type, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Type::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Type, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Type::Object)
    }
}

/// The names of the fields of the first object.
pub(super) fn header(line: &[u8]) -> Result<Vec<String>, Problem> {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(line).map_err(|error| not_json(&error))?;
    Ok(object.into_iter().map(|(name, _)| name).collect())
}
