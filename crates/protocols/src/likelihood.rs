//! The likelihood form: how much more probable the instruction makes the response.

use crate::ask::invalid;
use crate::form::{Baseline, FLUENT, GainUnit, LikelihoodVariant};
use crate::prompts::{Context, Shown};
use crate::repeated_words::find_repeated;
use crate::scene::Scene;
use crate::{Ask, Form, Prompt, Prompts, Stop, VerdictOrStop, all};
use evenhand_core::{
    About, Failure, FailureKind, Message, Reply, Role, Task, Verdict, VerdictSource, View,
};

/// Scores the response by its likelihood, less that of the variant's baseline: in nats per token,
/// or in all.
///
/// No verdict is asked and no other response is in view, so order cannot matter. 1 round; 1 call
/// and one more for each thing that it is compared with. The call with the null instruction depends
/// on the response alone (for `inverse`, on the instruction alone). For `novel` both calls tell
/// apart the words that the conversation before the response has, and what falls on them does not
/// count, as gain or as surprisal. Of the family of GPTScore (Fu et al. 2023) and PPLqa
/// (arXiv:2411.15320).
pub(crate) fn judge_by_likelihood(
    view: &View,
    variant: LikelihoodVariant,
    ask: &Ask,
    prompts: &Prompts,
) -> VerdictOrStop {
    let replies = ask_likelihoods(view, variant.baseline, &[], ask, prompts)?;
    Ok(Verdict::Pointwise {
        score: score_likelihoods(&replies, variant.unit)?,
        distribution: Vec::new(),
        outside: 0.0,
        source: VerdictSource::Likelihood,
    })
}

/// Asks for the likelihoods that a variant compares: first that of the text after the conversation
/// that it belongs to, with the model's states at these depths beside it; then those of the
/// baseline. 1 round.
pub(crate) fn ask_likelihoods(
    view: &View,
    baseline: Baseline,
    depths: &[u8],
    ask: &Ask,
    prompts: &Prompts,
) -> Result<Vec<Reply>, Stop> {
    refuse_conversation(view, baseline)?;
    let response = view.responses.first();
    let text = match baseline {
        Baseline::Inverse => view.item.instruction(),
        _ => response.map_or("", |response| &response.text),
    };
    let apart = match baseline {
        Baseline::Novel => find_repeated(&conversation_before(view), text),
        _ => Vec::new(),
    };
    let conversations = list_conversations(view, baseline, ask, prompts)?;
    all(conversations.into_iter().enumerate().map(|(at, messages)| {
        ask.one(Prompt {
            messages,
            task: Task::Score {
                continuation: text.to_string(),
                apart: apart.clone(),
                depths: if at == 0 { depths.to_vec() } else { Vec::new() },
            },
            about: About::new(view.item, view.responses),
        })
    }))
}

/// Scores a text by the replies of [`ask_likelihoods`]; what was told apart counts nothing.
pub(crate) fn score_likelihoods(replies: &[Reply], unit: GainUnit) -> Result<f64, Failure> {
    let amounts = replies.iter().map(|reply| read_amount(reply, unit));
    Ok(count_gain(&amounts.collect::<Result<Vec<f64>, _>>()?, unit))
}

/// Refuses what has no meaning for the responses of a conversation.
fn refuse_conversation(view: &View, baseline: Baseline) -> Result<(), Failure> {
    if view.responses.iter().any(|one| one.trajectory.is_some()) {
        return Err(invalid(
            "likelihood scores a text that a system wrote, and this response is a trajectory with \
             calls of tools and their results; use a form that asks for a verdict",
        ));
    }
    let Some(first) = view.responses.first().filter(|one| !one.earlier.is_empty()) else {
        return Ok(());
    };
    if first.whole {
        return Err(invalid(
            "likelihood scores one answer, not the several of a whole conversation; judge its \
             turns",
        ));
    }
    match baseline {
        Baseline::Others(_) | Baseline::Inverse => Err(invalid(
            "contrast and inverse take an instruction alone, and this one follows earlier turns; \
             use null, novel or given",
        )),
        Baseline::Nothing | Baseline::Null | Baseline::Novel => Ok(()),
    }
}

/// Returns the turns before the response: the item's, with its system's own earlier answers after
/// the turns that they answer.
pub(crate) fn conversation_before(view: &View) -> Vec<Message> {
    let mut earlier = earlier_answers(view).iter().cloned();
    let mut conversation = Vec::new();
    let Some((last, history)) = view.item.messages.split_last() else {
        return conversation;
    };
    for turn in history {
        conversation.push(turn.clone());
        if turn.role == Role::User {
            conversation.extend(earlier.next());
        }
    }
    conversation.push(last.clone());
    conversation.extend(earlier);
    conversation
}

fn earlier_answers<'a>(view: &View<'a>) -> &'a [Message] {
    let first = view.responses.first();
    first.map_or(&[], |response| &response.earlier[..])
}

/// Returns the conversations after which a text is scored: first the one that it belongs to, then
/// those of the baseline.
fn list_conversations(
    view: &View,
    baseline: Baseline,
    ask: &Ask,
    prompts: &Prompts,
) -> Result<Vec<Vec<Message>>, Stop> {
    let own = conversation_before(view);
    // The same turns with the null instruction in place of the last one.
    let mut null = match earlier_answers(view) {
        [] => Vec::new(),
        _ => own[..own.len().saturating_sub(1)].to_vec(),
    };
    null.push(Message::user(prompts.null_instruction()));
    Ok(match baseline {
        Baseline::Nothing => vec![own],
        Baseline::Null | Baseline::Novel => vec![own, null],
        Baseline::Others(count) => {
            let others = view.others.iter().map(|other| &other.messages);
            let differ = others.filter(|messages| **messages != view.item.messages);
            let mut conversations = vec![own];
            conversations.extend(differ.take(count as usize).cloned());
            if conversations.len() == 1 {
                return Err(invalid(
                    "contrast sets an item against others, and there is no other item",
                )
                .into());
            }
            conversations
        }
        Baseline::Inverse => {
            let scene = Scene::new(view);
            let form = Form::Likelihood(LikelihoodVariant::DEFAULT);
            let context = Context::default();
            let shown = Shown::new(form, &scene, &context, ask.breaks_marks());
            vec![vec![prompts.ask_instruction(&shown)?], null]
        }
    })
}

/// Reads the log-probability of the text in a reply, without what is told apart.
pub(crate) fn read_amount(reply: &Reply, unit: GainUnit) -> Result<f64, Failure> {
    let Some(likelihood) = &reply.likelihood else {
        return Err(Failure::new(
            FailureKind::ModelError,
            "this judge gives no likelihood of a given text",
        ));
    };
    if likelihood.tokens == 0 || !likelihood.logprob.is_finite() {
        return Err(invalid(
            "the text holds no token whose likelihood could be scored",
        ));
    }
    let own = likelihood.logprob - likelihood.apart;
    Ok(match unit {
        GainUnit::Sum => own,
        GainUnit::PerToken | GainUnit::Surprisal(_) => own / f64::from(likelihood.tokens),
    })
}

/// Returns the first amount, less the mean of the others, and what its surprisal counts: up to
/// [`FLUENT`] it counts in favour, and what exceeds that against it.
fn count_gain(amounts: &[f64], unit: GainUnit) -> f64 {
    let [own, others @ ..] = amounts else {
        return 0.0;
    };
    let baseline = match others {
        [] => 0.0,
        _ => others.iter().sum::<f64>() / others.len() as f64,
    };
    let surprisal = match unit {
        GainUnit::Surprisal(hundredths) => {
            f64::from(hundredths) / 100.0 * (-own).min(2.0 * FLUENT + own)
        }
        GainUnit::PerToken | GainUnit::Sum => 0.0,
    };
    own - baseline + surprisal
}
