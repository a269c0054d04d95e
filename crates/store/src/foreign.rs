//! Databases that others may have made: opened for reading, with nothing in them that could act.

use crate::StoreError;
use crate::error::not_a_run;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A database that is open for reading, and the copy that it is, where only a copy can be read.
pub(crate) type ForeignDatabase = (Connection, Option<TempDir>);

/// Opens a run's database for reading.
///
/// Where the directory cannot be written, SQLite cannot make the files that it shares between
/// processes: then what is not under way is read as it stands, and what is, from a copy.
///
/// # Errors
/// No database, or one that cannot be read.
pub(crate) fn open(dir: &Path) -> Result<ForeignDatabase, StoreError> {
    let (file, log) = (dir.join("run.sqlite"), dir.join("run.sqlite-wal"));
    // A pipe would wait for its other end, and a device may have none.
    let opened = match file.metadata() {
        Ok(found) if !found.is_file() => Err(std::io::Error::other("it is no file")),
        _ => File::open(&file).map(drop),
    };
    if let Err(error) = opened {
        let why = match dir.metadata() {
            Ok(found) if found.is_file() => {
                "it is a file, and a run is a folder, as `rank` and `judge` write it".into()
            }
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => {
                let meant = run_in_folder(dir).map_or_else(String::new, |run| {
                    format!("; did you mean {}?", run.display())
                });
                format!("there is no file or folder of this name{meant}")
            }
            _ => describe_runs_below(dir).unwrap_or_else(|| {
                format!("there is no run here that can be read (run.sqlite: {error})")
            }),
        };
        return Err(not_a_run(dir, why));
    }
    // SQLite would put the files that it shares beside what a link leads to.
    let leads_away = file
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink());
    let opened = match leads_away {
        true => open_unchanging(&file),
        false => open_inert(&file),
    };
    match opened {
        Ok(db) if !leads_away || log.metadata().map_or(true, |log| log.len() == 0) => {
            Ok((db, None))
        }
        Ok(_) => open_copy(dir, &file, &log),
        Err(_) if log.metadata().is_ok_and(|log| log.len() > 0) => open_copy(dir, &file, &log),
        Err(error) => match open_unchanging(&file) {
            Ok(db) => Ok((db, None)),
            Err(_) => Err(unreadable(dir, &error)),
        },
    }
}

/// Returns where a run of this name is in the folder that runs are made in by default, where there
/// is one.
pub fn run_in_folder(name: &Path) -> Option<PathBuf> {
    let run = Path::new("runs").join(name);
    let is_meant = name.is_relative() && run.join("run.sqlite").is_file();
    is_meant.then_some(run)
}

/// Runs that are named, of those below a directory; and entries of a folder that are looked at.
const MOST_NAMED: usize = 5;
const MOST_ENTRIES: usize = 1000;

/// Says where runs are, of a directory that is none: in it, or else in a folder of it. None where it
/// is a run, or none is there.
pub fn describe_runs_below(dir: &Path) -> Option<String> {
    let is_run = |dir: &PathBuf| dir.join("run.sqlite").is_file();
    if is_run(&dir.to_path_buf()) {
        return None;
    }
    let within = folders(dir);
    let (folder, runs) = std::iter::once(dir.to_path_buf())
        .chain(within)
        .map(|folder| {
            let mut runs = folders(&folder);
            runs.retain(is_run);
            (folder, runs)
        })
        .find(|(_, runs)| !runs.is_empty())?;
    let names = runs.iter().filter_map(|run| run.file_name());
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    let named = names[..names.len().min(MOST_NAMED)].join(", ");
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let folder = folder.display();
    Some(format!(
        "there is no run here, but in {folder}: {named}{more}"
    ))
}

/// Lists the folders in one, by name; none where it cannot be read.
fn folders(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let paths = entries.take(MOST_ENTRIES).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// For reading by one thread at a time, which Rust sees to: SQLite's own locks at every column take
/// a quarter of a scan.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

fn open_inert(file: &Path) -> rusqlite::Result<Connection> {
    make_inert(Connection::open_with_flags(file, FLAGS)?)
}

fn open_copy(dir: &Path, file: &Path, log: &Path) -> Result<ForeignDatabase, StoreError> {
    let copy = copy_to_temp(file, log).map_err(|e| {
        let why = format!("the run cannot be copied to be read: {e}");
        not_a_run(dir, why)
    })?;
    let db = open_inert(&copy.path().join("run.sqlite")).map_err(|e| unreadable(dir, &e))?;
    Ok((db, Some(copy)))
}

fn open_unchanging(file: &Path) -> rusqlite::Result<Connection> {
    let flags = FLAGS | OpenFlags::SQLITE_OPEN_URI;
    make_inert(Connection::open_with_flags(
        unchanging_address(file),
        flags,
    )?)
}

fn unreadable(dir: &Path, error: &rusqlite::Error) -> StoreError {
    not_a_run(
        dir,
        format!("run.sqlite is not a run of evenhand ({error})"),
    )
}

/// Makes sure that nothing of the database runs by itself, and that it can be read at all.
fn make_inert(db: Connection) -> rusqlite::Result<Connection> {
    disarm(&db)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.pragma_update(None, "query_only", true)?;
    db.query_row("SELECT count(*) FROM sqlite_master", [], |row| {
        row.get::<_, i64>(0)
    })?;
    Ok(db)
}

/// Switches off views, and functions with effects in what the schema defines. A statement is
/// planned once, not for each value that is bound to it: that took longer than to run it.
pub(crate) fn disarm(db: &Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)
        .map(|_| ())
}

fn copy_to_temp(file: &Path, log: &Path) -> std::io::Result<TempDir> {
    let dir = tempfile::tempdir()?;
    for (from, name) in [(log, "run.sqlite-wal"), (file, "run.sqlite")] {
        let mut to = File::create(dir.path().join(name))?;
        std::io::copy(&mut File::open(from)?, &mut to)?;
    }
    Ok(dir)
}

/// Returns the address by which SQLite takes a file that nobody changes.
fn unchanging_address(file: &Path) -> String {
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

    /// A run, in a directory whose name an address would misread.
    fn run(under: &Path) -> PathBuf {
        let dir = under.join("50%20 ?a#b");
        let mut manifest = Manifest::default();
        manifest.set("judge", "j");
        drop(Store::open(&dir, &manifest).unwrap());
        dir
    }

    #[test]
    fn where_runs_are_is_said_of_a_folder_up_to_two_levels_above_them() {
        let under = tempfile::tempdir().unwrap();
        let top = under.path();
        let runs = top.join("demo").join("runs");
        assert_eq!(describe_runs_below(top), None);
        std::fs::create_dir_all(top.join("demo").join("data")).unwrap();
        for name in ["b", "a"] {
            drop(Store::open(&runs.join(name), &Manifest::default()).unwrap());
        }
        let place = runs.display();
        let said = format!("there is no run here, but in {place}: a, b");
        for dir in [&runs, &top.join("demo")] {
            assert_eq!(describe_runs_below(dir).as_ref(), Some(&said));
            let refused = Reader::open(dir).map(drop).unwrap_err().to_string();
            assert_eq!(refused, format!("{}: {said}", dir.display()));
        }
        for dir in [top.into(), top.join("demo").join("data"), runs.join("a")] {
            assert_eq!(describe_runs_below(&dir), None);
        }
        for name in ["c", "d", "e", "f", "g"] {
            drop(Store::open(&runs.join(name), &Manifest::default()).unwrap());
        }
        let said = format!("there is no run here, but in {place}: a, b, c, d, e and 2 more");
        assert_eq!(describe_runs_below(&runs), Some(said));
    }

    #[test]
    fn a_file_that_nobody_changes_is_read_as_it_stands() {
        let under = tempfile::tempdir().unwrap();
        let file = run(under.path()).join("run.sqlite");
        let db = open_unchanging(&file).unwrap();
        assert_eq!(Manifest::read(&db).unwrap().settings["judge"], "j");
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
        let copy = copy_to_temp(&dir.join("run.sqlite"), &dir.join("run.sqlite-wal")).unwrap();
        let db = open_inert(&copy.path().join("run.sqlite")).unwrap();
        let sql = "SELECT count(*) FROM judges WHERE identity = 'late'";
        let late: i64 = db.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(late, 1);
    }

    /// Tools that keep large files elsewhere leave links in their place; nothing is made there.
    #[cfg(unix)]
    #[test]
    fn a_run_that_is_a_link_is_read_and_nothing_is_made_where_it_leads() {
        let under = tempfile::tempdir().unwrap();
        let (dir, link) = (run(under.path()), under.path().join("link"));
        std::fs::create_dir(&link).unwrap();
        std::os::unix::fs::symlink(dir.join("run.sqlite"), link.join("run.sqlite")).unwrap();
        let names = || {
            let names = std::fs::read_dir(&dir).unwrap();
            let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let before = names();
        let read = Reader::open(&link).and_then(|run| run.manifest());
        assert_eq!(read.unwrap().settings["judge"], "j");
        assert_eq!(names(), before);
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
