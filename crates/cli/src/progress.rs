//! Progress on stderr: a bar on a terminal, plain lines elsewhere.

use evenhand_engine::Progress;
use evenhand_report::printable_lines;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often a plain line is printed.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// How often the bar is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(125);
/// Updates between two looks at the clock, for a judge that answers tens of thousands of calls a second.
const LOOK_EVERY: u64 = 16;
/// Steps of the bar.
const STEPS: u64 = 1000;

/// Shows how a run goes.
pub(crate) struct Show {
    total: u64,
    started: Instant,
    last: Instant,
    updates: u64,
    form: Form,
}

enum Form {
    Quiet,
    Bar(ProgressBar),
    Lines,
}

impl Show {
    /// Of so many trials.
    pub(crate) fn new(quiet: bool, total: u64) -> Show {
        let form = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Form::Quiet,
            (_, true) => Form::Bar(bar()),
            _ => Form::Lines,
        };
        let now = Instant::now();
        Show { total, started: now, last: now, updates: 0, form }
    }

    pub(crate) fn update(&mut self, progress: Progress) {
        self.updates += 1;
        let slow = progress.calls < LOOK_EVERY * LOOK_EVERY;
        let every = if matches!(self.form, Form::Bar(_)) { DRAW_EVERY } else { LINE_EVERY };
        if !(slow || self.updates.is_multiple_of(LOOK_EVERY)) || self.last.elapsed() < every {
            return;
        }
        self.last = Instant::now();
        let text = line(progress, self.total, self.started.elapsed());
        match &self.form {
            Form::Quiet => {}
            Form::Lines => say(&text),
            Form::Bar(bar) => {
                bar.set_message(text);
                bar.set_position((share(progress, self.total) * STEPS as f64) as u64);
            }
        }
    }

    /// Says something that is worth a line of its own.
    pub(crate) fn note(&self, note: &str) {
        match &self.form {
            Form::Quiet => {}
            Form::Lines => say(note),
            Form::Bar(bar) => bar.suspend(|| say(note)),
        }
    }

    pub(crate) fn end(&self) {
        if let Form::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

/// A line on stderr.
pub(crate) fn say(line: &str) {
    // Nothing can be said if stderr is gone.
    let _ = writeln!(std::io::stderr(), "{}", printable_lines(line));
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:16} {percent:>3} % {msg}");
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// How much of the run is done. Judgments come out in the order of the plan and calls are made in the order that suits the
/// judge, so that calls say more: those made, of those that all trials need if they need as many as the ones started so far.
fn share(progress: Progress, total: u64) -> f64 {
    let judged = progress.judged as f64 / total.max(1) as f64;
    let expected = progress.needed as f64 / progress.started.max(1) as f64 * total as f64;
    let called = if expected > 0.0 { progress.calls as f64 / expected } else { 0.0 };
    judged.max(called).min(1.0)
}

fn line(progress: Progress, total: u64, elapsed: Duration) -> String {
    let share = share(progress, total);
    let seconds = elapsed.as_secs_f64();
    let left = if share > 0.0 { format!("{:.0} s to go", seconds * (1.0 - share) / share) } else { "just begun".into() };
    let rate = progress.calls as f64 / seconds.max(1e-9);
    format!("{}/{total} judged, {} failed, {rate:.1} calls/s, {left}", progress.judged, progress.failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_tell_how_far_a_run_is_before_the_first_judgment() {
        // 150 trials of two calls each; 128 trials are started, and half of all calls are made.
        let progress = Progress { judged: 0, failures: 0, calls: 150, started: 128, needed: 256, ..Progress::default() };
        assert_eq!(share(progress, 150), 0.5);
        assert!(line(progress, 150, Duration::from_secs(30)).ends_with("0/150 judged, 0 failed, 5.0 calls/s, 30 s to go"));
    }

    #[test]
    fn a_run_that_is_answered_from_the_store_goes_by_its_judgments() {
        let progress = Progress { judged: 75, failures: 1, started: 75, ..Progress::default() };
        assert_eq!(share(progress, 150), 0.5);
    }
}
