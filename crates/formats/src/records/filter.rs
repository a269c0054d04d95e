//! Which records of files are read: `--where FIELD=VALUE`.

use super::error::{DataError, Problem};
use super::map::Source;
use super::nearest::{nearest, paths};
use serde_json::Value;
use std::fmt;

/// Conditions on the fields of records. A record is read if it meets every one; without any, all
/// are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    conditions: Vec<Condition>,
}

/// A field, and the values of which it must have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    field: String,
    source: Source,
    values: Vec<String>,
}

impl Filter {
    /// Reads the arguments of `--where`, each `FIELD=VALUE`. Of several values of one field a
    /// record must have one.
    ///
    /// ```
    /// use evenhand_formats::records::Filter;
    /// let filter = Filter::parse(&["lang=en", "turn=1", "lang=de"])?;
    /// assert!(filter.keeps(&serde_json::json!({"lang": "de", "turn": 1.0}), 0));
    /// assert!(!filter.keeps(&serde_json::json!({"lang": "fr", "turn": 1}), 0));
    /// # Ok::<(), evenhand_formats::records::DataError>(())
    /// ```
    ///
    /// # Errors
    /// An argument without `=`, or without a field before it.
    pub fn parse<S: AsRef<str>>(arguments: &[S]) -> Result<Self, DataError> {
        let mut conditions: Vec<Condition> = Vec::new();
        for argument in arguments.iter().map(AsRef::as_ref) {
            let bad = || {
                DataError::new(Problem::Where {
                    argument: argument.to_owned(),
                })
            };
            let (field, value) = argument.split_once('=').ok_or_else(bad)?;
            let (field, value) = (field.trim(), value.trim().to_owned());
            match conditions.iter_mut().find(|known| known.field == field) {
                Some(known) => known.values.push(value),
                None => {
                    let source = Source::fields(field, argument).map_err(|_| bad())?;
                    conditions.push(Condition {
                        field: field.to_owned(),
                        source,
                        values: vec![value],
                    });
                }
            }
        }
        Ok(Filter { conditions })
    }

    /// True where every record is read.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// One for each field, in the order in which they were first named.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether a record, at this position of its file, is read.
    pub fn keeps(&self, record: &Value, position: u64) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.keeps(record, position))
    }

    /// The conditions for which this is true of their number.
    pub fn only(&self, is_kept: impl Fn(usize) -> bool) -> Filter {
        let kept = self
            .conditions
            .iter()
            .enumerate()
            .filter(|(number, _)| is_kept(*number));
        Filter {
            conditions: kept.map(|(_, condition)| condition.clone()).collect(),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.conditions.iter().map(Condition::to_string).collect();
        f.write_str(&shown.join(" --where "))
    }
}

impl Condition {
    /// The field, as the user wrote it.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Whether a record has the field, be it null.
    pub fn is_in(&self, record: &Value, position: u64) -> bool {
        self.source.find(record, position).is_some()
    }

    /// Whether this value of the field is asked for; numbers are compared as numbers.
    pub fn meets(&self, value: &str) -> bool {
        let same = |wanted: &String| {
            wanted == value || number(wanted).is_some_and(|wanted| number(value) == Some(wanted))
        };
        self.values.iter().any(same)
    }

    fn keeps(&self, record: &Value, position: u64) -> bool {
        let found = self.source.find(record, position);
        self.meets(&match found {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self
            .values
            .iter()
            .map(|value| format!("{}={value}", self.field))
            .collect();
        f.write_str(&shown.join(" --where "))
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// Which files have the fields of a filter: what must be known before one that lacks a field is
/// read whole.
#[derive(Clone, Debug, Default)]
pub struct FieldsFound {
    files: Vec<File>,
    kept: u64,
}

#[derive(Clone, Debug)]
struct File {
    /// What sort of file it is. Files of one sort must all have a field, or none.
    sort: String,
    name: String,
    has: Vec<bool>,
    fields: Vec<String>,
}

impl FieldsFound {
    /// Notes a file: its sort, its name, and its first record.
    pub fn add(&mut self, filter: &Filter, sort: String, name: &str, first: &Value) {
        let has = filter
            .conditions
            .iter()
            .map(|condition| condition.is_in(first, 0))
            .collect();
        let fields = if filter.is_empty() {
            Vec::new()
        } else {
            paths(first)
        };
        self.files.push(File {
            sort,
            name: name.to_owned(),
            has,
            fields,
        });
    }

    /// Says that the file noted last has the field of this condition further on.
    pub fn has_after_all(&mut self, condition: usize) {
        let has = self
            .files
            .last_mut()
            .and_then(|file| file.has.get_mut(condition));
        has.into_iter().for_each(|has| *has = true);
    }

    /// The conditions that hold for the file noted last: those whose field it has.
    pub fn for_last(&self, filter: &Filter) -> Filter {
        let has = self
            .files
            .last()
            .map(|file| file.has.as_slice())
            .unwrap_or_default();
        filter.only(|number| has.get(number) == Some(&true))
    }

    /// Counts a record that is kept under a condition.
    pub fn count(&mut self, kept: u64) {
        self.kept += kept;
    }

    /// Takes in what was found in other files.
    pub fn merge(&mut self, other: FieldsFound) {
        self.files.extend(other.files);
        self.kept += other.kept;
    }

    /// Checks that every field is in some file, and then in all files of its sort, and that
    /// something is left.
    ///
    /// # Errors
    /// A field that is nowhere, with the nearest one; a file that lacks it beside others of its
    /// sort; nothing left.
    pub fn check(&self, filter: &Filter) -> Result<(), DataError> {
        self.check_fields(filter)?;
        match self.kept {
            0 if !filter.is_empty() => Err(DataError::new(Problem::NothingLeft {
                filter: filter.to_string(),
            })),
            _ => Ok(()),
        }
    }

    /// Checks that every field is in some file, and then in all files of its sort.
    ///
    /// # Errors
    /// As [`FieldsFound::check`].
    pub fn check_fields(&self, filter: &Filter) -> Result<(), DataError> {
        filter
            .conditions
            .iter()
            .enumerate()
            .try_for_each(|(number, condition)| self.check_field(condition, number))
    }

    fn check_field(&self, condition: &Condition, number: usize) -> Result<(), DataError> {
        let has = |file: &&File| file.has.get(number) == Some(&true);
        if !self.files.iter().any(|file| has(&file)) {
            return Err(self.unknown(condition));
        }
        let other = |file: &File| {
            self.files
                .iter()
                .find(|other| has(other) && other.sort == file.sort)
        };
        let lacking = self
            .files
            .iter()
            .filter(|file| !has(file))
            .find_map(|file| Some((file, other(file)?)));
        let Some((file, other)) = lacking else {
            return Ok(());
        };
        let (field, name, other) = (
            condition.field.clone(),
            file.name.clone(),
            other.name.clone(),
        );
        Err(DataError::new(Problem::FilterLacks { field, name, other }))
    }

    fn unknown(&self, condition: &Condition) -> DataError {
        let all = || self.files.iter().flat_map(|file| file.fields.iter());
        let near = nearest(&condition.field, all()).map(str::to_owned);
        let of = self
            .files
            .iter()
            .find(|file| near.as_ref().is_some_and(|near| file.fields.contains(near)));
        let (name, has) = of
            .or(self.files.first())
            .map(|file| (file.name.clone(), file.fields.clone()))
            .unwrap_or_default();
        let argument = format!("--where {condition}");
        DataError::new(Problem::NoSuchField {
            argument,
            field: condition.field.clone(),
            nearest: near,
            name,
            has,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(filter: &Filter, files: &[(&str, &str, Value)]) -> Result<(), String> {
        let mut found = FieldsFound::default();
        for (sort, name, first) in files {
            found.add(filter, (*sort).to_owned(), name, first);
            found.count(1);
        }
        found.check(filter).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_compared_as_they_are_written_and_numbers_as_numbers() {
        let keeps =
            |argument: &str, record: Value| Filter::parse(&[argument]).unwrap().keeps(&record, 3);
        assert!(keeps("a.b.0=x", json!({"a": {"b": ["x"]}})));
        assert!(keeps("code=true", json!({"code": true})));
        assert!(keeps("turn=1", json!({"turn": "1.0"})));
        assert!(keeps("lang=", json!({"lang": null})) && keeps("lang=", json!({})));
        assert!(keeps("#=3", json!({})));
        assert!(!keeps("lang=en", json!({"lang": "EN"})));
    }

    #[test]
    fn a_field_is_somewhere_and_then_in_all_files_of_the_sort() {
        let filter = Filter::parse(&["lang=en"]).unwrap();
        let (items, mixed) = (
            json!({"id": 1, "lang": "en"}),
            json!({"id": 1, "langs": "en"}),
        );
        assert_eq!(
            found(
                &filter,
                &[
                    ("items", "a", items.clone()),
                    ("responses", "b", json!({"item": 1}))
                ]
            ),
            Ok(())
        );
        assert_eq!(
            found(
                &filter,
                &[("items", "a", items), ("items", "b", mixed.clone())]
            )
            .unwrap_err(),
            "--where: b has no field `lang`, and a has; leave one of the two out, or give the \
             records of b the field"
        );
        assert_eq!(
            found(&filter, &[("items", "b", mixed)]).unwrap_err(),
            "--where lang=en: no file has a field `lang` (`langs` comes near); b has `id`, `langs`"
        );
        assert_eq!(
            found(&Filter::default(), &[("items", "b", json!({}))]),
            Ok(())
        );
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for bad in ["lang", "=en", "a..b=1"] {
            let error = Filter::parse(&[bad]).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("--where `{bad}`: expected FIELD=VALUE, such as category=coding")
            );
        }
    }
}
