//! A run that is served: read when it is first asked for, and again when it has grown.

mod pages;
mod search;

use crate::answer::{Answer, Failure, Json};
use crate::review::{Desk, Queues, Review};
use evenhand_engine::PriceTable;
use evenhand_pages::{OpenRun, PersonLabel};
use evenhand_store::{RunState, StoreError};
use search::Searches;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A run is looked at for growth after so long.
const PAUSE: Duration = Duration::from_millis(250);
/// Of the time, reading what is new takes no more than one part in so many.
const SHARE: u32 = 5;

/// Where prices and labels come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub(crate) prices: PriceTable,
    pub(crate) labels: Vec<PersonLabel>,
}

/// A run that is served. Who asks while it is being read waits.
#[derive(Debug)]
pub(crate) struct ServedRun {
    name: String,
    dir: PathBuf,
    sources: Arc<Sources>,
    /// Where people judge it; None where they do not.
    desk: Option<Arc<Desk>>,
    state: Mutex<Option<State>>,
    /// Whether its judgments have been read.
    is_read: AtomicBool,
    searches: Searches,
}

/// A run that was read, with what was made of it.
#[derive(Debug)]
pub(crate) struct State {
    run: OpenRun,
    file: FileIdentity,
    /// When it is to be looked at again.
    due: Instant,
    overview: Option<KeptOverview>,
    queues: Option<Queues>,
    /// Up to which change what people said on the desk is beside the judgments.
    people: u64,
}

/// The device and the number of a run's database, which tell it from another that takes its place;
/// None where there is no database, or files have no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity(Option<(u64, u64)>);

impl FileIdentity {
    #[cfg(unix)]
    fn of(dir: &Path) -> FileIdentity {
        use std::os::unix::fs::MetadataExt;
        let file = std::fs::metadata(dir.join("run.sqlite")).ok();
        FileIdentity(file.map(|file| (file.dev(), file.ino())))
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> FileIdentity {
        FileIdentity(None)
    }
}

/// An overview, and what it was made of.
#[derive(Debug)]
struct KeptOverview {
    state: RunState,
    text: Json,
}

impl ServedRun {
    /// A run that is not read yet.
    pub(crate) fn new(
        name: String,
        dir: PathBuf,
        sources: Arc<Sources>,
        desk: Option<Arc<Desk>>,
    ) -> ServedRun {
        ServedRun {
            name,
            dir,
            sources,
            desk,
            state: Mutex::default(),
            is_read: AtomicBool::new(false),
            searches: Searches::default(),
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads the run, unless it is read already.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        self.with(|_| Ok(()))
    }

    /// Does something with the run as it stands now.
    fn with<T>(&self, work: impl FnOnce(&mut State) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut state = self.lock();
        let mut current = match state.take() {
            Some(mut known) if known.file == FileIdentity::of(&self.dir) => {
                if Instant::now() >= known.due {
                    known.refresh()?;
                }
                known
            }
            // Also where another run has taken its place.
            _ => State::read(&self.dir, &self.sources)?,
        };
        self.is_read.store(true, Ordering::Relaxed);
        if let Some(desk) = &self.desk {
            // Labels that cannot be had take nothing from the pages; who judges is told.
            if let Some((changes, said)) = desk.labels_since(current.people) {
                let labels = self.sources.labels.iter().cloned().chain(said);
                current.run.set_people(labels.collect());
                current.overview = None;
                current.people = changes;
            }
        }
        let done = work(&mut current);
        *state = Some(current);
        done
    }

    /// Does something with the run and what people said of it.
    pub(crate) fn review(&self, work: impl FnOnce(&mut Review<'_>) -> Answer) -> Answer {
        let Some(desk) = &self.desk else {
            let why = "nobody judges here; start `evenhand view RUN --review`";
            return Err(Failure::Missing(why.into()));
        };
        self.with(|state| {
            let run = &state.run;
            let queues = match state.queues.take() {
                Some(known) => known,
                None => desk.queues(run)?,
            };
            desk.review(run, state.queues.insert(queues), work)
        })
    }

    /// What a panic left half done was taken out of the lock, and is read again.
    fn lock(&self) -> MutexGuard<'_, Option<State>> {
        self.state.lock().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            poisoned.into_inner()
        })
    }
}

impl State {
    fn read(dir: &Path, sources: &Sources) -> Result<State, StoreError> {
        let file = FileIdentity::of(dir);
        let mut run = OpenRun::open(dir, sources.prices.clone())?;
        run.set_people(sources.labels.clone());
        Ok(State {
            run,
            file,
            due: Instant::now() + PAUSE,
            overview: None,
            queues: None,
            people: 0,
        })
    }

    /// Reads what the run has grown by. A run that takes long to read is looked at less often.
    fn refresh(&mut self) -> Result<(), StoreError> {
        let started = Instant::now();
        if self.run.refresh()? {
            self.overview = None;
            self.queues = None;
        }
        self.due = Instant::now() + PAUSE.max(started.elapsed() * SHARE);
        Ok(())
    }
}
