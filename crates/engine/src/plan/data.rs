//! Opening the user's files.

use crate::files::{refuse_unreadable, stem};
use crate::plan::label_items::LabelItems;
use crate::plan::sources::{DataFile, DataSource, Scope, data_files, reference_files, scopes_for};
use crate::plan::spill::Spill;
use crate::{EngineError, open_input};
use evenhand_core::{Item, Setting, ShownFields};
use evenhand_formats::battles::Spellings;
use evenhand_formats::records::{
    DataError, DataProblem, FieldsFound, FileContents, Filter, Format, Input, Mapped, Mapping,
    Record, RecordKind, Shape, TrajectoryOptions, TurnChoice, Unshown, find_record, inspect_file,
    part_field_not_found, read_records, shown_field_not_found,
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
    /// Files, or directories of files, whose answers are references.
    pub reference_answers: Vec<PathBuf>,
    /// The user's mapping of fields; it holds for every file but those in our own formats whose
    /// fields it does not name.
    pub mapping: Option<Mapping>,
    /// The format of every file, where it is not to be recognised.
    pub format: Option<Format>,
    /// Which items and systems are kept.
    pub selection: Selection,
    /// Whether systems may lack responses.
    pub allow_missing: bool,
    /// How many records of a file that cannot be read are left out, and listed.
    pub skip_bad: u64,
    /// Which records are read. What speaks of an item that is left out is left out with it.
    pub filter: Filter,
    /// Spellings of labels beside those that are known.
    pub outcomes: Spellings,
    /// Which turns of conversations are judged.
    pub turn: TurnChoice,
    /// How trajectories are read.
    pub trajectories: TrajectoryOptions,
    /// The free fields that are read.
    pub shown: ShownFields,
    /// A field of items whose values become their categories.
    pub by: Option<String>,
    /// Whether labels define the items and systems that they name, where all files are labels.
    pub labels_define: bool,
}

/// Reads a data set: files that define items first, whatever the order in which they were named.
/// Where files of pairs, or directories in our own format, give the same id to different items, the
/// name of each becomes a part of the ids of all of them, and a note says so.
///
/// # Errors
/// Files that cannot be read, or do not make a data set; a mapped field, or one of a condition,
/// that is in no file.
pub fn load(options: &DataOptions) -> Result<Dataset, EngineError> {
    let files = options.find_files()?;
    options.check_mapping(&files)?;
    let sources = options.find_sources(files)?;
    match &options.by {
        Some(field) => options.read_by(field, &sources),
        None => options.read_all(&sources),
    }
}

impl DataOptions {
    fn read_all(&self, sources: &[DataSource]) -> Result<Dataset, EngineError> {
        let dataset = self.read_or_again(sources)?;
        self.check_shown(&dataset, sources)?;
        Ok(dataset)
    }

    fn read_or_again(&self, sources: &[DataSource]) -> Result<Dataset, EngineError> {
        match self.read_sources(sources, &[]) {
            Err(EngineError::Data(error)) => self.read_again(sources, error),
            read => read,
        }
    }

    /// Reads items with the values of a field as their categories.
    fn read_by(&self, field: &str, sources: &[DataSource]) -> Result<Dataset, EngineError> {
        let mut dataset = self.also_showing(field).read_or_again(sources)?;
        self.check_shown(&dataset, sources)?;
        let mut items = dataset.items.iter();
        if !items.any(|item| item.fields.contains_key(field)) {
            return Err(part_field_not_found(field, &self.first_of_each(sources)?).into());
        }
        for item in &mut dataset.items {
            set_category(item, field, self.shown.item.contains(field));
        }
        Ok(dataset)
    }

    fn also_showing(&self, field: &str) -> DataOptions {
        let mut options = self.clone();
        options.shown.item.insert(field.to_string());
        options
    }

    fn first_of_each(&self, sources: &[DataSource]) -> Result<Vec<(String, Value)>, EngineError> {
        let firsts = sources.iter().map(|source| {
            let first = self.first_record(&source.path)?;
            Ok((source.name.clone(), first))
        });
        firsts.collect()
    }

    fn find_files(&self) -> Result<Vec<DataFile>, EngineError> {
        let mut files = Vec::new();
        for path in &self.paths {
            files.extend(data_files(path)?);
        }
        for path in &self.reference_answers {
            files.extend(reference_files(path)?);
        }
        Ok(files)
    }

    /// Reads files with names that keep the ids of their items apart, where the error is that they
    /// collide.
    fn read_again(&self, sources: &[DataSource], error: DataError) -> Result<Dataset, EngineError> {
        let Some(scopes) = scopes_for(&error, sources) else {
            return Err(error.into());
        };
        self.read_sources(sources, &scopes)
    }

    /// Checks that every free field that a prompt shows is that of some item or response.
    fn check_shown(&self, dataset: &Dataset, sources: &[DataSource]) -> Result<(), EngineError> {
        match dataset.find_lacking(&self.shown)? {
            Some(name) => Err(shown_field_not_found(&name, &self.first_of_each(sources)?).into()),
            None => Ok(()),
        }
    }

    /// Checks that every field of the mapping is in some file: a field that may be null may come
    /// late.
    fn check_mapping(&self, files: &[DataFile]) -> Result<(), EngineError> {
        let Some(mapping) = &self.mapping else {
            return Ok(());
        };
        let firsts = self.first_records(files)?;
        for mapped in mapping.mapped() {
            if !self.has_mapped(&mapped, &firsts, files)? {
                return Err(mapped.not_found_error(&firsts).into());
            }
        }
        Ok(())
    }

    /// Whether a mapped field is in some file; most are in a first record, and no file is read
    /// further then.
    fn has_mapped(
        &self,
        mapped: &Mapped,
        firsts: &[(String, Value)],
        files: &[DataFile],
    ) -> Result<bool, EngineError> {
        if firsts.iter().any(|(_, first)| mapped.is_in(first, 0)) {
            return Ok(true);
        }
        let paths: Vec<&Path> = files.iter().map(|file| &*file.path).collect();
        self.any_record(&paths, |record, at| mapped.is_in(record, at))
    }

    fn first_records(&self, files: &[DataFile]) -> Result<Vec<(String, Value)>, EngineError> {
        let mut firsts = Vec::new();
        for file in files {
            let first = self.first_record(&file.path)?;
            firsts.push((file.path.display().to_string(), first));
        }
        Ok(firsts)
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
        let mut found = FieldsFound::default();
        let mut sources = Vec::with_capacity(files.len());
        for file in files {
            sources.push(self.inspect(file, &mut found)?);
        }
        found.check_fields(&self.filter)?;
        self.take_answers_of_votes(&mut sources)?;
        sources.sort_by_key(DataSource::reading_order);
        Ok(sources)
    }

    fn inspect(&self, file: DataFile, found: &mut FieldsFound) -> Result<DataSource, EngineError> {
        let kind = self.open(&file.path, inspect_file)?.kind;
        Ok(DataSource {
            name: file.path.display().to_string(),
            kind,
            filter: self.conditions_of_file(&file.path, kind, found)?,
            path: file.path,
            set: file.set,
            votes_hold_answers: false,
            holds_references: file.holds_references,
        })
    }

    /// Makes pairs of votes that hold what was answered, where no other file holds it.
    fn take_answers_of_votes(&self, sources: &mut [DataSource]) -> Result<(), EngineError> {
        let judged = sources.iter().filter(|source| !source.holds_references);
        let mut sorts = judged.map(|source| source.kind);
        if sorts.any(|kind| matches!(kind, RecordKind::Responses | RecordKind::Pairs)) {
            return Ok(());
        }
        for source in sources {
            let found = self.open(&source.path, |file, input| {
                let input = Input {
                    votes_hold_answers: true,
                    ..*input
                };
                inspect_file(file, &input)
            })?;
            source.votes_hold_answers = found.kind != source.kind;
            source.kind = found.kind;
        }
        Ok(())
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
        self.find_late_fields(path, &first, found)?;
        Ok(found.filter_of_last(&self.filter))
    }

    /// Notes the conditions whose fields come after the first record, such as fields that may be
    /// left out.
    fn find_late_fields(
        &self,
        path: &Path,
        first: &Value,
        found: &mut FieldsFound,
    ) -> Result<(), EngineError> {
        for (number, condition) in self.filter.conditions().iter().enumerate() {
            let early = condition.is_in(first, 0);
            if !early && self.any_record(&[path], |record, at| condition.is_in(record, at))? {
                found.note_later_field(number);
            }
        }
        Ok(())
    }

    /// Reads the files; `scopes` are what becomes a part of the ids of each one's items.
    fn read_sources(
        &self,
        sources: &[DataSource],
        scopes: &[Option<Scope>],
    ) -> Result<Dataset, EngineError> {
        let mut reading = Reading::new(self);
        reading.label_items = self.label_items(sources);
        for (number, source) in sources.iter().enumerate() {
            let scope = scopes.get(number).and_then(Option::as_ref);
            reading.read_source(source, scope)?;
        }
        reading.check_kept()?;
        let scope = scopes.iter().flatten().next();
        reading.notes.extend(scope.map(Scope::note));
        reading.finish()
    }

    /// Returns where labels that define what they name are kept track of; None where they do not.
    fn label_items(&self, sources: &[DataSource]) -> Option<LabelItems> {
        let is_defining = self.labels_define && are_all_labels(sources);
        is_defining.then(|| LabelItems::new(self.turn))
    }

    fn open<T>(
        &self,
        path: &Path,
        use_it: impl FnOnce(BufReader<File>, &Input) -> Result<T, DataError>,
    ) -> Result<T, EngineError> {
        let (name, stem) = (path.display().to_string(), stem(path));
        let file = open_input(path).map_err(|e| refuse_unreadable(path, &e))?;
        let input = Input {
            shape: self.shape(),
            default_system: Some(&stem),
            outcomes: Some(&self.outcomes),
            turn: self.turn,
            trajectories: self.trajectories,
            allow_missing: self.allow_missing,
            skip_bad: self.skip_bad,
            shown: Some(&self.shown),
            ..Input::new(&name)
        };
        Ok(use_it(BufReader::with_capacity(1 << 16, file), &input)?)
    }

    /// The user's mapping comes before a format, and both before what a file looks like.
    fn shape(&self) -> Shape<'_> {
        match (&self.mapping, self.format) {
            (Some(mapping), _) => Shape::Mapped(mapping),
            (None, Some(format)) => Shape::Known(format),
            (None, None) => Shape::Recognise,
        }
    }
}

/// A data set while its files are read.
struct Reading<'a> {
    options: &'a DataOptions,
    builder: DatasetBuilder,
    label_items: Option<LabelItems>,
    /// Records that met conditions.
    kept: u64,
    notes: Vec<String>,
}

impl<'a> Reading<'a> {
    fn new(options: &'a DataOptions) -> Reading<'a> {
        let texts = Box::<Spill>::default();
        Reading {
            options,
            builder: DatasetBuilder::new(options.selection.clone(), texts),
            label_items: None,
            kept: 0,
            notes: Vec::new(),
        }
    }

    fn read_source(
        &mut self,
        source: &DataSource,
        scope: Option<&Scope>,
    ) -> Result<(), EngineError> {
        let found = self.read_records(source, scope)?;
        // A file that has no field of a condition is read as it is, and says nothing of them.
        if !source.filter.is_empty() {
            self.kept += found.kept;
        }
        self.notes
            .extend(notes_on_turns(source, &found, self.options.turn));
        Ok(())
    }

    fn read_records(
        &mut self,
        source: &DataSource,
        scope: Option<&Scope>,
    ) -> Result<FileContents, EngineError> {
        let (builder, label_items) = (&mut self.builder, &mut self.label_items);
        self.options.open(&source.path, |file, input| {
            let input = Input {
                filter: Some(&source.filter),
                votes_hold_answers: source.votes_hold_answers,
                ..*input
            };
            read_records(file, &input, &mut |record, place| {
                let record = apply_scope(scope, source.adapt(record, place)?);
                if let Some(items) = label_items {
                    items.define(&record, place, builder)?;
                }
                builder.add_record(record, place)
            })
        })
    }

    fn check_kept(&self) -> Result<(), DataError> {
        let filter = &self.options.filter;
        if self.kept == 0 && !filter.is_empty() {
            return Err(nothing_left(filter));
        }
        Ok(())
    }

    fn finish(self) -> Result<Dataset, EngineError> {
        let mut dataset = self.builder.finish(self.options.allow_missing)?;
        dataset.unshown_fields = self.options.shown.unshown();
        dataset.notes.splice(0..0, self.notes);
        Ok(dataset)
    }
}

fn are_all_labels(sources: &[DataSource]) -> bool {
    let mut sources = sources.iter();
    sources.all(|source| source.kind == RecordKind::Labels)
}

fn apply_scope(scope: Option<&Scope>, record: Record) -> Record {
    match scope {
        Some(scope) => scope.apply(record),
        None => record,
    }
}

fn nothing_left(filter: &Filter) -> DataError {
    DataError::new(DataProblem::NothingLeft {
        filter: filter.to_string(),
    })
}

/// Says which turns and conversations of a file are left out.
fn notes_on_turns(
    source: &DataSource,
    found: &FileContents,
    turn: TurnChoice,
) -> impl Iterator<Item = String> {
    let votes = (found.passed_over > 0).then(|| note_on_votes(found.passed_over, turn));
    let short = (found.too_short > 0).then(|| {
        let (count, turn) = (found.too_short, turn);
        format!("{count} conversations end before turn {turn} and are left out")
    });
    let is_judged = source.kind != RecordKind::Labels && !source.holds_references;
    let cut = (found.cut_short > 0 && is_judged).then(|| {
        let count = found.cut_short;
        format!(
            "{count} conversations have later turns; the first is judged, and {} each, whole or a \
             number takes others",
            Setting::Turn
        )
    });
    let half = (found.lone_surrogates > 0).then(|| {
        let count = found.lone_surrogates;
        format!("{count} halves of characters (escapes such as \\ud83d) are read as U+FFFD")
    });
    let skipped = (!found.skipped.is_empty()).then(|| {
        let (count, why) = (found.skipped.len(), found.skipped.join("; "));
        format!("{count} records cannot be read and are left out: {why}")
    });
    let notes = [votes, short, cut, half, skipped].into_iter().flatten();
    let notes = notes.chain(notes_on_trajectories(found.unshown));
    notes.map(|note| format!("{}: {note}", source.name))
}

/// Says what is not shown of the trajectories of a file.
fn notes_on_trajectories(unshown: Unshown) -> impl Iterator<Item = String> {
    let Unshown {
        cut,
        tokens,
        thoughts,
    } = unshown;
    let budget = Setting::TrajectoryBudget;
    let cut = (cut > 0).then(|| {
        format!(
            "{cut} trajectories are longer than {budget} and cut in the middle; {tokens} tokens \
             are left out of them"
        )
    });
    let thinking = Setting::ShowThinking;
    let thoughts = (thoughts > 0)
        .then(|| format!("{thoughts} thoughts of systems are left out; {thinking} shows them"));
    cut.into_iter().chain(thoughts)
}

fn note_on_votes(votes: u64, turn: TurnChoice) -> String {
    match turn {
        TurnChoice::First => {
            format!("{votes} votes on a second turn are left out; its items are first turns")
        }
        TurnChoice::Whole => {
            format!("{votes} votes on single turns are left out; whole conversations are judged")
        }
        turn => format!("{votes} votes on other turns than {turn} are left out"),
    }
}

/// Makes a field's value the item's category. Unless a prompt shows it, the field itself goes: an
/// item is the same whatever it is parted by.
fn set_category(item: &mut Item, field: &str, is_shown: bool) {
    item.category = item.fields.get(field).map(value_text);
    if !is_shown {
        item.fields.remove(field);
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
