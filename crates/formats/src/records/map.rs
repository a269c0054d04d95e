//! Which field of a foreign record is which of our terms:
//! `output=answer,item=question_id,system:=gpt-4`.
//!
//! Every format that is known by name is such a mapping too (see [`super::known_formats`]), so
//! there is one reader for all.

use crate::error::{DataError, DataProblem, Result, may_be_further_response};
use crate::outcomes::Spellings;
use crate::source::nearest::{field_not_found, field_paths};
use crate::source::value_source::ValueSource;
use evenhand_core::{Setting, did_you_mean, split_unquoted, unquote};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A term of ours that a field can be mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the term of its name")]
pub enum Target {
    Item,
    Instruction,
    Reference,
    Category,
    Question,
    Constraints,
    Criteria,
    System,
    Output,
    Output1,
    Output2,
    System1,
    System2,
    /// The response of this number, from 3 to 99.
    FurtherOutput(u8),
    /// The system of the response of this number.
    FurtherSystem(u8),
    Label,
    Annotator,
    Rating,
    CiLow,
    CiHigh,
}

/// Each term, the name that a mapping knows it by, and the field that is looked for where the
/// mapping does not mention it.
const TARGETS: [(Target, &str, &str); 18] = [
    (Target::Item, "item", "item|id"),
    (Target::Instruction, "instruction", "instruction|messages"),
    (Target::Reference, "reference", "reference"),
    (Target::Category, "category", "category"),
    (Target::Question, "question", "question_id"),
    (Target::Constraints, "constraints", "constraints"),
    (Target::Criteria, "criteria", "criteria"),
    (Target::System, "system", "system"),
    (Target::Output, "output", "output"),
    (Target::Output1, "output_1", "output_1"),
    (Target::Output2, "output_2", "output_2"),
    (Target::System1, "system_1", "system_1"),
    (Target::System2, "system_2", "system_2"),
    (Target::Label, "label", "label"),
    (Target::Annotator, "annotator", "annotator"),
    (Target::Rating, "rating", "rating"),
    (Target::CiLow, "ci_low", "ci_low"),
    (Target::CiHigh, "ci_high", "ci_high"),
];

/// How many responses a record may hold.
pub(super) const MOST_OUTPUTS: u8 = 99;

impl Target {
    /// Returns the name that a mapping knows it by.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Target::FurtherOutput(number) => format!("output_{number}").into(),
            Target::FurtherSystem(number) => format!("system_{number}").into(),
            _ => {
                let found = TARGETS.iter().find(|(target, ..)| *target == self);
                found.map_or("", |(_, name, _)| name).into()
            }
        }
    }

    fn from_name(name: &str) -> Option<Target> {
        if let Some((target, ..)) = TARGETS.iter().find(|(_, known, _)| *known == name) {
            return Some(*target);
        }
        let further = |prefix: &str, target: fn(u8) -> Target| {
            let digits = name.strip_prefix(prefix)?;
            let number: u8 = digits.parse().ok()?;
            let is_plain = !digits.starts_with(['0', '+']);
            (is_plain && (3..=MOST_OUTPUTS).contains(&number)).then(|| target(number))
        };
        further("output_", Target::FurtherOutput)
            .or_else(|| further("system_", Target::FurtherSystem))
    }
}

/// What our own responses hold: an output, or the turns in its place.
pub(super) const OWN_OUTPUT: &str = "output|turns";

/// Which field of a record is which term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    given: Vec<(Target, ValueSource)>,
    assumed: Vec<(Target, ValueSource)>,
    /// Whether a number, true or false will do for a text. In a known format it is a mistake; in a
    /// foreign one it happens.
    pub(super) lenient: bool,
    /// Whether labels are in no convention that is known: 0 need not be a tie, and a letter may be
    /// a system's name.
    pub(super) foreign: bool,
    /// Spellings of labels beside those that are known.
    pub(super) outcomes: Spellings,
    /// Whether the conversations of items hold the answers too.
    pub(super) complete: bool,
    /// Whether a list of texts in the place of a response is several responses, and no turns.
    pub(super) lists_are_completions: bool,
}

/// A term that the user mapped to a field.
#[derive(Clone, Copy, Debug)]
pub struct Mapped<'a> {
    target: Target,
    source: &'a ValueSource,
}

impl Mapped<'_> {
    /// Whether a record, at this position of its file, has the field, be it null.
    pub fn is_in(&self, record: &Value, position: u64) -> bool {
        self.source.find(record, position).is_some()
    }

    /// Returns the error for a field that no file has; given are each file's name and first record.
    pub fn not_found_error(&self, files: &[(String, Value)]) -> DataError {
        let field = &self.source.text;
        let argument = format!("{} {}={field}", Setting::Map, self.target.name());
        field_in_no_record(argument, field, files)
    }
}

/// Returns the error for a free field, such as `item.context`, that a prompt shows and no file
/// has; given are each file's name and first record.
pub fn shown_field_not_found(name: &str, files: &[(String, Value)]) -> DataError {
    let field = name.split_once('.').map_or(name, |(_, field)| field);
    field_in_no_record(
        format!("{} shows {name}", Setting::PromptPack),
        field,
        files,
    )
}

/// Returns the error for a free field of items by which they are to be parted, which a setting
/// names and no file has; given are each file's name and first record.
pub fn part_field_not_found(setting: Setting, field: &str, files: &[(String, Value)]) -> DataError {
    field_in_no_record(format!("{setting} {field}"), field, files)
}

/// Returns the error for a field by which items are to be parted, and that a file has of something
/// else, such as labels.
pub fn part_field_not_of_items(
    setting: Setting,
    field: &str,
    kind: &'static str,
    name: &str,
) -> DataError {
    DataError::new(DataProblem::NotOfItems {
        argument: setting.to_string(),
        field: field.to_owned(),
        kind,
        name: name.to_owned(),
    })
}

fn field_in_no_record(argument: String, field: &str, files: &[(String, Value)]) -> DataError {
    let files = files.iter();
    let files = files.map(|(name, first)| (name.clone(), field_paths(first)));
    field_not_found(argument, field.to_owned(), files.collect())
}

impl Mapping {
    /// Iterates over the terms that it maps to fields; those that have one value for every record
    /// are left out.
    pub fn mapped(&self) -> impl Iterator<Item = Mapped<'_>> {
        let given = self.given.iter();
        let of_fields = given.filter(|(_, source)| !source.is_constant());
        of_fields.map(|(target, source)| Mapped {
            target: *target,
            source,
        })
    }

    /// Returns the mapping with these spellings of labels, where there are any.
    pub(crate) fn with_outcomes(self, outcomes: Spellings) -> Self {
        if outcomes.is_empty() {
            self
        } else {
            Mapping { outcomes, ..self }
        }
    }

    /// Reads a mapping as a user gives it. A term that it does not mention is looked for under its
    /// own name.
    ///
    /// ```
    /// use evenhand_formats::records::Mapping;
    /// assert!(Mapping::parse("item=question_id,output=choices.0.turns.0,system:=gpt-4").is_ok());
    /// let error = Mapping::parse("outptu=answer").unwrap_err().to_string();
    /// assert!(error.starts_with("`map`: `outptu=answer`: `outptu` is none of item, instruction,"));
    /// ```
    ///
    /// # Errors
    /// A part that is not `NAME=FIELD` or `NAME:=VALUE`, a term that is unknown or mapped twice.
    pub fn parse(text: &str) -> Result<Self> {
        let mut mapping = Mapping {
            lenient: true,
            foreign: true,
            ..Mapping::parse_exactly(text)?
        };
        for (target, _, field) in TARGETS {
            if !mapping.mentions(target) {
                let source = ValueSource::parse_fields(field, field)?;
                mapping.assumed.push((target, source));
            }
        }
        Ok(mapping)
    }

    /// Reads a mapping that looks for nothing but what it mentions.
    pub(crate) fn parse_exactly(text: &str) -> Result<Self> {
        let mut mapping = Mapping::default();
        let (mut before, mut errors) = (None, Vec::new());
        for part in split_unquoted(text, ',') {
            let part = part.trim();
            match parse_part(part, before) {
                Ok((target, _)) if mapping.mentions(target) => {
                    let what = format!("`{}` is mapped twice", target.name());
                    errors.push(mapping_error(part, what));
                }
                Ok(mapped) => mapping.given.push(mapped),
                Err(error) => errors.push(error),
            }
            before = Some(part);
        }
        match errors.is_empty() {
            true => Ok(mapping),
            false => Err(DataError::of_many(errors)),
        }
    }

    /// Returns the numbers from 3 of the responses that it mentions, in their order.
    pub(super) fn further_outputs(&self) -> Vec<u8> {
        let given = self.given.iter().filter_map(|(target, _)| match target {
            Target::FurtherOutput(number) => Some(*number),
            _ => None,
        });
        let mut numbers: Vec<u8> = given.collect();
        numbers.sort_unstable();
        numbers
    }

    /// Whether the mapping mentions the term.
    pub(super) fn mentions(&self, target: Target) -> bool {
        self.given.iter().any(|(given, _)| *given == target)
    }

    fn source_of(&self, target: Target) -> Option<&ValueSource> {
        let mut sources = self.given.iter().chain(&self.assumed);
        let (_, source) = sources.find(|(mapped, _)| *mapped == target)?;
        Some(source)
    }

    /// Returns the term's value in the record at this position of its file, if it is there.
    pub(super) fn find(&self, target: Target, record: &Value, position: u64) -> Option<Value> {
        self.source_of(target)?.find(record, position)
    }

    /// Returns the list that the term's value is, if it is one.
    pub(super) fn find_list<'v>(
        &self,
        target: Target,
        record: &'v Value,
    ) -> Option<&'v Vec<Value>> {
        self.source_of(target)?.find_list(record)
    }

    /// Returns the name of the field that holds the term's value in this record.
    pub(super) fn found_name(&self, target: Target, record: &Value) -> String {
        let source = self.source_of(target);
        let found = source.and_then(|source| source.found_name(record));
        found.unwrap_or_else(|| target.name().into_owned())
    }

    /// Returns the fields of a record of two responses that may hold further ones, and are not
    /// read.
    pub(super) fn further_responses(&self, record: &Value) -> Vec<String> {
        let given = self.given.iter();
        let read: Vec<String> = given
            .filter_map(|(_, source)| source.found_name(record))
            .collect();
        let fields = record.as_object().into_iter().flatten();
        let further = fields.filter(|(name, value)| {
            let is_there = value.as_str().is_some_and(|text| !text.is_empty());
            is_there && may_be_further_response(name) && !read.contains(name)
        });
        further.map(|(name, _)| name.clone()).collect()
    }

    /// Returns the field as errors name it: `` `answer` (output) ``, or `` `output` `` where both
    /// are one.
    pub(super) fn field_label(&self, target: Target) -> String {
        let name = target.name();
        match self.source_of(target) {
            Some(source) if source.text != name && source.text != OWN_OUTPUT => {
                format!("`{}` ({name})", source.text)
            }
            _ => format!("`{name}`"),
        }
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.given.iter().map(|(target, source)| {
            let sign = if source.is_constant() { ":=" } else { "=" };
            format!("{}{sign}{}", target.name(), source.text)
        });
        f.write_str(&parts.collect::<Vec<_>>().join(","))
    }
}

/// Parses `output=answer` or `system:=gpt-4`. `before` is the part before it, where there is one.
fn parse_part(part: &str, before: Option<&str>) -> Result<(Target, ValueSource)> {
    let Some((name, from)) = part.split_once('=') else {
        // Most often a part of a name: a comma in it ended the mapping before.
        let before = before.and_then(|before| before.split_once('='));
        let whole = match before {
            Some((name, start)) => format!("{name}=\"{start}, {part}\""),
            None => String::from("output_1=\"Reply, A\""),
        };
        return Err(mapping_error(
            part,
            format!("there is no `=` (put a name with a comma in double quotes, as in {whole})"),
        ));
    };
    let from = from.trim();
    let term = name.trim_end_matches(':').trim();
    let Some(target) = Target::from_name(term) else {
        let names = TARGETS.map(|(_, name, _)| name);
        let near = did_you_mean(term, names);
        let what = format!("`{term}` is none of {}{near}", names.join(", "));
        return Err(mapping_error(part, what));
    };
    if from.is_empty() {
        return Err(mapping_error(part, "nothing comes after `=`".to_owned()));
    }
    if name.ends_with(':') {
        Ok((target, ValueSource::constant(&unquote(from))))
    } else {
        Ok((target, ValueSource::parse_fields(from, part)?))
    }
}

fn mapping_error(part: &str, what: String) -> DataError {
    DataError::new(DataProblem::Mapping {
        part: part.to_owned(),
        what,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn find(source: &str, record: &Value) -> Option<Value> {
        ValueSource::parse_fields(source, source)
            .unwrap()
            .find(record, 7)
    }

    #[test]
    fn a_path_goes_through_objects_and_lists() {
        let record =
            json!({"choices": [{"turns": ["one", "two"]}], "a.b": 1, "0": "zero", "n": null});
        assert_eq!(find("choices.0.turns.1", &record), Some(json!("two")));
        assert_eq!(find("choices.-1.turns.-2", &record), Some(json!("one")));
        assert_eq!(find("choices.-2", &record), None);
        assert_eq!(find("a.b", &record), Some(json!(1)));
        assert_eq!(find("0", &record), Some(json!("zero")));
        assert_eq!(find("#", &record), Some(json!(7)));
        assert_eq!(find("x|n|0", &record), Some(json!("zero")));
        assert_eq!(find("x|n", &record), Some(Value::Null));
        assert_eq!(find("x|y", &record), None);
    }

    #[test]
    fn joined_texts_are_one_text_and_joined_values_one_object() {
        let record =
            json!({"instruction": "Do", "input": "this", "none": "", "list": [1], "map": {}});
        assert_eq!(
            find("instruction+input", &record),
            Some(json!("Do\n\nthis"))
        );
        assert_eq!(find("instruction+none+absent", &record), Some(json!("Do")));
        assert_eq!(
            find("list+map", &record),
            Some(json!({"list": [1], "map": {}}))
        );
        assert_eq!(find("absent+gone", &record), None);
    }

    #[test]
    fn a_mapping_is_shown_as_it_was_written() {
        let text = "item=question_id,output=a.0|b+c,system:=gpt-4";
        assert_eq!(Mapping::parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn what_is_not_mapped_is_looked_for_under_its_own_name() {
        let mapping = Mapping::parse("output=answer").unwrap();
        let record = json!({"id": 3, "answer": "x", "system": "s"});
        assert_eq!(mapping.find(Target::Item, &record, 0), Some(json!(3)));
        assert_eq!(mapping.find(Target::System, &record, 0), Some(json!("s")));
        assert_eq!(
            Mapping::parse_exactly("output=answer")
                .unwrap()
                .find(Target::System, &record, 0),
            None
        );
    }

    #[test]
    fn a_bad_mapping_is_named_with_its_part() {
        let rest = "; expected NAME=FIELD or NAME:=VALUE, separated by commas, for example \
                    output=answer,item=question_id";
        let names = "item, instruction, reference, category, question, constraints, criteria, \
                     system, output, output_1, output_2, system_1, system_2, \
                     label, annotator, rating, ci_low, ci_high";
        let no_sign = "there is no `=` (put a name with a comma in double quotes, as in \
                       output_1=\"Reply, A\")";
        for (text, what) in [
            ("output", format!("`output`: {no_sign}")),
            ("", format!("``: {no_sign}")),
            (
                "output=Reply, B",
                format!("`B`: {no_sign}").replace("output_1=\"Reply, A", "output=\"Reply, B"),
            ),
            ("output=", "`output=`: nothing comes after `=`".to_owned()),
            (
                "item=a..b",
                "`item=a..b`: a field's name is empty".to_owned(),
            ),
            (
                "item=a,item=b",
                "`item=b`: `item` is mapped twice".to_owned(),
            ),
            (
                "answer=output",
                format!("`answer=output`: `answer` is none of {names}"),
            ),
        ] {
            assert_eq!(
                Mapping::parse(text).unwrap_err().to_string(),
                format!("`map`: {what}{rest}")
            );
        }
        // All that is wrong is said at once.
        let errors = Mapping::parse("outptu=a,item=id,systm=b").unwrap_err();
        let said = errors.to_string();
        let said: Vec<&str> = said.lines().collect();
        assert_eq!(said.len(), 2);
        assert!(said[0].contains(&format!(
            "is none of {names}; did you mean `output`?; expected"
        )));
        assert!(said[1].starts_with("`map`: `systm=b`"), "{}", said[1]);
    }
}
