//! Runs that are kept, each in a line.

use crate::cost::{PriceTable, spent};
use crate::{EngineError, runs_in};
use evenhand_store::{Reader, StoreError};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A run that is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRow {
    /// Its directory.
    pub run: String,
    /// When a process last opened it to judge, in UTC: `2026-11-23 15:04:05`.
    pub last_used: String,
    /// The settings that made it, by name.
    pub settings: std::collections::BTreeMap<String, String>,
    /// Judgments kept; 0 for audits and studies, which keep calls alone.
    pub judgments: u64,
    /// Of these, judgments with a verdict.
    pub verdicts: u64,
    /// Calls that were made for it, without those taken over from other runs.
    pub calls: u64,
    /// Calls taken over from other runs.
    pub taken_over: u64,
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
pub fn list_runs(folder: &Path, prices: &PriceTable) -> Result<Runs, EngineError> {
    if !folder.is_dir() {
        let why = format!(
            "{}: there is no such folder; runs are kept under runs/ or where --run says",
            folder.display()
        );
        return Err(EngineError::Setting(why));
    }
    let inside = runs_in(folder);
    let dirs = if inside.is_empty() && folder.join("run.sqlite").is_file() {
        vec![folder.to_path_buf()]
    } else {
        inside
    };
    let mut runs = Runs::default();
    for dir in dirs {
        match row(&dir, prices) {
            Ok(row) => runs.rows.push(row),
            Err(why) => runs.unreadable.push((dir, why)),
        }
    }
    runs.rows.sort_by(|a, b| {
        b.last_used
            .cmp(&a.last_used)
            .then_with(|| a.run.cmp(&b.run))
    });
    Ok(runs)
}

fn row(dir: &Path, prices: &PriceTable) -> Result<RunRow, StoreError> {
    let run = Reader::open(dir)?;
    let (totals, own) = (run.totals()?, run.spent()?);
    let calls = own.iter().map(|judge| judge.calls).sum();
    let (judgments, verdicts) = run.coverage()?;
    Ok(RunRow {
        run: dir.display().to_string(),
        last_used: run.last_used_utc()?,
        settings: run.manifest()?.settings,
        judgments,
        verdicts,
        calls,
        taken_over: totals
            .iter()
            .map(|judge| judge.calls)
            .sum::<u64>()
            .saturating_sub(calls),
        cost_usd: spent(&own, prices).usd,
    })
}
