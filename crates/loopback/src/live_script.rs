//! A script with what can be prepared from it.

use crate::Fault;
use crate::embeddings;
use crate::fault_reply::{Act, Scene, act_out};
use crate::http::{Response, Route};
use crate::prompt_scores;
use crate::reply::verdict_body;
use crate::script::{Mode, Script};
use crate::verdict::{Asked, Verdict};
use serde_json::{Value, json};

/// A script, and the replies of `Mode::Fast`.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) script: Script,
    chat: Prepared,
    messages: Prepared,
}

#[derive(Debug)]
struct Prepared {
    response: Response,
    bytes: Vec<u8>,
}

impl Live {
    pub(crate) fn new(script: Script) -> Live {
        Live {
            chat: Prepared::new(&script, Route::Chat),
            messages: Prepared::new(&script, Route::Messages),
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
    pub(crate) fn fast_reply(&self, route: Route) -> Option<&[u8]> {
        let is_prepared = matches!(route, Route::Chat | Route::Messages);
        (is_prepared && self.script.mode == Mode::Fast)
            .then(|| self.prepared_for(route).bytes.as_slice())
    }

    /// Returns the good reply to this body; the error says why the body is no request.
    pub(crate) fn good_reply(&self, route: Route, body: &[u8]) -> Result<Response, String> {
        let reply = match route {
            Route::Embeddings => embeddings::embed_body(body)?,
            Route::Completions => prompt_scores::score_echo(body)?,
            _ if prompt_scores::is_wanted(body) => prompt_scores::score_chat(body)?,
            _ => self.judge(route, &Asked::parse(body)?),
        };
        Ok(Response::json(200, &reply))
    }

    fn judge(&self, route: Route, asked: &Asked) -> Value {
        let verdict = Verdict::give(asked, &self.script);
        verdict_body(route, asked, &verdict, self.script.logprobs)
    }

    /// Returns what this fault sends in answer to this body.
    pub(crate) fn act_out_fault(
        &self,
        fault: Fault,
        route: Route,
        key: Option<&str>,
        body: &[u8],
    ) -> Act {
        let asked = self.read_asked(body);
        let made = self.make_reply(route, &asked, body);
        let good = made.as_ref().unwrap_or(&self.prepared_for(route).response);
        let scene = Scene {
            route,
            asked: &asked,
            script: &self.script,
            key,
            good,
        };
        act_out(fault, &scene)
    }

    /// Reads a request, unless the replies do not depend on it.
    fn read_asked(&self, body: &[u8]) -> Asked {
        match self.script.mode {
            Mode::Fast => Asked::default(),
            Mode::Judge => Asked::parse(body).unwrap_or_default(),
        }
    }

    /// Makes the reply that a fault spoils, unless the prepared one will do.
    fn make_reply(&self, route: Route, asked: &Asked, body: &[u8]) -> Option<Response> {
        if self.script.mode == Mode::Fast {
            return None;
        }
        let reply = self.good_reply(route, body);
        Some(reply.unwrap_or_else(|_| Response::json(200, &self.judge(route, asked))))
    }
}

/// Returns a request as most are, for replies that do not depend on it.
fn ask_in_general() -> Asked {
    let messages = json!([{"role": "user", "content": "Which answer is better?"}]);
    let body = json!({"model": "bench", "messages": messages, "logprobs": true, "top_logprobs": 5});
    Asked::from_json(&body).unwrap_or_default()
}

impl Prepared {
    /// Prepares a verdict, in a reply to nobody in particular.
    fn new(script: &Script, route: Route) -> Prepared {
        let asked = ask_in_general();
        let drawn = Script {
            judge: None,
            ..script.clone()
        };
        let verdict = Verdict::give(&asked, &drawn);
        let body = verdict_body(route, &asked, &verdict, script.logprobs);
        Prepared::of_response(Response::json(200, &body))
    }

    fn of_response(response: Response) -> Prepared {
        Prepared {
            bytes: response.bytes(),
            response,
        }
    }
}
