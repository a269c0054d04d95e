//! Whether the judges' servers hold replies to a JSON schema: as the run's manifest has it, as the
//! user says, or as a probe of one call shows.

use crate::ask::reusable::is_run;
use crate::ask::stores::run_dir;
use crate::{EngineError, Job, Sink};
use evenhand_core::{CallResult, Request, RequestKey};
use evenhand_models::served::Holding;
use evenhand_models::{Answer, Model, Work};
use evenhand_protocols::{HoldingJudge, SCHEMA_VERSION, make_probe, read_probe};
use evenhand_store::Reader;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The key of the manifest.
pub(crate) const MANIFEST_KEY: &str = "structured";

/// Judges that are served, and how far the server of each holds replies to a schema.
pub type Servers = Vec<(Arc<str>, Holding)>;

/// Returns what a manifest says of the judges whose replies are held; None where there are none, so
/// that runs from before there was such a thing are continued as they are.
pub(crate) fn manifest_value(holding: &[HoldingJudge]) -> Option<String> {
    if holding.is_empty() {
        return None;
    }
    Some(json!({"version": SCHEMA_VERSION, "judges": holding}).to_string())
}

/// Reads the judges that a manifest names so, or as those that decide. What it says in another way
/// is no judge of ours.
pub(crate) fn judges_of_manifest<J: DeserializeOwned>(value: Option<&String>) -> Vec<J> {
    let value: Option<Value> = value.and_then(|value| serde_json::from_str(value).ok());
    let judges = value.as_ref().and_then(|value| value["judges"].as_array());
    let judges = judges.into_iter().flatten();
    judges.filter_map(|one| J::deserialize(one).ok()).collect()
}

/// Sets in a job of which judges the replies are held to a schema, as far as that is known without
/// asking: a run that is there goes on as it began, and a judge's settings may say it. Returns the
/// judges of which only a probe can tell ([`probe_servers`]); until then their replies are free.
///
/// # Errors
/// Whatever reading the data for its fingerprint may meet.
pub fn hold_as_known(
    job: &mut Job,
    servers: &Servers,
    named: Option<&Path>,
) -> Result<Servers, EngineError> {
    let Some(held) = job.protocol.held_replies() else {
        return Ok(Servers::new());
    };
    // The probabilities of a bare answer say more than one that is held.
    let is_measured =
        |server: &Holding| server.measures && held.wants_probabilities && !held.reasons;
    let mut may_hold = servers.clone();
    may_hold.retain(|(_, server)| server.holds != Some(false) && !is_measured(server));
    if may_hold.is_empty() || goes_on(job, &may_hold, named)? {
        return Ok(Servers::new());
    }
    let (known, unknown): (Servers, Servers) = may_hold
        .into_iter()
        .partition(|(_, server)| server.holds.is_some());
    job.judges.holding = known.iter().map(hold).collect();
    Ok(unknown)
}

/// Asks each of these judges one call, which is not kept in the run, and sets in the job that its
/// replies are held where its server held that one. Where it did not, a note says so, and its
/// replies are asked for and read as text.
///
/// # Errors
/// A model that breaks down.
pub fn probe_servers(
    job: &mut Job,
    unknown: &Servers,
    model: &mut dyn Model,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    let Some(held) = job.protocol.held_replies().filter(|_| !unknown.is_empty()) else {
        return Ok(());
    };
    let measured = |server: &Holding| server.measures && held.wants_probabilities;
    let asked: Vec<(RequestKey, Arc<Request>)> = unknown
        .iter()
        .map(|(judge, server)| {
            let request = make_probe(judge, held, measured(server));
            (request.key(), Arc::new(request))
        })
        .collect();
    let mut work = Probe {
        ready: asked.iter().cloned().collect(),
        results: HashMap::new(),
        sink: &mut *sink,
        stop,
    };
    model.serve(&mut work)?;
    let results = work.results;
    for (server, (key, _)) in unknown.iter().zip(&asked) {
        let (judge, known) = server;
        let refused = match results.get(key) {
            // The session that follows is stopped too.
            None => continue,
            Some(Ok(reply)) => read_probe(held, measured(known), reply).err(),
            Some(Err(error)) => Some(error.message.clone()),
        };
        match refused {
            None => job.judges.holding.push(hold(server)),
            Some(why) => sink.note(&format!(
                "{judge}: its server does not hold replies to a JSON schema ({why}); they are \
                 asked for and read as text"
            )),
        }
    }
    Ok(())
}

fn hold((judge, server): &(Arc<str>, Holding)) -> HoldingJudge {
    HoldingJudge {
        judge: judge.clone(),
        measures: server.measures,
    }
}

/// Whether the job's run is there already: then it goes on as it began. One that is named after its
/// settings is looked for under both names.
fn goes_on(job: &mut Job, may_hold: &Servers, named: Option<&Path>) -> Result<bool, EngineError> {
    if let Some(dir) = named {
        if !is_run(dir) {
            return Ok(false);
        }
        // One that cannot be read is refused where it is opened.
        if let Ok(manifest) = Reader::open(dir).and_then(|run| run.manifest()) {
            job.judges.holding = judges_of_manifest(manifest.settings.get(MANIFEST_KEY));
        }
        return Ok(true);
    }
    for holding in [may_hold.iter().map(hold).collect(), Vec::new()] {
        job.judges.holding = holding;
        if is_run(&run_dir(job, None)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The calls of probes.
struct Probe<'a> {
    ready: VecDeque<(RequestKey, Arc<Request>)>,
    results: HashMap<RequestKey, CallResult>,
    sink: &'a mut dyn Sink,
    stop: &'a AtomicBool,
}

impl Work for Probe<'_> {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        match self.is_stopped() {
            true => None,
            false => self.ready.pop_front(),
        }
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        self.results.insert(key, answer.result);
    }

    fn add_note(&mut self, note: String) {
        self.sink.note(&note);
    }

    fn add_passing_note(&mut self, note: String) {
        self.sink.passing_note(&note);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_whose_replies_are_held_and_a_run_of_before_nothing() {
        assert_eq!(manifest_value(&[]), None);
        assert_eq!(judges_of_manifest::<HoldingJudge>(None), []);
        for measures in [false, true] {
            let judges =
                ["openai:m@http://h/v1 {\"top-logprobs\":5}", "b"].map(|judge| HoldingJudge {
                    judge: judge.into(),
                    measures,
                });
            let value = manifest_value(&judges).unwrap();
            assert_eq!(judges_of_manifest::<HoldingJudge>(Some(&value)), judges);
        }
        for strange in [
            "",
            "[]",
            "{",
            r#"{"judges": 3}"#,
            r#"{"judges": [{"judge": 1}]}"#,
        ] {
            let strange = strange.to_string();
            assert_eq!(judges_of_manifest::<HoldingJudge>(Some(&strange)), []);
        }
    }
}
