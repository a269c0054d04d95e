//! Reads a verdict from a reply: from the probabilities of the answers where the model gives them,
//! else from its text. Probabilities that decide nothing are a failure, whatever the text says.

mod exact;
mod notations;
mod random;
mod reply;
mod second_stage;

pub(crate) use notations::list_statements;
pub use random::draw_verdict;
pub(crate) use second_stage::read_second_stage;

use crate::extraction::{after_thinking, opens_with_thinking};
use crate::form::{AnswerReading, ChecklistCalls, Form, list_letters};
use crate::probabilities::{make_choice, make_verdict, renormalise};
use crate::prompts::Prompts;
use crate::replies::{
    Unread, clean, excerpt, read_letter, read_number, read_numbered, read_order, read_scores,
    read_yes_or_no,
};
use crate::verdicts::compare_scores;
use evenhand_core::{Failure, FailureKind, Finish, Grade, Outcome, Reply, Verdict, VerdictSource};
use exact::{find_option, parse_order, strip_marks};
use std::borrow::Cow;

/// Changes when the same reply may be read differently: part of a run's manifest.
pub(crate) const VERSION: u32 = 11;

/// Reads replies to some prompts.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    prompts: &'a Prompts,
    /// How many responses, or criteria, a reply is about.
    count: usize,
}

impl Prompts {
    /// Returns the reader of replies on so many responses, or criteria.
    pub(crate) fn reader(&self, count: usize) -> Reader<'_> {
        Reader {
            prompts: self,
            count,
        }
    }
}

impl Reader<'_> {
    fn form(self) -> Form {
        self.prompts.form()
    }

    /// Reads the verdict on the responses that a reply expresses.
    pub(crate) fn read_verdict(self, reply: &Reply) -> Result<Verdict, Failure> {
        if let Some(answers) = &reply.answers
            && !self.form().options().is_empty()
        {
            return self.read_probabilities(answers, reply);
        }
        if let Some(notation) = self.prompts.notation() {
            return self.read_notation(notation, reply);
        }
        let text = self.own_text(reply, "Verdict:")?;
        self.read_text(&text, reply.finish == Finish::Length)
            .map_err(|why| no_verdict(reply, &self.describe_expected(), &why.to_string()))
    }

    /// Reads of each of the criteria whether the reply says that it is met: a score of 0 or 1, or
    /// the failure of that criterion.
    pub(crate) fn read_criteria(self, reply: &Reply) -> Vec<Outcome> {
        let text = match self.own_text(reply, "Verdicts:") {
            Ok(text) => text,
            Err(failure) => return vec![Err(failure); self.count],
        };
        let mut outcomes = Vec::new();
        for (number, met) in (1..).zip(read_numbered(&text, self.count)) {
            outcomes.push(met.map(judge_criterion).map_err(|why| {
                let expected = format!("yes or no for criterion {number}");
                no_verdict(reply, &expected, &why.to_string())
            }));
        }
        outcomes
    }

    /// Reads the probabilities of the answers. Where they decide nothing there is no verdict: a
    /// text beside them is not what this judge measures by, and may have been made of them.
    fn read_probabilities(self, answers: &[f64], reply: &Reply) -> Result<Verdict, Failure> {
        let options = self.form().options();
        match renormalise(answers, options.len()) {
            Ok(shares) => Ok(make_verdict(
                self.form(),
                shares.of_answers,
                shares.outside,
                VerdictSource::Probabilities,
            )),
            Err(_) if reply.finish == Finish::Refusal => Err(refused(&reply.text)),
            Err(why) => Err(Failure::new(
                FailureKind::Unparsed,
                format!("expected a probability for {}; {why}", options.join(", ")),
            )),
        }
    }

    /// Reads a text as the form's prompt asks for it; of one that was `cut` short only what closes
    /// it.
    fn read_text(self, text: &str, cut: bool) -> Result<Verdict, Unread> {
        let form = self.form();
        match form {
            Form::PairwiseScore(scale) => {
                let scores = read_scores(text, scale, cut)?;
                let grade = Grade::Scores(scores);
                Ok(compare_scores(scores, grade, 0.0, VerdictSource::Text))
            }
            Form::Listwise(_) => Ok(Verdict::Listwise {
                places: read_order(text, cut, |order| {
                    parse_order(strip_marks(order), self.count)
                })?,
                source: VerdictSource::Text,
            }),
            Form::Checklist(_) => read_yes_or_no(text, cut).map(judge_criterion),
            // A letter or a number.
            _ => {
                let options = form.options();
                let steps = matches!(form, Form::Pairwise5Point(_) | Form::PairwiseLikert(_));
                let is_letter = |option: &String| option.starts_with(char::is_uppercase);
                let of_letters = options.iter().all(is_letter);
                // A number that was cut may go on.
                let exact = find_option(strip_marks(text), &options);
                let at = match exact.filter(|_| of_letters || !cut) {
                    Some(at) => at,
                    None if of_letters => read_letter(text, &options, cut)?,
                    None => read_number(text, &options, steps, cut)?,
                };
                Ok(make_choice(form, at, options.len(), VerdictSource::Text))
            }
        }
    }

    /// Returns the text of a reply behind its thinking, or why it has none. A prompt pack may have
    /// verdicts begin with a mark of its own, in whatever language: it is read as `known`, a word
    /// that the readers know.
    fn own_text<'r>(self, reply: &'r Reply, known: &str) -> Result<Cow<'r, str>, Failure> {
        let text = own_text_of(reply)?;
        let marker = self.prompts.marker();
        if KNOWN_MARKERS.contains(&marker) || !text.contains(marker) {
            return Ok(text);
        }
        Ok(Cow::Owned(text.replace(marker, known)))
    }

    /// Describes what the prompt asks for.
    fn describe_expected(self) -> String {
        match self.form() {
            Form::PairwiseScore(scale) => {
                let [low, high] = scale.ends();
                format!("two scores from {low} to {high}")
            }
            Form::Listwise(_) => format!(
                "each of the letters {} once, joined by > or =",
                list_letters(self.count)
            ),
            form => format!("one of {}", form.options().join(", ")),
        }
    }
}

/// Returns the verdict on a criterion that is met, or is not.
fn judge_criterion(met: bool) -> Verdict {
    let form = Form::Checklist(ChecklistCalls::Each(AnswerReading::Mean));
    make_choice(form, usize::from(!met), 2, VerdictSource::Text)
}

/// Returns the text of a reply behind its thinking, or why it has none.
fn own_text_of(reply: &Reply) -> Result<Cow<'_, str>, Failure> {
    if reply.finish == Finish::Refusal {
        return Err(refused(&reply.text));
    }
    let own = after_thinking(&reply.text).map_err(|_| still_thinking(reply))?;
    // Where the thinking only closes (the server's template opened it, or somebody's words are
    // repeated), nothing opens the reply: a verdict is read at its end alone.
    let opened = own.len() == reply.text.len() || opens_with_thinking(&reply.text);
    let text = match opened {
        true => Cow::Borrowed(own),
        false => Cow::Owned(format!("...\n{}", own.trim())),
    };
    Ok(match clean(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => Cow::Owned(clean),
    })
}

fn refused(text: &str) -> Failure {
    Failure::new(FailureKind::Refused, excerpt(text))
}

/// The marks that the readers know, and that there is none.
const KNOWN_MARKERS: [&str; 6] = ["", "Verdict:", "Verdicts:", "Score:", "Scores:", "Order:"];

/// Only the server knows whether the tokens ran out.
fn still_thinking(reply: &Reply) -> Failure {
    let (kind, why) = match reply.finish {
        Finish::Length => (
            FailureKind::Truncated,
            "the judge was still thinking when its tokens ran out, before a verdict",
        ),
        _ => (
            FailureKind::Unparsed,
            "the judge ended in its thinking, before a verdict, and its server did not say that \
             its tokens ran out",
        ),
    };
    Failure::new(kind, format!("{why}: {}", excerpt(&reply.text)))
}

fn no_verdict(reply: &Reply, expected: &str, why: &str) -> Failure {
    let kind = if reply.finish == Finish::Length {
        FailureKind::Truncated
    } else {
        FailureKind::Unparsed
    };
    let found = excerpt(&reply.text);
    Failure::new(kind, format!("expected {expected}; {why}; found: {found}"))
}

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod grammar;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod remarks;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_text;
