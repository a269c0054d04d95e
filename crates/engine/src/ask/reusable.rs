//! Other runs whose replies a run may reuse: those that are named, and those that are found under
//! `runs/`.

use crate::EngineError;
use crate::ask::limits::all_asked;
use evenhand_core::JudgeKind;
use evenhand_protocols::Judges;
use evenhand_store::Reader;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where runs are kept that no directory was named for.
pub const RUNS: &str = "runs";
/// Of the runs that are found, this many are looked into, the newest first: each holds files open.
const MOST_FOUND: usize = 50;

/// Which runs found under [`RUNS`] may be looked into.
#[derive(Clone, Debug)]
pub enum Found {
    /// None.
    None,
    /// Those that asked one of these, by identity.
    ThatAsked(Vec<String>),
    /// Those that asked anybody.
    All,
}

impl Found {
    /// Returns the choice of runs that asked anybody whom these judges name.
    pub fn that_asked(judges: &Judges) -> Found {
        Found::ThatAsked(all_asked(judges).map(ToString::to_string).collect())
    }
}

/// Lists the runs named, a folder of runs standing for those in it; then those found, the newest
/// first.
///
/// # Errors
/// A run that was named and cannot be read; one that was found is passed over.
pub fn reusable_runs(named: &[PathBuf], found: &Found) -> Result<Vec<PathBuf>, EngineError> {
    let mut dirs = Vec::new();
    for dir in named {
        let inside = runs_in(dir);
        if is_run(dir) || inside.is_empty() {
            dirs.push(dir.clone());
        } else {
            dirs.extend(inside);
        }
    }
    for dir in &dirs {
        Reader::open(dir)?;
    }
    if !matches!(found, Found::None) {
        let runs = runs_in(Path::new(RUNS)).into_iter();
        let mut dated: Vec<(f64, PathBuf)> = runs
            .filter_map(|dir| Some((last_used(&dir, found)?, dir)))
            .collect();
        dated.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        dated.truncate(MOST_FOUND);
        dirs.extend(dated.into_iter().map(|(_, dir)| dir));
    }
    // Each directory once, whatever it is called.
    let mut seen = BTreeSet::new();
    dirs.retain(|dir| seen.insert(dir.canonicalize().unwrap_or_else(|_| dir.clone())));
    Ok(dirs)
}

/// When a run was last used, if it can be read and may be looked into.
fn last_used(dir: &Path, found: &Found) -> Option<f64> {
    let run = Reader::open(dir).ok()?;
    let asked = run.judges().ok()?;
    // A simulated judge answers sooner than its replies can be looked up.
    let mut real = asked
        .iter()
        .filter(|judge| JudgeKind::of(judge) != JudgeKind::Simulated);
    let is_included = match found {
        Found::None => false,
        Found::All => real.next().is_some(),
        Found::ThatAsked(judges) => real.any(|judge| judges.contains(judge)),
    };
    run.last_used().ok().filter(|_| is_included)
}

/// Lists the run directories in a folder, by name; none where it cannot be read.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    runs.retain(|dir| is_run(dir));
    runs.sort();
    runs
}

/// Whether a directory looks like a run.
pub(crate) fn is_run(dir: &Path) -> bool {
    dir.join("run.sqlite").is_file()
}
