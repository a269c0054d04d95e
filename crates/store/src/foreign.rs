//! Databases that others may have made: opened for reading, with nothing in them that could act.

use crate::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use tempfile::TempDir;

/// A run's database for reading, and its copy where only a copy can be read. Where the directory
/// cannot be written, SQLite cannot make the files that it shares between processes: then what is
/// not under way is read as it stands, and what is, from a copy.
///
/// # Errors
/// No database, or one that cannot be read.
pub(crate) fn open(dir: &Path) -> Result<(Connection, Option<TempDir>), StoreError> {
    let (file, log) = (dir.join("run.sqlite"), dir.join("run.sqlite-wal"));
    let not_a_run = |why: String| StoreError::NotARun {
        path: dir.to_path_buf(),
        why,
    };
    if let Err(error) = std::fs::File::open(&file) {
        return Err(not_a_run(format!(
            "there is no run here that can be read (run.sqlite: {error})"
        )));
    }
    let unreadable =
        |e: rusqlite::Error| not_a_run(format!("run.sqlite is no run of evenhand ({e})"));
    let open = |path: &Path| {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(probed)
    };
    let first = match open(&file) {
        Ok(db) => return Ok((db, None)),
        Err(error) => error,
    };
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        let copy = copied(&file, &log)
            .map_err(|e| not_a_run(format!("the run cannot be copied to be read: {e}")))?;
        let db = open(&copy.path().join("run.sqlite")).map_err(unreadable)?;
        return Ok((db, Some(copy)));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(unchanging(&file), flags).and_then(probed);
    db.map(|db| (db, None)).map_err(|_| unreadable(first))
}

/// Makes sure that nothing of the database runs by itself, and that it can be read at all.
fn probed(db: Connection) -> rusqlite::Result<Connection> {
    disarm(&db)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.pragma_update(None, "query_only", true)?;
    db.query_row("SELECT count(*) FROM sqlite_master", [], |row| {
        row.get::<_, i64>(0)
    })?;
    Ok(db)
}

/// Switches off views, and functions with effects in what the schema defines.
pub(crate) fn disarm(db: &Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)
        .map(|_| ())
}

fn copied(file: &Path, log: &Path) -> std::io::Result<TempDir> {
    let dir = tempfile::tempdir()?;
    for (from, name) in [(log, "run.sqlite-wal"), (file, "run.sqlite")] {
        std::io::copy(
            &mut std::fs::File::open(from)?,
            &mut std::fs::File::create(dir.path().join(name))?,
        )?;
    }
    Ok(dir)
}

/// The address by which SQLite takes a file that nobody changes.
fn unchanging(file: &Path) -> String {
    let whole = file.canonicalize().unwrap_or_else(|_| file.into());
    let path = whole
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file:{path}?immutable=1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Manifest, Reader, Store};
    use std::path::PathBuf;

    /// A run, in a directory whose name an address would misread.
    fn run(under: &Path) -> PathBuf {
        let dir = under.join("50%20 ?a#b");
        let mut manifest = Manifest::default();
        manifest.set("judge", "j");
        drop(Store::open(&dir, &manifest).unwrap());
        dir
    }

    #[test]
    fn a_file_that_nobody_changes_is_read_as_it_stands() {
        let under = tempfile::tempdir().unwrap();
        let file = run(under.path()).join("run.sqlite");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let db = Connection::open_with_flags(unchanging(&file), flags)
            .and_then(probed)
            .unwrap();
        assert_eq!(crate::reader::manifest(&db).unwrap().settings["judge"], "j");
    }

    #[test]
    fn a_run_under_way_is_read_from_a_copy_with_all_that_is_committed() {
        let under = tempfile::tempdir().unwrap();
        let dir = run(under.path());
        let store = Store::open_existing(&dir).unwrap();
        store
            .db
            .execute("INSERT INTO judges (identity) VALUES ('late')", [])
            .unwrap();
        let copy = copied(&dir.join("run.sqlite"), &dir.join("run.sqlite-wal")).unwrap();
        let db = Connection::open_with_flags(
            copy.path().join("run.sqlite"),
            OpenFlags::SQLITE_OPEN_READ_ONLY,
        )
        .and_then(probed);
        let late: i64 = db
            .unwrap()
            .query_row(
                "SELECT count(*) FROM judges WHERE identity = 'late'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(late, 1);
    }

    /// Root may write everywhere: then nothing is refused, and the run is read all the same.
    #[cfg(unix)]
    #[test]
    fn a_run_that_cannot_be_written_can_be_read() {
        use std::os::unix::fs::PermissionsExt;
        let under = tempfile::tempdir().unwrap();
        let dir = run(under.path());
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o555)).unwrap();
        let read = Reader::open(&dir).and_then(|run| run.manifest());
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(read.unwrap().settings["judge"], "j");
    }
}
