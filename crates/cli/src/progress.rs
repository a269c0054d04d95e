//! Progress on stderr, by the clock: a bar on a terminal, plain lines elsewhere.

mod line;

use crate::args::QuietArgs;
use crate::host::{Host, Moment, current, for_people};
use evenhand_engine::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use line::{Pace, count_ended, format_line, share_done};
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How often a plain line is printed.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// How often the bar is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(125);
/// Steps of the bar.
const STEPS: u64 = 1000;
/// Names another number of seconds between two plain lines.
const SECONDS: &str = "EVENHAND_PROGRESS_SECONDS";

/// Shows how a run goes, whether anything happens or not.
pub(crate) struct Show {
    form: Form,
    state: Arc<State>,
    clock: Option<JoinHandle<()>>,
}

#[derive(Clone)]
enum Form {
    Quiet,
    Bar(ProgressBar),
    Lines,
    Host(Host),
}

/// The latest progress of the run, which the clock's thread shows.
#[derive(Default)]
struct State {
    latest: Mutex<Latest>,
    ended: Condvar,
}

#[derive(Clone, Copy, Default)]
struct Latest {
    progress: Progress,
    ended: bool,
}

impl Show {
    /// Of so many trials.
    pub(crate) fn new(QuietArgs { quiet }: QuietArgs, total: u64) -> Show {
        let form = if let Some(host) = current() {
            Form::Host(host)
        } else if quiet {
            Form::Quiet
        } else if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:16} {percent:>3} % {msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            let target = ProgressDrawTarget::stderr();
            Form::Bar(ProgressBar::with_draw_target(Some(STEPS), target).with_style(style))
        } else {
            Form::Lines
        };
        let state = Arc::new(State::default());
        let clock = start_clock(&form, &state, total);
        Show { form, state, clock }
    }

    /// Takes what is shown from now on.
    pub(crate) fn update(&self, progress: Progress) {
        self.state.lock().progress = progress;
    }

    /// Says something that is worth a line of its own.
    pub(crate) fn note(&self, note: &str) {
        match &self.form {
            Form::Quiet => {}
            Form::Lines | Form::Host(_) => write_line(note),
            Form::Bar(bar) => bar.suspend(|| write_line(note)),
        }
    }

    /// Shows nothing any more.
    pub(crate) fn end(&mut self) {
        self.state.lock().ended = true;
        self.state.ended.notify_all();
        // A clock that broke down shows nothing any more either.
        let _ = self.clock.take().map(JoinHandle::join);
        if let Form::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Show {
    fn drop(&mut self) {
        self.end();
    }
}

impl State {
    fn lock(&self) -> std::sync::MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is latest after so long, or None once the run has ended.
    fn wait(&self, every: Duration) -> Option<Progress> {
        let waited = self
            .ended
            .wait_timeout_while(self.lock(), every, |latest| !latest.ended);
        let (latest, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!latest.ended).then_some(latest.progress)
    }
}

/// A thread that shows what is latest at every tick; without one nothing is shown.
fn start_clock(form: &Form, state: &Arc<State>, total: u64) -> Option<JoinHandle<()>> {
    let every = match form {
        Form::Quiet => return None,
        Form::Bar(_) | Form::Host(_) => DRAW_EVERY,
        Form::Lines => {
            let given = std::env::var(SECONDS).ok();
            let seconds = given.and_then(|text| text.parse::<f64>().ok());
            let seconds = seconds.filter(|seconds| (0.01..=86_400.0).contains(seconds));
            seconds.map_or(LINE_EVERY, Duration::from_secs_f64)
        }
    };
    let (form, state) = (form.clone(), state.clone());
    let mut pace = Pace::new(Instant::now());
    let tick = move || {
        while let Some(progress) = state.wait(every) {
            let snapshot = pace.snapshot(progress, total, Instant::now());
            let line = format_line(&snapshot);
            match &form {
                Form::Quiet => {}
                Form::Lines => write_line(&line),
                Form::Bar(bar) => {
                    bar.set_message(line);
                    bar.set_position((share_done(&snapshot) * STEPS as f64) as u64);
                }
                Form::Host(host) => host.listener().progress(&Moment {
                    ended: count_ended(&snapshot.progress),
                    total,
                    share: share_done(&snapshot),
                    line,
                }),
            }
        }
    };
    Builder::new().name("progress".into()).spawn(tick).ok()
}

/// For commands without `--quiet`.
pub(crate) const SPEAKING: QuietArgs = QuietArgs { quiet: false };

impl QuietArgs {
    /// Says something on stderr, unless that is to be silent. All but errors is said here or by a
    /// [`Show`].
    pub(crate) fn say(self, line: &str) {
        if !self.quiet {
            write_line(line);
        }
    }
}

/// Says why a command failed, or which condition it met: `--quiet` or not.
pub(crate) fn say_error(line: &str) {
    write_line(line);
}

/// A line on stderr, or to the host.
fn write_line(line: &str) {
    match current() {
        Some(host) => host.listener().note(&for_people(line)),
        // Nothing can be said if stderr is gone.
        None => drop(writeln!(std::io::stderr(), "{}", for_people(line))),
    }
}
