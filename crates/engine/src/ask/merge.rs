//! Runs of shards, put together to the run of the whole job.

use crate::EngineError;
use crate::ask::reusable::{Found, is_run, reusable_runs};
use crate::plan::shard::{MANIFEST_KEY, Shard};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_store::{Difference, MergedRun, Reader, Store, StoreError};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Runs that were put together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Merged {
    /// The directory of the new run.
    pub run: String,
    /// The runs that it is made of, by shard.
    pub merged: Vec<MergedRow>,
    /// Judgments of the new run.
    pub judgments: u64,
    /// Of these, those that came to a verdict.
    pub verdicts: u64,
    /// Shards of which no run was given, as `3/4`.
    pub missing_shards: Vec<String>,
    /// Whether all that was planned is judged.
    pub complete: bool,
}

/// One of the runs that were put together, with what it brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct MergedRow {
    /// Its directory.
    pub run: String,
    /// Its shard, as `1/4`; None for a run of the whole job.
    pub shard: Option<String>,
    /// Trials that it had planned; None where that is not known.
    pub planned: Option<u64>,
    /// How many of its calls and judgments were copied, known already or left out.
    #[serde(flatten)]
    pub brought: MergedRun,
}

impl MergedRow {
    /// Returns how many of its trials are not judged; None where the plan is not known.
    pub fn missing(&self) -> Option<u64> {
        let brought = self.brought.judgments + self.brought.judgments_twice;
        Some(self.planned?.saturating_sub(brought))
    }
}

/// Puts runs of one job together, each of a shard or of the whole, in a run directory that is not
/// there yet. `dirs` are runs, or folders of runs.
///
/// # Errors
/// Runs of different jobs; a run that cannot be read; a directory that holds a run already.
// Long: every check comes before anything is written, and all of them read the same parts.
pub fn merge(dirs: &[PathBuf], out: &Path) -> Result<Merged, EngineError> {
    if is_run(out) {
        let reason = format!(
            "{}: there is a run already, and runs are merged into a new one; name another \
             directory",
            out.display()
        );
        return Err(Refusal::new(Setting::Run, Cause::File, reason).into());
    }
    let mut parts = Vec::new();
    for dir in reusable_runs(dirs, &Found::None)? {
        let run = Reader::open(&dir)?;
        let mut manifest = run.manifest()?;
        let shard = match manifest.settings.remove(MANIFEST_KEY) {
            None => None,
            Some(text) => match text.parse::<Shard>() {
                Ok(shard) => Some(shard),
                Err(why) => {
                    let why = format!("{}: its shard is {text}; {why}", dir.display());
                    return Err(StoreError::Corrupt(why).into());
                }
            },
        };
        parts.push((shard, run, manifest));
    }
    // By shard, then by name: the same run whatever the order in which they are given.
    parts.sort_by(|(a, one, _), (b, other, _)| (a, one.dir()).cmp(&(b, other.dir())));
    let Some((_, first, manifest)) = parts.first() else {
        return Err(Refusal::of_input("there are no runs to merge").into());
    };
    for (_, run, other) in &parts {
        if let Some(Difference { key, here, there }) = other.differences(manifest).first() {
            return Err(Refusal::of_input(format!(
                "{} and {} are of different jobs: `{key}` is {there} in the one, {here} in the \
                 other; only runs of one job are merged",
                first.dir().display(),
                run.dir().display(),
            ))
            .into());
        }
    }
    let has_whole = parts.iter().any(|(shard, ..)| shard.is_none());
    let given: BTreeSet<Shard> = parts.iter().filter_map(|(shard, ..)| *shard).collect();
    let counts: BTreeSet<u32> = given.iter().map(|shard| shard.of()).collect();
    if counts.len() > 1 {
        let shards: Vec<String> = given.iter().map(Shard::to_string).collect();
        return Err(Refusal::of_input(format!(
            "the runs are the shards {}: expected shards of the same total",
            shards.join(", ")
        ))
        .into());
    }
    let all = counts.iter().flat_map(|of| Shard::all(*of));
    let missing: Vec<Shard> = all
        .filter(|shard| !has_whole && !given.contains(shard))
        .collect();

    let mut plans = Vec::new();
    for (_, run, _) in &parts {
        plans.push(run.progress()?.planned);
    }
    // A name that the parts do not share is that of none of the whole.
    let mut manifest = manifest.clone();
    if !parts
        .iter()
        .all(|(.., other)| other.label == manifest.label)
    {
        manifest.label = None;
    }
    let mut store = Store::open(out, &manifest)?;
    let (shards, runs): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .map(|(shard, run, _)| (shard, run))
        .unzip();
    let brought = store.merge(&runs)?;
    let rows = shards
        .iter()
        .zip(&runs)
        .zip(brought.into_iter().zip(&plans));
    let merged = rows.map(|((shard, run), (brought, planned))| MergedRow {
        run: run.dir().display().to_string(),
        shard: shard.map(|shard| shard.to_string()),
        planned: *planned,
        brought,
    });
    let merged = merged.collect();

    // What the whole job planned: a run of it says so, or all its shards do, each once.
    let mut known = BTreeSet::new();
    let planned = match has_whole {
        true => plans[0],
        false if missing.is_empty() => {
            let once = shards
                .iter()
                .zip(&plans)
                .filter(|(shard, _)| known.insert(**shard));
            once.map(|(_, planned)| *planned).sum()
        }
        false => None,
    };
    store.put_plan(planned)?;
    drop(store);
    let counts = Reader::open(out)?.judgment_counts()?;
    Ok(Merged {
        run: out.display().to_string(),
        merged,
        judgments: counts.judgments,
        verdicts: counts.verdicts,
        missing_shards: missing.iter().map(Shard::to_string).collect(),
        complete: planned == Some(counts.judgments),
    })
}
