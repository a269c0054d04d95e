//! How far a run is, in one line: calls, verdicts, failures, the pace, and what is waited for.

use evenhand_core::FailureKind;
use evenhand_engine::Progress;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Rates are those of this time before now: long enough for several rounds of calls that come back
/// together.
const RECENT: Duration = Duration::from_secs(30);
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
    /// Whether they say how long the rest takes: a round of calls came back of late, and nothing
    /// keeps the next from coming.
    pub(super) is_steady: bool,
    /// Tokens a second, of late.
    pub(super) tokens: f64,
    /// For how long the request has waited that has waited longest.
    pub(super) waited: Option<Duration>,
    /// For how long nothing has got through.
    pub(super) paused: Option<Duration>,
}

/// The counts at the moments of late at which one of them rose, oldest first.
///
/// Calls come back in rounds. Between two of them a rate up to now would fall and fall, and rise
/// with the next: it is taken up to the last moment that brought something, unless that was long
/// ago.
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
        // Moments go until the second is recent: the first is where the time that counts begins.
        let is_old = |(then, _): &(Instant, _)| now.duration_since(*then) >= RECENT;
        while self.moments.get(1).is_some_and(is_old) {
            self.moments.pop_front();
        }
        let done = [progress.calls, progress.tokens()];
        // The time of a pause is not the calls' time.
        let is_paused = progress.under_way.paused.is_some();
        if is_paused {
            self.moments = VecDeque::from([(now, done)]);
        }
        if self.moments.back().is_none_or(|(_, last)| *last != done) {
            self.moments.push_back((now, done));
        }
        let (then, before) = self.moments.front().copied().unwrap_or((now, done));
        let last = self.moments.back().map_or(now, |(last, _)| *last);
        let measured = last.duration_since(then);
        // As long again as it was measured, and nothing came: the rate falls.
        let is_of_late = now.duration_since(last) <= measured;
        let end = if is_of_late { last } else { now };
        let seconds = end.duration_since(then).as_secs_f64().max(1e-9);
        let [calls, tokens] =
            [0, 1].map(|which| done[which].saturating_sub(before[which]) as f64 / seconds);
        let round = progress.under_way.calls.max(1);
        let is_steady = !is_paused && is_of_late && done[0].saturating_sub(before[0]) >= round;
        let since = |then: Instant| now.saturating_duration_since(then);
        Snapshot {
            progress,
            total,
            calls,
            is_steady,
            tokens,
            waited: progress.under_way.oldest.map(since),
            paused: progress.under_way.paused.map(since),
        }
    }
}

/// How much of the run is done, from 0 to 1. Where calls are made in the order that suits the
/// judge, they say more than judgments: those made, of those that all trials need if they need as
/// many as the ones started so far.
pub(super) fn share_done(snapshot: &Snapshot) -> f64 {
    let ended = count_ended(&snapshot.progress) as f64 / snapshot.total.max(1) as f64;
    let called = match expect_calls(snapshot) {
        needed if needed > 0.0 => snapshot.progress.calls as f64 / needed,
        _ => 0.0,
    };
    ended.max(called).min(1.0)
}

/// Returns the line.
pub(super) fn format_line(snapshot: &Snapshot) -> String {
    let Snapshot {
        progress, total, ..
    } = snapshot;
    let (expected, mut parts) = (expect_calls(snapshot), Vec::new());
    if progress.needed > 0 {
        // A trial that is not begun may find its replies in the store, so the others say nothing of
        // its calls; one that is begun may need more, of which its answers decide.
        let may_grow = progress.asks_in_turn || progress.cut_short > 0;
        let is_known = match may_grow {
            true => count_ended(progress) >= *total,
            false => progress.started >= *total,
        };
        let calls = progress.calls;
        parts.push(match (is_known, may_grow) {
            (true, _) => format!("{calls} of {} calls", progress.needed),
            (false, true) => format!("{calls} of at least {expected:.0} calls"),
            (false, false) => format!("{calls} of about {expected:.0} calls"),
        });
    }
    parts.push(format!("{} of {total} verdicts", progress.verdicts));
    let failed: u64 = progress.failed.iter().sum();
    if failed > 0 {
        let kinds = FailureKind::ALL.iter().zip(progress.failed);
        let found = kinds.filter(|(_, count)| *count > 0);
        let kinds: Vec<String> = found
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        parts.push(format!("{failed} failed ({})", kinds.join(", ")));
    }
    // Of a model in this process.
    if progress.tokens() > 0 {
        let (read, written) = (progress.under_way.read, progress.under_way.written);
        let pace = snapshot.tokens;
        parts.push(format!(
            "{read} tokens read and {written} written, {pace:.0} tokens/s"
        ));
    }
    if progress.needed > 0 {
        let (pace, left) = (snapshot.calls, expected - progress.calls as f64);
        parts.push(format!("{pace:.1} calls/s"));
        if snapshot.is_steady && left >= pace.max(1e-9) {
            parts.push(format!("about {:.0} s to go", left / pace));
        }
    }
    // Why nothing seems to happen, where a request has waited for long.
    if let Some(paused) = snapshot.paused {
        parts.push(format!("nothing gets through for {} s", paused.as_secs()));
    } else if let Some(waited) = snapshot.waited.filter(|waited| *waited >= LONG) {
        let seconds = waited.as_secs();
        parts.push(match progress.under_way.calls {
            0 | 1 => format!("1 request without an answer for {seconds} s"),
            calls => {
                format!("{calls} requests under way, the first without an answer for {seconds} s")
            }
        });
    }
    parts.join(", ")
}

pub(super) fn count_ended(progress: &Progress) -> u64 {
    progress.verdicts + progress.failed.iter().sum::<u64>()
}

/// Calls that the whole run needs of the judge, if the trials that are not started need as many
/// each as those that needed any. Trials whose replies are stored already say nothing of the
/// others: a run that goes on meets them first.
fn expect_calls(snapshot: &Snapshot) -> f64 {
    let Progress {
        needed,
        started,
        known,
        ..
    } = snapshot.progress;
    let asked = started.saturating_sub(known).max(1);
    let to_come = snapshot.total.saturating_sub(started);
    needed as f64 * (1.0 + to_come as f64 / asked as f64)
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
