//! A model of your own: a lookup table that answers by the last message of a prompt.
//!
//! `cargo run -p evenhand-models --no-default-features --example own_model`

use evenhand_core::{
    CallError, CallErrorKind, CallResult, Message, Reply, Request, RequestKey, Task,
};
use evenhand_models::{Answer, Model, ModelError, Work};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Replies by prompt.
struct LookupTable(BTreeMap<&'static str, &'static str>);

impl LookupTable {
    fn answer(&self, request: &Request) -> CallResult {
        let prompt = request.messages.last().map_or("", |last| &last.content);
        match self.0.get(prompt) {
            Some(text) => Ok(Reply {
                text: text.to_string(),
                ..Reply::default()
            }),
            None => Err(CallError {
                kind: CallErrorKind::Invalid,
                message: format!("the table has no answer to {prompt:?}"),
            }),
        }
    }
}

impl Model for LookupTable {
    fn identity(&self) -> &str {
        "lookup-table"
    }

    fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
        None
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        while let Some((key, request)) = work.next_request() {
            work.deliver(key, self.answer(&request).into());
        }
        Ok(())
    }
}

/// Requests to be answered, and the replies so far.
struct Queue {
    ready: Vec<Request>,
    replies: Vec<CallResult>,
}

impl Work for Queue {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        let request = self.ready.pop()?;
        Some((request.key(), Arc::new(request)))
    }

    fn deliver(&mut self, _: RequestKey, answer: Answer) {
        self.replies.push(answer.result);
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

fn request(judge: &dyn Model, prompt: &str) -> Request {
    Request::new(
        judge.identity().into(),
        vec![Message::user(prompt)],
        Task::write(8),
    )
}

#[allow(clippy::print_stdout, reason = "an example shows what it got")]
fn main() -> Result<(), ModelError> {
    let mut table = LookupTable(BTreeMap::from([("Which is better, A or B?", "A")]));
    let mut queue = Queue {
        ready: vec![
            request(&table, "Which is better, C or D?"),
            request(&table, "Which is better, A or B?"),
        ],
        replies: Vec::new(),
    };
    table.serve(&mut queue)?;
    for reply in &queue.replies {
        match reply {
            Ok(reply) => println!("{}", reply.text),
            Err(error) => eprintln!("{}", error.message),
        }
    }
    Ok(())
}
