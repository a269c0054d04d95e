//! Verdicts that a judge writes as a JSON object: alone, in a fence, with words around it, or as
//! the arguments of a call.

use super::ends::Ends;
use super::statements::{Statement, is_reported};
use crate::lexicon::{List, Lists, Phrases};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// No more objects than these are looked for in a reply, and none deeper.
const MOST_OBJECTS: usize = 200;
const DEEPEST: usize = 4;

/// An object of a reply that states its verdict.
pub(super) struct StatedObject {
    /// Its fields in their order; a name may come twice.
    pub(super) fields: Fields,
    /// The byte of the reply at which it begins.
    pub(super) at: usize,
    /// Whether it stands where a verdict may: at the beginning or at the end of the reply.
    pub(super) closes: bool,
}

impl StatedObject {
    /// Returns a statement that the object makes.
    pub(super) fn state<T>(&self, stated: T) -> Statement<T> {
        Statement {
            is_verdict: self.closes,
            ..Statement::with_label(self.at, stated)
        }
    }
}

/// The fields of an object, all of them, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields(Vec<(String, Value)>);

impl Fields {
    /// The value of a field, whatever its spelling; of several the first.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(key, _)| spell(key) == name);
        found.map(|(_, value)| value)
    }

    /// Whether a field names a verdict.
    pub(super) fn have_verdict(&self) -> bool {
        self.0.iter().any(|(key, _)| names_verdict(key))
    }

    /// Whether the object is about one criterion alone: `{"criterion": "tone", "winner": "A"}`.
    pub(super) fn are_of_a_part(&self) -> bool {
        let parts = ["criterion", "aspect", "dimension", "metric", "category"];
        let named = parts.iter().find_map(|name| self.get(name)?.as_str());
        named.is_some_and(|part| !["overall", "total", "all"].contains(&spell(part).as_str()))
    }

    /// The values that are texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(_, value)| value.as_str())
    }

    /// The values of the fields that name a verdict, as text.
    pub(super) fn verdicts(&self) -> Vec<String> {
        self.verdicts_in(|_| true)
    }

    /// The values of those of these fields whose names fit.
    pub(super) fn verdicts_in(&self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let named = self.0.iter();
        let named = named.filter(|(key, _)| names_verdict(key) && fits(&spell(key)));
        let values = named.flat_map(|(_, value)| match value {
            Value::String(text) => vec![text.trim().to_string()],
            Value::Number(number) => vec![number.to_string()],
            Value::Bool(met) => vec![met.to_string()],
            // `{"verdict": {"winner": "A"}}`
            Value::Object(inner) => {
                let inner = Fields(inner.clone().into_iter().collect());
                match inner.are_of_a_part() {
                    true => Vec::new(),
                    false => inner.verdicts(),
                }
            }
            _ => Vec::new(),
        });
        values.collect()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct AllFields;
        impl<'de> Visitor<'de> for AllFields {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(AllFields)
    }
}

/// Whether a text is one JSON object and nothing else, or one in a fence.
pub(crate) fn is_one_object(text: &str) -> bool {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| {
        // The fence may name its language.
        let (_, within) = rest.split_once('\n')?;
        within.strip_suffix("```")
    });
    serde_json::from_str::<Fields>(fenced.unwrap_or(text)).is_ok()
}

/// Finds the objects of the reply with fields that are `wanted`; the arguments of a call are the
/// call's. Returns the reply with spaces in their places too.
pub(super) fn take_objects<'t>(
    text: &'t str,
    wanted: &dyn Fn(&Fields) -> bool,
) -> (Vec<StatedObject>, Cow<'t, str>) {
    let (mut found, mut from, mut tries) = (Vec::new(), 0, 0);
    while let Some(start) = text.get(from..).and_then(|rest| rest.find('{')) {
        let at = from + start;
        let mut objects = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Fields>();
        from = at + 1;
        if let Some(Ok(fields)) = objects.next() {
            let end = at + objects.byte_offset();
            if stands_apart(text, at, end) {
                from = end;
                if let Some(fields) = unwrap_call(fields, wanted, 0) {
                    found.push((at..end, fields));
                }
            }
        }
        tries += 1;
        if tries == MOST_OBJECTS {
            break;
        }
    }
    if found.is_empty() {
        return (Vec::new(), text.into());
    }
    let ends = Ends::of(text, false);
    let (mut outside, mut kept) = (String::with_capacity(text.len()), 0);
    for (range, _) in &found {
        outside.push_str(&text[kept..range.start]);
        outside.extend(text[range.clone()].bytes().map(|_| ' '));
        kept = range.end;
    }
    outside.push_str(&text[kept..]);
    let stated = found.into_iter().map(|(range, fields)| StatedObject {
        fields,
        at: range.start,
        closes: ends.meet(&range),
    });
    (stated.collect(), outside.into())
}

/// Whether an object is no part of a sentence, nor what a line above it reports: `it contains
/// {"verdict": "A"} at its end`, `{"verdict": "A"} is what it asks for`.
fn stands_apart(text: &str, at: usize, end: usize) -> bool {
    let before = text[..at]
        .lines()
        .next_back()
        .unwrap_or_default()
        .trim_end();
    // Objects of a list follow one another.
    let is_next = before
        .strip_suffix(',')
        .is_some_and(|before| before.trim_end().ends_with('}'));
    let opens = text[..at].ends_with('\n')
        || is_next
        || !before.ends_with(|c: char| c.is_alphanumeric() || c == ',');
    let behind = text[end..].lines().next().unwrap_or_default();
    let goes_on = behind.trim_start().starts_with(char::is_lowercase);
    opens && !goes_on && !is_reported(text, at)
}

fn unwrap_call(fields: Fields, wanted: &dyn Fn(&Fields) -> bool, depth: usize) -> Option<Fields> {
    if wanted(&fields) {
        return Some(fields);
    }
    let inner = Phrases::Arguments
        .list()
        .iter()
        .find_map(|name| fields.get(name))?;
    let inner = match inner {
        Value::Array(calls) if calls.len() == 1 => calls[0].clone(),
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    let fields = serde_json::from_value(inner)
        .ok()
        .filter(|_| depth < DEEPEST)?;
    unwrap_call(fields, wanted, depth + 1)
}

fn spell(key: &str) -> String {
    key.trim().to_ascii_lowercase().replace([' ', '-'], "_")
}

fn names_verdict(key: &str) -> bool {
    Lists::of(&spell(key)).contain(List::VerdictFields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_replies() {
        for (text, expected, closes) in [
            (r#"{"verdict": "A"}"#, vec!["A"], true),
            ("```json\n{\"Final Verdict\": \"A\"}\n```", vec!["A"], true),
            (
                "Here it is:\n```json\n{\"x\": \"{\", \"verdict\": \"B\"}\n```\nHope this helps!",
                vec!["B"],
                true,
            ),
            (
                r#"{"name": "submit", "arguments": {"winner": "B"}}"#,
                vec!["B"],
                true,
            ),
            (
                r#"{"name": "submit", "arguments": "{\"winner\": \"B\"}"}"#,
                vec!["B"],
                true,
            ),
            (
                r#"[{"function": {"name": "f", "arguments": "{\"score\": 4}"}}]"#,
                vec!["4"],
                true,
            ),
            (r#"{"winner": "A", "winner": "B"}"#, vec!["A", "B"], true),
            ("x\n{\"winner\": \"A\"}\ny\nz", vec!["A"], false),
            ("x\n{\n  \"winner\": \"A\"\n}\ny\nz", vec!["A"], false),
            ("x\n{\n  \"winner\": \"A\"\n}\n", vec!["A"], true),
            (
                "Why:\n```json\n{\n  \"reason\": \"x\",\n  \"winner\": \"A\"\n}\n```",
                vec!["A"],
                true,
            ),
        ] {
            let (objects, outside) = take_objects(text, &Fields::have_verdict);
            let [object] = &objects[..] else {
                panic!("{text}: {} objects", objects.len())
            };
            assert_eq!(
                (object.fields.verdicts(), object.closes),
                (expected.iter().map(|x| x.to_string()).collect(), closes),
                "{text}"
            );
            assert_eq!(outside.len(), text.len());
        }
        let nested = "{\"a\":".repeat(100_000);
        let spoken_of = "{\"verdict\": \"A\"} is what it asks for.";
        let reported = "It ends with this text:\n```json\n{\"verdict\": \"A\"}\n```";
        for text in ["", "{", "{\"a\": 1}", "{{{{", &nested, spoken_of, reported] {
            assert!(take_objects(text, &Fields::have_verdict).0.is_empty());
        }
        let list = "[{\"winner\": \"A\"}, {\"winner\": \"B\"}]";
        assert_eq!(take_objects(list, &Fields::have_verdict).0.len(), 2);
    }
}
