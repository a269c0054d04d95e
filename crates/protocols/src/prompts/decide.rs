//! How a judge is asked that answers with probabilities: a state, and a question about it.

use super::files::PromptSource;
use super::texts::{Shown, Texts};
use super::{Prompts, invalid};
use crate::ask::Prompt;
use crate::form::{ChecklistCalls, Form};
use evenhand_core::{AskedCriterion, Failure, Question, QuestionAnswers, StateField, Task, Wanted};
use serde::Deserialize;

use super::PromptError;

/// The file that asks such a judge.
pub(super) const DECIDE: &str = "decide";

/// What decide.toml asks for one form.
#[derive(Debug, Default)]
pub(super) struct DecidePrompt {
    instructions: String,
    answers: Vec<String>,
    digest: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DecideFile {
    pairwise: DecideForm,
    pairwise_tie: DecideForm,
    #[serde(rename = "pairwise-5point")]
    pairwise_5point: DecideForm,
    pairwise_likert: DecideForm,
    pointwise: DecideForm,
    checklist: DecideForm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecideForm {
    instructions: String,
    answers: Vec<String>,
}

/// Reads what the file asks for a form; nothing for a form that such judges do not have.
pub(super) fn read_prompt(source: &PromptSource, form: Form) -> Result<DecidePrompt, PromptError> {
    let file: DecideFile = source.parse()?;
    let (of_form, expected) = match form {
        Form::Pairwise(_) => (file.pairwise, 2),
        Form::PairwiseTie(_) => (file.pairwise_tie, 3),
        Form::Pairwise5Point(_) => (file.pairwise_5point, 5),
        Form::PairwiseLikert(_) => (file.pairwise_likert, 7),
        Form::Pointwise(..) => (file.pointwise, 1),
        Form::Checklist(_) => (file.checklist, 0),
        Form::PairwiseScore(_) | Form::Listwise(_) | Form::Likelihood(_) | Form::Reward => {
            return Ok(DecidePrompt::default());
        }
    };
    let DecideForm {
        instructions,
        answers,
    } = of_form;
    let kind = form.kind();
    let count = answers.len();
    if count != expected {
        let why = format!("[{kind}] answers: expected {expected}, found {count}");
        return Err(source.error_at(None, why));
    }
    let must_have: &[&str] = match form {
        Form::Pointwise(..) => &["{value}"],
        Form::Checklist(_) => &["{criterion}"],
        _ => &["{x}", "{y}"],
    };
    let text = format!("{instructions}{}", answers.concat());
    if let Some(lacking) = must_have.iter().find(|mark| !text.contains(**mark)) {
        let why = format!("[{kind}] names {lacking} nowhere");
        return Err(source.error_at(None, why));
    }
    let digest = super::load::digest_texts(&[&instructions, &answers.join("\0")]);
    Ok(DecidePrompt {
        instructions: instructions.trim_matches('\n').to_owned(),
        answers,
        digest,
    })
}

impl Prompts {
    /// Returns a digest of what asks a judge that answers with probabilities.
    pub(crate) fn decide_fingerprint(&self) -> &str {
        &self.decide.digest
    }

    /// Asks a question about a state: which answer of the form is the one. `order` has the slots in
    /// the order in which the state shows them; `together` questions about it share a call.
    pub(crate) fn ask_question(
        &self,
        shown: &Shown,
        order: &[usize],
        together: u32,
    ) -> Result<Prompt, Failure> {
        let state = self.list_fields(shown, order)?;
        let texts = Texts { shown };
        let name_of_slot = |slot: usize| {
            let place = order.iter().position(|one| *one == slot);
            name_answer(place.unwrap_or(slot), order.len())
        };
        let (x, y) = (name_of_slot(0), name_of_slot(1));
        let [low, high] = [0, 1].map(|end| texts.scale_end(end));
        let criterion = texts.fence_checklist();
        let fill = |text: &str, value: &str| {
            fill_in(
                text,
                &[
                    ("{x}", x.as_str()),
                    ("{y}", y.as_str()),
                    ("{low}", low.as_str()),
                    ("{high}", high.as_str()),
                    ("{criterion}", criterion.as_str()),
                    ("{value}", value),
                ],
            )
        };
        let own = self.decide.answers.iter().map(|answer| fill(answer, ""));
        let own: Vec<String> = own.collect();
        let (answers, wanted) = match self.form {
            Form::Pairwise(_) | Form::PairwiseTie(_) => {
                (QuestionAnswers::Choice { options: own }, Wanted::Choice)
            }
            Form::Pairwise5Point(_) => (QuestionAnswers::Choice { options: own }, Wanted::Step),
            Form::PairwiseLikert(_) => (QuestionAnswers::Score { levels: own }, Wanted::Step),
            Form::Pointwise(scale, _) => {
                let template = self.decide.answers.first().map_or("", String::as_str);
                let levels = scale
                    .texts()
                    .into_iter()
                    .map(|value| fill(template, &value));
                let levels = levels.collect();
                (QuestionAnswers::Score { levels }, Wanted::Score)
            }
            Form::Checklist(_) => {
                let asked: Vec<AskedCriterion> = shown.asked_criteria();
                let after = String::new();
                (QuestionAnswers::YesNo, Wanted::Criteria { asked, after })
            }
            Form::PairwiseScore(_) | Form::Listwise(_) | Form::Likelihood(_) | Form::Reward => {
                let form = self.form;
                return Err(invalid(format!("{form} is no question with a few answers")));
            }
        };
        let mut about = shown.about().wanting(wanted);
        about.together = together;
        Ok(Prompt {
            messages: Vec::new(),
            task: Task::Decide {
                state,
                question: Question {
                    instructions: fill(&self.decide.instructions, ""),
                    answers,
                },
            },
            about,
        })
    }

    /// Lists the texts of a state. Each stands by itself, so that none can pose as another.
    fn list_fields(&self, shown: &Shown, order: &[usize]) -> Result<Vec<StateField>, Failure> {
        let shown = &shown.with_safe_marks();
        let texts = Texts { shown };
        let mut fields = Vec::new();
        let mut add = |name: &str, text: String| {
            if !text.is_empty() {
                fields.push(StateField::new(name, text));
            }
        };
        if !matches!(self.form, Form::Checklist(_)) {
            let rubric = self.render("rubric", shown);
            let rubric = rubric.map_err(|why| invalid(format!("the rubric: {why}")))?;
            add("standards", rubric);
        }
        add("conversation_before", texts.fence_history());
        add("instruction", texts.plain(texts.instruction()).into_owned());
        add(
            "reference_answer",
            texts
                .plain(texts.reference().unwrap_or_default())
                .into_owned(),
        );
        for (place, slot) in order.iter().enumerate() {
            let alone = shown.scene.with_only(*slot);
            let one = Shown {
                scene: &alone,
                ..*shown
            };
            let texts = Texts { shown: &one };
            let has_more = alone.responses.first().is_some_and(|response| {
                response.trajectory.is_some() || !response.earlier.is_empty()
            });
            // A plain text stands as it is; turns and steps keep their marks and labels.
            let text = match has_more {
                true => texts.fence_answer(0),
                false => texts.plain(alone.text(0)).into_owned(),
            };
            fields.push(StateField::new(name_answer(place, order.len()), text));
        }
        Ok(fields)
    }
}

/// Returns the name of the field at a place, of so many.
fn name_answer(place: usize, count: usize) -> String {
    match count {
        1 => "answer".into(),
        _ => format!("answer_{}", place + 1),
    }
}

/// Puts values in the place of their marks, in one pass: no value is looked through.
fn fill_in(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match values.iter().find(|(mark, _)| from.starts_with(mark)) {
            Some((mark, value)) => {
                out.push_str(value);
                rest = &from[mark.len()..];
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out + rest
}

/// Returns the form as a question decides it: a checklist criterion by criterion.
pub(crate) fn decided_form(form: Form) -> Form {
    match form {
        Form::Checklist(ChecklistCalls::Together) => {
            Form::Checklist(ChecklistCalls::Each(crate::form::AnswerReading::Mean))
        }
        form => form,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_place_of_marks_and_are_not_looked_through() {
        let values = [("{x}", "{y}"), ("{y}", "two")];
        assert_eq!(fill_in("{x} or {y}, {z} {", &values), "{y} or two, {z} {");
    }
}
