//! The user's settings for the sending of calls.

use std::time::Duration;

/// How calls are sent. Every field has a default that suits an unknown server.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Calls in flight at one endpoint at first; at least 1.
    pub start: u32,
    /// The most calls in flight at one endpoint; at least `start`.
    pub most: u32,
    /// Requests sent to one endpoint in a minute, above 0; at most a second's worth (or one) of
    /// them at once.
    pub requests_per_minute: Option<f64>,
    /// Tokens asked of one endpoint in a minute, above 0; at most a second's worth of them and one
    /// request at once.
    pub tokens_per_minute: Option<f64>,
    /// The most attempts for one call, the first one included; at least 1.
    pub attempts: u32,
    /// The most attempts for one call while its endpoint answers others: as many as it takes until
    /// its faults in a row are no chance, by how often others fail there; at least `attempts`.
    pub attempts_by_chance: u32,
    /// The share of offered calls that may be sent again at an endpoint that answers few, over all
    /// calls; 0 or more. A retry at one that answers others is not counted.
    pub retries_per_call: f64,
    /// Retries that are allowed beyond that share.
    pub spare_retries: u32,
    /// How long a failed call waits.
    pub backoff: Backoff,
    /// After how long without a reply a call is also sent to another endpoint; never, if not given.
    pub hedge_after: Option<Duration>,
    /// How long a call may wait and be tried again, from the moment it was offered; for ever, if
    /// not given. An attempt that is under way is not cut short.
    pub call_deadline: Option<Duration>,
    /// How long nothing may get through before the run stops; for ever, if not given.
    pub longest_pause: Option<Duration>,
    /// The same while nobody was ever met at any endpoint: no connection could be made since the
    /// run began. The shorter of the two holds.
    pub longest_start: Option<Duration>,
    /// The seed of the random part of the waiting times.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            start: 16,
            most: 512,
            requests_per_minute: None,
            tokens_per_minute: None,
            attempts: 6,
            attempts_by_chance: 60,
            retries_per_call: 0.5,
            spare_retries: 100,
            backoff: Backoff::default(),
            hedge_after: None,
            call_deadline: None,
            longest_pause: Some(Duration::from_secs(600)),
            // A mistyped address should not cost ten minutes. Servers that load a model before they
            // listen take from one minute to ten, so that no moment between would suit them either:
            // they are a matter of the setting. This is enough for one that is started beside the
            // run.
            longest_start: Some(Duration::from_secs(20)),
            seed: 0,
        }
    }
}

/// Before attempt n + 1 a call waits for a time drawn evenly from 0 to min(`most`, `base` *
/// `factor`^(n - 1)) ("full jitter": Brooker, Exponential Backoff And Jitter, AWS Architecture
/// Blog, 2015).
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff {
    /// The longest first wait.
    pub base: Duration,
    /// By how much the longest wait grows with each attempt; at least 1.
    pub factor: f64,
    /// The longest wait of all.
    pub most: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff {
            base: Duration::from_millis(500),
            factor: 2.0,
            most: Duration::from_secs(60),
        }
    }
}

impl Backoff {
    /// Returns the longest wait after `failed` failed attempts (from 1).
    pub fn longest_wait(&self, failed: u32) -> Duration {
        // No factor above 1 needs so many doublings to reach any wait; the bound keeps the cast.
        let steps = failed.saturating_sub(1).min(1000) as i32;
        let grown = self.base.as_secs_f64() * self.factor.powi(steps);
        Duration::try_from_secs_f64(grown).map_or(self.most, |wait| wait.min(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wait_doubles_up_to_its_most() {
        let longest = |failed| Backoff::default().longest_wait(failed).as_secs_f64();
        assert_eq!(
            [1, 2, 3, 7, 8, 9, u32::MAX].map(longest),
            [0.5, 1.0, 2.0, 32.0, 60.0, 60.0, 60.0]
        );
    }
}
