//! Calls that are asked again, in rounds.

use evenhand_core::RequestKey;
use std::collections::HashMap;

/// Calls that the present round of retries wants again. A round goes on, over as many processes as
/// it takes, until it ends in good order; what it wants is in the table `retries`.
#[derive(Debug, Default)]
pub(crate) struct Retries {
    /// The calls of the round; None where nothing is asked again.
    round: Option<HashMap<RequestKey, Retry>>,
    broken_off: bool,
}

/// A call that is asked again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    /// The attempt that answers it.
    pub(crate) attempt: i64,
    /// Whether that attempt is still to be made.
    pub(crate) lacking: bool,
}

impl Retries {
    /// Whether a round is under way.
    pub(crate) fn is_started(&self) -> bool {
        self.round.is_some()
    }

    /// Begins a round, or goes on with one whose calls these are.
    pub(crate) fn start(&mut self, round: HashMap<RequestKey, Retry>) {
        self.round = Some(round);
    }

    /// Whether the round has wanted this call.
    pub(crate) fn contains(&self, key: &RequestKey) -> bool {
        self.retry(key).is_some()
    }

    /// Wants a call, in a round that was started.
    pub(crate) fn want(&mut self, key: RequestKey, attempt: i64) {
        if let Some(round) = &mut self.round {
            let lacking = true;
            round.insert(key, Retry { attempt, lacking });
        }
    }

    /// Whether another reply to this call is wanted than those that are there.
    pub(crate) fn lacks(&self, key: &RequestKey) -> bool {
        self.retry(key).is_some_and(|retry| retry.lacking)
    }

    /// The attempt that a reply to this call is.
    pub(crate) fn attempt(&self, key: &RequestKey) -> i64 {
        match self.retry(key) {
            Some(retry) if retry.lacking => retry.attempt,
            _ => 0,
        }
    }

    /// Notes that the reply to this call has come.
    pub(crate) fn mark_answered(&mut self, key: &RequestKey) {
        if let Some(retry) = self.round.as_mut().and_then(|round| round.get_mut(key)) {
            retry.lacking = false;
        }
    }

    /// Leaves the round to the next process.
    pub(crate) fn break_off(&mut self) {
        self.broken_off = true;
    }

    /// Whether a round ends here in good order.
    pub(crate) fn ends_here(&self) -> bool {
        self.is_started() && !self.broken_off
    }

    fn retry(&self, key: &RequestKey) -> Option<&Retry> {
        self.round.as_ref()?.get(key)
    }
}
