//! What a judge would be sent, call by call, with stand-ins for the replies that earlier calls
//! would bring.

use crate::ask::estimate::{MOST_ROUNDS, StandIn};
use crate::{EngineError, Job};
use evenhand_core::{Reply, Request, RequestKey, Trial};
use evenhand_protocols::{Pass, run};
use std::collections::HashMap;

/// A call that a trial would make.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The trial.
    pub trial: Trial,
    /// The round in which it is asked, from 1: what later rounds show of earlier replies is a
    /// stand-in.
    pub round: usize,
    /// The call.
    pub request: Request,
}

/// The calls of a trial, where the judge contradicts itself wherever it can.
pub fn render(job: &Job, trial: &Trial) -> Result<Vec<Rendered>, EngineError> {
    let responses = job.responses(trial)?;
    let view = job.view(trial, &responses)?;
    let mut transcript: HashMap<RequestKey, Reply> = HashMap::new();
    let mut rendered = Vec::new();
    for round in 1..=MOST_ROUNDS {
        let pass = run(&job.protocol, &view, &job.judges, trial.replicate, &|key| {
            transcript.get(key).cloned().map(Ok)
        });
        let Pass::Pending(missing) = pass else {
            return Ok(rendered);
        };
        for missing in missing {
            if transcript
                .insert(missing.key, StandIn::Torn.reply(&missing.request))
                .is_none()
            {
                rendered.push(Rendered {
                    trial: trial.clone(),
                    round,
                    request: missing.request,
                });
            }
        }
    }
    Err(EngineError::Stuck { trials: 1 })
}
