//! What was committed is moved from SQLite's log to the database by a thread of its own.
//!
//! SQLite moves it within a commit once the log is long, and waits for the disk: for a tenth of a
//! second no call is handed out. What a commit promises does not hang on it: what is in the log is
//! read as what is in the database is.

use crate::connect::{FileIdentity, file_identity};
use crate::foreign;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// How often the thread looks for what came while it moved the rest. Where nothing has, the log
/// begins anew with the next commit.
const MOST_ROUNDS: usize = 8;

/// A thread that moves the log of one run when it is told to. It ends when this is dropped, after
/// what it was told.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Starts the thread; None where the database of this identity is no longer in the directory,
    /// or cannot be opened once more.
    pub(crate) fn start(dir: &Path, file: Option<FileIdentity>) -> Option<Checkpoints> {
        let place = dir.canonicalize().ok()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let db = Connection::open_with_flags(place.join("run.sqlite"), flags).ok()?;
        foreign::disarm(&db).ok()?;
        if file_identity(dir) != file {
            return None;
        }
        let (wake, woken) = sync_channel(1);
        let thread = std::thread::Builder::new().name("checkpoints".into());
        let thread = thread.spawn(move || move_when_woken(&db, &woken)).ok()?;
        Some(Checkpoints {
            wake: Some(wake),
            thread: Some(thread),
        })
    }

    /// Has the log moved soon.
    pub(crate) fn wake(&self) {
        if let Some(wake) = &self.wake {
            // One that is told already will look once more.
            let _ = wake.try_send(());
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Moves the log each time. Where that fails, SQLite does it within a commit, as if there were no
/// such thread.
fn move_when_woken(db: &Connection, woken: &Receiver<()>) {
    for () in woken {
        let mut moved = None;
        for _ in 0..MOST_ROUNDS {
            // How many pages the log has. No commit waits for this.
            let sql = "PRAGMA wal_checkpoint(PASSIVE)";
            let pages = db.query_row(sql, [], |row| row.get::<_, i64>(1)).ok();
            if pages.is_none() || pages == moved {
                break;
            }
            moved = pages;
        }
    }
}
