//! Opening the user's files.

use crate::files::{refuse_unreadable, stem};
use crate::plan::sources::{DataFile, DataSource, Scope, data_files, scopes_for};
use crate::plan::spill::Spill;
use crate::{EngineError, open_input};
use evenhand_formats::battles::Spellings;
use evenhand_formats::records::{
    DataError, DataProblem, FieldsFound, FileContents, Filter, Format, Input, Mapping, RecordKind,
    Shape, find_record, inspect_file, read_records,
};
use evenhand_formats::{Dataset, DatasetBuilder, Selection};
use serde_json::Value;
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

/// Reads a data set: files that define items first, whatever the order in which they were named.
/// Where files of pairs, or directories in our own format, give the same id to different items, the
/// name of each becomes a part of the ids of all of them, and a note says so.
///
/// # Errors
/// Files that cannot be read, or do not make a data set; a mapped field, or one of a condition, that
/// is in no file.
pub fn load(options: &DataOptions) -> Result<Dataset, EngineError> {
    let mut files = Vec::new();
    for path in &options.paths {
        files.extend(data_files(path)?);
    }
    options.check_mapping(&files)?;
    let sources = options.find_sources(files)?;
    let error = match options.read_sources(&sources, &[]) {
        Err(EngineError::Data(error)) => error,
        read => return read,
    };
    match scopes_for(&error, &sources) {
        Some(scopes) => options.read_sources(&sources, &scopes),
        None => Err(error.into()),
    }
}

impl DataOptions {
    /// Checks that every field of the mapping is in some file: a field that may be null may come
    /// late.
    fn check_mapping(&self, files: &[DataFile]) -> Result<(), EngineError> {
        let Some(mapping) = &self.mapping else {
            return Ok(());
        };
        let mut firsts = Vec::new();
        for file in files {
            let first = self.first_record(&file.path)?;
            firsts.push((file.path.display().to_string(), first));
        }
        let paths: Vec<&Path> = files.iter().map(|file| &*file.path).collect();
        for mapped in mapping.mapped() {
            let early = firsts.iter().any(|(_, first)| mapped.is_in(first, 0));
            if !early && !self.any_record(&paths, |record, at| mapped.is_in(record, at))? {
                return Err(mapped.not_found_error(&firsts).into());
            }
        }
        Ok(())
    }

    fn first_record(&self, path: &Path) -> Result<Value, EngineError> {
        let first = self.open(path, |file, input| find_record(file, input, |_, _| true))?;
        Ok(first.unwrap_or_default())
    }

    /// Whether this is true of a record of any file.
    fn any_record(
        &self,
        paths: &[&Path],
        wanted: impl Fn(&Value, u64) -> bool,
    ) -> Result<bool, EngineError> {
        for path in paths {
            let found = self.open(path, |file, input| find_record(file, input, &wanted))?;
            if found.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the files in the order in which they are read, each with its part of the filter.
    fn find_sources(&self, files: Vec<DataFile>) -> Result<Vec<DataSource>, EngineError> {
        let (mut sources, mut found) = (Vec::new(), FieldsFound::default());
        for file in files {
            let kind = self.open(&file.path, inspect_file)?.kind;
            sources.push(DataSource {
                name: file.path.display().to_string(),
                kind,
                filter: self.conditions_of_file(&file.path, kind, &mut found)?,
                path: file.path,
                set: file.set,
            });
        }
        found.check_fields(&self.filter)?;
        sources.sort_by_key(DataSource::turn);
        Ok(sources)
    }

    /// Returns the conditions whose fields a file has, be it late.
    fn conditions_of_file(
        &self,
        path: &Path,
        kind: RecordKind,
        found: &mut FieldsFound,
    ) -> Result<Filter, EngineError> {
        if self.filter.is_empty() {
            return Ok(Filter::default());
        }
        let first = self.first_record(path)?;
        let name = path.display().to_string();
        found.add_file(&self.filter, format!("{kind:?}"), &name, &first);
        for (number, condition) in self.filter.conditions().iter().enumerate() {
            let early = condition.is_in(&first, 0);
            if !early && self.any_record(&[path], |record, at| condition.is_in(record, at))? {
                found.note_later_field(number);
            }
        }
        Ok(found.filter_of_last(&self.filter))
    }

    /// Reads the files; `scopes` are what becomes a part of the ids of each one's items.
    fn read_sources(
        &self,
        sources: &[DataSource],
        scopes: &[Option<Scope>],
    ) -> Result<Dataset, EngineError> {
        let mut builder = DatasetBuilder::new(self.selection.clone(), Box::<Spill>::default());
        let (mut kept, mut notes) = (0, Vec::new());
        for (number, source) in sources.iter().enumerate() {
            let scope = scopes.get(number).and_then(Option::as_ref);
            let found = self.read_source(source, scope, &mut builder)?;
            if !source.filter.is_empty() {
                kept += found.kept;
            }
            notes.extend(note_on_late_turns(source, &found));
        }
        if kept == 0 && !self.filter.is_empty() {
            return Err(nothing_left(&self.filter).into());
        }
        notes.extend(scopes.iter().flatten().next().map(Scope::note));
        let mut dataset = builder.finish(self.allow_missing)?;
        dataset.notes = notes;
        Ok(dataset)
    }

    fn read_source(
        &self,
        source: &DataSource,
        scope: Option<&Scope>,
        builder: &mut DatasetBuilder,
    ) -> Result<FileContents, EngineError> {
        self.open(&source.path, |file, input| {
            let input = Input {
                filter: Some(&source.filter),
                ..*input
            };
            read_records(file, &input, &mut |record, place| {
                let record = match scope {
                    Some(scope) => scope.apply(record),
                    None => record,
                };
                builder.add_record(record, place)
            })
        })
    }

    fn open<T>(
        &self,
        path: &Path,
        use_it: impl FnOnce(BufReader<File>, &Input) -> Result<T, DataError>,
    ) -> Result<T, EngineError> {
        let (name, stem) = (path.display().to_string(), stem(path));
        let file = open_input(path).map_err(|e| refuse_unreadable(path, &e))?;
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

fn nothing_left(filter: &Filter) -> DataError {
    DataError::new(DataProblem::NothingLeft {
        filter: filter.to_string(),
    })
}

fn note_on_late_turns(source: &DataSource, found: &FileContents) -> Option<String> {
    let (name, votes) = (&source.name, found.passed_over);
    (votes > 0).then(|| {
        format!("{name}: {votes} votes on a second turn are left out; its items are first turns")
    })
}
