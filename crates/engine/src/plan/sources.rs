//! The files of a data set before they are read: what each of them is, and names that keep the ids
//! of their items apart.

use crate::EngineError;
use crate::files::{files, short_names, stem};
use evenhand_formats::records::{DataError, DataProblem, Filter, Place, Record, RecordKind};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files of our own directory format.
const OWN_FILES: [&str; 4] = ["items", "responses", "labels", "ratings"];

/// A file of a path that the user named.
pub(super) struct DataFile {
    pub(super) path: PathBuf,
    /// The directory in our own format that it is a part of.
    pub(super) set: Option<PathBuf>,
}

/// A file and what is known of it before it is read.
pub(super) struct DataSource {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) kind: RecordKind,
    /// The conditions whose fields it has.
    pub(super) filter: Filter,
    /// The directory in our own format that it is a part of.
    pub(super) set: Option<PathBuf>,
}

impl DataSource {
    /// Returns its place in the order of reading: what defines items comes before what speaks of
    /// them.
    pub(super) fn turn(&self) -> u8 {
        match self.kind {
            RecordKind::Items => 0,
            RecordKind::Pairs => 1,
            RecordKind::Responses => 2,
            RecordKind::Labels => 3,
            RecordKind::Ratings => 4,
        }
    }
}

/// Returns the files of a path; of a directory in our own format those that are its parts, and with
/// them the directory.
pub(super) fn data_files(path: &Path) -> Result<Vec<DataFile>, EngineError> {
    let found = files(path)?;
    let is_set = path.is_dir() && found.iter().any(|file| stem(file) == "items");
    let is_part = |file: &PathBuf| !is_set || OWN_FILES.contains(&stem(file).as_str());
    let parts = found.into_iter().filter(is_part);
    let files = parts.map(|file| DataFile {
        path: file,
        set: is_set.then(|| path.to_path_buf()),
    });
    Ok(files.collect())
}

/// A name that becomes a part of the ids of a file's items.
pub(super) enum Scope {
    /// Of the items that the file's pairs hold.
    Pairs(String),
    /// Of those that the file, a part of a directory in our own format, holds or speaks of.
    Set(String),
}

impl Scope {
    pub(super) fn apply(&self, record: Record) -> Record {
        match self {
            Scope::Pairs(name) => record.with_item_scope(name),
            Scope::Set(name) => record.with_set(name),
        }
    }

    /// Tells the user that ids have a name before them.
    pub(super) fn note(&self) -> String {
        let (first, what) = match self {
            Scope::Pairs(name) => (name, "file"),
            Scope::Set(name) => (name, "directory"),
        };
        format!(
            "different items have the same id; the {what} is part of the id here, as in {first}:ID"
        )
    }
}

/// Returns the names that become a part of the ids of each file's items; None where the error is no
/// collision of ids that names would resolve.
pub(super) fn scopes_for(error: &DataError, sources: &[DataSource]) -> Option<Vec<Option<Scope>>> {
    let (DataProblem::ConflictingItem { first, .. } | DataProblem::DuplicatePair { first, .. }) =
        &*error.problem
    else {
        return None;
    };
    let find = |place: &Place| sources.iter().find(|source| source.name == *place.source);
    let (here, first) = (find(error.place.as_ref()?)?, find(first)?);
    if here.name == first.name {
        return None;
    }
    if here.kind == RecordKind::Pairs && first.kind == RecordKind::Pairs {
        return Some(scopes_of_pairs(sources));
    }
    let sets_differ = here.set.is_some() && first.set.is_some() && here.set != first.set;
    sets_differ.then(|| scopes_of_sets(sources))
}

fn scopes_of_pairs(sources: &[DataSource]) -> Vec<Option<Scope>> {
    let pairs = sources
        .iter()
        .filter(|source| source.kind == RecordKind::Pairs);
    let paths: Vec<PathBuf> = pairs.map(|source| source.path.clone()).collect();
    let mut names = short_names(&paths).into_iter();
    let sources = sources.iter();
    let scopes = sources.map(|source| {
        let is_pairs = source.kind == RecordKind::Pairs;
        is_pairs.then(|| names.next().map(Scope::Pairs)).flatten()
    });
    scopes.collect()
}

fn scopes_of_sets(sources: &[DataSource]) -> Vec<Option<Scope>> {
    let mut sets: Vec<PathBuf> = sources
        .iter()
        .filter_map(|source| source.set.clone())
        .collect();
    sets.sort();
    sets.dedup();
    let names = short_names(&sets);
    let names: HashMap<PathBuf, String> = sets.into_iter().zip(names).collect();
    let sources = sources.iter();
    let scopes = sources.map(|source| {
        let name = names.get(source.set.as_ref()?)?;
        Some(Scope::Set(name.clone()))
    });
    scopes.collect()
}
