//! The files of a data set before they are read: what each of them is, and names that keep the ids
//! of their items apart.

use crate::EngineError;
use crate::files::{Wanted, files, files_for, short_names, stem};
use evenhand_formats::records::{DataError, DataProblem, Filter, Place, Record, RecordKind};
use evenhand_objects::local_path;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files of our own directory format.
const OWN_FILES: [&str; 4] = ["items", "responses", "labels", "ratings"];

/// A file of a path that the user named.
pub(super) struct DataFile {
    pub(super) path: PathBuf,
    /// The directory in our own format that it is a part of.
    pub(super) set: Option<PathBuf>,
    /// Whether its answers are references.
    pub(super) holds_references: bool,
}

/// The directory in which MT-Bench keeps reference answers.
const REFERENCE_DIRECTORY: &str = "reference_answer";

/// A file and what is known of it before it is read.
pub(super) struct DataSource {
    pub(super) file: DataFile,
    pub(super) name: String,
    pub(super) kind: RecordKind,
    /// The conditions whose fields it has.
    pub(super) filter: Filter,
    /// Whether its votes are read as pairs with the responses that they hold.
    pub(super) votes_hold_answers: bool,
}

impl DataSource {
    fn is_pairs(&self) -> bool {
        self.kind == RecordKind::Pairs
    }

    /// Returns its place in the order of reading: what defines items comes before what speaks of
    /// them.
    pub(super) fn reading_order(&self) -> u8 {
        match self.kind {
            RecordKind::Items => 0,
            RecordKind::Pairs => 1,
            RecordKind::Responses if self.file.holds_references => 3,
            RecordKind::Responses => 2,
            RecordKind::Labels => 4,
            RecordKind::Ratings => 5,
        }
    }

    /// Makes the answers of a file of them references.
    pub(super) fn adapt(&self, record: Record, place: &Place) -> Result<Record, DataError> {
        if !self.file.holds_references {
            return Ok(record);
        }
        record
            .into_reference()
            .ok_or_else(|| DataProblem::NoReferences.at(place))
    }
}

/// Returns the files of a path; of a directory in our own format those that are its parts, and with
/// them the directory.
pub(super) fn data_files(path: &Path) -> Result<Vec<DataFile>, EngineError> {
    let mut found = files_for(path, Wanted::Items)?;
    let is_folder = found != [local_path(path)];
    let is_set = is_folder && found.iter().any(|file| stem(file) == "items");
    if is_set {
        found.retain(|file| OWN_FILES.contains(&&*stem(file)));
    }
    let files = found.into_iter().map(|file| {
        let directory = file.parent().and_then(Path::file_name);
        DataFile {
            holds_references: directory.is_some_and(|name| name == REFERENCE_DIRECTORY),
            path: file,
            set: is_set.then(|| path.to_path_buf()),
        }
    });
    Ok(files.collect())
}

/// Returns the files of a path as files of reference answers.
pub(super) fn reference_files(path: &Path) -> Result<Vec<DataFile>, EngineError> {
    let files = files(path)?.into_iter().map(|file| DataFile {
        path: file,
        set: None,
        holds_references: true,
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
    let [here, first] = colliding_sources(error, sources)?;
    if here.is_pairs() && first.is_pairs() {
        let pairs = sources.iter().filter(|source| source.is_pairs());
        let paths: Vec<PathBuf> = pairs.map(|source| source.file.path.clone()).collect();
        let mut names = short_names(&paths).into_iter();
        // A name for each file of pairs, in their order; the other files have none.
        let scopes = sources
            .iter()
            .map(|source| Some(Scope::Pairs(source.is_pairs().then(|| names.next())??)));
        return Some(scopes.collect());
    }
    let [here, first] = [here, first].map(|source| &source.file.set);
    if here.is_none() || first.is_none() || here == first {
        return None;
    }
    let mut sets: Vec<PathBuf> = sources
        .iter()
        .filter_map(|source| source.file.set.clone())
        .collect();
    sets.sort();
    sets.dedup();
    let names = short_names(&sets);
    let names: HashMap<PathBuf, String> = sets.into_iter().zip(names).collect();
    let scopes = sources.iter().map(|source| {
        let name = names.get(source.file.set.as_ref()?)?;
        Some(Scope::Set(name.clone()))
    });
    Some(scopes.collect())
}

/// Finds the two files that give the same id to different items.
fn colliding_sources<'a>(
    error: &DataError,
    sources: &'a [DataSource],
) -> Option<[&'a DataSource; 2]> {
    if let DataProblem::Many(errors) = &*error.problem {
        return errors
            .iter()
            .find_map(|error| colliding_sources(error, sources));
    }
    let (DataProblem::ConflictingItem { first, .. } | DataProblem::DuplicatePair { first, .. }) =
        &*error.problem
    else {
        return None;
    };
    let source_at = |place: &Place| sources.iter().find(|source| source.name == *place.source);
    let here = source_at(error.place.as_ref()?)?;
    let first = source_at(first)?;
    // Within one file, a name would not keep them apart.
    (here.name != first.name).then_some([here, first])
}
