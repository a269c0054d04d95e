//! The likelihood form: how much more probable the instruction makes the response.

use crate::ask::invalid;
use crate::form::{Baseline, FLUENT, GainUnit, LikelihoodVariant};
use crate::prompts::{Context, Shown};
use crate::repeated_words::find_repeated;
use crate::scene::Scene;
use crate::{Ask, Form, Prompt, Prompts, Stop, VerdictOrStop, all};
use evenhand_core::{
    About, Failure, FailureKind, Likelihood, Message, Reply, Role, Task, Verdict, VerdictSource,
    View,
};
use std::iter::once;
use std::ops::Range;

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
    refuse_conversation(view, variant.baseline)?;
    let scored = ScoredText::choose(view, variant.baseline);
    let conversations = list_conversations(view, variant.baseline, ask, prompts)?;
    let asked = conversations.into_iter();
    let replies = all(asked.map(|messages| ask.one(scored.prompt(view, messages))))?;
    let amounts = read_amounts(&replies, variant.unit)?;
    Ok(make_score(count_gain(&amounts, variant.unit)))
}

fn make_score(score: f64) -> Verdict {
    Verdict::Pointwise {
        score,
        distribution: Vec::new(),
        outside: 0.0,
        source: VerdictSource::Likelihood,
    }
}

/// The text whose likelihood is asked for.
struct ScoredText<'a> {
    text: &'a str,
    /// The spans that are told apart.
    apart: Vec<Range<usize>>,
}

impl<'a> ScoredText<'a> {
    fn choose(view: &View<'a>, baseline: Baseline) -> ScoredText<'a> {
        let text = match baseline {
            Baseline::Inverse => view.item.instruction(),
            _ => first_response(view),
        };
        let apart = match baseline {
            Baseline::Novel => find_repeated(&conversation_before(view), text),
            _ => Vec::new(),
        };
        ScoredText { text, apart }
    }

    /// Asks for the likelihood of the text after a conversation.
    fn prompt(&self, view: &View, messages: Vec<Message>) -> Prompt {
        Prompt {
            messages,
            task: Task::Score {
                continuation: self.text.to_string(),
                apart: self.apart.clone(),
            },
            about: About::new(view.item, view.responses),
        }
    }
}

/// Refuses what has no meaning for the responses of a conversation.
fn refuse_conversation(view: &View, baseline: Baseline) -> Result<(), Failure> {
    refuse_trajectories(view)?;
    match view.responses.first() {
        Some(first) if !first.earlier.is_empty() => refuse_turns(first.whole, baseline),
        _ => Ok(()),
    }
}

fn refuse_trajectories(view: &View) -> Result<(), Failure> {
    if view.responses.iter().all(|one| one.trajectory.is_none()) {
        return Ok(());
    }
    Err(invalid(
        "likelihood scores a text that a system wrote, and this response is a trajectory with \
         calls of tools and their results; use a form that asks for a verdict",
    ))
}

/// Refuses several answers of a conversation, and what an answer to its last turn has no meaning
/// for.
fn refuse_turns(whole: bool, baseline: Baseline) -> Result<(), Failure> {
    if whole {
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
fn conversation_before(view: &View) -> Vec<Message> {
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

/// Returns the same turns with the null instruction in place of the last one.
fn without_instruction(view: &View, prompts: &Prompts) -> Vec<Message> {
    let null = Message::user(prompts.null_instruction());
    if earlier_answers(view).is_empty() {
        return vec![null];
    }
    let mut conversation = conversation_before(view);
    conversation.pop();
    conversation.push(null);
    conversation
}

fn first_response<'a>(view: &View<'a>) -> &'a str {
    view.responses.first().map_or("", |response| &response.text)
}

/// Returns the first amount, less the mean of the others, and what its surprisal counts.
fn count_gain(amounts: &[f64], unit: GainUnit) -> f64 {
    let [own, others @ ..] = amounts else {
        return 0.0;
    };
    own - average(others) + weigh_surprisal(*own, unit)
}

/// Returns the mean; 0 of nothing.
fn average(amounts: &[f64]) -> f64 {
    if amounts.is_empty() {
        0.0
    } else {
        amounts.iter().sum::<f64>() / amounts.len() as f64
    }
}

/// Returns what the surprisal of a response of this log-probability per token counts. Up to
/// [`FLUENT`] it counts in favour, and what exceeds that against it.
fn weigh_surprisal(own: f64, unit: GainUnit) -> f64 {
    match unit {
        GainUnit::Surprisal(hundredths) => {
            f64::from(hundredths) / 100.0 * (-own).min(2.0 * FLUENT + own)
        }
        GainUnit::PerToken | GainUnit::Sum => 0.0,
    }
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
    let null = without_instruction(view, prompts);
    Ok(match baseline {
        Baseline::Nothing => vec![own],
        Baseline::Null | Baseline::Novel => vec![own, null],
        Baseline::Others(others) => once(own).chain(list_others(view, others)?).collect(),
        Baseline::Inverse => vec![ask_for_instruction(view, ask, prompts)?, null],
    })
}

/// Returns the conversations of the next items whose own differ.
fn list_others(view: &View, count: u32) -> Result<Vec<Vec<Message>>, Failure> {
    let conversations = view.others.iter().map(|other| &other.messages);
    let differ = conversations.filter(|messages| **messages != view.item.messages);
    let found: Vec<Vec<Message>> = differ.take(count as usize).cloned().collect();
    if found.is_empty() {
        return Err(invalid(
            "contrast sets an item against others, and there is no other item",
        ));
    }
    Ok(found)
}

/// Returns the conversation that asks for the instruction of the response.
fn ask_for_instruction(view: &View, ask: &Ask, prompts: &Prompts) -> Result<Vec<Message>, Stop> {
    let scene = Scene::new(view);
    let form = Form::Likelihood(LikelihoodVariant::DEFAULT);
    let context = Context::default();
    let shown = Shown::new(form, &scene, &context, ask.breaks_marks());
    Ok(vec![prompts.ask_instruction(&shown)?])
}

fn read_amounts(replies: &[Reply], unit: GainUnit) -> Result<Vec<f64>, Failure> {
    let replies = replies.iter();
    replies.map(|reply| read_amount(reply, unit)).collect()
}

/// Reads the log-probability of the text in a reply, without what is told apart.
fn read_amount(reply: &Reply, unit: GainUnit) -> Result<f64, Failure> {
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
    Ok(count_own(likelihood, unit))
}

/// Counts the log-probability of what is not told apart.
fn count_own(likelihood: &Likelihood, unit: GainUnit) -> f64 {
    let own = likelihood.logprob - likelihood.apart;
    if unit == GainUnit::Sum {
        own
    } else {
        own / f64::from(likelihood.tokens)
    }
}
