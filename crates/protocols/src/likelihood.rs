//! The likelihood form: how much more probable the instruction makes the response.

use crate::form::{Against, Counted, FLUENT, Likely};
use crate::novel::repeated;
use crate::prompts::{Context, Shown};
use crate::scene::Scene;
use crate::{Ask, Form, Prompt, Prompts, VerdictOrStop, all};
use evenhand_core::{
    About, Failure, FailureKind, Likelihood, Message, Reply, Source, Task, Verdict, View,
};
use std::ops::Range;

/// The likelihood of the response, set against what the variant says: in nats per token, or in all.
///
/// No verdict is asked and no other response is in view, so order cannot matter. 1 round; 1 call
/// and one more for each thing that it is set against. The call with the null instruction depends
/// on the response alone (for `inverse`, on the instruction alone). For `novel` both calls tell
/// apart the words that the conversation before the response has, and what falls on them does not
/// count, as gain or as surprisal. Of the family of GPTScore (Fu et al. 2023) and PPLqa
/// (arXiv:2411.15320).
pub(crate) fn judge(view: &View, likely: Likely, ask: &Ask, prompts: &Prompts) -> VerdictOrStop {
    let text = if likely.against == Against::Inverse {
        view.item.instruction()
    } else {
        response(view)
    };
    let apart = if likely.against == Against::Novel {
        repeated(&view.item.messages, text)
    } else {
        Vec::new()
    };
    let conversations = conversations(view, likely, ask, prompts)?;
    let replies = all(conversations
        .into_iter()
        .map(|messages| ask.one(score(view, messages, text, &apart))))?;
    let amounts = replies
        .iter()
        .map(|reply| amount(reply, likely.counted))
        .collect::<Result<Vec<f64>, Failure>>()?;
    let score = counted(&amounts, likely.counted);
    Ok(Verdict::Pointwise {
        score,
        distribution: Vec::new(),
        outside: 0.0,
        source: Source::Likelihood,
    })
}

/// The first amount, less the mean of the others, and what its surprisal counts.
fn counted(amounts: &[f64], counted: Counted) -> f64 {
    let [own, rest @ ..] = amounts else {
        return 0.0;
    };
    let surprisal = match counted {
        Counted::Surprisal(hundredths) => {
            f64::from(hundredths) / 100.0 * (-own).min(2.0 * FLUENT + own)
        }
        Counted::PerToken | Counted::Sum => 0.0,
    };
    let set_against = if rest.is_empty() {
        0.0
    } else {
        rest.iter().sum::<f64>() / rest.len() as f64
    };
    own - set_against + surprisal
}

/// The conversations after which a text is scored: first the one that it belongs to, then those
/// that it is set against.
fn conversations(
    view: &View,
    likely: Likely,
    ask: &Ask,
    prompts: &Prompts,
) -> Result<Vec<Vec<Message>>, crate::Stop> {
    let own = view.item.messages.clone();
    let null = vec![Message::user(prompts.null_instruction())];
    Ok(match likely.against {
        Against::Nothing => vec![own],
        Against::Null | Against::Novel => vec![own, null],
        Against::Others(others) => std::iter::once(own)
            .chain(elsewhere(view, others)?)
            .collect(),
        Against::Inverse => vec![inverse(view, ask, prompts)?, null],
    })
}

/// The conversations of the next items whose own differ.
fn elsewhere(view: &View, others: u32) -> Result<Vec<Vec<Message>>, Failure> {
    let differ = view
        .others
        .iter()
        .filter(|other| other.messages != view.item.messages);
    let found: Vec<Vec<Message>> = differ
        .take(others as usize)
        .map(|other| other.messages.clone())
        .collect();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(
            FailureKind::Invalid,
            "contrast sets an item against others, and there is no other item",
        )),
    }
}

fn inverse(view: &View, ask: &Ask, prompts: &Prompts) -> Result<Vec<Message>, crate::Stop> {
    let scene = Scene::new(view);
    let form = Form::Likelihood(Likely::PLAIN);
    let context = Context::default();
    let shown = Shown::new(form, &scene, &context, ask.breaks_marks());
    Ok(vec![prompts.inverse(&shown)?])
}

fn response<'a>(view: &View<'a>) -> &'a str {
    view.responses.first().map_or("", |response| &response.text)
}

fn score(view: &View, messages: Vec<Message>, text: &str, apart: &[Range<usize>]) -> Prompt {
    Prompt {
        messages,
        task: Task::Score {
            continuation: text.to_string(),
            apart: apart.to_vec(),
        },
        about: About::new(view.item, view.responses),
    }
}

fn amount(reply: &Reply, counted: Counted) -> Result<f64, Failure> {
    match reply.likelihood {
        Some(Likelihood {
            logprob,
            tokens,
            apart,
        }) if tokens > 0 && logprob.is_finite() => Ok(if counted == Counted::Sum {
            logprob - apart
        } else {
            (logprob - apart) / f64::from(tokens)
        }),
        Some(_) => Err(Failure::new(
            FailureKind::Invalid,
            "the text holds no token whose likelihood could be scored",
        )),
        None => Err(Failure::new(
            FailureKind::ModelError,
            "this judge gives no likelihood of a given text",
        )),
    }
}
