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
const SLACK: f64 = 4.0;
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

/// What the latest replies took.
#[derive(Debug)]
pub(crate) struct AttemptTimeouts {
    least: Duration,
    longest: Duration,
    seen: VecDeque<Seen>,
}

#[derive(Debug)]
struct Seen {
    seconds: f64,
    body: f64,
    written: f64,
}

impl AttemptTimeouts {
    /// Waits that are between `least` and `longest`, which is what holds where the two contradict
    /// one another.
    pub(crate) fn new(least: Duration, longest: Duration) -> AttemptTimeouts {
        AttemptTimeouts {
            least,
            longest,
            seen: VecDeque::with_capacity(REMEMBERED),
        }
    }

    /// A reply of so many tokens took so long.
    pub(crate) fn replied(&mut self, took: Duration, size: CallSize, written: u64) {
        self.seen.truncate(REMEMBERED - 1);
        let (body, written) = (size.body.max(1) as f64, written.max(1) as f64);
        self.seen.push_front(Seen {
            seconds: took.as_secs_f64(),
            body,
            written,
        });
    }

    /// How long the attempt of this number, from 1, may take at a call of this size.
    pub(crate) fn allows(&self, size: CallSize, attempt: u32) -> Duration {
        let Some(expected) = self.expected(size) else {
            return self.longest;
        };
        let seconds = (SLACK * expected).max(self.least.as_secs_f64());
        let doubled = seconds * f64::from(1_u32 << attempt.saturating_sub(1).min(DOUBLINGS));
        Duration::try_from_secs_f64(doubled)
            .map_or(self.longest, |allowed| allowed.min(self.longest))
    }

    /// Seconds in which all but one of eight of the latest replies would have come, if they had
    /// been as long as this one may be, to a prompt as long: a server's time grows no faster than
    /// the one or the other.
    fn expected(&self, size: CallSize) -> Option<f64> {
        let grown = |seen: &Seen| {
            (size.body as f64 / seen.body)
                .max(size.most as f64 / seen.written)
                .max(1.0)
        };
        let mut seconds: Vec<f64> = self
            .seen
            .iter()
            .map(|seen| seen.seconds * grown(seen))
            .collect();
        let at = (seconds.len() * (SLOWEST - 1) / SLOWEST).min(seconds.len().checked_sub(1)?);
        (seconds.len() >= ENOUGH).then(|| *seconds.select_nth_unstable_by(at, f64::total_cmp).1)
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

    fn patience(replies: usize, seconds: f64, written: u64) -> AttemptTimeouts {
        let mut patience = AttemptTimeouts::new(Duration::from_secs(30), Duration::from_secs(600));
        (0..replies)
            .for_each(|_| patience.replied(Duration::from_secs_f64(seconds), SHORT, written));
        patience
    }

    #[test]
    fn a_few_replies_bound_nothing_and_fast_ones_leave_the_least() {
        assert_eq!(patience(15, 0.2, 1).allows(SHORT, 1).as_secs(), 600);
        assert_eq!(patience(16, 0.2, 1).allows(SHORT, 1).as_secs(), 30);
        assert_eq!(
            [2, 3, 5, 6, 40, 4_000_000].map(|n| patience(16, 0.2, 1).allows(SHORT, n).as_secs()),
            [60, 120, 480, 600, 600, 600]
        );
    }

    #[test]
    fn a_longer_reply_or_prompt_is_given_the_time_that_it_takes() {
        let patience = patience(64, 2.0, 4);
        assert_eq!(
            patience.allows(SHORT, 1).as_secs(),
            30,
            "4 * 2 s * 8 / 4 tokens are 16 s"
        );
        assert_eq!(
            patience
                .allows(CallSize { most: 100, ..SHORT }, 1)
                .as_secs(),
            200
        );
        assert_eq!(
            patience
                .allows(
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
            patience
                .allows(
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
        let mut patience = patience(64, 1.0, 8);
        (0..7).for_each(|_| patience.replied(Duration::from_secs(100), SHORT, 8));
        assert_eq!(patience.allows(SHORT, 1).as_secs(), 30);
        (0..2).for_each(|_| patience.replied(Duration::from_secs(100), SHORT, 8));
        assert_eq!(patience.allows(SHORT, 1).as_secs(), 400);
    }

    #[test]
    fn a_longest_wait_below_the_least_holds() {
        let mut patience = AttemptTimeouts::new(Duration::from_secs(30), Duration::from_secs(1));
        (0..20).for_each(|_| patience.replied(Duration::from_millis(1), SHORT, 8));
        assert_eq!(patience.allows(SHORT, 1).as_secs(), 1);
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
            let mut patience = AttemptTimeouts::new(Duration::from_secs(1), Duration::from_secs(1_000_000));
            for (body, written) in calls {
                patience.replied(Duration::from_secs_f64(seconds((body, written))), CallSize { body, most: 2000 }, written);
            }
            let allowed = patience.allows(CallSize { body: next.0, most: next.1 }, 1).as_secs_f64();
            prop_assert!(allowed >= seconds(next), "{allowed}");
        }
    }
}
