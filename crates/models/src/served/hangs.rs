//! Calls that hang: their server has lost them, as it goes on answering others.
//!
//! How long a reply is waited for at most must allow for a server that stands still for a while
//! (`timeouts`): no reply comes then, to nobody. A call that others overtake is another matter. One
//! that was sent before eight others which are answered, and that has taken four times as long as
//! the slowest of the last 64 replies, is hardly ever answered, and to wait for it holds up a run:
//! one call in ten that hangs for 30 s leaves one in a hundred for 60 s more. It is sent again.

use super::timeouts::{CallSize, LatestReplies, SLACK, TimedReply};
use std::collections::VecDeque;
use std::time::Duration;

/// So many calls that were sent later must be answered.
const OVERTAKEN: usize = 8;
/// No call hangs sooner, and at the end of a run, where none is sent later, none sooner than this.
const LEAST: Duration = Duration::from_millis(500);
const LEAST_AT_END: Duration = Duration::from_secs(1);
/// A run is at its end where nothing waits and no more calls than these are under way: where the
/// server stands still after all, no more of them are made twice.
pub(crate) const FEW: usize = 16;
/// By what the wait is longer at each attempt of a call. After them, and at its last one, it is
/// waited for as if no other were answered: it may be the call that takes so long.
const GROWTH: [f64; 5] = [1.0, 1.0, 1.0, 2.0, 4.0];

/// What one server answers, and when.
#[derive(Clone, Debug, Default)]
pub(crate) struct HangWatch {
    latest: LatestReplies,
    /// The highest numbers of attempts that were answered, in ascending order.
    newest: VecDeque<u64>,
}

impl HangWatch {
    /// Takes down that the attempt of this number among all was answered after so long.
    pub(crate) fn record_reply(
        &mut self,
        number: u64,
        took: Duration,
        size: CallSize,
        written: u64,
    ) {
        self.latest.record(took, size, written);
        let at = self.newest.partition_point(|newer| *newer < number);
        self.newest.insert(at, number);
        if self.newest.len() > OVERTAKEN {
            self.newest.pop_front();
        }
    }

    /// Returns how long an attempt may take that others overtook, or that is one of the last of a
    /// run; None where that cannot be said yet. `attempt` counts those at its call, from 1.
    pub(crate) fn allowed_for(
        &self,
        number: u64,
        size: CallSize,
        attempt: u32,
        is_end: bool,
    ) -> Option<Duration> {
        let growth = *GROWTH.get(attempt.saturating_sub(1) as usize)?;
        let latest = self.latest.if_enough()?;
        let is_overtaken =
            self.newest.len() == OVERTAKEN && self.newest.iter().all(|newer| *newer > number);
        let least = match (is_overtaken, is_end) {
            (true, _) => LEAST,
            (false, true) => LEAST_AT_END,
            (false, false) => return None,
        };
        // As long as the longest of them: a limit of thousands of tokens is hardly ever used, and a
        // call that does use it is waited for in the end.
        let longest = latest.iter().map(TimedReply::tokens).max()?;
        let size = CallSize {
            most: size.most.min(longest),
            ..size
        };
        let slowest = latest.iter().map(|reply| reply.seconds_for(size));
        let seconds = (SLACK * slowest.fold(0.0, f64::max)).max(least.as_secs_f64());
        Duration::try_from_secs_f64(seconds * growth).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: CallSize = CallSize {
        body: 1000,
        most: 8,
    };

    /// A server that has answered attempts of these numbers, each in so many seconds.
    fn watch(numbers: impl IntoIterator<Item = u64>, seconds: f64) -> HangWatch {
        let mut watch = HangWatch::default();
        for number in numbers {
            watch.record_reply(number, Duration::from_secs_f64(seconds), SIZE, 8);
        }
        watch
    }

    fn seconds(watch: &HangWatch, number: u64, attempt: u32, is_end: bool) -> Option<f64> {
        watch
            .allowed_for(number, SIZE, attempt, is_end)
            .map(|allowed| allowed.as_secs_f64())
    }

    #[test]
    fn a_call_that_eight_overtook_is_waited_for_no_longer() {
        let watch = watch(0..100, 0.02);
        assert_eq!(seconds(&watch, 91, 1, false), Some(0.5));
        assert_eq!(seconds(&watch, 92, 1, false), None, "seven overtook it");
        assert_eq!(
            [1, 2, 3, 4, 5, 6].map(|attempt| seconds(&watch, 0, attempt, false)),
            [Some(0.5), Some(0.5), Some(0.5), Some(1.0), Some(2.0), None]
        );
        assert_eq!(seconds(&watch, 200, 1, true), Some(1.0), "at the end");
    }

    #[test]
    fn a_few_replies_say_nothing_and_a_slow_one_is_remembered_for_64() {
        assert_eq!(seconds(&watch(10..25, 0.02), 0, 1, true), None);
        assert_eq!(seconds(&watch(10..26, 0.02), 0, 1, true), Some(0.5));
        let mut slow = watch(10..100, 0.02);
        slow.record_reply(100, Duration::from_secs(10), SIZE, 8);
        for number in 101..164 {
            assert_eq!(seconds(&slow, 0, 1, false), Some(40.0), "{number}");
            slow.record_reply(number, Duration::from_millis(20), SIZE, 8);
        }
        slow.record_reply(164, Duration::from_millis(20), SIZE, 8);
        assert_eq!(seconds(&slow, 0, 1, false), Some(0.5));
    }

    #[test]
    fn a_longer_reply_is_given_the_time_that_it_takes() {
        let long = CallSize { most: 4000, ..SIZE };
        let mut watch = watch(1..100, 0.02);
        let allowed = watch.allowed_for(0, long, 1, false);
        assert_eq!(
            allowed,
            Some(Duration::from_millis(500)),
            "none was long so far"
        );
        watch.record_reply(100, Duration::from_secs(2), long, 800);
        let allowed = watch.allowed_for(0, long, 1, false);
        assert_eq!(allowed, Some(Duration::from_secs(8)), "4 * 100 * 0.02 s");
    }

    proptest! {
        /// Who is overtaken is what a count of all replies says.
        #[test]
        fn overtaking_is_counted(numbers in prop::collection::vec(0_u64..200, 16..120), asked in 0_u64..200) {
            let later = numbers.iter().filter(|number| **number > asked).count();
            let watch = watch(numbers, 0.01);
            prop_assert_eq!(seconds(&watch, asked, 1, false).is_some(), later >= OVERTAKEN);
        }
    }
}
