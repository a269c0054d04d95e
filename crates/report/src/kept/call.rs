//! A call to a judge: what was asked, what it wrote, what that took.

use super::page::Page;
use super::verdict::{format_score, format_share};
use crate::numbers::{format_usd, group_digits, or_blank};
use crate::usage::part_of_tokens;
use evenhand_core::{Finish, Message, Reply, Task};
use evenhand_pages::{CallDetail, Detail};

/// Adds a call of a judgment; `place` says which of how many it is.
pub(super) fn add_call(
    page: &mut Page,
    judgment: &Detail,
    call: &CallDetail,
    place: &str,
    shows_prompt: bool,
) {
    page.add_text(2, &format!("{place}{}", call.judge));
    let tokens = &call.tokens;
    let cached = part_of_tokens(tokens.cached, "from a cache");
    let reasoning = part_of_tokens(tokens.reasoning, "of reasoning");
    let [prompt, written] = [tokens.prompt, tokens.completion].map(group_digits);
    let cost = or_blank(call.cost, |usd| format!("; {}", format_usd(usd)));
    let again = match call.attempt {
        0 => String::new(),
        earlier => format!("; attempt {}", earlier + 1),
    };
    page.add_text(
        4,
        &format!("{prompt} prompt tokens{cached}, {written} written{reasoning}{cost}{again}"),
    );
    if shows_prompt {
        for Message { role, content } in &call.messages {
            add_part(page, &format!("prompt, {}", role.name()), content);
        }
        if let Some(Task::Score { continuation, .. }) = &call.task {
            add_part(page, "prompt, the text that is scored", continuation);
        }
        if let Some(Task::SideBySide {
            texts,
            names,
            question,
            ..
        }) = &call.task
        {
            for text in texts {
                add_part(page, "prompt, side by side with the other", text);
            }
            add_part(page, "prompt, behind one and the other", &names.join(""));
            add_part(page, "prompt, behind both", question);
        }
    }
    if let Some(reply) = &call.reply {
        add_reply(page, reply, call.task.as_ref(), slots_of(call, judgment));
    }
    if let Some(error) = &call.error {
        add_part(page, "error", error);
    }
}

/// Returns the systems whose responses stood first and second in a prompt with both of a pair; None
/// where that is not sure: unless each stands there once, and neither within the other.
fn slots_of<'a>(call: &CallDetail, judgment: &'a Detail) -> Option<[&'a str; 2]> {
    let [one, other] = &judgment.responses[..] else {
        return None;
    };
    let row = &judgment.row;
    if row.b.as_ref().is_none_or(|b| *b == row.a) {
        return None;
    }
    let prompt: Vec<&str> = call.messages.iter().map(|part| &*part.content).collect();
    let prompt = prompt.join("\n");
    let find_only = |text: &str| {
        let at = prompt.find(text)?;
        (!text.is_empty() && prompt.rfind(text) == Some(at)).then_some([at, at + text.len()])
    };
    let ([start, end], [other_start, other_end]) = (find_only(&one.text)?, find_only(&other.text)?);
    // A prompt that turns them round belongs to a judgment of both orders.
    let is_swapped = || judgment.looks.iter().any(|look| look.look.swapped);
    if end <= other_start {
        Some([&one.system, &other.system])
    } else if other_end <= start && is_swapped() {
        Some([&other.system, &one.system])
    } else {
        None
    }
}

/// Adds a reply: its reasoning and its text with what its letters mean, or the figures in place of
/// one.
fn add_reply(page: &mut Page, reply: &Reply, task: Option<&Task>, slots: Option<[&str; 2]>) {
    if let Some(reasoning) = &reply.reasoning {
        add_part(page, "reasoning", reasoning);
    }
    if reply.likelihood.is_none() && reply.embeddings.is_none() {
        let ended = match reply.finish {
            Finish::Stop => "",
            Finish::Length => ", cut short at its limit of tokens",
            Finish::Refusal => ", which declines to answer",
        };
        let slots = or_blank(slots, |[first, second]| {
            format!(" (A, or the first, is {first}; B, or the second, is {second})")
        });
        add_part(page, &format!("reply{ended}{slots}"), &reply.text);
    }
    let options = match task {
        Some(Task::Generate { answers, .. }) => answers.as_ref().map(|asked| &asked.options[..]),
        Some(Task::SideBySide { answers, .. }) => Some(&answers[..]),
        _ => None,
    };
    if let (Some(answers), Some(options)) = (&reply.answers, options) {
        let shares = options.iter().zip(answers);
        let shares = shares.map(|(option, share)| format!("{option} {}", format_share(*share)));
        let shares = shares.collect::<Vec<_>>().join(", ");
        page.add_text(4, &format!("answers: {shares}"));
    }
    if let Some(likelihood) = &reply.likelihood {
        let logprob = format_score(likelihood.logprob);
        let tokens = likelihood.tokens;
        page.add_text(
            4,
            &format!("log-probability {logprob} over {tokens} tokens"),
        );
    }
    if reply.embeddings.is_some() {
        page.add_text(4, "vectors, which are not shown");
    }
}

fn add_part(page: &mut Page, name: &str, text: &str) {
    page.add_text(4, &format!("{name}:"));
    page.add_text(6, text);
}
