//! Opening the user's files.

use crate::files::{stem, unreadable};
use crate::plan::spill::Spill;
use crate::{EngineError, files, open_input};
use evenhand_formats::battles::Spellings;
use evenhand_formats::records::{
    DataError, FieldsFound, Filter, Format, Found, Input, Kind, Mapping, Place, Problem, Record,
    Shape, find, inspect, read,
};
use evenhand_formats::{Dataset, DatasetBuilder, Selection};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Which files are read, and how.
#[derive(Clone, Debug, Default)]
pub struct DataOptions {
    /// Files, or directories of files.
    pub paths: Vec<PathBuf>,
    /// The user's mapping of fields; it holds for every file but those in our own formats whose
    /// fields it does not name.
    pub mapping: Option<Mapping>,
    /// The format of every file, where it is not to be recognised.
    pub format: Option<Format>,
    /// Which items and systems are kept.
    pub selection: Selection,
    /// Whether systems may lack responses.
    pub allow_missing: bool,
    /// Which records are read. What speaks of an item that is left out is left out with it.
    pub filter: Filter,
    /// Spellings of labels beside those that are known.
    pub outcomes: Spellings,
}

/// A file and what is known of it before it is read.
struct Source {
    path: PathBuf,
    name: String,
    kind: Kind,
    /// The conditions whose fields it has.
    filter: Filter,
    /// The directory in our own format that it is a part of.
    set: Option<PathBuf>,
}

/// A name that becomes a part of the ids of a file's items.
enum Scope {
    /// Of the items that the file's pairs hold.
    Pairs(String),
    /// Of those that the file, a part of a directory in our own format, holds or speaks of.
    Set(String),
}

impl Scope {
    fn of(&self, record: Record) -> Record {
        match self {
            Scope::Pairs(name) => record.scoped(name),
            Scope::Set(name) => record.of_set(name),
        }
    }
}

/// Reads a data set: files that define items first, whatever the order in which they were named.
/// Where files of pairs, or directories in our own format, give the same id to different items, the
/// name of each becomes a part of the ids of all of them, and a note says so.
///
/// # Errors
/// Files that cannot be read, or do not make a data set; a field of `--map` or `--where` that is in
/// no file.
pub fn load(options: &DataOptions) -> Result<Dataset, EngineError> {
    let mut files = Vec::new();
    for path in &options.paths {
        files.extend(data_files(path)?);
    }
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    options.check_mapping(&paths)?;
    let sources = options.sources(files)?;
    let error = match options.read(&sources, &[]) {
        Err(EngineError::Data(error)) => error,
        read => return read,
    };
    match scopes(&error, &sources) {
        Some(scopes) => options.read(&sources, &scopes),
        None => Err(error.into()),
    }
}

/// Names that become a part of the ids of each file's items; None where the error is no collision
/// of ids.
fn scopes(error: &DataError, sources: &[Source]) -> Option<Vec<Option<Scope>>> {
    let (Problem::ConflictingItem { first, .. } | Problem::DuplicatePair { first, .. }) =
        &*error.problem
    else {
        return None;
    };
    let find = |place: &Place| sources.iter().find(|source| source.name == *place.source);
    let (here, first) = (find(error.place.as_ref()?)?, find(first)?);
    match (here, first) {
        _ if here.name == first.name => None,
        _ if here.kind == Kind::Pairs && first.kind == Kind::Pairs => Some(of_pairs(sources)),
        _ if here.set.is_some() && first.set.is_some() && here.set != first.set => {
            Some(of_sets(sources))
        }
        _ => None,
    }
}

fn of_pairs(sources: &[Source]) -> Vec<Option<Scope>> {
    let pairs = |source: &&Source| source.kind == Kind::Pairs;
    let paths: Vec<PathBuf> = sources
        .iter()
        .filter(pairs)
        .map(|source| source.path.clone())
        .collect();
    let mut names = files::short_names(&paths).into_iter();
    sources
        .iter()
        .map(|source| {
            if pairs(&source) {
                names.next().map(Scope::Pairs)
            } else {
                None
            }
        })
        .collect()
}

fn of_sets(sources: &[Source]) -> Vec<Option<Scope>> {
    let mut sets: Vec<PathBuf> = sources
        .iter()
        .filter_map(|source| source.set.clone())
        .collect();
    sets.sort();
    sets.dedup();
    let names: HashMap<PathBuf, String> = sets
        .iter()
        .cloned()
        .zip(files::short_names(&sets))
        .collect();
    sources
        .iter()
        .map(|source| Some(Scope::Set(names.get(source.set.as_ref()?)?.clone())))
        .collect()
}

impl DataOptions {
    /// Checks that every field of the mapping is in some file: a field that may be null may come
    /// late.
    fn check_mapping(&self, paths: &[PathBuf]) -> Result<(), EngineError> {
        let Some(mapping) = &self.mapping else {
            return Ok(());
        };
        let firsts = |path: &PathBuf| {
            let first = self.open(path, |file, input| find(file, input, |_, _| true))?;
            Ok((path.display().to_string(), first.unwrap_or_default()))
        };
        let firsts = paths
            .iter()
            .map(firsts)
            .collect::<Result<Vec<_>, EngineError>>()?;
        for mapped in mapping.mapped() {
            let early = firsts.iter().any(|(_, first)| mapped.is_in(first, 0));
            if !early && !self.any(paths, |record, at| mapped.is_in(record, at))? {
                return Err(mapped.missing(&firsts).into());
            }
        }
        Ok(())
    }

    /// Whether this is true of a record of any file.
    fn any(
        &self,
        paths: &[PathBuf],
        wanted: impl Fn(&Value, u64) -> bool,
    ) -> Result<bool, EngineError> {
        for path in paths {
            if self
                .open(path, |file, input| find(file, input, &wanted))?
                .is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The files in the order in which they are read, each with its part of the filter.
    fn sources(&self, files: Vec<(PathBuf, Option<PathBuf>)>) -> Result<Vec<Source>, EngineError> {
        let (mut sources, mut found) = (Vec::new(), FieldsFound::default());
        for (path, set) in files {
            let kind = self.open(&path, inspect)?.kind;
            let name = path.display().to_string();
            let filter = self.conditions(&path, &name, kind, &mut found)?;
            sources.push(Source {
                path,
                name,
                kind,
                filter,
                set,
            });
        }
        found.check_fields(&self.filter)?;
        sources.sort_by_key(|source| rank(source.kind));
        Ok(sources)
    }

    /// The conditions whose fields a file has, be it late.
    fn conditions(
        &self,
        path: &Path,
        name: &str,
        kind: Kind,
        found: &mut FieldsFound,
    ) -> Result<Filter, EngineError> {
        if self.filter.is_empty() {
            return Ok(Filter::default());
        }
        let first = self
            .open(path, |file, input| find(file, input, |_, _| true))?
            .unwrap_or_default();
        found.add(&self.filter, format!("{kind:?}"), name, &first);
        for (number, condition) in self
            .filter
            .conditions()
            .iter()
            .enumerate()
            .filter(|(_, of)| !of.is_in(&first, 0))
        {
            if self.any(&[path.to_path_buf()], |record, at| {
                condition.is_in(record, at)
            })? {
                found.has_after_all(number);
            }
        }
        Ok(found.for_last(&self.filter))
    }

    /// Reads the files; `scopes` are what becomes a part of the ids of each one's items.
    fn read(&self, sources: &[Source], scopes: &[Option<Scope>]) -> Result<Dataset, EngineError> {
        let mut builder = DatasetBuilder::new(self.selection.clone(), Box::<Spill>::default());
        let (mut kept, mut notes) = (0, Vec::new());
        for (number, source) in sources.iter().enumerate() {
            let scope = scopes.get(number).and_then(Option::as_ref);
            let found = self.open(&source.path, |file, input| {
                let input = Input {
                    filter: Some(&source.filter),
                    ..*input
                };
                read(file, &input, &mut |record, place| {
                    builder.add(
                        if let Some(scope) = scope {
                            scope.of(record)
                        } else {
                            record
                        },
                        place,
                    )
                })
            })?;
            kept += if source.filter.is_empty() {
                0
            } else {
                found.kept
            };
            notes.extend(late_turns(source, &found));
        }
        if kept == 0 && !self.filter.is_empty() {
            return Err(DataError::new(Problem::NothingLeft {
                filter: self.filter.to_string(),
            })
            .into());
        }
        notes.extend(said(scopes));
        let mut dataset = builder.finish(self.allow_missing)?;
        dataset.notes = notes;
        Ok(dataset)
    }

    fn open<T>(
        &self,
        path: &Path,
        use_it: impl FnOnce(BufReader<File>, &Input) -> Result<T, DataError>,
    ) -> Result<T, EngineError> {
        let name = path.display().to_string();
        let file = open_input(path).map_err(|e| unreadable(path, &e))?;
        let stem = stem(path);
        let shape = match (&self.mapping, self.format) {
            (Some(mapping), _) => Shape::Mapped(mapping),
            (None, Some(format)) => Shape::Known(format),
            (None, None) => Shape::Recognise,
        };
        let input = Input {
            shape,
            default_system: Some(&stem),
            outcomes: Some(&self.outcomes),
            ..Input::new(&name)
        };
        Ok(use_it(BufReader::with_capacity(1 << 16, file), &input)?)
    }
}

fn late_turns(source: &Source, found: &Found) -> Option<String> {
    let (name, votes) = (&source.name, found.passed_over);
    (votes > 0).then(|| {
        format!("{name}: {votes} votes on a second turn are left out; its items are first turns")
    })
}

fn said(scopes: &[Option<Scope>]) -> Option<String> {
    let (first, what) = match scopes.iter().flatten().next()? {
        Scope::Pairs(name) => (name, "file"),
        Scope::Set(name) => (name, "directory"),
    };
    Some(format!(
        "different items have the same id; the {what} is part of the id here, as in {first}:ID"
    ))
}

/// What defines items comes before what speaks of them.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Items => 0,
        Kind::Pairs => 1,
        Kind::Responses => 2,
        Kind::Labels => 3,
        Kind::Ratings => 4,
    }
}

/// The files of a path; of a directory in our own format those that are its parts, and with them
/// the directory.
fn data_files(path: &Path) -> Result<Vec<(PathBuf, Option<PathBuf>)>, EngineError> {
    let files = files::files(path)?;
    let is_own = |file: &PathBuf| OWN.contains(&stem(file).as_str());
    let own = path.is_dir() && files.iter().any(|file| stem(file) == "items");
    let set = own.then(|| path.to_path_buf());
    Ok(files
        .into_iter()
        .filter(|file| !own || is_own(file))
        .map(|file| (file, set.clone()))
        .collect())
}

/// The files of our own directory format.
const OWN: [&str; 4] = ["items", "responses", "labels", "ratings"];
