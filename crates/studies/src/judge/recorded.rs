//! From files of recorded judgments to what each judge said of which pair.

use super::assemble::{FileGame, FileGrade, FileJudgments};
use super::labels::Labels;
use super::live::lengths_of;
use super::{Game, JudgedPairs, picks, read, scopes};
use evenhand_core::{Refusal, Setting};
use evenhand_engine::files::{files, stem};
use evenhand_engine::{EngineError, open_buffered};
use evenhand_formats::judgments::games::{
    JudgmentLine, PairLabel, RecordedGame, RecordedGrade, ShownPair, read_lines,
};
use evenhand_formats::judgments::{Error, Options};
use evenhand_formats::records::{FieldsFound, Place};
use evenhand_formats::{Dataset, Label};
use evenhand_protocols::Notation;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What the parts of the input set are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subsets {
    /// The items' categories, where labels have one; else the files.
    #[default]
    Category,
    /// The files of a judge, named after the directories that tell them apart.
    File,
}

/// Which recordings are read, and how.
#[derive(Clone, Debug, Default)]
pub struct RecordedOptions {
    /// Files of recorded judgments, or directories of files. Those of the same name are one
    /// judge's.
    pub recorded: Vec<PathBuf>,
    /// Whose they all are; None: each judge is named as its files are.
    pub judge: Option<String>,
    /// Files of labels, where the recordings have none.
    pub labels: Vec<PathBuf>,
    /// How files are understood.
    pub reading: Options,
    /// The notation of the judges' texts, where it is not the format's own.
    pub notation: Option<Notation>,
    /// What the parts of the input set are.
    pub subsets: Subsets,
    /// Whether what is about no item of the data set is left out.
    pub only_items_of_data: bool,
}

impl RecordedOptions {
    /// Returns the options with the files of the directories in their places.
    pub(super) fn with_files(&self) -> Result<RecordedOptions, EngineError> {
        Ok(RecordedOptions {
            recorded: files_of_all(&self.recorded)?,
            labels: files_of_all(&self.labels)?,
            ..self.clone()
        })
    }

    fn judge_of(&self, path: &Path) -> String {
        self.judge.clone().unwrap_or_else(|| stem(path))
    }

    /// Returns the part of the input set that a file is, which is the same for every judge of that
    /// part.
    fn subset_of(&self, path: &Path) -> String {
        let whole = match &self.judge {
            // Files of any names are one judge's: they are its parts.
            Some(_) if self.recorded.len() > 1 => stem(path),
            _ => ALL.into(),
        };
        subset_name(path, &self.recorded).unwrap_or(whole)
    }

    fn labels_for(&self, path: &Path, own: &Labels, known: &Labels) -> Result<Labels, EngineError> {
        let labels = labels_for(path, own, known)?;
        Ok(match self.subsets {
            Subsets::Category => labels,
            Subsets::File => labels.without_category(),
        })
    }
}

fn files_of_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let all = paths.iter().map(|path| files(path));
    Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Reads recordings, and returns the judges in the order of their first files. `data` adds labels,
/// categories and lengths by the items' ids.
///
/// # Errors
/// A file that cannot be read; no file with games; no game with a label.
pub fn recorded(
    options: &RecordedOptions,
    data: Option<&Dataset>,
) -> Result<Vec<JudgedPairs>, EngineError> {
    let options = &options.with_files()?;
    let picked = picks::selected_items(options, data);
    let mut judges = Recordings::read(options, data)?.judges(picked.as_ref())?;
    judges.retain(|judged| !judged.pairs.is_empty());
    if judges.is_empty() {
        return Err(nothing_labelled().into());
    }
    Ok(judges)
}

fn nothing_labelled() -> Refusal {
    Refusal::of_input(format!(
        "no recorded judgment is about a pair that has a label; expected {} files with games (see \
         docs/meta-evaluation.md), and {} where they hold none of their own, with the same items \
         and systems",
        Setting::Recorded,
        Setting::Labels
    ))
}

/// What all files hold.
struct Recordings<'a> {
    /// The labels of the data set.
    of_data: Vec<PairLabel>,
    /// The labels of files that hold nothing else, or were given as labels.
    of_files: Vec<(&'a PathBuf, Vec<PairLabel>)>,
    /// The files with judgments.
    files: Vec<(&'a PathBuf, FileRead)>,
    /// The fields that the records of all files have, which conditions may name.
    fields: FieldsFound,
    options: &'a RecordedOptions,
}

impl<'a> Recordings<'a> {
    fn read(
        options: &'a RecordedOptions,
        data: Option<&Dataset>,
    ) -> Result<Recordings<'a>, EngineError> {
        let mut recordings = Recordings {
            of_data: data.map(labels_of_dataset).transpose()?.unwrap_or_default(),
            ..Recordings::of_options(options)
        };
        recordings.read_labels()?;
        recordings.read_judgments()?;
        recordings.fields.check(&options.reading.filter)?;
        Ok(recordings)
    }

    fn of_options(options: &'a RecordedOptions) -> Recordings<'a> {
        Recordings {
            options,
            of_data: vec![],
            of_files: vec![],
            files: vec![],
            fields: FieldsFound::default(),
        }
    }

    fn read_labels(&mut self) -> Result<(), EngineError> {
        for path in &self.options.labels {
            let file = self.read_file(path, Battles::Votes)?;
            let labels = file.labels.iter().cloned().chain(file.votes).collect();
            self.of_files.push((path, labels));
        }
        Ok(())
    }

    fn read_judgments(&mut self) -> Result<(), EngineError> {
        let battles = if self.has_labels() {
            Battles::Verdicts
        } else {
            Battles::Votes
        };
        for path in &self.options.recorded {
            let file = self.read_file(path, battles)?;
            self.add_recording(path, file);
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path, battles: Battles) -> Result<FileRead, EngineError> {
        let mut file = FileRead::default();
        let understanding = (self.options.notation, battles);
        let fields = self.read_lines_of(path, |line| file.add_line(line, understanding))?;
        self.fields.merge(fields);
        Ok(file)
    }

    fn read_lines_of(
        &self,
        path: &Path,
        mut take: impl FnMut(JudgmentLine<'_>),
    ) -> Result<FieldsFound, EngineError> {
        let (opened, shown) = (open_buffered(path)?, path.display().to_string());
        let mut sink = |line: JudgmentLine<'_>, _: &Place| -> Result<(), Error> {
            take(line);
            Ok(())
        };
        Ok(read_lines(
            opened,
            &shown,
            &self.options.reading,
            &mut sink,
        )?)
    }

    /// Puts labels and judgments together, for each judge; only of the items that were picked.
    fn judges(self, picked: Option<&HashSet<String>>) -> Result<Vec<JudgedPairs>, EngineError> {
        let known = self.known_labels().only(picked);
        let options = self.options;
        let mut judges: Vec<JudgedPairs> = Vec::new();
        for (path, mut file) in self.files {
            file.keep_items(path, picked);
            let labels = options.labels_for(path, &file.labels, &known)?;
            let judged = judge_named(&mut judges, options.judge_of(path));
            judged.add(&labels, file.judgments, &options.subset_of(path));
        }
        Ok(judges)
    }

    fn has_labels(&self) -> bool {
        !self.of_data.is_empty() || self.of_files.iter().any(|(_, labels)| !labels.is_empty())
    }

    fn add_recording(&mut self, path: &'a PathBuf, file: FileRead) {
        if file.judgments.is_empty() {
            self.of_files
                .push((path, file.labels.iter().cloned().collect()));
        } else {
            self.files.push((path, file));
        }
    }

    /// Returns the labels that are known of any file's pairs.
    fn known_labels(&self) -> Labels {
        let mut known = Labels::default();
        known.add_all(self.of_data.iter().cloned());
        known.add_all(scopes::kept_apart(self.of_files.clone()));
        known
    }
}

/// What battles are: their files do not say whether people or a judge made them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Battles {
    /// People's votes.
    Votes,
    /// A judge's verdicts, where other files have the labels.
    Verdicts,
}

/// How a file's lines are understood.
type Understanding = (Option<Notation>, Battles);

#[derive(Default)]
struct FileRead {
    labels: Labels,
    /// What the file's verdicts are as votes, where it is given as labels.
    votes: Vec<PairLabel>,
    judgments: FileJudgments,
}

impl FileRead {
    /// Leaves out what is about none of these items; without a selection, nothing.
    fn keep_items(&mut self, path: &Path, picked: Option<&HashSet<String>>) {
        let Some(items) = picked else { return };
        let here = std::mem::take(&mut self.labels).seen_from(path);
        self.judgments
            .retain_items(|item| here.ids(item).any(|id| items.contains(&id)));
        self.labels = here.only(picked);
    }

    fn add_line(&mut self, line: JudgmentLine<'_>, understanding: Understanding) {
        let (notation, battles) = understanding;
        match line {
            JudgmentLine::Label(label) => self.labels.add(label),
            JudgmentLine::Battle(line) if battles == Battles::Votes => {
                self.add_vote(&line, notation);
            }
            JudgmentLine::Game(line) | JudgmentLine::Battle(line) => self.add_game(line, notation),
            JudgmentLine::Grade(grade) => self.add_grade(grade),
        }
    }

    fn add_vote(&mut self, line: &RecordedGame<'_>, notation: Option<Notation>) {
        let game = read::read_game(line, notation);
        self.labels.add_all(vote_of(line, &game));
    }

    fn add_grade(&mut self, grade: RecordedGrade<'_>) {
        let score = read::read_score(&grade);
        self.judgments.grades.push(FileGrade {
            item: grade.item,
            system: grade.system,
            score,
        });
    }

    fn add_game(&mut self, line: RecordedGame<'_>, notation: Option<Notation>) {
        let game = read::read_game(&line, notation);
        self.votes.extend(vote_of(&line, &game));
        self.judgments.games.push(FileGame {
            item: line.item,
            shown: line.shown,
            game,
        });
    }
}

/// Returns a verdict as a vote; None where there is none, or the systems are not named.
fn vote_of(line: &RecordedGame<'_>, game: &Game) -> Option<PairLabel> {
    Some(PairLabel {
        item: line.item.clone(),
        cluster: line.question.clone(),
        category: None,
        systems: Some(named_systems(&line.shown)?.clone()),
        lengths: None,
        preferred: vec![game.side()?],
    })
}

fn named_systems(shown: &ShownPair) -> Option<&[String; 2]> {
    match shown {
        ShownPair::Systems(systems) | ShownPair::Unordered(systems) => Some(systems),
        ShownPair::Forward | ShownPair::Swapped => None,
    }
}

/// Returns the file's own labels, with what else is known of their items; else the labels that are
/// known.
fn labels_for(path: &Path, own: &Labels, known: &Labels) -> Result<Labels, EngineError> {
    if !own.is_empty() {
        let mut labels = own.clone();
        labels.enrich(&known.clone().seen_from(path));
        Ok(labels)
    } else if known.is_empty() {
        Err(no_labels(path).into())
    } else {
        Ok(known.clone().seen_from(path))
    }
}

fn no_labels(path: &Path) -> Refusal {
    Refusal::of_input(format!(
        "{}: the file names no labels; give people's labels with {} FILE, or {} with \
         labels.jsonl",
        path.display(),
        Setting::Labels,
        Setting::Data
    ))
}

/// Returns the labels of a data set: one for each vote.
fn labels_of_dataset(data: &Dataset) -> Result<Vec<PairLabel>, EngineError> {
    let firsts = first_of_questions(data);
    let labels = data
        .labels
        .iter()
        .map(|label| pair_label(data, &firsts, label));
    labels.filter_map(Result::transpose).collect()
}

/// Returns, for each item, the id of the first that asks its question.
fn first_of_questions(data: &Dataset) -> Vec<&str> {
    let clusters = data.clusters();
    let mut ids: Vec<&str> = Vec::with_capacity(clusters.count() as usize);
    for (item, number) in data.items.iter().zip(clusters.numbers()) {
        if *number as usize == ids.len() {
            ids.push(&item.id);
        }
    }
    let numbers = clusters.numbers().iter();
    numbers.map(|number| ids[*number as usize]).collect()
}

/// Returns a label by the ids of its item and systems; None where the data set lacks one of them.
fn pair_label(
    data: &Dataset,
    firsts: &[&str],
    label: &Label,
) -> Result<Option<PairLabel>, EngineError> {
    let Some(named) = named_label(data, firsts, label) else {
        return Ok(None);
    };
    let lengths = lengths_of(data, label.item, [label.a, label.b])?;
    Ok(Some(PairLabel { lengths, ..named }))
}

/// Returns a label whose responses' lengths are still to be added.
fn named_label(data: &Dataset, firsts: &[&str], label: &Label) -> Option<PairLabel> {
    let item = data.items.get(label.item as usize)?;
    Some(PairLabel {
        item: item.id.clone(),
        cluster: Some(firsts[label.item as usize].into()),
        category: item.category.clone(),
        systems: Some(systems_of(data, label)?),
        lengths: None,
        preferred: vec![label.preferred],
    })
}

fn systems_of(data: &Dataset, label: &Label) -> Option<[String; 2]> {
    let a = data.systems.get(label.a as usize)?;
    let b = data.systems.get(label.b as usize)?;
    Some([a, b].map(ToString::to_string))
}

fn judge_named(judges: &mut Vec<JudgedPairs>, name: String) -> &mut JudgedPairs {
    let known = judges.iter().position(|judged| judged.judge == name);
    let at = known.unwrap_or(judges.len());
    if known.is_none() {
        judges.push(judge_without_pairs(name));
    }
    &mut judges[at]
}

fn judge_without_pairs(name: String) -> JudgedPairs {
    JudgedPairs {
        judge: name,
        order_known: true,
        ..JudgedPairs::default()
    }
}

/// The name of an input set that has no parts.
pub(super) const ALL: &str = "all";

/// Returns the last directory of a file's path that the other files of the same name do not have at
/// that place. A file that is the only one of its name is of the part that its place is among the
/// others' files. None where no name tells parts apart.
fn subset_name(path: &Path, all: &[PathBuf]) -> Option<String> {
    let own = scopes::parent_names(path);
    let namesakes: Vec<&Path> = namesakes(path, all).collect();
    let others = if namesakes.is_empty() {
        let in_parts = all.iter().map(PathBuf::as_path);
        in_parts
            .filter(|other| self::namesakes(other, all).next().is_some())
            .collect()
    } else {
        namesakes
    };
    let place = place_that_differs(&own, others.into_iter())?;
    own.into_iter().nth(place)
}

fn place_that_differs<'a>(own: &[String], others: impl Iterator<Item = &'a Path>) -> Option<usize> {
    let others: Vec<Vec<String>> = others.map(scopes::parent_names).collect();
    let mut places = (0..own.len()).rev();
    places.find(|at| others.iter().any(|other| other.get(*at) != own.get(*at)))
}

/// Returns the other files of the same name.
fn namesakes<'a>(path: &'a Path, all: &'a [PathBuf]) -> impl Iterator<Item = &'a Path> {
    let name = stem(path);
    all.iter()
        .map(PathBuf::as_path)
        .filter(move |other| *other != path && stem(other) == name)
}
