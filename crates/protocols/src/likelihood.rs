//! The likelihood form: how much more probable the instruction makes the response.

use crate::{Ask, Judged, Prompt, Prompts, all};
use evenhand_core::{About, Failure, FailureKind, Likelihood, Message, Reply, Response, Source, Task, Verdict, View};

/// log P(response | instruction) - log P(response | null instruction), in nats per token of the response.
///
/// No verdict is asked and no other response is in view, so order cannot matter. 2 calls, 1 round; the second call does not
/// depend on the item. Of the family of GPTScore (Fu et al. 2023) and PPLqa (arXiv:2411.15320).
pub(crate) fn judge(view: &View, ask: &Ask, prompts: &Prompts) -> Judged {
    let given = view.item.messages.clone();
    let null = vec![Message::user(prompts.null_instruction())];
    let replies = all([given, null].map(|messages| ask.one(score(view, messages))))?;
    let [given, null] = [per_token(&replies, 0)?, per_token(&replies, 1)?];
    Ok(Verdict::Pointwise { score: given - null, distribution: Vec::new(), outside: 0.0, source: Source::Likelihood })
}

fn score(view: &View, messages: Vec<Message>) -> Prompt {
    let response = view.responses.first().map_or("", |response: &Response| &response.text);
    Prompt { messages, task: Task::Score { continuation: response.to_string() }, about: About::new(view.item, view.responses) }
}

fn per_token(replies: &[Reply], at: usize) -> Result<f64, Failure> {
    match replies.get(at).and_then(|reply| reply.likelihood) {
        Some(Likelihood { logprob, tokens }) if tokens > 0 && logprob.is_finite() => Ok(logprob / f64::from(tokens)),
        Some(_) => Err(Failure::new(FailureKind::Invalid, "the response holds no token whose likelihood could be scored")),
        None => Err(Failure::new(FailureKind::ModelError, "this judge gives no likelihood of a given text")),
    }
}
