//! A run directory made ready for the one process that owns it.

use crate::error::{choose_another, not_a_run};
use crate::{Manifest, StoreError, foreign, open_own_file, schema};
use rusqlite::{Connection, OpenFlags};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// Pages of the log that a commit moves to the database itself (64 MB), where nobody else has.
const CHECKPOINT_PAGES: u32 = 16_000;

/// How often a lock is tried for: whoever looks whether a process is at work holds it for a moment.
const LOCK_TRIES: u32 = 10;

/// The pause between two of them.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Makes the directory and locks it for this process.
pub(crate) fn lock(dir: &Path) -> Result<File, StoreError> {
    if dir.to_string_lossy().contains("://") {
        return Err(unwritable(dir, &"a run is a directory on this machine"));
    }
    std::fs::create_dir_all(dir).map_err(|e| unwritable(dir, &e))?;
    let file = open_own_file(
        &dir.join("lock"),
        OpenOptions::new().create(true).append(true),
    )
    .map_err(|e| unwritable(dir, &format!("lock: {e}")))?;
    for tried in 1.. {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if tried < LOCK_TRIES => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse {
                    path: dir.to_path_buf(),
                });
            }
            Err(TryLockError::Error(e)) => return Err(unwritable(dir, &e)),
        }
    }
    Ok(file)
}

/// Whether a process holds the lock of a directory. It is looked for without making or following
/// anything: the directory may be somebody else's. Where that cannot be found out, none does.
pub(crate) fn is_locked(dir: &Path) -> bool {
    let file = open_own_file(&dir.join("lock"), OpenOptions::new().read(true));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The device and number of a file.
pub(crate) type FileIdentity = (u64, u64);

/// Opens the database of a directory that this process has locked: makes its tables, or checks that
/// they are those of a run with these settings and brings them up to date. Returns which file it
/// is, too.
pub(crate) fn connect(
    dir: &Path,
    manifest: &Manifest,
) -> Result<(Connection, Option<FileIdentity>), StoreError> {
    let db = open_own_database(dir)?;
    foreign::disarm(&db)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.set_prepared_statement_cache_capacity(32);
    let version = schema::version(&db).map_err(|e| {
        let why = format!(
            "run.sqlite is not a run of evenhand ({e}); {}",
            choose_another()
        );
        not_a_run(dir, why)
    })?;
    // The file is there now. Looked for only after its tables are made, a directory that vanishes
    // meanwhile would never be missed.
    let file = file_identity(dir);
    if version == 0 {
        create(&db, dir, manifest)?;
    } else {
        schema::check(&db, version).map_err(|why| not_a_run(dir, why))?;
        let keys = Manifest::read(&db)?.differences(manifest);
        if !keys.is_empty() {
            let path = dir.to_path_buf();
            return Err(StoreError::OtherConfiguration { path, keys });
        }
        schema::migrate(&db, version).map_err(|e| unwritable(dir, &e))?;
    }
    // A killed process loses nothing that was committed; a power cut may lose the last moments,
    // never the order.
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "cache_size", -32_000)?;
    db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    Ok((db, file))
}

/// Opens or makes the database under its own name. SQLite follows no link to the files that it
/// keeps beside it, and is told not to follow one to the database; a run's directory may be named
/// by one.
fn open_own_database(dir: &Path) -> Result<Connection, StoreError> {
    let place = dir.canonicalize().map_err(|e| unwritable(dir, &e))?;
    let path = place.join("run.sqlite");
    match open_own_file(&path, OpenOptions::new().read(true).write(true)) {
        Err(e) if e.kind() != ErrorKind::NotFound => {
            return Err(unwritable(dir, &format!("run.sqlite: {e}")));
        }
        _ => {}
    }
    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags).map_err(|e| unwritable(dir, &e))
}

fn create(db: &Connection, dir: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    if !schema::is_empty(db)? {
        let why = "run.sqlite holds other tables than a run's";
        return Err(not_a_run(dir, format!("{why}; {}", choose_another())));
    }
    db.pragma_update(None, "journal_mode", "WAL")
        .map_err(|e| unwritable(dir, &e))?;
    let transaction = db
        .unchecked_transaction()
        .map_err(|e| unwritable(dir, &e))?;
    schema::create(&transaction)?;
    manifest.write(&transaction)?;
    transaction.commit().map_err(|e| unwritable(dir, &e))
}

fn unwritable(dir: &Path, why: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unwritable {
        path: dir.to_path_buf(),
        why: why.to_string(),
    }
}

/// The device and number of the database's file; None where there is none.
#[cfg(unix)]
pub(crate) fn file_identity(dir: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(dir.join("run.sqlite"))
        .ok()
        .map(|file| (file.dev(), file.ino()))
}

/// Whether there is a database: elsewhere than on Unix a file has no number to know it by.
#[cfg(not(unix))]
pub(crate) fn file_identity(dir: &Path) -> Option<FileIdentity> {
    dir.join("run.sqlite").is_file().then_some((0, 0))
}
