//! How far a run looks ahead where replies are shared with other runs.
//!
//! Processes that work through the same plan at the same time would all ask for the same call, and
//! each pay for it. So each begins many trials, asks for their calls in an order of its own, and
//! looks every moment for those that another one has had answered.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// So many calls are kept ready to choose from.
pub(super) const AHEAD: usize = 1024;
/// Trials whose calls are looked for together.
pub(super) const TOGETHER: usize = 256;
/// Calls that are asked for from one place on: neighbours in a plan share a prefix.
const STRETCH: u64 = 8;
/// Ready calls are looked for again after so many times what that took, within these bounds.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
const LOOK_AT_LAST: Duration = Duration::from_millis(500);
const TIMES: u32 = 20;

/// Which call is asked for next, and when the shared store is looked into again.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Draws by it are another process's no more than by chance.
    random: RandomState,
    handed_out: u64,
    place: usize,
    next_look: Option<Instant>,
}

impl Ahead {
    /// Returns the place of the call to hand out, of so many: the next one of a stretch that begins
    /// at a random place.
    pub(super) fn draw(&mut self, ready: usize) -> usize {
        if self.handed_out.is_multiple_of(STRETCH) {
            let drawn = self.random.hash_one(self.handed_out) as usize;
            self.place = drawn.checked_rem(ready).unwrap_or_default();
        }
        self.handed_out += 1;
        // What is handed out is taken away, so that the next one stands at the same place.
        self.place.min(ready.saturating_sub(1))
    }

    /// Returns whether it is time to look into the shared store.
    pub(super) fn is_due(&self) -> bool {
        self.next_look.is_none_or(|next| next <= Instant::now())
    }

    /// Notes that it was looked into, from then until now.
    pub(super) fn looked(&mut self, begun: Instant) {
        let pause = (begun.elapsed() * TIMES).clamp(LOOK_AGAIN, LOOK_AT_LAST);
        self.next_look = Some(Instant::now() + pause);
    }
}
