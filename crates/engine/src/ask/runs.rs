//! Runs that are kept, each in a line.

use crate::EngineError;
use crate::ask::reusable::{is_run, runs_in};
use crate::cost::{self, PriceTable};
use evenhand_core::{Refusal, Setting};
use evenhand_store::{Reader, RunProgress, StoreError, Totals};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A run that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunRow {
    /// Its directory.
    pub run: String,
    /// What its user calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// When a process last opened it to judge, in UTC: `2026-11-23 15:04:05`.
    pub last_used: String,
    /// The settings that made it, by name.
    pub settings: BTreeMap<String, String>,
    /// How far it has come: judgments, planned judgments and its state. Audits and studies keep
    /// calls alone, and have no judgments.
    #[serde(flatten)]
    pub progress: RunProgress,
    /// Calls that were made for it, without those copied from other runs.
    pub calls: u64,
    /// Calls copied from other runs.
    #[serde(rename = "taken_over")]
    pub reused: u64,
    /// USD of the calls made for it; None where a judge has no known price.
    pub cost_usd: Option<f64>,
}

/// Runs in a folder, and what cannot be read.
#[derive(Debug, Default)]
pub struct Runs {
    /// The newest first.
    pub rows: Vec<RunRow>,
    /// Directories that look like runs, with the reason why they cannot be read.
    pub unreadable: Vec<(PathBuf, StoreError)>,
}

/// Lists the runs in a folder, or the one run that it is.
///
/// # Errors
/// A folder that is not there. What cannot be read in it is in [`Runs::unreadable`] instead.
pub fn list_runs(folder: &Path, prices: &PriceTable) -> Result<Runs, EngineError> {
    if !folder.is_dir() {
        return Err(Refusal::of_input(format!(
            "{}: there is no such folder; runs are kept under runs/ or where {} says",
            folder.display(),
            Setting::Run
        ))
        .into());
    }
    let mut dirs = runs_in(folder);
    if dirs.is_empty() && is_run(folder) {
        dirs.push(folder.to_path_buf());
    }
    let mut runs = Runs::default();
    for dir in dirs {
        match read_row(&dir, prices) {
            Ok(row) => runs.rows.push(row),
            Err(why) => runs.unreadable.push((dir, why)),
        }
    }
    // By name where two were used together.
    runs.rows.sort_by(|a, b| {
        let by_time = b.last_used.cmp(&a.last_used);
        by_time.then_with(|| a.run.cmp(&b.run))
    });
    Ok(runs)
}

fn read_row(dir: &Path, prices: &PriceTable) -> Result<RunRow, StoreError> {
    let run = Reader::open(dir)?;
    let spent = run.spent()?;
    let progress = run.progress()?;
    let count = |totals: &[Totals]| totals.iter().map(|judge| judge.calls).sum::<u64>();
    let calls = count(&spent);
    let manifest = run.manifest()?;
    Ok(RunRow {
        run: dir.display().to_string(),
        label: manifest.label,
        last_used: run.last_used_utc()?,
        settings: manifest.settings,
        progress,
        calls,
        reused: count(&run.totals()?).saturating_sub(calls),
        cost_usd: cost::spent(&spent, prices).usd,
    })
}
