//! How long a reply is waited for.
//!
//! The time of an attempt is bounded by what the judge's own replies took. Nothing is streamed, so
//! that a reply that is long in the making looks like none: the bound is that of a reply of the
//! greatest length, to a prompt as long as this one.

use std::collections::VecDeque;
use std::time::Duration;

/// So many replies must be known before they bound anything; so many of the latest are remembered.
const ENOUGH: usize = 16;
const REMEMBERED: usize = 64;
/// All but one of so many replies would have come in the time that is expected.
const SLOWEST: usize = 8;
/// An attempt may take so many times the time that is expected, and each further one of a call
/// twice as long.
pub(crate) const SLACK: f64 = 4.0;
/// The most doublings: beyond them any bound is the longest.
const DOUBLINGS: u32 = 30;

/// How much a call asks of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallSize {
    /// Bytes of its body.
    pub(crate) body: u64,
    /// Tokens that the reply may have at most; 0 where nothing is written.
    pub(crate) most: u64,
}

/// How long a reply is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitBounds {
    /// In any case.
    pub(crate) least: Duration,
    /// At most. This holds where the two contradict one another.
    pub(crate) longest: Duration,
    /// Whether a call that others overtake may be waited for less long.
    pub(crate) watches_hangs: bool,
}

/// How long attempts may take, by what the latest replies took.
#[derive(Debug)]
pub(crate) struct AttemptTimeouts {
    bounds: WaitBounds,
    latest: LatestReplies,
}

/// The latest replies, the newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct LatestReplies(VecDeque<TimedReply>);

impl LatestReplies {
    /// Takes down that a reply of so many tokens took so long.
    pub(crate) fn record(&mut self, took: Duration, size: CallSize, written: u64) {
        self.0.truncate(REMEMBERED - 1);
        self.0.push_front(TimedReply::new(took, size, written));
    }

    /// Returns them, once there are enough to tell something.
    pub(crate) fn if_enough(&self) -> Option<&VecDeque<TimedReply>> {
        (self.0.len() >= ENOUGH).then_some(&self.0)
    }
}

/// A reply, with what it was to and how long it took.
#[derive(Clone, Debug)]
pub(crate) struct TimedReply {
    seconds: f64,
    body: f64,
    written: f64,
}

impl TimedReply {
    /// A reply of so many tokens that took so long.
    pub(crate) fn new(took: Duration, size: CallSize, written: u64) -> TimedReply {
        TimedReply {
            seconds: took.as_secs_f64(),
            body: size.body.max(1) as f64,
            written: written.max(1) as f64,
        }
    }

    /// Returns how many tokens it was made of.
    pub(crate) fn tokens(&self) -> u64 {
        self.written as u64
    }

    /// Returns the seconds that this reply would have taken as a reply to a call of this size, at
    /// most: a server's time grows no faster than the prompt or the reply.
    pub(crate) fn seconds_for(&self, size: CallSize) -> f64 {
        let longer_prompt = size.body as f64 / self.body;
        let longer_reply = size.most as f64 / self.written;
        self.seconds * longer_prompt.max(longer_reply).max(1.0)
    }
}

impl AttemptTimeouts {
    /// Waits that stay within these bounds.
    pub(crate) fn new(bounds: WaitBounds) -> AttemptTimeouts {
        AttemptTimeouts {
            bounds,
            latest: LatestReplies::default(),
        }
    }

    /// Takes down that a reply of so many tokens took so long.
    pub(crate) fn record_reply(&mut self, took: Duration, size: CallSize, written: u64) {
        self.latest.record(took, size, written);
    }

    /// Returns how long the attempt of this number, from 1, may take at a call of this size.
    pub(crate) fn allowed_for(&self, size: CallSize, attempt: u32) -> Duration {
        let longest = self.bounds.longest;
        let Some(latest) = self.latest.if_enough() else {
            return longest;
        };
        // The seconds in which all but one of eight of the latest replies would have come, if they
        // had been as long as this one may be, to a prompt as long.
        let mut expected: Vec<f64> = latest.iter().map(|reply| reply.seconds_for(size)).collect();
        let at = (expected.len() * (SLOWEST - 1) / SLOWEST).min(expected.len() - 1);
        let expected = *expected.select_nth_unstable_by(at, f64::total_cmp).1;
        let seconds = (SLACK * expected).max(self.bounds.least.as_secs_f64());
        // Each further attempt may take twice as long.
        let doublings = attempt.saturating_sub(1).min(DOUBLINGS);
        let growth = f64::from(1_u32 << doublings);
        let allowed = Duration::try_from_secs_f64(seconds * growth);
        allowed.map_or(longest, |allowed| allowed.min(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHORT: CallSize = CallSize {
        body: 4000,
        most: 8,
    };

    fn bounds(least: u64, longest: u64) -> WaitBounds {
        WaitBounds {
            least: Duration::from_secs(least),
            longest: Duration::from_secs(longest),
            watches_hangs: true,
        }
    }

    fn timeouts(replies: usize, seconds: f64, written: u64) -> AttemptTimeouts {
        let mut timeouts = AttemptTimeouts::new(bounds(30, 600));
        (0..replies)
            .for_each(|_| timeouts.record_reply(Duration::from_secs_f64(seconds), SHORT, written));
        timeouts
    }

    #[test]
    fn a_few_replies_bound_nothing_and_fast_ones_leave_the_least() {
        assert_eq!(timeouts(15, 0.2, 1).allowed_for(SHORT, 1).as_secs(), 600);
        assert_eq!(timeouts(16, 0.2, 1).allowed_for(SHORT, 1).as_secs(), 30);
        assert_eq!(
            [2, 3, 5, 6, 40, 4_000_000]
                .map(|n| timeouts(16, 0.2, 1).allowed_for(SHORT, n).as_secs()),
            [60, 120, 480, 600, 600, 600]
        );
    }

    #[test]
    fn a_longer_reply_or_prompt_is_given_the_time_that_it_takes() {
        let timeouts = timeouts(64, 2.0, 4);
        assert_eq!(
            timeouts.allowed_for(SHORT, 1).as_secs(),
            30,
            "4 * 2 s * 8 / 4 tokens are 16 s"
        );
        assert_eq!(
            timeouts
                .allowed_for(CallSize { most: 100, ..SHORT }, 1)
                .as_secs(),
            200
        );
        assert_eq!(
            timeouts
                .allowed_for(
                    CallSize {
                        body: 80_000,
                        most: 0
                    },
                    1
                )
                .as_secs(),
            160
        );
        assert_eq!(
            timeouts
                .allowed_for(
                    CallSize {
                        most: 9000,
                        ..SHORT
                    },
                    1
                )
                .as_secs(),
            600
        );
    }

    #[test]
    fn one_in_eight_that_is_slow_changes_nothing_and_more_do() {
        let mut timeouts = timeouts(64, 1.0, 8);
        (0..7).for_each(|_| timeouts.record_reply(Duration::from_secs(100), SHORT, 8));
        assert_eq!(timeouts.allowed_for(SHORT, 1).as_secs(), 30);
        (0..2).for_each(|_| timeouts.record_reply(Duration::from_secs(100), SHORT, 8));
        assert_eq!(timeouts.allowed_for(SHORT, 1).as_secs(), 400);
    }

    #[test]
    fn a_longest_wait_below_the_least_holds() {
        let mut timeouts = AttemptTimeouts::new(bounds(30, 1));
        (0..20).for_each(|_| timeouts.record_reply(Duration::from_millis(1), SHORT, 8));
        assert_eq!(timeouts.allowed_for(SHORT, 1).as_secs(), 1);
    }

    proptest! {
        /// A server that takes some time for each call, each byte and each token is never cut
        /// short, whatever the lengths.
        #[test]
        fn a_slow_but_healthy_server_is_waited_for(
            fixed in 0.0f64..20.0, byte in 0.0f64..0.001, token in 0.0f64..0.5,
            calls in prop::collection::vec((100u64..40_000, 1u64..2000), 16..80),
            next in (100u64..40_000, 1u64..2000),
        ) {
            let seconds = |(body, written): (u64, u64)| fixed + byte * body as f64 + token * written as f64;
            let mut timeouts = AttemptTimeouts::new(bounds(1, 1_000_000));
            for (body, written) in calls {
                timeouts.record_reply(Duration::from_secs_f64(seconds((body, written))), CallSize { body, most: 2000 }, written);
            }
            let allowed = timeouts.allowed_for(CallSize { body: next.0, most: next.1 }, 1).as_secs_f64();
            prop_assert!(allowed >= seconds(next), "{allowed}");
        }
    }
}
