//! Other runs whose replies a run may reuse: those that are named, and those that are found under
//! `runs/`.

use crate::EngineError;
use crate::ask::limits::all_asked;
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

    /// Whether a run that asked these judges may be looked into.
    fn includes(&self, asked: &[String]) -> bool {
        let mut real = asked.iter().filter(|judge| is_worth_looking_up(judge));
        match self {
            Found::None => false,
            Found::All => real.next().is_some(),
            Found::ThatAsked(judges) => real.any(|judge| judges.contains(judge)),
        }
    }
}

/// A simulated judge answers sooner than its replies can be looked up.
fn is_worth_looking_up(judge: &str) -> bool {
    !judge.starts_with("simulated")
}

/// Lists the runs named, a folder of runs standing for those in it; then those found, the newest
/// first.
///
/// # Errors
/// A run that was named and cannot be read; one that was found is passed over.
pub fn reusable_runs(named: &[PathBuf], found: &Found) -> Result<Vec<PathBuf>, EngineError> {
    let mut dirs: Vec<PathBuf> = named.iter().flat_map(|dir| runs_at(dir)).collect();
    for dir in &dirs {
        Reader::open(dir)?;
    }
    dirs.extend(find_newest(found));
    Ok(distinct_dirs(dirs))
}

/// Lists the runs that a named directory stands for: itself, unless it is a folder of runs.
fn runs_at(dir: &Path) -> Vec<PathBuf> {
    let inside = runs_in(dir);
    if is_run(dir) || inside.is_empty() {
        vec![dir.to_path_buf()]
    } else {
        inside
    }
}

/// Lists the run directories in a folder, by name.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let mut runs = paths_in(folder);
    runs.retain(|dir| is_run(dir));
    runs.sort();
    runs
}

/// Lists what can be read of a folder; nothing where it is none.
fn paths_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Whether a directory looks like a run.
pub(crate) fn is_run(dir: &Path) -> bool {
    dir.join("run.sqlite").is_file()
}

fn find_newest(found: &Found) -> Vec<PathBuf> {
    if matches!(found, Found::None) {
        return Vec::new();
    }
    let mut dated = dated_runs(found);
    dated.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    dated.truncate(MOST_FOUND);
    dated.into_iter().map(|(_, dir)| dir).collect()
}

/// Lists the runs under [`RUNS`] that may be looked into, each with when it was last used.
fn dated_runs(found: &Found) -> Vec<(f64, PathBuf)> {
    let runs = runs_in(Path::new(RUNS)).into_iter();
    let dated = runs.filter_map(|dir| Some((last_used(&dir, found)?, dir)));
    dated.collect()
}

/// When a run was last used, if it can be read and may be looked into.
fn last_used(dir: &Path, found: &Found) -> Option<f64> {
    let run = Reader::open(dir).ok()?;
    let included = found.includes(&run.judges().ok()?);
    run.last_used().ok().filter(|_| included)
}

/// Keeps each directory once, whatever it is called.
fn distinct_dirs(mut dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    dirs.retain(|dir| seen.insert(dir.canonicalize().unwrap_or_else(|_| dir.clone())));
    dirs
}
