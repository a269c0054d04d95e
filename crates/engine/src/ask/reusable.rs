//! Other runs whose replies a run may take over: those that are named, and those that are found
//! under `runs/`.

use crate::EngineError;
use evenhand_protocols::{Judges, SecondStage};
use evenhand_store::Reader;
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
    /// Runs that asked anybody whom these judges name.
    pub fn that_asked(judges: &Judges) -> Found {
        let second = match &judges.second_stage {
            Some(SecondStage::By(model)) => Some(model),
            _ => None,
        };
        let all = judges.panel.iter().chain(second).chain(&judges.embedder);
        Found::ThatAsked(all.map(ToString::to_string).collect())
    }

    fn holds(&self, asked: &[String]) -> bool {
        // A simulated judge answers sooner than its replies can be looked up.
        let mut real = asked.iter().filter(|judge| !judge.starts_with("simulated"));
        match self {
            Found::None => false,
            Found::All => real.next().is_some(),
            Found::ThatAsked(judges) => real.any(|judge| judges.contains(judge)),
        }
    }
}

/// The runs named, a folder of runs standing for those in it; then those found, the newest first. A
/// run that was named and cannot be read is an error, one that was found is passed over.
pub fn reusable_runs(named: &[PathBuf], found: &Found) -> Result<Vec<PathBuf>, EngineError> {
    let mut dirs = Vec::new();
    for dir in named {
        match runs_in(dir) {
            inside if !is_run(dir) && !inside.is_empty() => dirs.extend(inside),
            _ => dirs.push(dir.clone()),
        }
    }
    dirs.iter()
        .try_for_each(|dir| Reader::open(dir).map(|_| ()))?;
    let newest = newest(found);
    dirs.extend(newest);
    Ok(distinct(dirs))
}

/// The run directories in a folder, by name.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()));
    let mut runs: Vec<PathBuf> = entries.filter(|dir| is_run(dir)).collect();
    runs.sort();
    runs
}

fn is_run(dir: &Path) -> bool {
    dir.join("run.sqlite").is_file()
}

fn newest(found: &Found) -> Vec<PathBuf> {
    if matches!(found, Found::None) {
        return Vec::new();
    }
    let dated = |dir: PathBuf| {
        let run = Reader::open(&dir).ok()?;
        let used = found.holds(&run.judges().ok()?).then(|| run.last_used())?;
        Some((used.ok()?, dir))
    };
    let mut dated: Vec<(f64, PathBuf)> = runs_in(Path::new(RUNS))
        .into_iter()
        .filter_map(dated)
        .collect();
    dated.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    dated
        .into_iter()
        .take(MOST_FOUND)
        .map(|(_, dir)| dir)
        .collect()
}

/// Each directory once, whatever it is called.
fn distinct(dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = std::collections::BTreeSet::new();
    dirs.into_iter()
        .filter(|dir| seen.insert(dir.canonicalize().unwrap_or_else(|_| dir.clone())))
        .collect()
}
