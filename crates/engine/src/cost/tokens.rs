//! Estimates how many tokens a prompt is, where no tokenizer is at hand, and a reply.

use evenhand_core::{Question, Request, StateField, Task, approximate_tokens};

/// How long a reply is taken to be where it may be longer, in tokens. Recorded explanations of
/// GPT-4 have on average 92 (LLMBar, CoT), 148 (MT-Bench) and 302 (Arena-Bench) tokens of
/// cl100k_base.
pub const ASSUMED_REPLY_TOKENS: u64 = 150;

/// Tokens that a chat template adds to each message, and to the whole: role, marks, and the opening
/// of the reply.
const MESSAGE_TOKENS: u64 = 4;
const OPENING_TOKENS: u64 = 3;

/// Estimates how many tokens the prompt of a request is: [`approximate_tokens`] of its messages and
/// of a continuation to be scored, 4 more for each message and 3 for the whole, as in OpenAI's chat
/// format; for embeddings, of the pieces alone.
pub fn approximate_request_tokens(request: &Request) -> u64 {
    let message_tokens = |text: &str| approximate_tokens(text) + MESSAGE_TOKENS;
    let messages = request.messages.iter();
    let messages: u64 = messages
        .map(|message| message_tokens(&message.content))
        .sum();
    match &request.task {
        Task::Generate { .. } | Task::Reward => messages + OPENING_TOKENS,
        Task::Score { continuation, .. } => {
            messages + message_tokens(continuation) + OPENING_TOKENS
        }
        // What stands behind the responses is read with both ways of naming them.
        Task::SideBySide {
            texts,
            names,
            question,
            ..
        } => {
            let read_once: u64 = texts.iter().map(|text| approximate_tokens(text)).sum();
            let names: u64 = names.iter().map(|name| approximate_tokens(name)).sum();
            messages + read_once + 2 * (names + approximate_tokens(question)) + OPENING_TOKENS
        }
        Task::Decide { state, question } => {
            approximate_state_tokens(state) + approximate_question_tokens(question)
        }
        // No template stands around a text that is embedded.
        Task::Embed { pieces } => pieces.iter().map(|piece| approximate_tokens(piece)).sum(),
    }
}

/// Estimates how many tokens a state is, which questions about it may share: its names, texts and
/// marks.
pub(crate) fn approximate_state_tokens(state: &[StateField]) -> u64 {
    let fields = state.iter().map(|field| {
        approximate_tokens(&field.name) + approximate_tokens(&field.text) + MESSAGE_TOKENS
    });
    OPENING_TOKENS + fields.sum::<u64>()
}

/// Estimates how many tokens a question is, with its answers.
fn approximate_question_tokens(question: &Question) -> u64 {
    let answers = question.answers.names().into_iter();
    let answers = answers.map(|answer| approximate_tokens(answer) + 2);
    approximate_tokens(&question.instructions) + MESSAGE_TOKENS + answers.sum::<u64>()
}
