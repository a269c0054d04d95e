//! The runs that a command reads and writes.

use crate::{EngineError, Job};
use evenhand_core::{CallResult, RequestKey};
use evenhand_store::{Reader, Store, StoreError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the run directory of a job: the one named, or one under `runs/` that is named after the
/// job's settings, so that the same command finds it again.
///
/// # Errors
/// What reading the data for its fingerprint may meet.
pub fn run_dir(job: &Job, named: Option<&Path>) -> Result<PathBuf, EngineError> {
    match named {
        Some(dir) => Ok(dir.to_path_buf()),
        None => Ok(Path::new("runs").join(name_after(&job.manifest()?.settings))),
    }
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
    if dir.join("run.sqlite").exists() {
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
    let mut runs = Vec::with_capacity(dirs.len());
    for dir in dirs {
        runs.push(Reader::open(dir)?);
    }
    Ok(runs)
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

fn name_after(settings: &BTreeMap<String, String>) -> String {
    let mut hash = blake3::Hasher::new();
    for (key, value) in settings {
        hash.update(key.as_bytes())
            .update(&[0])
            .update(value.as_bytes())
            .update(&[0]);
    }
    let protocol = settings.get("protocol").map_or("", String::as_str);
    let digest: String = hash.finalize().to_hex().chars().take(10).collect();
    format!("{}-{digest}", as_file_name(protocol))
}

fn as_file_name(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}
