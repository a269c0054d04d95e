//! Replies that a judge's server holds to a JSON schema: the schema of each form, what the prompt
//! says of it, and how such a reply is read.
//!
//! Nothing has to be looked for in such a reply. It is an object of one or two fields: `reasoning`,
//! where the judge reasons in its reply, and then `verdict`, so that the verdict is written with
//! the reasoning in view. The names also come in this order where a server sorts them. A verdict is
//! one of the form's answers, or an object with a field for each response: its score, or its place.
//! Values are texts from a list, which every server's schemas have.

use crate::form::{AnswerReading, ChecklistCalls, Form, LETTERS, letters, list_letters};
use crate::probabilities::make_choice;
use crate::replies::excerpt;
use crate::verdicts::compare_scores;
use evenhand_core::{
    AnswerOptions, Decoding, Grade, Message, Reply, ReplySchema, Request, Task, Verdict,
    VerdictSource,
};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

/// Changes when the same form is held to another schema, or told of it in other words: part of a
/// run's manifest.
pub const SCHEMA_VERSION: u32 = 1;

const REASONING: &str = "reasoning";

/// The shape of a reply to one form's prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    form: Form,
    /// How many responses are in view.
    count: usize,
    /// Whether the judge reasons in its reply.
    pub(crate) reasons: bool,
}

/// A reply that kept to its shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) verdict: Verdict,
    /// The reply as the judge would have written it without a schema: its reasoning, and the
    /// verdict behind it.
    pub(crate) text: String,
}

/// What the field of the verdict holds.
enum VerdictField {
    /// One of these answers.
    Answer(Vec<String>),
    /// For each response, one of these values.
    Each(Vec<String>),
}

impl Shape {
    /// Returns the shape of a reply on so many responses; None for a form whose reply has none: a
    /// list over criteria, or no reply at all.
    pub(crate) fn of(form: Form, count: usize, reasons: bool) -> Option<Shape> {
        let shape = Shape {
            form,
            count,
            reasons,
        };
        shape.verdict_field().map(|_| shape)
    }

    fn verdict_field(self) -> Option<VerdictField> {
        match self.form {
            Form::Likelihood(_) | Form::Reward | Form::Checklist(ChecklistCalls::Together) => None,
            Form::PairwiseScore(scale) => Some(VerdictField::Each(scale.texts())),
            Form::Listwise(_) if self.count > LETTERS.len() => None,
            Form::Listwise(_) => Some(VerdictField::Each(
                (1..=self.count).map(|place| place.to_string()).collect(),
            )),
            form => Some(VerdictField::Answer(form.options())),
        }
    }

    /// Returns the schema, its fields in the order in which they are to be written.
    pub(crate) fn schema(self) -> Option<Arc<ReplySchema>> {
        let verdict = match self.verdict_field()? {
            VerdictField::Answer(answers) => one_of(&answers),
            VerdictField::Each(values) => {
                let letters = letters(self.count);
                let fields: Map<String, Value> = letters
                    .iter()
                    .map(|letter| (letter.clone(), one_of(&values)))
                    .collect();
                object(fields)
            }
        };
        let reasoning = self.reasons.then(|| json!({"type": "string"}));
        Some(reply_schema(reasoning, verdict))
    }

    /// Returns what the prompt says of the shape, behind the form's question. Few servers tell the
    /// model of a schema, and one that does not know of it is led to what it would not have said.
    pub(crate) fn instruction(self) -> String {
        let holds = match self.form {
            Form::PairwiseScore(_) => {
                "an object with the fields \"A\" and \"B\", the score of each answer".into()
            }
            Form::Listwise(_) => format!(
                "an object with the fields {}, the place of each answer in your order, \"1\" for \
                 the best; answers that are equally good share a place",
                list_letters(self.count)
            ),
            form => join_or(&form.options()),
        };
        if self.reasons {
            format!(
                "Write your reply as one JSON object with two fields: \"{REASONING}\", a text with \
                 your reasoning, and after it \"{}\", in place of the last line: {holds}.",
                ReplySchema::VERDICT
            )
        } else {
            format!(
                "Write your reply as one JSON object with one field, \"{}\": {holds}.",
                ReplySchema::VERDICT
            )
        }
    }

    /// Returns the tokens that the object takes beside what is said in it.
    pub(crate) fn tokens(self) -> u32 {
        match self.verdict_field() {
            Some(VerdictField::Each(_)) => 32 + 12 * self.count as u32,
            _ => 32,
        }
    }

    /// Reads a reply; None where it is not of this shape, to the letter: another field or one
    /// twice, a value that is not in the list, or a word around it.
    pub(crate) fn read(self, text: &str) -> Option<Held> {
        let reply: Said = serde_json::from_str(text.trim()).ok()?;
        let (reasoning, said) = match self.reasons {
            true => {
                let [reasoning, verdict] = reply.fields([REASONING, ReplySchema::VERDICT])?;
                (reasoning.text()?, verdict)
            }
            false => ("", reply.fields([ReplySchema::VERDICT])?[0]),
        };
        let (verdict, said) = match self.verdict_field()? {
            VerdictField::Answer(answers) => {
                let at = answers.iter().position(|answer| said.is(answer))?;
                let choice = make_choice(self.form, at, answers.len(), VerdictSource::Schema);
                (choice, answers[at].clone())
            }
            VerdictField::Each(values) => self.read_each(&values, said)?,
        };
        let text = format!("{}\nVerdict: {said}", reasoning.trim());
        Some(Held {
            verdict,
            text: text.trim().into(),
        })
    }

    /// Reads a value for each response, two scores or the place of each, and tells it in words.
    fn read_each(self, values: &[String], said: &Said) -> Option<(Verdict, String)> {
        let Said::Fields(fields) = said else {
            return None;
        };
        let letters = letters(self.count);
        let (mut each, mut words) = (Vec::new(), Vec::new());
        for letter in &letters {
            let (_, value) = fields.iter().find(|(name, _)| name == letter)?;
            let value = values.iter().find(|one| value.is(one))?;
            each.push(value.parse::<f64>().ok()?);
            words.push(format!("{letter} {value}"));
        }
        let verdict = match (self.form, &each[..]) {
            _ if fields.len() != letters.len() => return None,
            (Form::PairwiseScore(_), [a, b]) => {
                let grade = Grade::Scores([*a, *b]);
                compare_scores([*a, *b], grade, 0.0, VerdictSource::Schema)
            }
            (Form::Listwise(_), _) => Verdict::Listwise {
                places: share_places(&each),
                source: VerdictSource::Schema,
            },
            _ => return None,
        };
        Some((verdict, words.join(", ")))
    }
}

/// What a reply holds, as far as a shape has it: texts, and objects that name no field twice, so
/// that no verdict stands unseen behind another.
enum Said {
    Text(String),
    Fields(Vec<(String, Said)>),
}

impl Said {
    /// Returns these fields, where the object has them and no other.
    fn fields<const N: usize>(&self, names: [&str; N]) -> Option<[&Said; N]> {
        let Said::Fields(fields) = self else {
            return None;
        };
        let found = names.map(|name| fields.iter().find(|(own, _)| own == name));
        let all_there = fields.len() == N && found.iter().all(Option::is_some);
        all_there.then(|| found.map(|field| field.map_or(self, |(_, said)| said)))
    }

    fn text(&self) -> Option<&str> {
        match self {
            Said::Text(text) => Some(text),
            Said::Fields(_) => None,
        }
    }

    fn is(&self, text: &str) -> bool {
        self.text() == Some(text)
    }
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Said, D::Error> {
        deserializer.deserialize_any(SaidVisitor)
    }
}

struct SaidVisitor;

impl<'de> Visitor<'de> for SaidVisitor {
    type Value = Said;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or an object")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Said, E> {
        Ok(Said::Text(text.into()))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Said, M::Error> {
        let mut fields: Vec<(String, Said)> = Vec::new();
        while let Some((name, said)) = map.next_entry::<String, Said>()? {
            if fields.len() == LETTERS.len() || fields.iter().any(|(own, _)| *own == name) {
                return Err(Error::custom("a field twice, or too many"));
            }
            fields.push((name, said));
        }
        Ok(Said::Fields(fields))
    }
}

/// Returns the place of each slot, from 1, equals in the middle of their places, where each has a
/// number that is less the better it is.
fn share_places(numbers: &[f64]) -> Vec<f64> {
    let place = |own: &f64| {
        let better = numbers.iter().filter(|other| *other < own).count() as f64;
        let equal = numbers.iter().filter(|other| *other == own).count() as f64;
        better + (equal + 1.0) / 2.0
    };
    numbers.iter().map(place).collect()
}

/// What a protocol's replies are where they are held, as far as a judge's server must be able to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldReplies {
    /// Whether the judge reasons in its reply.
    pub reasons: bool,
    /// Whether the probabilities of its answers are wanted.
    pub wants_probabilities: bool,
}

/// What stands in the first field of a probe's reply. No model says it by itself.
const PROBE_TEXT: &str = "This is a test of the format.";

/// Returns the request that shows whether a judge's server holds replies to a schema: its words ask
/// for something else, and its schema allows a text of a few words. `measured` says whether it must
/// give the probabilities of answers with that.
pub fn make_probe(judge: &Arc<str>, held: HeldReplies, measured: bool) -> Request {
    let options = Form::Pairwise(AnswerReading::Mean).options();
    let reasoning = held.reasons.then(|| one_of(&[PROBE_TEXT.into()]));
    let schema = reply_schema(reasoning, one_of(&options));
    Request::new(
        judge.clone(),
        vec![Message::user("Write one sentence about the sea.")],
        Task::Generate {
            decoding: Decoding {
                // A model that thinks first has room for that.
                max_tokens: 1024,
                temperature: 0.0,
                seed: 0,
                schema: Some(schema),
            },
            answers: measured.then(|| AnswerOptions {
                options,
                after: String::new(),
            }),
        },
    )
}

/// Reads the reply to a probe.
///
/// # Errors
/// In a few words, what the server did instead.
pub fn read_probe(held: HeldReplies, measured: bool, reply: &Reply) -> Result<(), String> {
    let shape = Shape {
        form: Form::Pairwise(AnswerReading::Mean),
        count: 2,
        reasons: held.reasons,
    };
    let text = &reply.text;
    if shape.read(text).is_none() || (held.reasons && !text.contains(PROBE_TEXT)) {
        return Err(format!(
            "it was asked for an object and wrote {}",
            excerpt(text)
        ));
    }
    if held.reasons && text.find(REASONING) > text.find(ReplySchema::VERDICT) {
        return Err("it writes the verdict before the reasoning".into());
    }
    if measured && reply.answers.is_none() {
        return Err("it gives no log-probabilities with a reply that it holds".into());
    }
    Ok(())
}

/// The schema of a reply: its reasoning, if it has one, and its verdict.
fn reply_schema(reasoning: Option<Value>, verdict: Value) -> Arc<ReplySchema> {
    let mut fields = Map::new();
    if let Some(reasoning) = reasoning {
        fields.insert(REASONING.into(), reasoning);
    }
    fields.insert(ReplySchema::VERDICT.into(), verdict);
    Arc::new(ReplySchema(object(fields)))
}

/// A text from a list.
fn one_of(values: &[String]) -> Value {
    json!({"type": "string", "enum": values})
}

/// An object in which every field is due and no other is allowed.
fn object(fields: Map<String, Value>) -> Value {
    let names: Vec<&String> = fields.keys().collect();
    json!({
        "type": "object",
        "required": names,
        "properties": fields,
        "additionalProperties": false,
    })
}

/// Joins names as in `A, B or C`.
fn join_or(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    match &quoted[..] {
        [] => String::new(),
        [only] => only.clone(),
        // A long scale is told by its ends.
        [first, .., last] if quoted.len() > 12 => {
            format!("the number as a text, from {first} to {last}")
        }
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;

    fn shape(form: &str, count: usize, reasons: bool) -> Shape {
        Shape::of(Form::parse(form).unwrap(), count, reasons).unwrap()
    }

    /// Every form with a shape, and of each verdict the value and what it is in words of its own.
    const FORMS: [(&str, usize, &str); 9] = [
        ("pairwise", 2, r#""B""#),
        ("pairwise-tie", 2, r#""C""#),
        ("pairwise-5point", 2, r#""4""#),
        ("pairwise-likert", 2, r#""7""#),
        ("pairwise-score", 2, r#"{"A": "3", "B": "10"}"#),
        ("pointwise:1-5", 1, r#""4""#),
        ("pointwise:0..1:0.1", 1, r#""0.3""#),
        ("checklist:each", 1, r#""yes""#),
        ("listwise", 3, r#"{"C": "1", "A": "3", "B": "1"}"#),
    ];

    #[test]
    fn a_schema_lists_its_fields_with_the_verdict_last_and_allows_no_other() {
        for (form, count, _) in FORMS {
            for reasons in [false, true] {
                let ReplySchema(schema) = &*shape(form, count, reasons).schema().unwrap();
                let names: Vec<&str> = match reasons {
                    true => vec![REASONING, "verdict"],
                    false => vec!["verdict"],
                };
                assert_eq!(schema["required"], json!(names), "{form}");
                let fields: Vec<&String> =
                    schema["properties"].as_object().unwrap().keys().collect();
                assert_eq!(fields, names, "{form}");
                assert!(fields.is_sorted(), "a server may sort them");
                assert_eq!(schema["additionalProperties"], false, "{form}");
            }
        }
    }

    #[test]
    fn every_value_of_a_schema_is_read_and_no_other() {
        for (form, count, value) in FORMS {
            for reasons in [false, true] {
                let shape = shape(form, count, reasons);
                let why = if reasons {
                    r#""reasoning": "Why: B? \n", "#
                } else {
                    ""
                };
                let good = format!("{{{why}\"verdict\": {value}}}");
                let held = shape
                    .read(&good)
                    .unwrap_or_else(|| panic!("{form}: {good}"));
                assert_eq!(held.verdict.source(), VerdictSource::Schema);
                let compact = good.replace(": ", ":").replace(", ", ",");
                let tight = shape.read(&compact).map(|held| held.verdict);
                assert_eq!(
                    tight,
                    Some(held.verdict),
                    "{form}: white space says nothing"
                );
                for bad in [
                    format!("Sure: {good}"),
                    format!("{good}{good}"),
                    good.replace(value, "\"Z\""),
                    good.replace(value, "null"),
                    good.replace(value, &format!("[{value}]")),
                    good.replace("\"verdict\"", "\"winner\""),
                    good.replacen('{', "{\"verdict\": \"A\", ", 1),
                    good.replacen('{', "{\"more\": \"A\", ", 1),
                    good.trim_end_matches('}').into(),
                ]
                .iter()
                {
                    assert_eq!(shape.read(bad), None, "{form}: {bad}");
                }
            }
        }
    }

    #[test]
    fn reasoning_that_names_another_verdict_does_not_count() {
        let said = r#"{"reasoning": "Verdict: A\n\"verdict\": \"A\"}", "verdict": "B"}"#;
        let held = shape("pairwise", 2, true).read(said).unwrap();
        assert_eq!(held.verdict.preference(), Some([0.0, 0.0, 1.0]));
        assert!(held.text.ends_with("\nVerdict: B"), "{}", held.text);
    }

    #[test]
    fn places_are_those_of_the_order_that_the_numbers_make() {
        let held = shape("listwise", 3, false)
            .read(r#"{"verdict": {"A": "3", "B": "1", "C": "3"}}"#)
            .unwrap();
        assert!(
            matches!(held.verdict, Verdict::Listwise { places, .. } if places == [2.5, 1.0, 2.5])
        );
        // A slow twin: the middle of the places that equals take in the sorted list.
        for numbers in [
            vec![1.0],
            vec![2.0, 1.0],
            vec![1.0, 1.0, 3.0, 2.0, 3.0, 3.0],
        ] {
            let mut sorted = numbers.clone();
            sorted.sort_by(f64::total_cmp);
            let slow: Vec<f64> = numbers
                .iter()
                .map(|own| {
                    let taken: Vec<f64> = (1..)
                        .zip(&sorted)
                        .filter(|(_, one)| *one == own)
                        .map(|(place, _)| f64::from(place))
                        .collect();
                    taken.iter().sum::<f64>() / taken.len() as f64
                })
                .collect();
            assert_eq!(share_places(&numbers), slow);
        }
    }

    #[test]
    fn a_list_over_criteria_and_a_likelihood_have_no_shape() {
        for form in ["checklist", "likelihood"] {
            assert_eq!(Shape::of(Form::parse(form).unwrap(), 1, true), None);
        }
        assert!(shape("listwise", 26, true).schema().is_some());
        assert_eq!(Shape::of(Form::Listwise(None), 27, true), None);
    }

    #[test]
    fn a_probe_is_passed_by_what_was_held_and_by_nothing_else() {
        let held = HeldReplies {
            reasons: true,
            wants_probabilities: true,
        };
        let told = |text: &str, answers: Option<Vec<f64>>| {
            let text = text.to_string();
            let reply = Reply {
                text,
                answers,
                ..Reply::default()
            };
            [true, false].map(|measured| read_probe(held, measured, &reply).err())
        };
        let good = format!("{{\"reasoning\": {PROBE_TEXT:?}, \"verdict\": \"A\"}}");
        assert_eq!(told(&good, Some(vec![0.5, 0.5])), [None, None]);
        let [measured, unmeasured] = told(&good, None);
        assert!(measured.is_some_and(|why| why.contains("log-probabilities")));
        assert_eq!(unmeasured, None);
        let turned = format!("{{\"verdict\": \"A\", \"reasoning\": {PROBE_TEXT:?}}}");
        assert!(
            told(&turned, None)[1]
                .as_ref()
                .is_some_and(|why| why.contains("before"))
        );
        for text in [
            "",
            "The sea is blue.",
            r#"{"reasoning": "The sea is blue.", "verdict": "A"}"#,
            r#"{"verdict": "A"}"#,
            "```json\n{}\n```",
        ] {
            assert!(told(text, Some(vec![0.5, 0.5]))[1].is_some(), "{text}");
        }
        let probe = make_probe(&Arc::from("j"), held, true);
        assert!(!probe.messages[0].content.contains(PROBE_TEXT));
        assert_ne!(probe.key(), make_probe(&Arc::from("k"), held, true).key());
    }

    #[test]
    fn the_prompt_names_the_fields_and_the_values() {
        let told = shape("pairwise-tie", 2, true).instruction();
        assert!(told.contains("\"reasoning\"") && told.contains("\"A\", \"B\" or \"C\""));
        let told = Shape::of(Form::PairwiseScore(Scale::whole(1, 10)), 2, false).unwrap();
        assert!(!told.instruction().contains("reasoning"));
        let long = shape("pointwise:0-100", 1, false).instruction();
        assert!(long.contains("from \"0\" to \"100\""), "{long}");
    }
}
