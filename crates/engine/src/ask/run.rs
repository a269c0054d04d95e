//! A run: every judgment of a job, from the store or from the judge.

use crate::ask::driver::Driver;
use crate::ask::limits::{Budget, Limits};
use crate::{EngineError, Job, Progress, Sink};
use evenhand_core::{CallResult, RequestKey, Trial};
use evenhand_models::Model;
use evenhand_store::{Bounds, Reader, Store, StoreError, Totals, Unread};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Trials, failures, and the calls that this process made.
    pub progress: Progress,
    /// Everything in the run directory, whichever process asked for it, judge by judge.
    pub totals: Vec<Totals>,
    /// Where the run is kept.
    pub dir: PathBuf,
    /// The runs from which this process took over calls, and how many from each.
    pub taken_from: Vec<(PathBuf, u64)>,
}

/// The run directory of a job: the one named, or one under `runs/` that is named after the job's
/// settings, so that the same command finds it again.
pub fn run_dir(job: &Job, named: Option<&Path>) -> Result<PathBuf, EngineError> {
    match named {
        Some(dir) => Ok(dir.to_path_buf()),
        None => Ok(Path::new("runs").join(name(&job.manifest()?.settings))),
    }
}

/// Opens the run directory of a job for this process alone. What the runs in `reuse` have asked
/// already is taken over from them.
pub fn open_store(
    job: &Job,
    named: Option<&Path>,
    reuse: &[PathBuf],
) -> Result<Store, EngineError> {
    let others = opened(reuse)?;
    let mut store = Store::open(&run_dir(job, named)?, &job.manifest()?)?;
    store.reuse(others);
    Ok(store)
}

/// What holds replies already: the run directory of this job, if there is one, and the runs in
/// `reuse`.
pub fn stored(dir: &Path, job: &Job, reuse: &[PathBuf]) -> Result<Vec<Reader>, EngineError> {
    let mut runs = opened(reuse)?;
    if dir.join("run.sqlite").exists() {
        let run = Reader::open(dir)?;
        match run.manifest()?.differences(&job.manifest()?) {
            keys if keys.is_empty() => runs.push(run),
            keys => {
                return Err(StoreError::OtherConfiguration {
                    path: dir.to_path_buf(),
                    keys,
                }
                .into());
            }
        }
    }
    Ok(runs)
}

/// These runs, for reading.
pub fn opened(dirs: &[PathBuf]) -> Result<Vec<Reader>, EngineError> {
    Ok(dirs
        .iter()
        .map(|dir| Reader::open(dir))
        .collect::<Result<_, _>>()?)
}

/// What became of this call in the first of these runs that holds it.
pub(crate) fn result_in(
    runs: &[Reader],
    key: &RequestKey,
) -> Result<Option<CallResult>, EngineError> {
    Ok(runs
        .iter()
        .find_map(|run| run.result(key).transpose())
        .transpose()?)
}

fn name(settings: &std::collections::BTreeMap<String, String>) -> String {
    let mut hash = blake3::Hasher::new();
    for (key, value) in settings {
        hash.update(key.as_bytes())
            .update(&[0])
            .update(value.as_bytes())
            .update(&[0]);
    }
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '-'
        }
    };
    let protocol: String = settings
        .get("protocol")
        .map_or("", String::as_str)
        .chars()
        .map(plain)
        .collect();
    let digest: String = hash.finalize().to_hex().chars().take(10).collect();
    format!("{protocol}-{digest}")
}

/// Obtains every judgment, in plan order. What the store holds is not asked again. When `stop`
/// becomes true, the run ends soon with [`EngineError::Stopped`], and the same call goes on later.
pub fn run(
    job: &Job,
    model: &mut dyn Model,
    mut store: Store,
    limits: &Limits,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Finished, EngineError> {
    run_on(job, model, &mut store, limits, sink, stop)
}

/// The same on a store that goes on to serve others.
pub fn run_on(
    job: &Job,
    model: &mut dyn Model,
    store: &mut Store,
    limits: &Limits,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Finished, EngineError> {
    run_trials(job, job.plan.trials(), model, store, limits, sink, stop)
}

/// The same for a list of trials of the job's data and protocol in place of those of its plan; each
/// is given the number of its place.
pub fn run_listed(
    job: &Job,
    trials: Vec<Trial>,
    model: &mut dyn Model,
    store: &mut Store,
    limits: &Limits,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Finished, EngineError> {
    let numbered = trials
        .into_iter()
        .zip(0..)
        .map(|(trial, index)| Trial { index, ..trial });
    run_trials(job, numbered, model, store, limits, sink, stop)
}

/// The same for these trials, numbered from 0 in their order; more may come once judgments have.
pub(crate) fn run_trials(
    job: &Job,
    trials: impl Iterator<Item = Trial>,
    model: &mut dyn Model,
    store: &mut Store,
    limits: &Limits,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Finished, EngineError> {
    let budget = Budget::new(limits_for(model, limits), &store.spent()?);
    if !limits.retry.is_empty() {
        store.start_retries()?;
    }
    let mut driver = Driver::new(job, trials, store, budget, sink, stop);
    let served = model.serve(&mut driver);
    let finished = driver.finish();
    let asks = model.is_live();
    // A fault of the run itself explains more than what the model made of it.
    let progress = match (served, finished) {
        (_, Err(error)) if !matches!(error, EngineError::Stuck { .. }) => return Err(error),
        (Err(error), _) => return Err(error.into()),
        (Ok(()), finished) => finished?,
    };
    let progress = Progress {
        calls: if asks { progress.calls } else { 0 },
        ..progress
    };
    asked_again(progress.asked_again, limits)
        .iter()
        .for_each(|note| sink.note(note));
    job.judges
        .cut_short
        .said(progress.cut_short)
        .iter()
        .for_each(|note| sink.note(note));
    if job.judges.served {
        let notes = [
            store.bounds()?.as_ref().and_then(bounded),
            unbelieved(store.impossible()?),
        ];
        notes.iter().flatten().for_each(|note| sink.note(note));
        if job.judges.panel.len() > 1 {
            store
                .without_probabilities()?
                .iter()
                .for_each(|unread| sink.note(&read_from_text(unread)));
        }
    }
    let dir = store.dir().to_path_buf();
    Ok(Finished {
        progress,
        totals: store.totals()?,
        dir,
        taken_from: store.taken_from(),
    })
}

/// The user's limits; a model that only gives back what was recorded costs nothing, and goes on
/// whatever it says.
fn limits_for(model: &dyn Model, limits: &Limits) -> Limits {
    Limits {
        keep_going: limits.keep_going || !model.is_live(),
        ..limits.clone()
    }
}

/// How many calls were wanted again.
fn asked_again(calls: u64, limits: &Limits) -> Option<String> {
    let kinds = || {
        limits
            .retry
            .iter()
            .map(|kind| kind.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    (calls > 0).then(|| {
        format!(
            "{calls} calls were asked again whose replies were no use ({})",
            kinds()
        )
    })
}

/// Probabilities known within less than this on average change no figure of a report: nothing is
/// said of them.
const WELL_KNOWN: f64 = 0.005;

/// How far probabilities are known, where that is worth a word.
fn bounded(bounds: &Bounds) -> Option<String> {
    (bounds.mean >= WELL_KNOWN).then(|| format!(
        "in {} calls an answer was not among the tokens that the server named: its probability is \
         known within {:.1e} on average, {:.1e} at most",
        bounds.calls, bounds.mean, bounds.most
    ))
}

/// Calls whose probabilities are not used.
fn unbelieved(calls: u64) -> Option<String> {
    (calls > 0).then(|| {
        format!(
            "in {calls} calls the server's log-probabilities cannot be (above 0, or of more than 1 \
         together): those verdicts are read from the text"
        )
    })
}

/// A member of a panel whose verdicts are all or nothing; of a judge alone the report's sources say
/// it.
fn read_from_text(
    Unread {
        judge,
        asked,
        without,
    }: &Unread,
) -> String {
    format!(
        "{judge}: no probabilities came in {without} of {asked} calls that asked for them: those \
         verdicts are read from the text, all or nothing"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uncertainty_that_changes_nothing_is_not_told() {
        let of = |mean: f64| {
            bounded(&Bounds {
                calls: 1,
                mean,
                most: 2.0 * mean,
            })
        };
        assert_eq!(of(5.6e-17), None);
        assert_eq!(of(0.0049), None);
        assert!(of(0.005).is_some_and(|note| note.contains("in 1 calls")));
    }
}
