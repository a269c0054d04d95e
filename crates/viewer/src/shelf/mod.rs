//! The runs that are served: which there are, and those of them that are open.

mod open;
mod place;

use crate::answer::{Answer, Failure, Json};
use crate::review::Desk;
use crate::served::{ServedRun, Sources};
use crate::{ReviewOptions, ViewError, ViewOptions};
use evenhand_engine::{RunRow, list_runs};
use open::OpenRuns;
use place::{NamedRun, Place};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The file of labels in a run.
const LABELS: &str = "labels.jsonl";
/// A list of runs is good for so long.
const LIST_FOR: Duration = Duration::from_secs(2);

/// The runs that are served.
#[derive(Debug)]
pub(crate) struct Shelf {
    place: Place,
    sources: Sources,
    open: Mutex<OpenRuns>,
    list: Mutex<Option<(Instant, Json)>>,
    review: Option<ReviewOptions>,
    /// Where people judge runs; these stay when a run is closed.
    desks: Mutex<HashMap<PathBuf, Arc<Desk>>>,
}

impl Shelf {
    /// Finds out what the path is, and opens the labels of a run that people judge.
    pub(crate) fn new(options: ViewOptions) -> Result<Shelf, ViewError> {
        let shelf = Shelf {
            place: Place::of(options.path)?,
            sources: Sources {
                prices: options.prices,
                labels: options.labels,
            },
            open: Mutex::default(),
            list: Mutex::default(),
            review: options.review,
            desks: Mutex::default(),
        };
        shelf.check_review()?;
        Ok(shelf)
    }

    fn check_review(&self) -> Result<(), ViewError> {
        let labels = self
            .review
            .as_ref()
            .and_then(|review| review.labels.clone());
        match (&self.place, labels) {
            (Place::Folder(_), Some(path)) => Err(ViewError::LabelsOfMany { path }),
            (Place::Folder(_), None) => Ok(()),
            (Place::Run(dir), _) => self.desk(dir).map_or(Ok(()), |desk| desk.open()),
        }
    }

    /// Returns where people judge a run; None where they do not.
    fn desk(&self, dir: &Path) -> Option<Arc<Desk>> {
        let review = self.review.as_ref()?;
        let labels = review.labels.clone();
        let new = || Arc::new(Desk::new(labels.unwrap_or(dir.join(LABELS)), review.seed));
        let mut desks = lock(&self.desks);
        Some(desks.entry(dir.into()).or_insert_with(new).clone())
    }

    fn open(&self, run: NamedRun) -> ServedRun {
        let desk = self.desk(&run.dir);
        ServedRun::new(run.name, run.dir, desk)
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
        lock(&self.open).take(found, |run| self.open(run))
    }

    /// Lists the runs beside this one in which the same may have been judged: those that are open,
    /// and some that are read in no time.
    pub(crate) fn others(&self, run: &ServedRun) -> Vec<Arc<ServedRun>> {
        let small = self.place.small_runs();
        let mut others = lock(&self.open).with_small(small, |run| self.open(run));
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
