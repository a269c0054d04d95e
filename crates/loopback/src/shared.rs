//! The state that all connections share.

use crate::Seen;
use crate::ledger::{Admission, Ledger};
use crate::live_script::Live;
use crate::script::Script;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// The state that all connections share.
pub(crate) struct Shared {
    pub(crate) live: Mutex<Arc<Live>>,
    ledger: Mutex<Ledger>,
    pub(crate) kept: Mutex<Vec<Seen>>,
    start: Instant,
    pub(crate) gone: watch::Sender<bool>,
}

/// Locks a mutex, whatever became of the thread that held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(script: Script) -> Shared {
        let ledger = Ledger::new(script.bin);
        let live = Mutex::new(Arc::new(Live::new(script)));
        Shared {
            live,
            ledger: Mutex::new(ledger),
            kept: Mutex::default(),
            start: Instant::now(),
            gone: watch::Sender::new(false),
        }
    }

    /// Returns the script as it is now.
    pub(crate) fn live_script(&self) -> Arc<Live> {
        Arc::clone(&lock(&self.live))
    }

    pub(crate) fn lock_books(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    pub(crate) fn admit(&self, script: &Script, key: Option<&str>, digest: u64) -> Admission {
        let at = self.start.elapsed();
        self.lock_books().admit(script, key, digest, at)
    }

    /// Records that a good reply to this body is about to be written.
    pub(crate) fn record_reply(&self, digest: u64) {
        let mut books = self.lock_books();
        books.make_room();
        books.record_reply(digest);
    }

    /// Keeps a request, if fewer than `most` are kept.
    pub(crate) fn keep_request(&self, most: usize, head: &[u8], body: &[u8]) {
        if most == 0 {
            return;
        }
        let mut kept = lock(&self.kept);
        if kept.len() < most {
            kept.push(Seen::of_bytes(head, body));
        }
    }

    /// Closes the listener and every connection.
    pub(crate) fn close_all(&self) {
        self.gone.send_replace(true);
    }
}
