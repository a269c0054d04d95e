//! The runs that are served: which there are, and those of them that are open.

mod open;
mod place;

use crate::answer::{Answer, Failure, Json};
use crate::served::{ServedRun, Sources};
use crate::{ViewError, ViewOptions};
use evenhand_engine::{RunRow, list_runs};
use open::OpenRuns;
use place::{NamedRun, Place};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A list of runs is good for so long.
const LIST_FOR: Duration = Duration::from_secs(2);

/// The runs that are served.
#[derive(Debug)]
pub(crate) struct Shelf {
    place: Place,
    sources: Sources,
    open: Mutex<OpenRuns>,
    list: Mutex<Option<(Instant, Json)>>,
}

impl Shelf {
    /// Finds out what the path is.
    pub(crate) fn new(options: ViewOptions) -> Result<Shelf, ViewError> {
        Ok(Shelf {
            place: Place::of(options.path)?,
            sources: Sources {
                prices: options.prices,
                labels: options.labels,
            },
            open: Mutex::default(),
            list: Mutex::default(),
        })
    }

    /// Returns where the runs' prices and labels come from.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Finds a run of the folder by its name, or the one run that is served.
    pub(crate) fn run(&self, name: Option<&str>) -> Result<Arc<ServedRun>, Failure> {
        let Some(found) = self.place.find(name) else {
            return Err(self.explain_missing(name));
        };
        Ok(self.take(found))
    }

    /// Reads the one run that is served, before anybody asks for it.
    pub(crate) fn open_first(&self) {
        if let Ok(run) = self.run(None) {
            // Whoever asks is told why it cannot be read.
            let _ = run.prepare(&self.sources);
        }
    }

    fn explain_missing(&self, name: Option<&str>) -> Failure {
        let why = match (name, &self.place) {
            (None, _) => "this is a folder of runs; choose one of them",
            (Some(_), Place::Folder(_)) => "the folder has no run of this name",
            (Some(_), Place::Run(_)) => "one run alone is served; serve its folder for others",
        };
        Failure::Missing(why.into())
    }

    fn take(&self, found: NamedRun) -> Arc<ServedRun> {
        lock(&self.open).take(found)
    }

    /// Lists the runs beside this one in which the same may have been judged: those that are open,
    /// and some that are read in no time.
    pub(crate) fn others(&self, run: &ServedRun) -> Vec<Arc<ServedRun>> {
        let small = self.place.small_runs();
        let mut others = lock(&self.open).with_small(small);
        others.retain(|other| other.dir() != run.dir());
        others
    }

    /// Lists the runs of the folder.
    pub(crate) fn list(&self) -> Answer {
        let Place::Folder(folder) = &self.place else {
            return Err(Failure::Missing("one run alone is served".into()));
        };
        let mut kept = lock(&self.list);
        if let Some((made, list)) = &*kept
            && made.elapsed() < LIST_FOR
        {
            return Ok(list.clone());
        }
        let runs = list_runs(folder, &self.sources.prices);
        let runs = runs.map_err(|error| Failure::Broken(error.to_string()))?;
        let list = Json::of(&runs.rows.iter().map(describe).collect::<Vec<Value>>())?;
        *kept = Some((Instant::now(), list.clone()));
        Ok(list)
    }
}

/// Describes a run by its name; where it lies on the machine is left out.
fn describe(row: &RunRow) -> Value {
    let name = place::name_of(row.run.as_ref());
    let mut row = serde_json::to_value(row).unwrap_or_default();
    row["name"] = name.clone().into();
    row["run"] = name.into();
    row
}

/// Locks what no panic leaves half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
