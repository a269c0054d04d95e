//! How far a run is, in one line: calls, verdicts, failures, the pace, and what is waited for.

use evenhand_core::FailureKind;
use evenhand_engine::Progress;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Rates are those of this time before now.
const RECENT: Duration = Duration::from_secs(10);
/// A request that has waited for less is not worth a word.
const LONG: Duration = Duration::from_secs(5);

/// A run at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) progress: Progress,
    /// Trials in all.
    pub(super) total: u64,
    /// Calls a second, of late.
    pub(super) calls: f64,
    /// Tokens a second, of late.
    pub(super) tokens: f64,
    /// For how long the request has waited that has waited longest.
    pub(super) waited: Option<Duration>,
    /// For how long nothing has got through.
    pub(super) paused: Option<Duration>,
}

/// The counts at the moments of late, oldest first.
pub(super) struct Pace {
    moments: VecDeque<(Instant, [u64; 2])>,
}

impl Pace {
    /// From this moment on.
    pub(super) fn new(started: Instant) -> Pace {
        Pace {
            moments: VecDeque::from([(started, [0; 2])]),
        }
    }

    /// The run now, which comes after all moments before.
    pub(super) fn snapshot(&mut self, progress: Progress, total: u64, now: Instant) -> Snapshot {
        let [calls, tokens] = self.rates(now, [progress.calls, progress.tokens()]);
        let since = |then: Instant| now.saturating_duration_since(then);
        Snapshot {
            progress,
            total,
            calls,
            tokens,
            waited: progress.under_way.oldest.map(since),
            paused: progress.under_way.paused.map(since),
        }
    }

    /// How many a second since the oldest moment of late.
    fn rates(&mut self, now: Instant, done: [u64; 2]) -> [f64; 2] {
        self.forget_old(now);
        self.moments.push_back((now, done));
        let (then, before) = self.moments.front().copied().unwrap_or((now, done));
        let seconds = now.duration_since(then).as_secs_f64().max(1e-9);
        [0, 1].map(|which| done[which].saturating_sub(before[which]) as f64 / seconds)
    }

    /// Drops moments until the second is recent: the first is where the time that counts begins.
    fn forget_old(&mut self, now: Instant) {
        let is_old = |(then, _): &(Instant, _)| now.duration_since(*then) >= RECENT;
        while self.moments.get(1).is_some_and(is_old) {
            self.moments.pop_front();
        }
    }
}

/// How much of the run is done, from 0 to 1. Where calls are made in the order that suits the
/// judge, they say more than judgments: those made, of those that all trials need if they need as
/// many as the ones started so far.
pub(super) fn share_done(snapshot: &Snapshot) -> f64 {
    let ended = count_ended(&snapshot.progress) as f64 / snapshot.total.max(1) as f64;
    ended.max(share_called(snapshot)).min(1.0)
}

fn share_called(snapshot: &Snapshot) -> f64 {
    match expect_calls(snapshot) {
        needed if needed > 0.0 => snapshot.progress.calls as f64 / needed,
        _ => 0.0,
    }
}

/// Returns the line.
pub(super) fn format_line(snapshot: &Snapshot) -> String {
    let parts = [
        describe_calls(snapshot),
        Some(describe_verdicts(snapshot)),
        describe_failures(&snapshot.progress),
        describe_tokens(snapshot),
        describe_pace(snapshot),
        describe_waiting(snapshot),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

fn describe_verdicts(snapshot: &Snapshot) -> String {
    let verdicts = snapshot.progress.verdicts;
    format!("{verdicts} of {} verdicts", snapshot.total)
}

pub(super) fn count_ended(progress: &Progress) -> u64 {
    progress.verdicts + progress.failed.iter().sum::<u64>()
}

/// Calls that the whole run needs of the judge, if the trials that are not started need as many
/// each as the others.
fn expect_calls(
    Snapshot {
        progress, total, ..
    }: &Snapshot,
) -> f64 {
    progress.needed as f64 / progress.started.max(1) as f64 * (*total).max(progress.started) as f64
}

fn describe_calls(snapshot: &Snapshot) -> Option<String> {
    let Progress { calls, started, .. } = snapshot.progress;
    let is_known = started >= snapshot.total;
    let about = if is_known { "" } else { "about " };
    (snapshot.progress.needed > 0)
        .then(|| format!("{calls} of {about}{:.0} calls", expect_calls(snapshot)))
}

/// Failures by kind.
fn describe_failures(progress: &Progress) -> Option<String> {
    let failed: u64 = progress.failed.iter().sum();
    (failed > 0).then(|| format!("{failed} failed ({})", list_kinds(progress)))
}

fn list_kinds(progress: &Progress) -> String {
    let kinds = FailureKind::ALL.iter().zip(progress.failed);
    let found = kinds.filter(|(_, count)| *count > 0);
    let texts = found.map(|(kind, count)| format!("{count} {kind}"));
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the tokens that a model in this process has read and written.
fn describe_tokens(snapshot: &Snapshot) -> Option<String> {
    let under_way = &snapshot.progress.under_way;
    (snapshot.progress.tokens() > 0).then(|| {
        format!(
            "{} tokens read and {} written, {:.0} tokens/s",
            under_way.read, under_way.written, snapshot.tokens
        )
    })
}

/// Calls a second, and how long the rest takes at this pace.
fn describe_pace(snapshot: &Snapshot) -> Option<String> {
    let to_go = describe_rest(snapshot).unwrap_or_default();
    (snapshot.progress.needed > 0).then(|| format!("{:.1} calls/s{to_go}", snapshot.calls))
}

fn describe_rest(snapshot: &Snapshot) -> Option<String> {
    let left = expect_calls(snapshot) - snapshot.progress.calls as f64;
    (snapshot.calls > 0.0 && left > 0.0).then(|| format!(", {:.0} s to go", left / snapshot.calls))
}

/// Says why nothing seems to happen, where a request has waited for long.
fn describe_waiting(snapshot: &Snapshot) -> Option<String> {
    if let Some(paused) = snapshot.paused {
        return Some(format!("nothing gets through for {} s", paused.as_secs()));
    }
    let waited = snapshot.waited.filter(|waited| *waited >= LONG)?;
    Some(describe_longest(
        snapshot.progress.under_way.calls,
        waited.as_secs(),
    ))
}

fn describe_longest(calls: u64, seconds: u64) -> String {
    match calls {
        0 | 1 => format!("1 request without an answer for {seconds} s"),
        calls => format!("{calls} requests under way, the first without an answer for {seconds} s"),
    }
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
