//! Which field of a foreign record is which of our terms:
//! `output=answer,item=question_id,system:=gpt-4`.
//!
//! Every format that is known by name is such a mapping too (see [`super::known`]), so there is one
//! reader for all.

use super::error::{DataError, Problem};
use super::nearest::{nearest, paths};
use crate::battles::Spellings;
use serde_json::{Map, Value};
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
    System,
    Output,
    Output1,
    Output2,
    System1,
    System2,
    Label,
    Annotator,
    Rating,
    CiLow,
    CiHigh,
}

/// Each term, the name that `--map` knows it by, and the field that is looked for where `--map`
/// does not mention it.
const TARGETS: [(Target, &str, &str); 17] = [
    (Target::Item, "item", "item|id"),
    (Target::Instruction, "instruction", "instruction|messages"),
    (Target::Reference, "reference", "reference"),
    (Target::Category, "category", "category"),
    (Target::Question, "question", "question_id"),
    (Target::Constraints, "constraints", "constraints"),
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

impl Target {
    /// The name that `--map` knows it by.
    pub fn name(self) -> &'static str {
        TARGETS
            .iter()
            .find(|(target, ..)| *target == self)
            .map_or("", |(_, name, _)| name)
    }

    fn named(name: &str) -> Option<Target> {
        TARGETS
            .iter()
            .find(|(_, known, _)| *known == name)
            .map(|(target, ..)| *target)
    }
}

/// Where in a record a term's value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    text: String,
    from: From,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum From {
    /// The same for every record.
    Constant(String),
    /// The first of these that is there and not null.
    Fields(Vec<Joined>),
}

/// One field, or several that are read as one text.
type Joined = Vec<Path>;

/// The steps to a value: names of fields, and positions in lists. `#` is the record's own position
/// in its file.
type Path = Vec<String>;

/// Which field of a record is which term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    given: Vec<(Target, Source)>,
    assumed: Vec<(Target, Source)>,
    /// Whether a number, true or false will do for a text. In a known format it is a mistake; in a
    /// foreign one it happens.
    pub(super) lenient: bool,
    /// Whether labels are in no convention that is known: 0 need not be a tie, and a letter may be
    /// a system's name.
    pub(super) foreign: bool,
    /// Spellings of labels beside those that are known.
    pub(super) outcomes: Spellings,
}

/// A term that the user mapped to a field.
#[derive(Clone, Copy, Debug)]
pub struct Mapped<'a> {
    target: Target,
    source: &'a Source,
}

impl Mapped<'_> {
    /// Whether a record, at this position of its file, has the field, be it null.
    pub fn is_in(&self, record: &Value, position: u64) -> bool {
        self.source.find(record, position).is_some()
    }

    /// The error for a field that no file has; given are each file's name and first record.
    pub fn missing(&self, files: &[(String, Value)]) -> DataError {
        let field = self.source.text.clone();
        let all: Vec<(&String, Vec<String>)> = files
            .iter()
            .map(|(name, first)| (name, paths(first)))
            .collect();
        let near = nearest(&field, all.iter().flat_map(|(_, fields)| fields)).map(str::to_owned);
        let of = all
            .iter()
            .find(|(_, fields)| near.as_ref().is_some_and(|near| fields.contains(near)));
        let (name, has) = of
            .or(all.first())
            .map(|(name, has)| (name.to_string(), has.clone()))
            .unwrap_or_default();
        let argument = format!("--map {}={field}", self.target.name());
        DataError::new(Problem::NoSuchField {
            argument,
            field,
            nearest: near,
            name,
            has,
        })
    }
}

impl Mapping {
    /// The terms that it maps to fields; those that have one value for every record are left out.
    pub fn mapped(&self) -> impl Iterator<Item = Mapped<'_>> {
        let of_fields = self
            .given
            .iter()
            .filter(|(_, source)| matches!(source.from, From::Fields(_)));
        of_fields.map(|(target, source)| Mapped {
            target: *target,
            source,
        })
    }

    /// With these spellings of labels, where there are any.
    pub(crate) fn with(self, outcomes: Spellings) -> Self {
        if outcomes.is_empty() {
            self
        } else {
            Mapping { outcomes, ..self }
        }
    }

    /// Reads the argument of `--map`. A term that it does not mention is looked for under its own
    /// name.
    ///
    /// ```
    /// use evenhand_formats::records::Mapping;
    /// assert!(Mapping::parse("item=question_id,output=choices.0.turns.0,system:=gpt-4").is_ok());
    /// let error = Mapping::parse("outptu=answer").unwrap_err().to_string();
    /// assert!(error.starts_with("--map: `outptu=answer`: `outptu` is none of item, instruction,"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let mut mapping = Mapping {
            lenient: true,
            foreign: true,
            ..Mapping::exactly(text)?
        };
        for (target, _, field) in TARGETS {
            if !mapping.gives(target) {
                mapping
                    .assumed
                    .push((target, Source::fields(field, field)?));
            }
        }
        Ok(mapping)
    }

    /// Reads a mapping that looks for nothing but what it mentions.
    pub(crate) fn exactly(text: &str) -> Result<Self, DataError> {
        let (given, assumed, outcomes) = (Vec::new(), Vec::new(), Spellings::default());
        let mut mapping = Mapping {
            given,
            assumed,
            lenient: false,
            foreign: false,
            outcomes,
        };
        for part in text.split(',').map(str::trim) {
            let (target, source) = parse_part(part)?;
            if mapping.gives(target) {
                return Err(bad(part, format!("`{}` is mapped twice", target.name())));
            }
            mapping.given.push((target, source));
        }
        Ok(mapping)
    }

    /// Whether the mapping mentions the term.
    pub(super) fn gives(&self, target: Target) -> bool {
        self.given.iter().any(|(given, _)| *given == target)
    }

    fn source(&self, target: Target) -> Option<&Source> {
        self.given
            .iter()
            .chain(&self.assumed)
            .find(|(mapped, _)| *mapped == target)
            .map(|(_, source)| source)
    }

    /// The term's value in the record at this position of its file, if it is there.
    pub(super) fn find(&self, target: Target, record: &Value, position: u64) -> Option<Value> {
        self.source(target)?.find(record, position)
    }

    /// The field as errors name it: `` `answer` (output) ``, or `` `output` `` where both are one.
    pub(super) fn field(&self, target: Target) -> String {
        let name = target.name();
        match self.source(target) {
            Some(source) if source.text != name => format!("`{}` ({name})", source.text),
            _ => format!("`{name}`"),
        }
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (target, source)) in self.given.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let sign = if matches!(source.from, From::Constant(_)) {
                ":="
            } else {
                "="
            };
            write!(f, "{comma}{}{sign}{}", target.name(), source.text)?;
        }
        Ok(())
    }
}

fn parse_part(part: &str) -> Result<(Target, Source), DataError> {
    let (name, from) = part
        .split_once('=')
        .ok_or_else(|| bad(part, "there is no `=`".to_owned()))?;
    let constant = name.ends_with(':');
    let (name, from) = (name.trim_end_matches(':').trim(), from.trim());
    let target = Target::named(name)
        .ok_or_else(|| bad(part, format!("`{name}` is none of {}", target_names())))?;
    if from.is_empty() {
        return Err(bad(part, "nothing stands after `=`".to_owned()));
    }
    let source = if constant {
        Source::constant(from)
    } else {
        Source::fields(from, part)?
    };
    Ok((target, source))
}

fn target_names() -> String {
    TARGETS.map(|(_, name, _)| name).join(", ")
}

fn bad(part: &str, what: String) -> DataError {
    DataError::new(Problem::Mapping {
        part: part.to_owned(),
        what,
    })
}

impl Source {
    fn constant(value: &str) -> Self {
        Source {
            text: value.to_owned(),
            from: From::Constant(value.to_owned()),
        }
    }

    /// `a.0.b|c`: the first that is there; `a+b`: both, as one text.
    pub(super) fn fields(text: &str, part: &str) -> Result<Self, DataError> {
        let fields: Result<_, _> = text
            .split('|')
            .map(|joined| {
                joined
                    .split('+')
                    .map(|path| parse_path(path, part))
                    .collect()
            })
            .collect();
        Ok(Source {
            text: text.to_owned(),
            from: From::Fields(fields?),
        })
    }

    /// The value, if it is there; null where it is there but null.
    pub(super) fn find(&self, record: &Value, position: u64) -> Option<Value> {
        let fields = match &self.from {
            From::Constant(value) => return Some(Value::String(value.clone())),
            From::Fields(fields) => fields,
        };
        let mut found = fields
            .iter()
            .filter_map(|joined| value_of(joined, record, position))
            .peekable();
        let null = found.peek().map(|_| Value::Null);
        found.find(|value| !value.is_null()).or(null)
    }
}

fn parse_path(path: &str, part: &str) -> Result<Path, DataError> {
    let steps: Path = path.trim().split('.').map(str::to_owned).collect();
    if steps.iter().any(String::is_empty) {
        return Err(bad(part, "a field's name is empty".to_owned()));
    }
    Ok(steps)
}

fn value_of(joined: &Joined, record: &Value, position: u64) -> Option<Value> {
    match &joined[..] {
        [path] => follow(path, record, position),
        paths => join(paths, record, position),
    }
}

/// Texts are joined by a blank line, empty ones left out; anything else becomes an object of its
/// parts.
fn join(paths: &[Path], record: &Value, position: u64) -> Option<Value> {
    let parts: Vec<(&Path, Value)> = paths
        .iter()
        .filter_map(|path| Some((path, follow(path, record, position)?)))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let texts: Option<Vec<&str>> = parts
        .iter()
        .filter(|(_, part)| !part.is_null())
        .map(|(_, part)| part.as_str())
        .collect();
    Some(match texts {
        Some(texts) => Value::String(
            texts
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n\n"),
        ),
        None => Value::Object(
            parts
                .into_iter()
                .map(|(path, part)| (path.join("."), part))
                .collect::<Map<_, _>>(),
        ),
    })
}

fn follow(path: &Path, record: &Value, position: u64) -> Option<Value> {
    match &path[..] {
        [only] if only == "#" => Some(position.into()),
        steps => record
            .get(steps.join("."))
            .or_else(|| steps.iter().try_fold(record, step))
            .cloned(),
    }
}

fn step<'v>(value: &'v Value, step: &String) -> Option<&'v Value> {
    let Value::Array(list) = value else {
        return value.get(step);
    };
    match step.strip_prefix('-') {
        Some(from_end) => list
            .len()
            .checked_sub(from_end.parse().ok()?)
            .and_then(|at| list.get(at)),
        None => list.get(step.parse::<usize>().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn find(source: &str, record: &Value) -> Option<Value> {
        Source::fields(source, source).unwrap().find(record, 7)
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
            Mapping::exactly("output=answer")
                .unwrap()
                .find(Target::System, &record, 0),
            None
        );
    }

    #[test]
    fn a_bad_mapping_is_named_with_its_part() {
        let rest = "; expected NAME=FIELD or NAME:=VALUE, separated by commas, for example \
                    output=answer,item=question_id";
        let names = "item, instruction, reference, category, question, constraints, system, \
                     output, output_1, output_2, system_1, system_2, \
                     label, annotator, rating, ci_low, ci_high";
        for (text, what) in [
            ("output", "`output`: there is no `=`".to_owned()),
            ("", "``: there is no `=`".to_owned()),
            ("output=", "`output=`: nothing stands after `=`".to_owned()),
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
                format!("--map: {what}{rest}")
            );
        }
    }
}
