//! Progress on stderr: a bar on a terminal, plain lines elsewhere.

use evenhand_engine::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often a plain line is printed.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Judgments between two looks at the clock.
const LOOK_EVERY: u64 = 16;

/// Shows how a run goes.
pub(crate) enum Show {
    /// Nothing.
    Quiet,
    /// A bar with rate, time to go and failures so far.
    Bar(ProgressBar),
    /// A line now and then.
    Lines { started: Instant, last: Instant, total: u64 },
}

impl Show {
    pub(crate) fn new(quiet: bool, total: u64) -> Show {
        let now = Instant::now();
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Show::Quiet,
            (_, true) => Show::Bar(bar(total)),
            _ => Show::Lines { started: now, last: now, total },
        }
    }

    pub(crate) fn update(&mut self, progress: Progress) {
        match self {
            Show::Quiet => {}
            Show::Bar(bar) => {
                bar.set_position(progress.judged);
                bar.set_message(format!("{} failures, {} calls", progress.failures, progress.calls));
            }
            Show::Lines { started, last, total } if progress.judged.is_multiple_of(LOOK_EVERY) && last.elapsed() > LINE_EVERY => {
                *last = Instant::now();
                say(&line(progress, *total, started.elapsed()));
            }
            Show::Lines { .. } => {}
        }
    }

    pub(crate) fn end(&self) {
        if let Show::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// A line on stderr.
pub(crate) fn say(line: &str) {
    // Nothing can be said if stderr is gone.
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn bar(total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} judged, {per_sec}, {eta} to go, {msg}");
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn line(progress: Progress, total: u64, elapsed: Duration) -> String {
    let rate = progress.judged as f64 / elapsed.as_secs_f64().max(1e-9);
    let left = (total - progress.judged) as f64 / rate.max(1e-9);
    format!("{} of {total} judged, {} failures, {rate:.1} a second, about {left:.0} s to go", progress.judged, progress.failures)
}
