//! Commands inside another program, such as Python: what they print is taken by a host, and the
//! host asks them to stop.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    /// The host of the command that this thread runs; None on a command line.
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// A program that runs commands on threads of its own. Clones are the same host.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

struct Inner {
    stop: Arc<AtomicBool>,
    printed: Mutex<Printed>,
    listener: Box<dyn Listener>,
}

/// Takes what a command says while it runs, from any thread.
pub trait Listener: Send + Sync {
    /// A line that a command line would show on stderr.
    fn note(&self, line: &str);
    /// Takes how far a run is, several times a second.
    fn progress(&self, moment: &Moment);
}

/// A run at one moment.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Trials that ended, with a verdict or as a failure.
    pub ended: u64,
    /// Trials in all.
    pub total: u64,
    /// The share of the run that is done, from 0 to 1.
    pub share: f64,
    /// A line of progress: calls, verdicts, failures, the pace.
    pub line: String,
}

/// The results that a command printed.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    /// The result in the form that the arguments name.
    pub data: Vec<u8>,
    /// The result as a table, where the command has one.
    pub table: Option<String>,
    /// The result as CSV, where the command has that.
    pub csv: Option<String>,
    /// The directory of its run, where it has one.
    pub run: Option<PathBuf>,
}

impl Host {
    /// A host whose listener takes what is said.
    pub fn new(listener: impl Listener + 'static) -> Host {
        Host(Arc::new(Inner {
            stop: Arc::default(),
            printed: Mutex::default(),
            listener: Box::new(listener),
        }))
    }

    /// Asks the command to stop in good order: replies on their way are kept.
    pub fn ask_to_stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    /// Does this as the host of this thread, and returns what was printed meanwhile.
    pub(crate) fn attend<T>(&self, command: impl FnOnce() -> T) -> (T, Printed) {
        let before = HOST.with(|host| host.replace(Some(self.clone())));
        let ended = command();
        HOST.with(|host| host.replace(before));
        let printed = std::mem::take(&mut *self.printed());
        (ended, printed)
    }

    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        self.0.stop.clone()
    }

    pub(crate) fn listener(&self) -> &dyn Listener {
        self.0.listener.as_ref()
    }

    pub(crate) fn print(&self, bytes: &[u8]) {
        self.printed().data.extend_from_slice(bytes);
    }

    pub(crate) fn keep_forms(&self, table: String, csv: Option<String>) {
        let mut printed = self.printed();
        printed.table = Some(table);
        printed.csv = csv;
    }

    fn keep_run(&self, dir: &Path) {
        self.printed().run = Some(dir.to_path_buf());
    }

    fn printed(&self) -> std::sync::MutexGuard<'_, Printed> {
        let printed = self.0.printed.lock();
        printed.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the host of the command that this thread runs.
pub(crate) fn current() -> Option<Host> {
    HOST.with(|host| host.borrow().clone())
}

/// Tells the host of the command that this thread runs, if there is one, where its run is kept.
pub(crate) fn keep_run_of_host(dir: Option<&Path>) {
    if let Some((host, dir)) = current().zip(dir) {
        host.keep_run(dir);
    }
}

/// Where results are written: stdout, or the host's buffer.
pub(crate) enum Out {
    Stdout(io::Stdout),
    Host(Host),
}

impl Out {
    pub(crate) fn open() -> Out {
        current().map_or_else(|| Out::Stdout(io::stdout()), Out::Host)
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Stdout(stdout) => stdout.write(bytes),
            Out::Host(host) => {
                host.print(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Stdout(stdout) => stdout.flush(),
            Out::Host(_) => Ok(()),
        }
    }
}
