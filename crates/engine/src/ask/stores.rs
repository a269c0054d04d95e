//! The runs that a command reads and writes.

use crate::ask::reusable::{RUNS, is_run};
use crate::{EngineError, Job};
use evenhand_core::{CallResult, Cause, Refusal, RequestKey, Setting};
use evenhand_models::Model;
use evenhand_objects::is_address;
use evenhand_shared_store::{SharedStore, Signer, StoreAddress};
use evenhand_store::{Reader, Store, StoreError};
use std::path::{Path, PathBuf};

/// Returns the run directory of a job: the one named, or one under `runs/` that is named after the
/// job's settings, so that the same command finds it again.
///
/// # Errors
/// What reading the data for its fingerprint may meet.
pub fn run_dir(job: &Job, named: Option<&Path>) -> Result<PathBuf, EngineError> {
    if let Some(dir) = named {
        if is_address(dir) {
            let why = "a run is a directory on this machine, where it can be locked; to judge on \
                       several, give each a shard, and merge the runs";
            let refusal = Refusal::new(Setting::Run, Cause::Value, why);
            return Err(refusal.with_value(dir.display()).into());
        }
        return Ok(dir.to_path_buf());
    }
    let settings = job.manifest()?.settings;
    let mut hash = blake3::Hasher::new();
    for text in settings.iter().flat_map(|(key, value)| [key, value]) {
        // The zero keeps `ab`, `c` and `a`, `bc` apart.
        hash.update(text.as_bytes()).update(&[0]);
    }
    let digest: String = hash.finalize().to_hex().chars().take(10).collect();
    let protocol = settings.get("protocol").map_or("", String::as_str);
    let name: String = protocol
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    Ok(Path::new(RUNS).join(format!("{name}-{digest}")))
}

/// Opens the run directory of a job for this process alone. Replies that the runs in `reuse` hold
/// are copied from them when they are needed.
///
/// # Errors
/// A run in `reuse` that cannot be read, and a run directory that cannot be written, that another
/// process uses, or that belongs to other settings.
pub fn open_store(
    job: &Job,
    named: Option<&Path>,
    reuse: &[PathBuf],
) -> Result<Store, EngineError> {
    let others = open_runs(reuse)?;
    let mut store = Store::open(&run_dir(job, named)?, &job.manifest()?)?;
    store.set_reused_runs(others);
    Ok(store)
}

/// Checks that a model can be asked, before the directory of a run is made that is sure to ask it:
/// a new one, to which no other run or store has replies (`has_replies` is false). Where replies
/// are at hand, none may be lacking, and no key is needed. That a key is lacking is noticed first,
/// as nothing then has to be deleted again: whose the files in a directory are is not to be
/// guessed.
///
/// # Errors
/// Returns what [`Model::check_ready`] finds lacking, such as an API key.
pub fn check_new_run(dir: &Path, model: &dyn Model, has_replies: bool) -> Result<(), EngineError> {
    if has_replies || is_run(dir) {
        return Ok(());
    }
    Ok(model.check_ready()?)
}

/// Where a team's replies are shared, and by which key they are signed.
#[derive(Clone, Debug)]
pub struct SharedPlace {
    address: StoreAddress,
    signer: Signer,
}

impl SharedPlace {
    /// Reads an address, and takes a signature key where there is one. `variable` looks up
    /// variables of the environment.
    ///
    /// # Errors
    /// An address that cannot be read, or a key that is too short. Neither is repeated.
    pub fn read(
        url: &str,
        key: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<SharedPlace, EngineError> {
        Ok(SharedPlace {
            address: StoreAddress::parse(url, variable)?,
            signer: key.map_or(Ok(Signer::unsigned()), Signer::with_key)?,
        })
    }

    /// Opens the store.
    ///
    /// # Errors
    /// A directory that cannot be read or written, and a server that cannot be reached.
    pub fn open(&self) -> Result<SharedStore, EngineError> {
        Ok(SharedStore::open(&self.address, self.signer.clone())?)
    }
}

/// Opens for reading what holds replies to a job already: the runs in `reuse`, and its run
/// directory `dir`, if there is one.
///
/// # Errors
/// A run that cannot be read, or a run directory that belongs to other settings.
pub fn open_known_runs(
    dir: &Path,
    job: &Job,
    reuse: &[PathBuf],
) -> Result<Vec<Reader>, EngineError> {
    let mut runs = open_runs(reuse)?;
    if is_run(dir) {
        let run = Reader::open(dir)?;
        let keys = run.manifest()?.differences(&job.manifest()?);
        if !keys.is_empty() {
            let path = dir.to_path_buf();
            return Err(StoreError::OtherConfiguration { path, keys }.into());
        }
        runs.push(run);
    }
    Ok(runs)
}

/// Opens these runs for reading.
///
/// # Errors
/// A run that cannot be read.
pub fn open_runs(dirs: &[PathBuf]) -> Result<Vec<Reader>, EngineError> {
    let runs = dirs.iter().map(|dir| Reader::open(dir));
    Ok(runs.collect::<Result<_, _>>()?)
}

/// Returns what became of a call in the first of these runs that holds it.
pub(crate) fn find_result(
    runs: &[Reader],
    key: &RequestKey,
) -> Result<Option<CallResult>, EngineError> {
    for run in runs {
        if let Some(result) = run.result(key)? {
            return Ok(Some(result));
        }
    }
    Ok(None)
}
