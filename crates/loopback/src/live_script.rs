//! A script with what can be prepared from it.

use crate::Fault;
use crate::embeddings;
use crate::fault_reply::{Act, Scene, act};
use crate::http::{Response, Route};
use crate::prompt_scores;
use crate::reply::verdict;
use crate::script::{Mode, Script};
use crate::verdict::{Asked, Verdict};
use serde_json::json;

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
            chat: prepared(&script, Route::Chat),
            messages: prepared(&script, Route::Messages),
            script,
        }
    }

    fn prepared(&self, route: Route) -> &Prepared {
        if route == Route::Messages {
            &self.messages
        } else {
            &self.chat
        }
    }

    /// The bytes of the good reply to all, where one is prepared.
    pub(crate) fn fast(&self, route: Route) -> Option<&[u8]> {
        (self.script.mode == Mode::Fast && matches!(route, Route::Chat | Route::Messages))
            .then(|| self.prepared(route).bytes.as_slice())
    }

    /// The good reply to this body; the error says why the body is no request.
    pub(crate) fn reply(&self, route: Route, body: &[u8]) -> Result<Response, String> {
        match route {
            Route::Embeddings => embeddings::read(body).map(|body| Response::json(200, &body)),
            Route::Completions => prompt_scores::echo(body).map(|body| Response::json(200, &body)),
            _ if prompt_scores::is_wanted(body) => {
                prompt_scores::of_prompt(body).map(|body| Response::json(200, &body))
            }
            _ => Asked::read(body).map(|asked| self.good(route, &asked)),
        }
    }

    fn good(&self, route: Route, asked: &Asked) -> Response {
        let made = Verdict::of(asked, &self.script);
        Response::json(200, &verdict(route, asked, &made, self.script.logprobs))
    }

    /// What this fault sends in answer to this body.
    pub(crate) fn fault(&self, fault: Fault, route: Route, key: Option<&str>, body: &[u8]) -> Act {
        let asked = if self.script.mode == Mode::Fast {
            Asked::default()
        } else {
            Asked::read(body).unwrap_or_default()
        };
        let made = (self.script.mode == Mode::Judge).then(|| {
            self.reply(route, body)
                .unwrap_or_else(|_| self.good(route, &asked))
        });
        let good = made.as_ref().unwrap_or(&self.prepared(route).response);
        act(
            fault,
            &Scene {
                route,
                asked: &asked,
                script: &self.script,
                key,
                good,
            },
        )
    }
}

/// A verdict, in a reply to nobody in particular.
fn prepared(script: &Script, route: Route) -> Prepared {
    let messages = json!([{"role": "user", "content": "Which answer is better?"}]);
    let body = json!({"model": "bench", "messages": messages, "logprobs": true, "top_logprobs": 5});
    let asked = Asked::of(&body).unwrap_or_default();
    let made = Verdict::of(
        &asked,
        &Script {
            judge: None,
            ..script.clone()
        },
    );
    let response = Response::json(200, &verdict(route, &asked, &made, script.logprobs));
    Prepared {
        bytes: response.bytes(),
        response,
    }
}
