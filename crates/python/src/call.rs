//! A command on a thread of its own, with the interpreter free while it runs.

use evenhand_cli::{Ending, Host, Listener, Moment};
use evenhand_core::Setting;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time between two looks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// For how long a command is waited for that was interrupted a second time.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// A command that has ended.
#[pyclass(frozen, get_all)]
pub(crate) struct Called {
    /// `done`, `condition`, `usage`, `stopped`, `judge` or `failed`.
    ending: &'static str,
    /// Why, unless it is done.
    message: String,
    /// The result in the form that the arguments name.
    data: String,
    table: Option<String>,
    csv: Option<String>,
    /// The directory of its run.
    run: Option<PathBuf>,
}

impl From<evenhand_cli::Called> for Called {
    fn from(called: evenhand_cli::Called) -> Called {
        let printed = called.printed;
        Called {
            ending: match called.ending {
                Ending::Done => "done",
                Ending::ConditionMet | Ending::Undecided => "condition",
                Ending::Usage => "usage",
                Ending::Stopped => "stopped",
                Ending::Judge => "judge",
                Ending::Failed => "failed",
            },
            message: called.message,
            data: String::from_utf8_lossy(&printed.data).into_owned(),
            table: printed.table,
            csv: printed.csv,
            run: printed.run,
        }
    }
}

/// Runs a command with these arguments, and returns what it printed.
///
/// `on_note` takes each line that a command line would show on stderr, `on_progress` takes
/// `(ended, total, share, line)` several times a second; either may be None. Ctrl-C asks the
/// command to stop in good order, and is raised once it has; so is an exception that `interruption`
/// returns, which a judge or a listener raised. A second Ctrl-C calls `abandon`, and is raised at
/// once.
#[pyfunction]
#[pyo3(signature = (arguments, on_note=None, on_progress=None, interruption=None, abandon=None))]
pub(crate) fn call(
    py: Python<'_>,
    arguments: Vec<OsString>,
    on_note: Option<Py<PyAny>>,
    on_progress: Option<Py<PyAny>>,
    interruption: Option<Py<PyAny>>,
    abandon: Option<Py<PyAny>>,
) -> PyResult<Called> {
    // Messages name settings as keywords here. It holds from the first call on.
    Setting::spell_by(|setting| format!("{}=", setting.name().replace('-', "_")));
    let is_muted = Arc::<AtomicBool>::default();
    let host = Host::new(Callbacks {
        on_note,
        on_progress,
        is_muted: is_muted.clone(),
    });
    let (sender, receiver) = channel();
    let ended = Ended(Mutex::new(receiver));
    let its_host = host.clone();
    // A send fails only where nobody waits any more.
    let run = move || drop(sender.send(its_host.call(arguments)));
    let thread = std::thread::Builder::new().name("evenhand".into());
    thread.spawn(run).map_err(|e| error_of(&e))?;
    // What ends the call before its time, and is raised when the command has stopped.
    let mut interrupted: Option<PyErr> = None;
    loop {
        match py.detach(|| ended.wait(LOOK_EVERY)) {
            Ok(called) => {
                let raised = interrupted.or_else(|| raised_elsewhere(py, interruption.as_ref()));
                return raised.map_or_else(|| Ok(called.into()), Err);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "the command ended without a result; this is a fault of evenhand",
                ));
            }
        }
        match (py.check_signals(), &interrupted) {
            (Ok(()), None) => interrupted = raised_elsewhere(py, interruption.as_ref()),
            (Ok(()), Some(_)) => continue,
            (Err(first), None) => interrupted = Some(first),
            (Err(second), Some(_)) => {
                // Nothing is waited for any more. The command may still be at its end when the
                // interpreter is: it must not call into it.
                if let Some(abandon) = &abandon {
                    abandon.call0(py)?;
                }
                py.detach(|| ended.wait(LAST_MOMENT).ok());
                is_muted.store(true, Ordering::Relaxed);
                return Err(second);
            }
        }
        if interrupted.is_some() {
            host.ask_to_stop();
        }
    }
}

/// What a judge or a listener raised that is to end the call.
fn raised_elsewhere(py: Python<'_>, interruption: Option<&Py<PyAny>>) -> Option<PyErr> {
    let raised = interruption?.call0(py);
    match raised {
        Ok(raised) if raised.is_none(py) => None,
        Ok(raised) => Some(PyErr::from_value(raised.into_bound(py))),
        Err(error) => Some(error),
    }
}

/// The end of a command, which comes once. The lock is for the compiler: one thread waits.
struct Ended(Mutex<Receiver<evenhand_cli::Called>>);

impl Ended {
    fn wait(&self, time: Duration) -> Result<evenhand_cli::Called, RecvTimeoutError> {
        let receiver = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(time)
    }
}

pub(crate) fn error_of(error: &impl Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// The functions of Python that take what a command says.
struct Callbacks {
    on_note: Option<Py<PyAny>>,
    on_progress: Option<Py<PyAny>>,
    /// Whether nobody listens any more.
    is_muted: Arc<AtomicBool>,
}

impl Callbacks {
    fn is_muted(&self) -> bool {
        self.is_muted.load(Ordering::Relaxed)
    }
}

impl Listener for Callbacks {
    fn note(&self, line: &str) {
        if !self.is_muted() {
            Python::attach(|py| tell(py, self.on_note.as_ref(), (line,)));
        }
    }

    fn progress(&self, moment: &Moment) {
        let Moment {
            ended,
            total,
            share,
            line,
        } = moment;
        let told = (*ended, *total, *share, line.as_str());
        if !self.is_muted() {
            Python::attach(|py| tell(py, self.on_progress.as_ref(), told));
        }
    }
}

/// Calls a function; what it raises is printed as Python prints what nobody can catch.
fn tell<'py>(
    py: Python<'py>,
    function: Option<&Py<PyAny>>,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) {
    let Some(function) = function else { return };
    if let Err(error) = function.bind(py).call1(arguments) {
        error.write_unraisable(py, Some(function.bind(py)));
    }
}
