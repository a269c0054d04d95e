//! Shows the calls that a judge would be sent, one by one, with stand-ins for the replies that
//! earlier calls would bring.

use crate::ask::replay::{Answers, replay};
use crate::ask::stand_in::StandIn;
use crate::{EngineError, Job};
use evenhand_core::{CallResult, Reply, Request, RequestKey, Trial};
use evenhand_protocols::Missing;
use std::collections::HashMap;

/// A call that a trial would make.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rendered {
    /// The trial.
    pub trial: Trial,
    /// The round in which it is asked, from 1: what later rounds show of earlier replies is a
    /// stand-in.
    pub round: usize,
    /// The call.
    pub request: Request,
}

/// Returns the calls of a trial, in the order in which they are made, where the judge contradicts
/// itself wherever it can.
///
/// # Errors
/// What reading the responses may meet.
pub fn render(job: &Job, trial: &Trial) -> Result<Vec<Rendered>, EngineError> {
    let mut renderer = Renderer {
        trial,
        replies: HashMap::new(),
        rendered: Vec::new(),
    };
    replay(job, trial, &mut renderer)?;
    Ok(renderer.rendered)
}

struct Renderer<'a> {
    trial: &'a Trial,
    replies: HashMap<RequestKey, Reply>,
    rendered: Vec<Rendered>,
}

impl Answers for Renderer<'_> {
    fn known_reply(&self, key: &RequestKey) -> Option<CallResult> {
        self.replies.get(key).cloned().map(Ok)
    }

    fn answer_call(&mut self, missing: Missing, round: usize) -> Result<(), EngineError> {
        let reply = StandIn::Torn.reply(&missing.request);
        if self.replies.insert(missing.key, reply).is_none() {
            self.rendered.push(Rendered {
                trial: self.trial.clone(),
                round,
                request: missing.request,
            });
        }
        Ok(())
    }
}
