//! Runs that are kept, each in a line.

use crate::EngineError;
use crate::ask::reusable::{is_run, runs_in};
use crate::cost::{self, PriceTable};
use evenhand_core::{Refusal, Setting};
use evenhand_store::{CALLS_ALONE, Manifest, Reader, RunProgress, StoreError, Totals};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
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
    /// When it was last written, which each judgment does, in UTC: `2026-11-23 15:04:05`.
    pub last_used: String,
    /// The settings that made it, by name; of an audit, a study or a model that was tried, with the
    /// judge and the protocols of its last report.
    pub settings: BTreeMap<String, String>,
    /// Systems whose responses it keeps; 0 for one that keeps calls alone.
    pub systems: u64,
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

/// Returns the settings of a run for people. A run that keeps calls alone may ask others the next
/// time, so its manifest names nobody: the judge and the protocols of its last report are added.
///
/// # Errors
/// A database that cannot be read.
pub fn settings_of(
    run: &Reader,
    manifest: Manifest,
) -> Result<BTreeMap<String, String>, StoreError> {
    let mut settings = manifest.settings;
    if !CALLS_ALONE
        .iter()
        .any(|(key, _)| settings.contains_key(*key))
    {
        return Ok(settings);
    }
    let Some(kept) = run.last_report()? else {
        return Ok(settings);
    };
    // A report that is damaged names nobody.
    let report: Value = serde_json::from_str(&kept.report).unwrap_or_default();
    let protocols = report["protocols"].as_array().into_iter().flatten();
    let protocols: Vec<&str> = protocols.filter_map(Value::as_str).collect();
    for (key, value) in [
        ("judge", report["judge"].as_str().unwrap_or_default()),
        ("protocol", protocols.join("\n").as_str()),
    ] {
        if !value.is_empty() {
            settings.entry(key.into()).or_insert_with(|| value.into());
        }
    }
    Ok(settings)
}

fn read_row(dir: &Path, prices: &PriceTable) -> Result<RunRow, StoreError> {
    let run = Reader::open(dir)?;
    let spent = run.spent()?;
    let progress = run.progress()?;
    let count = |totals: &[Totals]| totals.iter().map(|judge| judge.calls).sum::<u64>();
    let calls = count(&spent);
    let manifest = run.manifest()?;
    let label = manifest.label.clone();
    Ok(RunRow {
        run: dir.display().to_string(),
        label,
        last_used: run.last_written_utc()?,
        settings: settings_of(&run, manifest)?,
        systems: run.system_count()?,
        progress,
        calls,
        reused: count(&run.totals()?).saturating_sub(calls),
        cost_usd: cost::spent(&spent, prices).usd,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_store::{Store, keep_report};

    #[test]
    fn an_audit_has_the_judge_and_the_protocols_of_its_report() {
        let dir = tempfile::tempdir().unwrap();
        let settings = |run: &str, key: &str| {
            let mut manifest = Manifest::default();
            manifest.set(key, "calls");
            let dir = dir.path().join(run);
            drop(Store::open_shared(&dir, &manifest).unwrap());
            let report = r#"{"judge": "j", "protocols": ["pairwise", "likelihood"]}"#;
            keep_report(&dir, key, report, "[]").unwrap();
            let reader = Reader::open(&dir).unwrap();
            let manifest = reader.manifest().unwrap();
            settings_of(&reader, manifest).unwrap()
        };
        let found = settings("one", "audit");
        assert_eq!(found["judge"], "j");
        assert_eq!(found["protocol"], "pairwise\nlikelihood");
        // What a run of judgments was made with stands in its settings alone.
        assert_eq!(settings("other", "data").len(), 1);
    }
}
