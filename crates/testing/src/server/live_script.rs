//! A script with what can be prepared from it.

use super::Fault;
use super::decisions::decide;
use super::embeddings;
use super::fault_reply::{Act, Scene, act_out};
use super::http::{Response, Route};
use super::prompt_scores;
use super::reply::verdict_body;
use super::rewards;
use super::script::{Mode, Script};
use super::verdict::{Asked, Verdict};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// A script, and the replies of `Mode::Fast`.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) script: Script,
    chat: Prepared,
    messages: Prepared,
    /// Questions about a state that were answered so far.
    turn: AtomicU64,
}

#[derive(Debug)]
struct Prepared {
    response: Response,
    bytes: Vec<u8>,
}

impl Live {
    pub(super) fn new(script: Script) -> Live {
        Live {
            chat: Prepared::new(&script, Route::Chat),
            messages: Prepared::new(&script, Route::Messages),
            turn: AtomicU64::new(0),
            script,
        }
    }

    fn prepared_for(&self, route: Route) -> &Prepared {
        if route == Route::Messages {
            &self.messages
        } else {
            &self.chat
        }
    }

    /// Returns the bytes of the good reply to all, where one is prepared.
    pub(super) fn fast_reply(&self, route: Route) -> Option<&[u8]> {
        let is_prepared = matches!(route, Route::Chat | Route::Messages);
        (is_prepared && self.script.mode == Mode::Fast)
            .then(|| self.prepared_for(route).bytes.as_slice())
    }

    /// Returns the good reply to this body; the error says why the body is no request.
    pub(super) fn good_reply(&self, route: Route, body: &[u8]) -> Result<Response, String> {
        if let Route::SystemOne | Route::Decisions = route {
            let turn = self.turn.fetch_add(1 << 16, Ordering::Relaxed);
            let Script {
                decisions, seed, ..
            } = &self.script;
            return Ok(decide(decisions, *seed, route, body, turn));
        }
        let reply = match route {
            Route::Embeddings => embeddings::embed_body(body)?,
            Route::Completions => prompt_scores::score_echo(body)?,
            Route::Classify | Route::Pooling | Route::Score | Route::Rerank | Route::Tei => {
                rewards::reward_body(route, body)?
            }
            _ if prompt_scores::is_wanted(body) => prompt_scores::score_chat(body)?,
            _ => self.judge(route, &Asked::parse(body)?),
        };
        Ok(Response::json(200, &reply))
    }

    fn judge(&self, route: Route, asked: &Asked) -> Value {
        let verdict = Verdict::give(asked, &self.script);
        let mut body = verdict_body(route, asked, &verdict, self.script.logprobs);
        if let Some((model, fingerprint)) = &self.script.answers_as {
            body["model"] = json!(model);
            body["system_fingerprint"] = json!(fingerprint);
        }
        body
    }

    /// Returns what this fault sends in answer to this body. The prepared reply will do where
    /// replies do not depend on the body.
    pub(super) fn act_out_fault(
        &self,
        fault: Fault,
        route: Route,
        key: Option<&str>,
        body: &[u8],
    ) -> Act {
        let is_fast = self.script.mode == Mode::Fast;
        let asked = if is_fast {
            Asked::default()
        } else {
            Asked::parse(body).unwrap_or_default()
        };
        let made = (!is_fast).then(|| {
            let reply = self.good_reply(route, body);
            reply.unwrap_or_else(|_| Response::json(200, &self.judge(route, &asked)))
        });
        let scene = Scene {
            route,
            asked: &asked,
            script: &self.script,
            key,
            good: made.as_ref().unwrap_or(&self.prepared_for(route).response),
        };
        act_out(fault, &scene)
    }
}

impl Prepared {
    /// Prepares a verdict, in a reply to nobody in particular.
    fn new(script: &Script, route: Route) -> Prepared {
        let messages = json!([{"role": "user", "content": "Which answer is better?"}]);
        let body =
            json!({"model": "bench", "messages": messages, "logprobs": true, "top_logprobs": 5});
        let asked = Asked::from_json(&body).unwrap_or_default();
        let drawn = Script {
            judge: None,
            ..script.clone()
        };
        let verdict = Verdict::give(&asked, &drawn);
        let body = verdict_body(route, &asked, &verdict, script.logprobs);
        let response = Response::json(200, &body);
        Prepared {
            bytes: response.bytes(),
            response,
        }
    }
}
