//! At most so many in a minute.

use std::time::Duration;

/// A token bucket, kept as the moment at which it is full again (the generic cell rate algorithm:
/// ITU-T I.371, annex A).
///
/// The bucket holds a second's worth, or one if that is less. Something may be taken as long as
/// there is at least one in it; what is taken beyond its content is owed. So the amount taken in
/// any minute is at most the limit, the bucket's content and what one taking owes.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    /// How many nanoseconds one takes to come back.
    nanos_each: f64,
    /// How long before it is full again something may be taken.
    slack: Duration,
    full_at: Duration,
}

impl Bucket {
    /// Returns a full bucket; none where the limit is not a finite number above 0.
    pub(super) fn per_minute(limit: Option<f64>) -> Option<Bucket> {
        let limit = limit.filter(|limit| *limit > 0.0 && limit.is_finite())?;
        let nanos_each = 60e9 / limit;
        // A second's worth may be taken at once, less the one that is always allowed.
        let slack = Duration::from_secs(1).saturating_sub(round_up_nanos(nanos_each));
        Some(Bucket {
            nanos_each,
            slack,
            full_at: Duration::ZERO,
        })
    }

    /// From when on something may be taken.
    pub(super) fn ready_at(&self) -> Duration {
        self.full_at.saturating_sub(self.slack)
    }

    pub(super) fn take_amount(&mut self, amount: u64, now: Duration) {
        self.full_at = self.full_at.max(now).saturating_add(self.time_for(amount));
    }

    /// Corrects an amount that was taken and turns out to be another.
    pub(super) fn correct_amount(&mut self, taken: u64, real: u64, now: Duration) {
        match real.checked_sub(taken) {
            Some(more) => self.take_amount(more, now),
            None => self.full_at = self.full_at.saturating_sub(self.time_for(taken - real)),
        }
    }

    fn time_for(&self, amount: u64) -> Duration {
        round_up_nanos(amount as f64 * self.nanos_each)
    }
}

/// Rounded up, so that no rounding ever allows more than the limit.
fn round_up_nanos(nanos: f64) -> Duration {
    Duration::from_nanos(nanos.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Takes as much as is allowed for `minutes`, in portions of `amount`, and gives the moments.
    fn greedy(limit: f64, amount: u64, minutes: u64) -> Vec<Duration> {
        let mut bucket = Bucket::per_minute(Some(limit)).unwrap();
        let mut moments = Vec::new();
        while bucket.ready_at() < Duration::from_secs(60 * minutes) {
            let now = bucket
                .ready_at()
                .max(moments.last().copied().unwrap_or_default());
            bucket.take_amount(amount, now);
            moments.push(now);
        }
        moments
    }

    fn most_in_a_minute(moments: &[Duration]) -> usize {
        let within = |from: usize| {
            moments[from..]
                .iter()
                .take_while(|m| **m < moments[from] + Duration::from_secs(60))
                .count()
        };
        (0..moments.len()).map(within).max().unwrap_or(0)
    }

    #[test]
    fn ten_a_minute_are_one_every_six_seconds() {
        let seconds: Vec<_> = greedy(10.0, 1, 1).iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [0, 6, 12, 18, 24, 30, 36, 42, 48, 54]);
    }

    #[test]
    fn no_minute_has_more_than_the_limit_and_a_second_s_worth_and_none_is_wasted() {
        for limit in [1.0, 7.0, 60.0, 500.0, 3000.0] {
            let moments = greedy(limit, 1, 4);
            assert!(
                most_in_a_minute(&moments) as f64 <= limit + (limit / 60.0).max(1.0),
                "{limit}"
            );
            assert!(
                moments.len() as f64 >= 4.0 * limit,
                "{limit}: {}",
                moments.len()
            );
        }
    }

    #[test]
    fn what_is_owed_is_paid_back_and_what_was_not_used_comes_back() {
        let mut bucket = Bucket::per_minute(Some(6000.0)).unwrap(); // 100 a second, 100 in the bucket
        bucket.take_amount(300, Duration::ZERO);
        assert_eq!(bucket.ready_at(), Duration::from_millis(2010)); // 200 owed, and one to be there
        bucket.correct_amount(300, 250, Duration::ZERO);
        assert_eq!(bucket.ready_at(), Duration::from_millis(1510));
        bucket.correct_amount(250, 450, Duration::from_secs(1));
        assert_eq!(bucket.ready_at(), Duration::from_millis(3510));
    }

    #[test]
    fn no_limit_is_no_bucket() {
        assert!(
            [
                None,
                Some(0.0),
                Some(-3.0),
                Some(f64::NAN),
                Some(f64::INFINITY)
            ]
            .map(Bucket::per_minute)
            .iter()
            .all(Option::is_none)
        );
    }

    proptest! {
        /// A bucket that is filled step by step, in thousandths of a second, lets the same things
        /// through.
        #[test]
        fn as_a_bucket_that_is_filled_step_by_step(steps in prop::collection::vec((0u64..3000, 0u64..40), 1..60)) {
            let mut bucket = Bucket::per_minute(Some(600.0)).unwrap(); // 10 a second
            let (mut now, mut thousandths) = (0, 10_000i64);
            for (pause, amount) in steps {
                now += pause;
                thousandths = (thousandths + 10 * pause as i64).min(10_000);
                let moment = Duration::from_millis(now);
                prop_assert_eq!(bucket.ready_at() <= moment, thousandths >= 1000);
                if thousandths >= 1000 {
                    bucket.take_amount(amount, moment);
                    thousandths -= 1000 * amount as i64;
                }
            }
        }
    }
}
