//! What a path is: one run, or a folder of them.

use crate::ViewError;
use evenhand_engine::runs_in;
use evenhand_store::Reader;
use std::path::{Path, PathBuf};

/// A run whose database has no more bytes is read in no time.
const SMALL: u64 = 8 << 20;
/// So many of these are looked into.
const MOST_SMALL: usize = 8;

/// Where runs are.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// One run.
    Run(PathBuf),
    /// A folder, in which runs may come and go.
    Folder(PathBuf),
}

/// A run with the name that addresses have for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedRun {
    pub(super) name: String,
    pub(super) dir: PathBuf,
}

impl Place {
    pub(super) fn of(path: PathBuf) -> Result<Place, ViewError> {
        let is_folder = path.is_dir();
        if is_folder && !path.join("run.sqlite").exists() {
            return Ok(Place::Folder(path));
        }
        if !is_folder {
            return Err(ViewError::NoFolder { path });
        }
        Reader::open(&path)?;
        Ok(Place::Run(path))
    }

    /// Finds a run by its name. The name is looked for among those that are there, and never made
    /// part of a path.
    pub(super) fn find(&self, name: Option<&str>) -> Option<NamedRun> {
        match (self, name) {
            (Place::Run(dir), None) => Some(named(dir.clone())),
            (Place::Folder(folder), Some(name)) => {
                let mut runs = runs_in(folder).into_iter().map(named);
                runs.find(|run| run.name == name)
            }
            _ => None,
        }
    }

    /// Lists some runs of the folder that are read in no time.
    pub(super) fn small_runs(&self) -> Vec<NamedRun> {
        let Place::Folder(folder) = self else {
            return Vec::new();
        };
        let runs = runs_in(folder).into_iter().filter(|dir| is_small(dir));
        runs.take(MOST_SMALL).map(named).collect()
    }
}

fn is_small(dir: &Path) -> bool {
    let file = dir.join("run.sqlite").metadata();
    file.is_ok_and(|file| file.len() <= SMALL)
}

fn named(dir: PathBuf) -> NamedRun {
    NamedRun {
        name: name_of(&dir),
        dir,
    }
}

/// Returns the name of a directory, also of one such as `.`.
pub(super) fn name_of(dir: &Path) -> String {
    let whole = dir.file_name().is_none().then(|| dir.canonicalize().ok());
    let whole = whole.flatten();
    let name = whole.as_deref().unwrap_or(dir).file_name();
    name.unwrap_or(dir.as_os_str()).to_string_lossy().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_is_listed_is_found() {
        let under = tempfile::tempdir().unwrap();
        let folder = under.path().join("runs");
        for run in ["runs/one", "runs/two words", "outside"] {
            let dir = under.path().join(run);
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join("run.sqlite"), "").unwrap();
        }
        let place = Place::of(folder.clone()).unwrap();
        let found = place.find(Some("two words")).unwrap();
        assert_eq!(found.dir, folder.join("two words"));
        for name in [
            "../outside",
            "one/../one",
            "./one",
            "",
            ".",
            "..",
            "/",
            "one/",
            "none",
        ] {
            assert_eq!(place.find(Some(name)), None, "{name}");
        }
        assert_eq!(place.find(None), None);
    }

    #[test]
    fn a_directory_has_a_name_however_it_is_called() {
        assert_eq!(name_of(Path::new("runs/one/")), "one");
        assert_ne!(name_of(Path::new(".")), ".");
    }
}
