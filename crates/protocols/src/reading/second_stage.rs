//! Replies of the second stage's model.

use super::exact::{find_option, parse_order, strip_marks};
use crate::probabilities::{find_likeliest, make_choice, renormalise};
use crate::{AnswerReading, Form};
use evenhand_core::{Reply, Verdict, VerdictSource};

/// Reads the verdict on `count` responses that the second stage found; None where it found none.
/// The last of the `options` stands for that.
pub(crate) fn read_second_stage(
    form: Form,
    count: usize,
    options: &[String],
    reply: &Reply,
) -> Option<Verdict> {
    match form {
        Form::Listwise(_) => Some(Verdict::Listwise {
            places: parse_order(strip_marks(&reply.text), count)?,
            source: VerdictSource::SecondStage,
        }),
        // Of two scores it says only which is higher.
        Form::PairwiseScore(_) => {
            read_choice(Form::PairwiseTie(AnswerReading::Mean), options, reply)
        }
        form => read_choice(form, options, reply),
    }
}

fn read_choice(form: Form, options: &[String], reply: &Reply) -> Option<Verdict> {
    let at = match &reply.answers {
        Some(answers) => find_likeliest(&renormalise(answers, options.len()).ok()?.of_answers),
        None => find_option(strip_marks(&reply.text), options)?,
    };
    let verdicts = options.len().saturating_sub(1);
    (at < verdicts).then(|| make_choice(form, at, verdicts, VerdictSource::SecondStage))
}
