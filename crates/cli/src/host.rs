//! Commands inside another program, such as Python: what they print is taken by a host, and the
//! host asks them to stop.

use evenhand_report::{printable_lines, without_commands};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

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

    fn printed(&self) -> std::sync::MutexGuard<'_, Printed> {
        self.0
            .printed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the host of the command that this thread runs.
pub(crate) fn current() -> Option<Host> {
    HOST.with(|host| host.borrow().clone())
}

/// Tells the host of the command that this thread runs, if there is one, where its run is kept.
pub(crate) fn keep_run_of_host(dir: Option<&Path>) {
    if let Some((host, dir)) = current().zip(dir) {
        host.printed().run = Some(dir.to_path_buf());
    }
}

/// Returns a text without known secrets, with what a terminal acts on escaped, and where a job's
/// log is read by a program that takes commands from it, with those broken.
pub(crate) fn for_people(text: &str) -> Cow<'_, str> {
    static READ: LazyLock<bool> = LazyLock::new(|| {
        let known = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"];
        known.iter().any(|name| std::env::var_os(name).is_some())
    });
    let text = evenhand_secrets::strike(text);
    if current().is_some() {
        return text;
    }
    let shown = printable_lines(&text);
    match *READ {
        true => Cow::Owned(without_commands(&shown).into_owned()),
        false => Cow::Owned(shown.into_owned()),
    }
}

/// Where results are written: stdout, or the host's buffer.
pub(crate) enum Out {
    /// Exactly.
    Stdout(io::Stdout),
    /// With what a terminal acts on escaped, in any format; and the beginning of a character whose
    /// rest is still to come.
    Terminal(io::Stdout, Vec<u8>),
    Host(Host),
}

impl Out {
    pub(crate) fn open() -> Out {
        match current() {
            Some(host) => Out::Host(host),
            None if io::stdout().is_terminal() => Out::Terminal(io::stdout(), Vec::new()),
            None => Out::Stdout(io::stdout()),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Stdout(stdout) => stdout.write(bytes),
            Out::Terminal(stdout, rest) => {
                rest.extend_from_slice(bytes);
                let whole = match std::str::from_utf8(rest) {
                    Err(error) if error.error_len().is_none() => error.valid_up_to(),
                    _ => rest.len(),
                };
                let text: Vec<u8> = rest.drain(..whole).collect();
                let text = String::from_utf8_lossy(&text);
                stdout.write_all(printable_lines(&text).as_bytes())?;
                Ok(bytes.len())
            }
            Out::Host(host) => {
                host.print(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Stdout(stdout) | Out::Terminal(stdout, _) => stdout.flush(),
            Out::Host(_) => Ok(()),
        }
    }
}
