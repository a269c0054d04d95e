//! Reads a verdict from a reply: from the probabilities of the answers where the model gives them,
//! else from its text. Probabilities that decide nothing are a failure, whatever the text says.

mod criteria;
mod exact;
mod notations;
mod probabilities;
mod random;
mod reply;
mod second_stage;

pub(crate) use criteria::read_criteria;
pub(crate) use probabilities::keep_likeliest;
pub(crate) use probabilities::make_choice;
pub use random::draw_verdict;
pub(crate) use reply::read_reply;
pub(crate) use second_stage::read_second_stage;

use crate::Form;
use crate::extraction::{after_thinking, opens_with_thinking};
use crate::form::list_letters;
use crate::prompts::Prompts;
use crate::replies::{
    Unread, clean, read_letter, read_number, read_order, read_scores, read_yes_or_no,
};
use crate::verdicts::compare_scores;
use evenhand_core::{Failure, FailureKind, Finish, Grade, Reply, Verdict, VerdictSource};
use exact::{find_option, parse_order, strip_marks};
use notations::read_notation;
use probabilities::{Shares, make_verdict, renormalise};
use std::borrow::Cow;

/// Changes when the same reply may be read differently: part of a run's manifest.
pub(crate) const VERSION: u32 = 5;

/// Reads the verdict on `count` responses that a reply expresses.
pub(crate) fn read_verdict(
    form: Form,
    count: usize,
    reply: &Reply,
    prompts: &Prompts,
) -> Result<Verdict, Failure> {
    if let Some(answers) = &reply.answers
        && !form.options().is_empty()
    {
        return read_probabilities(form, answers, reply);
    }
    if let Some(notation) = prompts.notation() {
        return read_notation(form, notation, reply);
    }
    let mut text = own_text_of(reply)?;
    // A prompt pack may have verdicts begin with a mark of its own, in whatever language: it is
    // read as a word that the readers know.
    let marker = prompts.marker();
    if !KNOWN_MARKERS.contains(&marker) && text.contains(marker) {
        text = Cow::Owned(text.replace(marker, "Verdict:"));
    }
    read_text(form, count, &text, reply.finish == Finish::Length)
        .map_err(|why| no_verdict(reply, &describe_expected(form, count), &why.to_string()))
}

/// Reads the probabilities of the answers. Where they decide nothing there is no verdict: a text
/// beside them is not what this judge measures by, and may have been made of them.
fn read_probabilities(form: Form, answers: &[f64], reply: &Reply) -> Result<Verdict, Failure> {
    let options = form.options();
    match renormalise(answers, options.len()) {
        Ok(Shares {
            of_answers,
            outside,
        }) => Ok(make_verdict(
            form,
            of_answers,
            outside,
            VerdictSource::Probabilities,
        )),
        Err(_) if reply.finish == Finish::Refusal => Err(refused(&reply.text)),
        Err(why) => Err(Failure::new(
            FailureKind::Unparsed,
            format!("expected a probability for {}; {why}", options.join(", ")),
        )),
    }
}

/// Reads a text as the form's prompt asks for it; of one that was `cut` short only what closes it.
fn read_text(form: Form, count: usize, text: &str, cut: bool) -> Result<Verdict, Unread> {
    match form {
        Form::PairwiseScore(scale) => {
            let scores = read_scores(text, scale, cut)?;
            let grade = Grade::Scores(scores);
            Ok(compare_scores(scores, grade, 0.0, VerdictSource::Text))
        }
        Form::Listwise(_) => Ok(Verdict::Listwise {
            places: read_order(text, cut, |order| parse_order(strip_marks(order), count))?,
            source: VerdictSource::Text,
        }),
        Form::Checklist(_) => read_yes_or_no(text, cut).map(criteria::make_verdict),
        // A letter or a number.
        _ => {
            let options = form.options();
            let steps = matches!(form, Form::Pairwise5Point | Form::PairwiseLikert);
            let is_letter = |option: &String| option.starts_with(|c: char| c.is_ascii_uppercase());
            let at = match find_option(strip_marks(text), &options) {
                Some(at) => at,
                None if options.iter().all(is_letter) => read_letter(text, &options, cut)?,
                None => read_number(text, &options, steps, cut)?,
            };
            Ok(make_choice(form, at, options.len(), VerdictSource::Text))
        }
    }
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

/// Describes what the prompt asks for.
fn describe_expected(form: Form, count: usize) -> String {
    match form {
        Form::PairwiseScore(scale) => {
            let [low, high] = scale.ends();
            format!("two scores from {low} to {high}")
        }
        Form::Listwise(_) => format!(
            "each of the letters {} once, joined by > or =",
            list_letters(count)
        ),
        _ => format!("one of {}", form.options().join(", ")),
    }
}

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

/// Quotes the end of a text, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let text = text.trim();
    let start = text.char_indices().rev().nth(LONGEST - 1);
    match &text[start.map_or(0, |(at, _)| at)..] {
        "" => "an empty reply".into(),
        shown => format!("{shown:?}"),
    }
}

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod grammar;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_text;
