//! The constraints of one prompt, and the verdicts on a response.

use crate::error::Result;
use crate::parse::shorten_json;
use crate::{Constraint, ConstraintError, Id};
use serde_json::{Map, Value};

/// The constraints of one prompt, in order; there may be none.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Constraints(Vec<Constraint>);

/// The verdicts on one response: one for each constraint, in order.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[must_use]
pub struct Checked {
    /// Whether each is followed by the response as it is.
    pub strict: Vec<bool>,
    /// Whether each is followed by one of the eight loose forms.
    pub loose: Vec<bool>,
}

impl Checked {
    /// Whether all are followed (IFEval's prompt-level strict verdict); also where there are none.
    pub fn all_strict(&self) -> bool {
        self.strict.iter().all(|followed| *followed)
    }

    /// Whether all are followed loosely (IFEval's prompt-level loose verdict); also where there are
    /// none.
    pub fn all_loose(&self) -> bool {
        self.loose.iter().all(|followed| *followed)
    }
}

/// How many prompts and instructions are followed: IFEval's four accuracies, as counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct FollowedCounts {
    /// Responses.
    pub prompts: usize,
    /// Responses that follow all their constraints.
    pub prompts_strict: usize,
    /// Responses that follow all their constraints loosely.
    pub prompts_loose: usize,
    /// Constraints of all responses.
    pub instructions: usize,
    /// Constraints that are followed.
    pub instructions_strict: usize,
    /// Constraints that are followed loosely.
    pub instructions_loose: usize,
}

impl<'a> FromIterator<&'a Checked> for FollowedCounts {
    fn from_iter<T: IntoIterator<Item = &'a Checked>>(checked: T) -> FollowedCounts {
        let mut counts = FollowedCounts::default();
        for verdicts in checked {
            counts.add_response(verdicts);
        }
        counts
    }
}

impl FollowedCounts {
    /// Counts one more response.
    pub fn add_response(&mut self, checked: &Checked) {
        self.prompts += 1;
        self.prompts_strict += usize::from(checked.all_strict());
        self.prompts_loose += usize::from(checked.all_loose());
        self.instructions += checked.strict.len();
        self.instructions_strict += count_true(&checked.strict);
        self.instructions_loose += count_true(&checked.loose);
    }
}

fn count_true(verdicts: &[bool]) -> usize {
    verdicts.iter().filter(|followed| **followed).count()
}

const FORMS: &str = r#"{"instruction_id_list": [..], "kwargs": [{..}, ..]} of equal lengths, or a list of {"id": "..", ..arguments}"#;

impl Constraints {
    /// Returns these constraints, in this order.
    pub fn new(constraints: Vec<Constraint>) -> Constraints {
        Constraints(constraints)
    }

    /// Reads the constraints of an item: IFEval's form (`instruction_id_list` and, if any type
    /// needs arguments, `kwargs`), or a plain list of objects with an `id` and the arguments beside
    /// it; null is no constraint. `prompt` is what `combination:repeat_prompt` repeats where it has
    /// no `prompt_to_repeat`.
    ///
    /// # Errors
    /// The value is of neither form, or a constraint cannot be read (the error says its position,
    /// from 1).
    pub fn parse(value: &Value, prompt: &str) -> Result<Constraints> {
        let mut given: Vec<(&str, &Value)> = Vec::new();
        match value {
            Value::Null => {}
            Value::Array(list) => {
                for element in list {
                    let id = element.get("id").and_then(Value::as_str);
                    given.push((id.ok_or_else(|| unknown_form(element))?, element));
                }
            }
            Value::Object(lists) => {
                given = side_by_side(lists).ok_or_else(|| unknown_form(value))?;
            }
            _ => return Err(unknown_form(value)),
        }
        let mut constraints = Vec::new();
        for (position, (id, kwargs)) in (1..).zip(given) {
            // One that repeats the prompt need not say which.
            let lacks_prompt = kwargs.get("prompt_to_repeat").is_none_or(Value::is_null);
            let own = (id == Id::RepeatPrompt.name() && lacks_prompt).then(|| {
                let mut own = kwargs.as_object().cloned().unwrap_or_default();
                own.insert("prompt_to_repeat".into(), prompt.into());
                Value::Object(own)
            });
            let constraint = Constraint::parse(id, own.as_ref().unwrap_or(kwargs));
            constraints.push(constraint.map_err(|cause| ConstraintError::At {
                position,
                cause: Box::new(cause),
            })?);
        }
        Ok(Constraints(constraints))
    }

    /// Returns the constraints in order.
    pub fn list(&self) -> &[Constraint] {
        &self.0
    }

    /// Checks a response.
    pub fn check(&self, response: &str) -> Checked {
        let mut checked = Checked::default();
        for constraint in &self.0 {
            let strict = constraint.is_followed_by(response);
            checked.strict.push(strict);
            // The first loose form is the response itself.
            let loose = strict || constraint.is_followed_loosely_by(response);
            checked.loose.push(loose);
        }
        checked
    }

    /// Returns the constraints in IFEval's form, which [`Constraints::parse`] reads.
    pub fn to_json(&self) -> Value {
        let ids = self.0.iter().map(|constraint| constraint.id().name());
        let kwargs = self.0.iter().map(Constraint::kwargs);
        serde_json::json!({
            "instruction_id_list": ids.collect::<Vec<_>>(),
            "kwargs": kwargs.collect::<Vec<_>>(),
        })
    }
}

fn unknown_form(found: &Value) -> ConstraintError {
    ConstraintError::Form {
        found: shorten_json(found),
        expected: FORMS,
    }
}

/// Pairs ids with arguments from two lists, of which that of the arguments may be missing.
fn side_by_side(lists: &Map<String, Value>) -> Option<Vec<(&str, &Value)>> {
    let ids = lists.get("instruction_id_list")?.as_array()?;
    let ids: Vec<&str> = ids.iter().map(Value::as_str).collect::<Option<_>>()?;
    let kwargs = match lists.get("kwargs") {
        None | Some(Value::Null) => {
            return Some(ids.into_iter().map(|id| (id, &Value::Null)).collect());
        }
        Some(kwargs) => kwargs.as_array()?,
    };
    (kwargs.len() == ids.len()).then(|| ids.into_iter().zip(kwargs).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_forms_are_read() {
        let ids = json!({"instruction_id_list": ["punctuation:no_comma", "detectable_format:number_bullet_lists"],
            "kwargs": [{"num_bullets": null}, {"num_bullets": 2}]});
        let list = json!([{"id": "punctuation:no_comma"}, {"id": "detectable_format:number_bullet_lists", "num_bullets": 2}]);
        let constraints = Constraints::parse(&ids, "").unwrap();
        assert_eq!(constraints, Constraints::parse(&list, "").unwrap());
        assert_eq!(
            constraints,
            Constraints::parse(&constraints.to_json(), "").unwrap()
        );
        assert_eq!(Constraints::parse(&json!(null), "").unwrap().list(), []);
        assert_eq!(
            Constraints::parse(&json!({"instruction_id_list": ["startend:quotation"]}), "")
                .unwrap()
                .list()
                .len(),
            1
        );
    }

    #[test]
    fn the_prompt_is_what_is_repeated() {
        let constraints =
            Constraints::parse(&json!([{"id": "combination:repeat_prompt"}]), "Say it.").unwrap();
        assert!(constraints.check("Say it. Yes.").all_strict());
    }

    #[test]
    fn errors_tell_the_place() {
        let wrong = |value| Constraints::parse(&value, "").unwrap_err().to_string();
        let second = wrong(json!([{"id": "punctuation:no_comma"}, {"id": "x"}]));
        assert!(
            second.starts_with(r#"constraint 2: unknown instruction id "x""#),
            "{second}"
        );
        for value in [
            json!(3),
            json!([3]),
            json!([{}]),
            json!({}),
            json!({"instruction_id_list": ["startend:quotation"], "kwargs": []}),
        ] {
            assert!(wrong(value).contains("expected {\"instruction_id_list\""));
        }
    }

    #[test]
    fn aggregates_are_counts() {
        let list = json!([{"id": "punctuation:no_comma"}, {"id": "startend:quotation"}]);
        let constraints = Constraints::parse(&list, "").unwrap();
        let checked = ["\"a\"", "Sure:\n\"a\"", "a, b"].map(|response| constraints.check(response));
        assert_eq!(
            checked[1],
            Checked {
                strict: vec![true, false],
                loose: vec![true, true]
            }
        );
        let expected = FollowedCounts {
            prompts: 3,
            prompts_strict: 1,
            prompts_loose: 2,
            instructions: 6,
            instructions_strict: 3,
            instructions_loose: 4,
        };
        assert_eq!(checked.iter().collect::<FollowedCounts>(), expected);
    }
}
