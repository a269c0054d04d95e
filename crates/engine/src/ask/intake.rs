//! A session's store, sink and stop.

use crate::Sink;
use evenhand_store::Store;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a session's replies go, and who may end it.
pub(crate) struct Intake<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) stop: &'a AtomicBool,
}

impl Intake<'_> {
    /// Whether the user wants the session to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Lends the intake for a shorter time.
    pub(crate) fn reborrow(&mut self) -> Intake<'_> {
        Intake {
            store: &mut *self.store,
            sink: &mut *self.sink,
            stop: self.stop,
        }
    }
}
