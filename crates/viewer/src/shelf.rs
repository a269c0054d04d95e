//! The runs that are served: which there are, and those of them that are open.

use crate::answer::{Answer, Failure, Json};
use crate::review::Desk;
use crate::served::{ServedRun, Sources};
use crate::{ReviewOptions, ViewError, ViewOptions};
use evenhand_engine::{list_runs, runs_in};
use evenhand_pages::{OpenRun, RowsError, Sort};
use evenhand_store::{Reader, describe_runs_below};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The file of labels in a run.
const LABELS: &str = "labels.jsonl";
/// A list of runs is good for so long.
const LIST_FOR: Duration = Duration::from_secs(2);
/// Runs that are open at the same time; for another, the one is closed that nobody asked for
/// longest.
const MOST_OPEN: usize = 4;
/// A run whose database has no more bytes is read in no time.
const SMALL: u64 = 8 << 20;
/// So many of these are looked into.
const MOST_SMALL: usize = 8;

/// Why pairs are not chosen by what people said.
const CHANGING: &str = "labels change while people judge, and everybody must be asked the same \
                        pairs; leave it out";
/// Why pairs are not chosen by a page of the rows.
const OWN_ORDER: &str = "pairs to judge have their own order; leave it out, and set how many are \
                         asked, and which come first, by the items and the sample of the review";

/// The runs that are served.
#[derive(Debug)]
pub(crate) struct Shelf {
    place: Place,
    sources: Arc<Sources>,
    open: Mutex<OpenRuns>,
    list: Mutex<Option<(Instant, Json)>>,
    review: Option<ReviewOptions>,
    /// Where people judge runs; these stay when a run is closed.
    desks: Mutex<HashMap<PathBuf, Arc<Desk>>>,
}

impl Shelf {
    /// Finds out what the path is, and opens the labels of a run that people judge.
    pub(crate) fn new(options: ViewOptions) -> Result<Shelf, ViewError> {
        let labels = options.review.as_ref().and_then(|one| one.labels.clone());
        let filter = options.review.as_ref().and_then(|one| one.filter.as_ref());
        if let Some(filter) = filter {
            let refused = [
                ("people", filter.people.is_some(), CHANGING),
                ("sort", filter.sort != Sort::Plan, OWN_ORDER),
                ("offset", filter.offset > 0, OWN_ORDER),
                ("limit", filter.limit.is_some(), OWN_ORDER),
            ];
            if let Some((field, _, why)) = refused.into_iter().find(|(_, given, _)| *given) {
                let why = format!("{field}: {why}");
                return Err(ViewError::Pairs { why });
            }
        }
        let shelf = Shelf {
            place: Place::of(options.path)?,
            sources: Arc::new(Sources {
                prices: options.prices,
                labels: options.labels,
            }),
            open: Mutex::default(),
            list: Mutex::default(),
            review: options.review,
            desks: Mutex::default(),
        };
        match (&shelf.place, labels) {
            (Place::Folder(_), Some(path)) => return Err(ViewError::LabelsOfMany { path }),
            (Place::Folder(_), None) => {}
            (Place::Run(dir), _) => {
                if let Some(desk) = shelf.desk(dir) {
                    desk.open()?;
                    shelf.check_pairs(dir, &desk)?;
                }
            }
        }
        Ok(shelf)
    }

    /// Whether a folder of runs is served.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.place, Place::Folder(_))
    }

    /// Whether one run is served, and people judge it.
    pub(crate) fn reviews_one_run(&self) -> bool {
        self.review.is_some() && matches!(self.place, Place::Run(_))
    }

    /// Checks that the pairs that were asked for are there; without a filter, all are.
    fn check_pairs(&self, dir: &Path, desk: &Desk) -> Result<(), ViewError> {
        if self.review.as_ref().is_none_or(|one| one.filter.is_none()) {
            return Ok(());
        }
        let run = OpenRun::open(dir, self.sources.prices.clone())?;
        let why = match desk.queues(&run) {
            Ok(queues) if queues.count() > 0 => return Ok(()),
            Ok(_) => "no pair of the run matches; ask for others".to_owned(),
            Err(RowsError::Filter(error)) => error.to_string(),
            Err(RowsError::Store(error)) => return Err(error.into()),
        };
        Err(ViewError::Pairs { why })
    }

    /// Returns where people judge a run; None where they do not.
    fn desk(&self, dir: &Path) -> Option<Arc<Desk>> {
        let review = self.review.as_ref()?;
        let labels = review.labels.clone();
        let new = || {
            Arc::new(Desk::new(
                labels.unwrap_or(dir.join(LABELS)),
                review.clone(),
            ))
        };
        let mut desks = lock(&self.desks);
        Some(desks.entry(dir.into()).or_insert_with(new).clone())
    }

    fn open(&self, run: NamedRun) -> ServedRun {
        let desk = self.desk(&run.dir);
        ServedRun::new(run.name, run.dir, self.sources.clone(), desk)
    }

    /// Finds a run of the folder by its name, or the one run that is served.
    pub(crate) fn run(&self, name: Option<&str>) -> Result<Arc<ServedRun>, Failure> {
        let Some(found) = self.place.find(name) else {
            let why = match (name, &self.place) {
                (None, _) => "this is a folder of runs; choose one of them",
                (Some(_), Place::Folder(_)) => "the folder has no run of this name",
                (Some(_), Place::Run(_)) => "one run alone is served; serve its folder for others",
            };
            return Err(Failure::Missing(why.into()));
        };
        Ok(lock(&self.open).take(found, |run| self.open(run)))
    }

    /// Reads the one run that is served, before anybody asks for it.
    pub(crate) fn open_first(&self) {
        if let Ok(run) = self.run(None) {
            // Whoever asks is told why it cannot be read.
            let _ = run.prepare();
        }
    }

    /// Lists the runs beside this one in which the same may have been judged: those that are open,
    /// and some that are read in no time.
    pub(crate) fn others(&self, run: &ServedRun) -> Vec<Arc<ServedRun>> {
        let small = self.place.small_runs();
        let mut others = lock(&self.open).with_small(small, |run| self.open(run));
        others.retain(|other| other.dir() != run.dir());
        others
    }

    /// Lists the runs of the folder, by their names: where they lie on the machine is left out.
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
        let mut described: Vec<Value> = Vec::new();
        for row in &runs.rows {
            let dir = Path::new(&row.run);
            let (name, answer) = (name_of(dir), answer_of(dir));
            let mut row = serde_json::to_value(row).unwrap_or_default();
            row["answer"] = answer.unwrap_or_default();
            row["name"] = name.clone().into();
            row["run"] = name.into();
            described.push(row);
        }
        let list = Json::of(&described)?;
        *kept = Some((Instant::now(), list.clone()));
        Ok(list)
    }
}

/// Returns the answer of the last report that a run keeps; None where it keeps none, or one that
/// has no answer.
fn answer_of(dir: &Path) -> Option<Value> {
    let kept = Reader::open(dir).ok()?.last_report().ok()??;
    let mut report = serde_json::from_str::<Value>(&kept.report).ok()?;
    Some(report.get_mut("answer")?.take())
}

/// Locks what no panic leaves half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where runs are.
#[derive(Clone, Debug)]
enum Place {
    /// One run.
    Run(PathBuf),
    /// A folder, in which runs may come and go.
    Folder(PathBuf),
}

/// A run with the name that addresses have for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedRun {
    name: String,
    dir: PathBuf,
}

impl Place {
    fn of(path: PathBuf) -> Result<Place, ViewError> {
        if !path.is_dir() {
            return Err(ViewError::NoFolder { path });
        }
        let is_run = path.join("run.sqlite").exists();
        // Runs further down are not served: the reader says where they are.
        let is_above = runs_in(&path).is_empty() && describe_runs_below(&path).is_some();
        if !is_run && !is_above {
            return Ok(Place::Folder(path));
        }
        Reader::open(&path)?;
        Ok(Place::Run(path))
    }

    /// Finds a run by its name. The name is looked for among those that are there, and never made
    /// part of a path.
    fn find(&self, name: Option<&str>) -> Option<NamedRun> {
        match (self, name) {
            (Place::Run(dir), None) => Some(named(dir.clone())),
            (Place::Folder(folder), Some(name)) => {
                let mut runs = runs_in(folder).into_iter().map(named);
                runs.find(|run| run.name == name)
            }
            _ => None,
        }
    }

    /// Lists some runs of the folder that are read in no time.
    fn small_runs(&self) -> Vec<NamedRun> {
        let Place::Folder(folder) = self else {
            return Vec::new();
        };
        let is_small = |dir: &PathBuf| {
            let file = dir.join("run.sqlite").metadata();
            file.is_ok_and(|file| file.len() <= SMALL)
        };
        let runs = runs_in(folder).into_iter().filter(is_small);
        runs.take(MOST_SMALL).map(named).collect()
    }
}

fn named(dir: PathBuf) -> NamedRun {
    NamedRun {
        name: name_of(&dir),
        dir,
    }
}

/// Returns the name of a directory, also of one such as `.`.
fn name_of(dir: &Path) -> String {
    let whole = dir.file_name().is_none().then(|| dir.canonicalize().ok());
    let whole = whole.flatten();
    let name = whole.as_deref().unwrap_or(dir).file_name();
    name.unwrap_or(dir.as_os_str()).to_string_lossy().into()
}

/// The runs that are in memory. Whoever is being answered keeps a run that is closed meanwhile.
#[derive(Debug, Default)]
struct OpenRuns {
    /// Those that were asked for, the last one last.
    asked: Vec<Arc<ServedRun>>,
    /// Small ones beside them.
    small: Vec<Arc<ServedRun>>,
}

impl OpenRuns {
    /// Opens a run, or finds it open, and remembers that it was asked for.
    fn take(
        &mut self,
        found: NamedRun,
        open: impl FnOnce(NamedRun) -> ServedRun,
    ) -> Arc<ServedRun> {
        let known = [&mut self.asked, &mut self.small]
            .into_iter()
            .find_map(|runs| {
                let at = runs.iter().position(|run| run.dir() == found.dir)?;
                Some(runs.remove(at))
            });
        let run = known.unwrap_or_else(|| Arc::new(open(found)));
        self.asked.push(run.clone());
        if self.asked.len() > MOST_OPEN {
            self.asked.remove(0);
        }
        run
    }

    /// Opens these small runs too, closes other small ones, and lists all that are open.
    fn with_small(
        &mut self,
        mut small: Vec<NamedRun>,
        open: impl Fn(NamedRun) -> ServedRun,
    ) -> Vec<Arc<ServedRun>> {
        small.retain(|run| find(&self.asked, run).is_none());
        let beside = small
            .into_iter()
            .map(|run| find(&self.small, &run).unwrap_or_else(|| Arc::new(open(run))));
        self.small = beside.collect();
        self.asked.iter().chain(&self.small).cloned().collect()
    }
}

fn find(runs: &[Arc<ServedRun>], wanted: &NamedRun) -> Option<Arc<ServedRun>> {
    runs.iter().find(|run| run.dir() == wanted.dir).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_is_listed_is_found() {
        let under = tempfile::tempdir().unwrap();
        let folder = under.path().join("runs");
        for run in ["runs/one", "runs/two words", "outside"] {
            let dir = under.path().join(run);
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join("run.sqlite"), "").unwrap();
        }
        let place = Place::of(folder.clone()).unwrap();
        let found = place.find(Some("two words")).unwrap();
        assert_eq!(found.dir, folder.join("two words"));
        for name in [
            "../outside",
            "one/../one",
            "./one",
            "",
            ".",
            "..",
            "/",
            "one/",
            "none",
        ] {
            assert_eq!(place.find(Some(name)), None, "{name}");
        }
        assert_eq!(place.find(None), None);
    }

    #[test]
    fn a_directory_has_a_name_however_it_is_called() {
        assert_eq!(name_of(Path::new("runs/one/")), "one");
        assert_ne!(name_of(Path::new(".")), ".");
    }

    fn run_of(name: &str) -> NamedRun {
        NamedRun {
            name: name.into(),
            dir: name.into(),
        }
    }

    fn open(run: NamedRun) -> ServedRun {
        ServedRun::new(run.name, run.dir, Arc::default(), None)
    }

    fn names(runs: &[Arc<ServedRun>]) -> Vec<&str> {
        runs.iter().filter_map(|run| run.dir().to_str()).collect()
    }

    #[test]
    fn the_run_that_nobody_asked_for_longest_is_closed() {
        let mut runs = OpenRuns::default();
        for name in ["a", "b", "c", "d", "a", "e"] {
            runs.take(run_of(name), open);
        }
        assert_eq!(names(&runs.asked), ["c", "d", "a", "e"]);
        let first = runs.take(run_of("c"), open);
        assert!(Arc::ptr_eq(&first, &runs.take(run_of("c"), open)));
    }

    #[test]
    fn small_runs_stand_beside_those_that_were_asked_for() {
        let mut runs = OpenRuns::default();
        runs.take(run_of("a"), open);
        let all = runs.with_small(vec![run_of("a"), run_of("b")], open);
        assert_eq!(names(&all), ["a", "b"]);
        let again = runs.take(run_of("b"), open);
        assert!(Arc::ptr_eq(&all[1], &again));
        assert_eq!(
            names(&runs.with_small(vec![run_of("c")], open)),
            ["a", "b", "c"]
        );
    }
}
