//! Opening the user's files.

use crate::files::{refuse_unreadable, stem};
use crate::plan::label_items::LabelItems;
use crate::plan::sources::{DataFile, DataSource, Scope, data_files, reference_files, scopes_for};
use crate::plan::spill::Spill;
use crate::{EngineError, open_input};
use evenhand_core::{Item, Refusal, Setting, ShownFields};
use evenhand_formats::battles::Spellings;
use evenhand_formats::records::{
    DataError, DataProblem, FieldValue, FieldsFound, FileContents, Filter, Format, Input, Mapping,
    RecordKind, Shape, TrajectoryOptions, TurnChoice, Unshown, find_record, inspect_file,
    part_field_not_found, part_field_not_of_items, read_records, shown_field_not_found,
};
use evenhand_formats::{Dataset, DatasetBuilder, Selection, describe_skipped};
use serde_json::Value;
use std::collections::BTreeSet;
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
    /// The setting that names this field, for errors; None for [`Setting::By`].
    pub by_setting: Option<Setting>,
    /// Whether only labelled pairs are looked at, so that no response of another system is missed.
    pub labelled_only: bool,
    /// Whether labels are read for themselves: they define the items and systems that they name,
    /// where all files are labels, and those that decide between others are left out.
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
    let mut files = Vec::new();
    for path in &options.paths {
        files.extend(data_files(path)?);
    }
    for path in &options.reference_answers {
        files.extend(reference_files(path)?);
    }
    options.check_mapping(&files)?;
    let sources = options.find_sources(files)?;
    let first_records = || options.first_records(sources.iter().map(|source| &*source.file.path));

    let mut dataset = match &options.by {
        Some(field) => {
            // The field is read whether or not a prompt shows it.
            let mut showing = options.clone();
            showing.shown.item.insert(field.clone());
            showing.read(&sources)?
        }
        None => options.read(&sources)?,
    };
    if let Some(name) = dataset.find_lacking(&options.shown)? {
        return Err(shown_field_not_found(&name, &first_records()?).into());
    }
    let Some(field) = &options.by else {
        return Ok(dataset);
    };

    // The values of the field become the items' categories.
    let has_field = |item: &Item| item.fields.contains_key(field);
    if !dataset.items.iter().any(has_field) {
        let setting = options.by_setting();
        let firsts = first_records()?;
        // A field that is there, of what is no item, is not said to be nowhere.
        for (source, (name, first)) in sources.iter().zip(&firsts) {
            let kind = match source.kind {
                RecordKind::Labels => "labels",
                RecordKind::Responses => "responses",
                RecordKind::Ratings => "ratings",
                RecordKind::Items | RecordKind::Pairs => continue,
            };
            if first.get(field).is_some() {
                return Err(part_field_not_of_items(setting, field, kind, name).into());
            }
        }
        return Err(part_field_not_found(setting, field, &firsts).into());
    }
    for item in &mut dataset.items {
        item.category = item.fields.get(field).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        // An item is the same whatever it is parted by, so an unshown field goes.
        if !options.shown.item.contains(field) {
            item.fields.remove(field);
        }
    }
    Ok(dataset)
}

/// Reads a data set once for each value of a field of its labels, with the labels that have the
/// value and no other; the values are in order, and labels without one are in none. None where some
/// item has the field, or no label has.
///
/// # Errors
/// Those of [`load`].
pub fn load_by_labels(
    options: &DataOptions,
    field: &str,
) -> Result<Option<Vec<(String, Dataset)>>, EngineError> {
    let of = FieldValue::parse(field)?;
    let mut values = BTreeSet::new();
    let all = options.filter.conditions();
    let is_kept = |record: &Value, at: u64| {
        let own = options
            .filter
            .filter_conditions(|number| all[number].is_in(record, at));
        own.keeps(record, at)
    };
    for path in &options.paths {
        for file in data_files(path)? {
            let kind = options.open(&file.path, inspect_file)?.kind;
            // The answers of votes are no item's field.
            let are_labels = kind == RecordKind::Labels;
            let is_met = options.any_record(&[&file.path], |record, at| {
                let found = of.find(record, at);
                if are_labels {
                    values.extend(found.filter(|value| !value.is_empty() && is_kept(record, at)));
                    return false;
                }
                matches!(kind, RecordKind::Items | RecordKind::Pairs) && found.is_some()
            })?;
            if is_met {
                return Ok(None);
            }
        }
    }
    if values.is_empty() {
        return Ok(None);
    }
    let parts = values.into_iter().map(|value| {
        let part = DataOptions {
            filter: options.filter.with_value(&of, &value),
            by: None,
            ..options.clone()
        };
        Ok((value, load(&part)?))
    });
    parts.collect::<Result<_, _>>().map(Some)
}

impl DataOptions {
    /// The setting that names the field by which items are parted.
    pub fn by_setting(&self) -> Setting {
        self.by_setting.unwrap_or(Setting::By)
    }

    /// Reads the files; again, with names that keep the ids of their items apart, where these
    /// collide.
    fn read(&self, sources: &[DataSource]) -> Result<Dataset, EngineError> {
        match self.read_sources(sources, &[]) {
            Err(EngineError::Data(error)) => match scopes_for(&error, sources) {
                Some(scopes) => self.read_sources(sources, &scopes),
                None => Err(error.into()),
            },
            read => read,
        }
    }

    /// Checks that every field of the mapping is in some file: a field that may be null may come
    /// late.
    fn check_mapping(&self, files: &[DataFile]) -> Result<(), EngineError> {
        let Some(mapping) = &self.mapping else {
            return Ok(());
        };
        let paths: Vec<&Path> = files.iter().map(|file| &*file.path).collect();
        let firsts = self.first_records(paths.iter().copied())?;
        let mut missing = Vec::new();
        for mapped in mapping.mapped() {
            // Most fields are in a first record, and no file is read further then.
            let is_early = firsts.iter().any(|(_, first)| mapped.is_in(first, 0));
            if !is_early && !self.any_record(&paths, |record, at| mapped.is_in(record, at))? {
                missing.push(mapped.not_found_error(&firsts));
            }
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(DataError::of_many(missing).into()),
        }
    }

    /// Returns the first record of each file, with the file's name.
    fn first_records<'a>(
        &self,
        paths: impl Iterator<Item = &'a Path>,
    ) -> Result<Vec<(String, Value)>, EngineError> {
        paths
            .map(|path| Ok((path.display().to_string(), self.first_record(path)?)))
            .collect()
    }

    fn first_record(&self, path: &Path) -> Result<Value, EngineError> {
        let first = self.open(path, |file, input| find_record(file, input, |_, _| true))?;
        Ok(first.unwrap_or_default())
    }

    /// Whether this is true of a record of any file.
    fn any_record(
        &self,
        paths: &[&Path],
        mut wanted: impl FnMut(&Value, u64) -> bool,
    ) -> Result<bool, EngineError> {
        for path in paths {
            let found = self.open(path, |file, input| find_record(file, input, &mut wanted))?;
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
            let kind = self.open(&file.path, inspect_file)?.kind;
            sources.push(DataSource {
                name: file.path.display().to_string(),
                kind,
                filter: self.conditions_of_file(&file.path, kind, &mut found)?,
                votes_hold_answers: false,
                file,
            });
        }
        found.check_fields(&self.filter)?;
        self.take_answers_of_votes(&mut sources)?;
        sources.sort_by_key(DataSource::reading_order);
        Ok(sources)
    }

    /// Makes pairs of votes that hold what was answered, where no other file holds it; nobody looks
    /// at the answers where labels define the items.
    fn take_answers_of_votes(&self, sources: &mut [DataSource]) -> Result<(), EngineError> {
        let mut all = sources.iter();
        if self.labels_define && all.all(|source| source.kind == RecordKind::Labels) {
            return Ok(());
        }
        let has_answers = sources.iter().any(|source| {
            let holds_answers = matches!(source.kind, RecordKind::Responses | RecordKind::Pairs);
            holds_answers && !source.file.holds_references
        });
        if has_answers {
            return Ok(());
        }
        for source in sources {
            let found = self.open(&source.file.path, |file, input| {
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

    /// Returns the conditions whose fields a file has. A field that may be left out may come after
    /// the first record.
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
            let is_early = condition.is_in(&first, 0);
            if !is_early && self.any_record(&[path], |record, at| condition.is_in(record, at))? {
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
        let are_labels = sources
            .iter()
            .all(|source| source.kind == RecordKind::Labels);
        let mut label_items =
            (self.labels_define && are_labels).then(|| LabelItems::new(self.turn));
        // Records that met conditions.
        let mut kept = 0;
        let (mut passed_over, mut notes) = (0, Vec::new());
        for (number, source) in sources.iter().enumerate() {
            let scope = scopes.get(number).and_then(Option::as_ref);
            let found = self.open(&source.file.path, |file, input| {
                let input = Input {
                    filter: Some(&source.filter),
                    votes_hold_answers: source.votes_hold_answers,
                    ..*input
                };
                read_records(file, &input, &mut |record, place| {
                    let mut record = source.adapt(record, place)?;
                    if let Some(scope) = scope {
                        record = scope.apply(record);
                    }
                    if let Some(items) = &mut label_items {
                        items.define(&record, place, &mut builder)?;
                    }
                    builder.add_record(record, place)
                })
            })?;
            // A file that has no field of a condition is read as it is, and says nothing of them.
            if !source.filter.is_empty() {
                kept += found.kept;
            }
            passed_over += found.passed_over;
            notes.extend(notes_on_file(source, &found, self.turn));
        }
        if kept == 0 && !self.filter.is_empty() {
            if passed_over > 0 {
                return Err(Refusal::of_input(format!(
                    "{} {}: nothing is left; {passed_over} votes are on other turns than those \
                     that are read, which {} chooses: a number, or each for every turn",
                    Setting::Where,
                    self.filter,
                    Setting::Turn
                ))
                .into());
            }
            let filter = self.filter.to_string();
            return Err(DataError::new(DataProblem::NothingLeft { filter }).into());
        }
        notes.extend(scopes.iter().flatten().next().map(Scope::note));

        if self.labelled_only {
            builder.expect_labelled();
        }
        if self.labels_define {
            builder.leave_out_decisions();
        }
        let mut dataset = builder.finish(self.allow_missing)?;
        if dataset.items.is_empty() && passed_over > 0 {
            return Err(Refusal::of_input(format!(
                "all {passed_over} votes are on other turns than those that are read; {} each reads \
                 every turn",
                Setting::Turn
            ))
            .into());
        }
        dataset.unshown_fields = self.shown.unshown();
        dataset.notes.splice(0..0, notes);
        dataset.votes_on_other_turns = passed_over;
        Ok(dataset)
    }

    fn open<T>(
        &self,
        path: &Path,
        use_it: impl FnOnce(BufReader<File>, &Input) -> Result<T, DataError>,
    ) -> Result<T, EngineError> {
        let name = path.display().to_string();
        let stem = stem(path);
        let file = open_input(path).map_err(|e| refuse_unreadable(path, &e))?;
        let input = Input {
            // The user's mapping comes before a format, and both before what a file looks like.
            shape: match (&self.mapping, self.format) {
                (Some(mapping), _) => Shape::Mapped(mapping),
                (None, Some(format)) => Shape::Known(format),
                (None, None) => Shape::Recognise,
            },
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
}

/// Says which turns, conversations and records of a file are left out, and what is not shown of
/// its trajectories.
fn notes_on_file(source: &DataSource, found: &FileContents, turn: TurnChoice) -> Vec<String> {
    let mut notes = Vec::new();
    if found.passed_over > 0 {
        let votes = found.passed_over;
        notes.push(match turn {
            TurnChoice::First => {
                format!(
                    "{votes} votes on a second turn are left out; its items are first turns ({} \
                     each takes every turn)",
                    Setting::Turn
                )
            }
            TurnChoice::Whole => {
                format!(
                    "{votes} votes on single turns are left out; whole conversations are judged"
                )
            }
            turn => format!("{votes} votes on other turns than {turn} are left out"),
        });
    }
    if found.too_short > 0 {
        let count = found.too_short;
        notes.push(format!(
            "{count} conversations end before turn {turn} and are left out"
        ));
    }
    let is_judged = source.kind != RecordKind::Labels && !source.file.holds_references;
    if found.cut_short > 0 && is_judged {
        notes.push(format!(
            "{} conversations have later turns; only the first is judged, and {} each, whole or a \
             number takes others",
            found.cut_short,
            Setting::Turn
        ));
    }
    if found.lone_surrogates > 0 {
        let count = found.lone_surrogates;
        notes.push(format!(
            "{count} halves of characters (escapes such as \\ud83d) are read as U+FFFD"
        ));
    }
    if !found.skipped.is_empty() {
        notes.push(describe_skipped(&found.skipped.iter().collect::<Vec<_>>()));
    }
    notes.extend(found.further_responses.clone());
    let Unshown {
        cut,
        tokens,
        thoughts,
    } = found.unshown;
    if cut > 0 {
        let budget = Setting::TrajectoryBudget;
        notes.push(format!(
            "{cut} trajectories are longer than {budget} and cut in the middle; {tokens} tokens \
             are left out of them"
        ));
    }
    if thoughts > 0 {
        let thinking = Setting::ShowThinking;
        notes.push(format!(
            "{thoughts} thoughts of systems are left out; {thinking} shows them"
        ));
    }
    for note in &mut notes {
        *note = format!("{}: {note}", source.name);
    }
    notes
}
