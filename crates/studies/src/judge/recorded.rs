//! From files of recorded judgments to what each judge said of which pair.

use super::assemble::{FileGame, FileGrade, FileJudgments};
use super::labels::{Labels, NO_PART};
use super::live::{lengths_of, shown_pair};
use super::pair::ALL;
use super::{Game, JudgedPairs, LabelledPair, read, scopes};
use crate::recordings::files_given_once;
use evenhand_core::{Refusal, Setting, are_same, list_names};
use evenhand_engine::files::{label_files, stem};
use evenhand_engine::{EngineError, conditions_of, open_buffered};
use evenhand_formats::judgments::Options;
use evenhand_formats::judgments::games::{
    JudgmentLine, PairLabel, RecordedGame, ShownPair, read_lines,
};
use evenhand_formats::records::{FieldsFound, Filter, Place};
use evenhand_formats::{DataError, Dataset};
use evenhand_protocols::Notation;
use std::collections::{HashMap, HashSet};
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
    /// The field of the data set's items whose values are the parts, in the place of these.
    pub by: Option<String>,
    /// Whether what is about no item of the data set is left out.
    pub only_items_of_data: bool,
    /// Whether the pairs of recordings are taken without a label, where nothing has labels.
    pub without_labels: bool,
}

impl RecordedOptions {
    /// Returns the options with the files of the directories in their places.
    fn with_files(&self) -> Result<RecordedOptions, EngineError> {
        Ok(RecordedOptions {
            recorded: files_given_once(&self.recorded)?,
            labels: label_files(&self.labels)?,
            ..self.clone()
        })
    }

    /// Returns the part of the input set that a file is, which is the same for every judge of that
    /// part: the last directory of its path that the other files of the same name do not have at
    /// that place. A file that is the only one of its name is of the part that its place is among
    /// the others' files.
    fn subset_of(&self, path: &Path) -> String {
        let stems: Vec<String> = self.recorded.iter().map(|path| stem(path)).collect();
        let namesakes = |path: &Path| -> Vec<&PathBuf> {
            let name = stem(path);
            let all = self.recorded.iter().zip(&stems);
            let others = all.filter(|(other, known)| *other != path && **known == name);
            others.map(|(other, _)| other).collect()
        };
        let own = scopes::parent_names(path);
        let mut others = namesakes(path);
        if others.is_empty() {
            let all = self.recorded.iter();
            others = all.filter(|other| !namesakes(other).is_empty()).collect();
        }
        let others: Vec<Vec<String>> = others
            .into_iter()
            .map(|path| scopes::parent_names(path))
            .collect();
        let mut places = (0..own.len()).rev();
        let differing = places.find(|at| others.iter().any(|other| other.get(*at) != own.get(*at)));
        match differing {
            Some(at) => own[at].clone(),
            // Files of any names are one judge's: they are its parts.
            None if self.judge.is_some() && self.recorded.len() > 1 => stem(path),
            None => ALL.into(),
        }
    }

    /// Returns a file's own labels, with what else is known of their items; else the labels that
    /// are known. Where what is known may be of another data set, a warning says so; `source`
    /// is where it is from.
    fn labels_for(
        &self,
        path: &Path,
        mut own: Labels,
        known: &Labels,
        source: &str,
    ) -> Result<(Labels, Option<String>), EngineError> {
        let mut warning = None;
        let labels = if !own.is_empty() {
            if let Err(other) = own.enrich(&known.clone().seen_from(path)) {
                warning = Some(format!(
                    "{}: its labels differ from those of {source} on {} of {} pairs of the same \
                     id, so it may be about another data set: the lengths, categories and questions \
                     of {source} are not used here; give its own data set with {}",
                    path.display(),
                    other.differing,
                    other.shared,
                    Setting::Data
                ));
            }
            if !self.labels.is_empty() && warning.is_none() {
                warning = Some(format!(
                    "{}: its own labels are used; those of {} only add lengths, categories and \
                     questions",
                    path.display(),
                    Setting::Labels
                ));
            }
            own
        } else if !known.is_empty() {
            known.clone().seen_from(path)
        } else {
            return Err(Refusal::of_input(format!(
                "{}: the file names no labels; give people's labels with {} FILE, or {} with \
                 labels.jsonl, or the file of the labelled pairs before this one",
                path.display(),
                Setting::Labels,
                Setting::Data
            ))
            .into());
        };
        let labels = match self.subsets {
            Subsets::Category => labels,
            Subsets::File => labels.without_category(),
        };
        Ok((labels, warning))
    }
}

/// Splits the conditions on records in two parts: those on fields of the recordings or of the
/// labels, and the others, which are on the data set beside them. Files that cannot be read have no
/// fields here; who reads them says why.
///
/// # Errors
/// A path that is not there; a directory without data files.
pub fn split_filter(options: &RecordedOptions) -> Result<(Filter, Filter), EngineError> {
    let options = &options.with_files()?;
    let filter = &options.reading.columns.filter;
    let files = [options.recorded.clone(), options.labels.clone()].concat();
    let own = conditions_of(filter, &files);
    let is_own = |number: usize| {
        let condition = filter.conditions().get(number);
        condition.is_some_and(|condition| own.conditions().contains(condition))
    };
    let others = filter.filter_conditions(|number| !is_own(number));
    Ok((own, others))
}

/// Reads recordings, and returns the judges in the order of their first files. `data` adds labels,
/// categories and lengths by the items' ids.
///
/// # Errors
/// A file that cannot be read; no file with games; no game with a label; labels given of which none
/// is about a recorded pair; a field of parts that no item of a judged pair has.
// Long: one pass over the files, in the order in which what is read tells how to read the next.
pub fn recorded(
    options: &RecordedOptions,
    data: Option<&Dataset>,
) -> Result<Vec<JudgedPairs>, EngineError> {
    // Long: from files to pairs, where each step decides how the next one reads.
    let options = &options.with_files()?;
    let of_data = match data {
        Some(data) => labels_of_dataset(data)?,
        None => Vec::new(),
    };
    // Conditions may name the fields that the records of any file have.
    let mut fields = FieldsFound::default();
    // What items are by the field that parts them: those of the data.
    let parts: HashMap<&str, &str> = match (&options.by, data) {
        (Some(_), Some(data)) => {
            let items = data.items.iter();
            items
                .filter_map(|item| Some((&*item.id, item.category.as_deref()?)))
                .collect()
        }
        _ => HashMap::new(),
    };
    // The labels of files that hold nothing else, or were given as labels.
    let mut of_files: Vec<(&PathBuf, Vec<PairLabel>)> = Vec::new();
    for path in &options.labels {
        let file = FileRead::read(path, options, true, &mut fields)?;
        let labels = file.labels.iter().cloned().chain(file.votes).collect();
        of_files.push((path, labels));
    }
    let given: usize = of_files.iter().map(|(_, labels)| labels.len()).sum();
    let mut given_labels = Labels::default();
    given_labels.add_all(scopes::kept_apart(of_files.clone()));
    let mut given_fit = false;
    // Files of battles do not say whether people or a judge made them: a judge, where other files
    // have the labels.
    let has_labels = !of_data.is_empty() || of_files.iter().any(|(_, labels)| !labels.is_empty());
    let mut read_as = |battles_are_votes: bool| -> Result<Vec<(&PathBuf, FileRead)>, EngineError> {
        let files = options.recorded.iter();
        let files = files.map(|path| {
            let file = FileRead::read(path, options, battles_are_votes, &mut fields)?;
            Ok((path, file))
        });
        files.collect()
    };
    let mut read = read_as(!has_labels)?;
    // Where nothing need have labels, files of battles alone are what the judge said.
    let are_battles_judged = options.without_labels
        && !has_labels
        && read.iter().all(|(_, file)| file.judgments.is_empty());
    if are_battles_judged {
        read = read_as(false)?;
    }
    let (labelled, recordings): (Vec<_>, Vec<_>) = read
        .into_iter()
        .partition(|(_, file)| file.judgments.is_empty());
    let labelled = labelled.into_iter();
    of_files.extend(labelled.map(|(path, file)| (path, file.labels.iter().cloned().collect())));
    fields.check(&options.reading.columns.filter)?;
    if recordings.is_empty() {
        return Err(refuse_without_judge(options));
    }

    let picked: Option<HashSet<String>> = data
        .filter(|_| options.only_items_of_data)
        .map(|data| data.items.iter().map(|item| item.id.clone()).collect());
    let picked = picked.as_ref();
    let source = match (of_data.is_empty(), of_files.is_empty()) {
        (true, _) => "the labels given",
        (false, true) => "the data",
        (false, false) => "the data and the labels given",
    };
    let mut known = Labels::default();
    known.add_all(of_data);
    known.add_all(scopes::kept_apart(of_files));
    let known = known.only(picked);
    let mut judges: Vec<JudgedPairs> = Vec::new();
    for (path, mut file) in recordings {
        if let Some(items) = picked {
            let here = std::mem::take(&mut file.labels).seen_from(path);
            file.judgments
                .retain_items(|item| here.ids(item).any(|id| items.contains(&id)));
            file.labels = here.only(picked);
        }
        if given > 0 && !given_fit {
            let given = given_labels.clone().seen_from(path);
            given_fit = file.judgments.are_about(&given);
        }
        let has_no_labels = file.labels.is_empty() && known.is_empty();
        let is_unlabelled = options.without_labels && has_no_labels;
        if is_unlabelled {
            file.labels
                .add_all(pairs_of_games(&file.judgments.games, data)?);
        }
        let (mut labels, warning) = options.labels_for(path, file.labels, &known, source)?;
        if options.by.is_some() {
            labels = labels.seen_from(path).parted_by(&parts);
        }
        let name = options.judge.clone().unwrap_or_else(|| stem(path));
        let at = judges.iter().position(|judged| judged.judge == name);
        let at = at.unwrap_or_else(|| {
            judges.push(JudgedPairs {
                judge: name,
                order_known: true,
                ..JudgedPairs::default()
            });
            judges.len() - 1
        });
        judges[at].warnings.extend(warning);
        judges[at].has_no_labels |= is_unlabelled;
        if are_battles_judged {
            let text = "battles do not say who judged: they are taken as this judge's verdicts";
            judges[at].warnings.push(text.into());
        }
        judges[at].add(&labels, file.judgments, &options.subset_of(path));
    }
    if given > 0 && !given_fit {
        return Err(Refusal::of_input(format!(
            "{}: none of the {given} labels is about a recorded pair, by item and systems; give \
             those of the recorded pairs, or leave them out where the recordings have their own",
            Setting::Labels
        ))
        .into());
    }
    judges.retain(|judged| !judged.pairs.is_empty());
    if let Some(field) = &options.by {
        check_parted(field, &mut judges)?;
    }
    if judges.is_empty() {
        return Err(Refusal::of_input(format!(
            "no recorded judgment is about a pair that has a label; expected {} files with games \
             (see docs/meta-evaluation.md), and {} where they hold none of their own, with the \
             same items and systems",
            Setting::Recorded,
            Setting::Labels
        ))
        .into());
    }
    Ok(judges)
}

/// Refuses recordings that hold people's labels and nothing that a judge said. Files of battles do
/// not say whose they are, and are people's votes where nothing else has labels.
fn refuse_without_judge(options: &RecordedOptions) -> EngineError {
    let files = options.recorded.iter();
    let files = list_names(files.map(|path| path.display().to_string()));
    Refusal::of_input(format!(
        "{} {files}: no judge's verdict is in it, only labels, or battles, which are taken as \
         people's votes; for battles by a judge, give people's labels with {} FILE",
        Setting::Recorded,
        Setting::Labels
    ))
    .into()
}

/// Refuses parts by a field that none of the judged pairs has, and says which pairs are in none.
fn check_parted(field: &str, judges: &mut [JudgedPairs]) -> Result<(), Refusal> {
    let mut has_parts = false;
    for judged in &mut *judges {
        let none = judged.subsets.iter().position(|subset| subset == NO_PART);
        let is_in_none = |pair: &&LabelledPair| Some(pair.subset as usize) == none;
        let without = judged.pairs.iter().filter(is_in_none).count();
        has_parts |= without < judged.pairs.len();
        if without > 0 {
            judged.warnings.push(format!(
                "{without} of {} pairs are of items that {} does not part, as the data do not \
                 have them, or they lack `{field}`: they are under \"{NO_PART}\"",
                judged.pairs.len(),
                Setting::By
            ));
        }
    }
    if has_parts || judges.is_empty() {
        return Ok(());
    }
    Err(Refusal::of_input(format!(
        "{} {field}: no judged pair is of an item of the data with this field, by the items' ids; \
         give the data set of the recorded items with {}",
        Setting::By,
        Setting::Data
    )))
}

/// Reads people's labels and votes of these files, or directories of files: those of a pair
/// together, and where one decides between them, that one.
///
/// # Errors
/// A file that cannot be read, or holds no label.
pub fn labels_of_files(paths: &[PathBuf]) -> Result<Vec<PairLabel>, EngineError> {
    let options = RecordedOptions {
        labels: paths.to_vec(),
        ..RecordedOptions::default()
    };
    let mut labels = Labels::default();
    for path in &options.with_files()?.labels {
        let file = FileRead::read(path, &options, true, &mut FieldsFound::default())?;
        if file.labels.is_empty() && file.votes.is_empty() {
            return Err(Refusal::of_input(format!(
                "{}: there is no label in it; expected people's labels or votes on pairs, with the \
                 item and the systems (docs/formats.md)",
                path.display()
            ))
            .into());
        }
        labels.add_all(file.labels.iter().cloned().chain(file.votes));
    }
    Ok(labels.iter().cloned().collect())
}

/// What a file holds.
#[derive(Default)]
struct FileRead {
    labels: Labels,
    /// What the file's verdicts are as votes, where it is given as labels.
    votes: Vec<PairLabel>,
    judgments: FileJudgments,
}

impl FileRead {
    /// Reads a file, and adds the fields of its records; its battles are people's votes, or a
    /// judge's verdicts.
    fn read(
        path: &Path,
        options: &RecordedOptions,
        battles_are_votes: bool,
        fields: &mut FieldsFound,
    ) -> Result<FileRead, EngineError> {
        let mut file = FileRead::default();
        let mut take = |line: JudgmentLine<'_>, _: &Place| -> Result<(), DataError> {
            match line {
                JudgmentLine::Label(label) => file.labels.add(label),
                JudgmentLine::Grade(grade) => {
                    file.judgments
                        .know_question(&grade.item, grade.question.as_deref());
                    file.judgments.grades.push(FileGrade {
                        score: read::read_score(&grade),
                        item: grade.item,
                        system: grade.system,
                    });
                }
                JudgmentLine::Battle(line) if battles_are_votes => {
                    let game = read::read_game(&line, options.notation);
                    file.labels.add_all(vote_of(&line, &game));
                }
                JudgmentLine::Game(line) | JudgmentLine::Battle(line) => {
                    let game = read::read_game(&line, options.notation);
                    file.votes.extend(vote_of(&line, &game));
                    file.judgments
                        .know_question(&line.item, line.question.as_deref());
                    file.judgments.games.push(FileGame {
                        item: line.item,
                        shown: line.shown,
                        game,
                    });
                }
            }
            Ok(())
        };
        let opened = open_buffered(path)?;
        let shown = path.display().to_string();
        let read = read_lines(opened, &shown, &options.reading, &mut take);
        fields.merge(read.map_err(EngineError::Judgments)?);
        Ok(file)
    }
}

/// Returns a verdict as a vote; None where there is none, or the systems are not named.
fn vote_of(line: &RecordedGame<'_>, game: &Game) -> Option<PairLabel> {
    let (ShownPair::Systems(systems) | ShownPair::Unordered(systems)) = &line.shown else {
        return None;
    };
    Some(PairLabel {
        item: line.item.clone(),
        cluster: line.question.clone(),
        systems: Some(systems.clone()),
        preferred: vec![game.side()?],
        ..PairLabel::default()
    })
}

/// Returns the labels of a data set by the ids of their items and systems: one for each vote. A
/// label on something that the data set lacks is left out.
fn labels_of_dataset(data: &Dataset) -> Result<Vec<PairLabel>, EngineError> {
    let questions = first_items(data);
    let mut labels = Vec::with_capacity(data.labels.len());
    for label in &data.labels {
        let pair = pair_of_dataset(data, &questions, label.item, [label.a, label.b])?;
        labels.extend(pair.map(|pair| PairLabel {
            preferred: vec![label.preferred],
            ..pair
        }));
    }
    Ok(labels)
}

/// Returns for each item of a data set the first one that asks its question.
fn first_items(data: &Dataset) -> Vec<&str> {
    let clusters = data.clusters();
    let mut firsts: Vec<&str> = Vec::with_capacity(clusters.count() as usize);
    let mut of_items = Vec::with_capacity(data.items.len());
    for (item, number) in data.items.iter().zip(clusters.numbers()) {
        if *number as usize == firsts.len() {
            firsts.push(&item.id);
        }
        of_items.push(firsts[*number as usize]);
    }
    of_items
}

/// Returns what a data set knows of a pair, without a label; None where it lacks the item or a
/// system. `questions` are the [`first_items`].
fn pair_of_dataset(
    data: &Dataset,
    questions: &[&str],
    item: u32,
    [a, b]: [u32; 2],
) -> Result<Option<PairLabel>, EngineError> {
    let system = |at: u32| data.systems.get(at as usize);
    let found = data.items.get(item as usize);
    let (Some(found), Some(first), Some(second)) = (found, system(a), system(b)) else {
        return Ok(None);
    };
    let shown = shown_pair(data, item, [a, b])?;
    Ok(Some(PairLabel {
        item: found.id.clone(),
        cluster: Some(questions[item as usize].into()),
        category: found.category.clone(),
        systems: Some([first, second].map(ToString::to_string)),
        lengths: shown.as_ref().map(lengths_of),
        same: shown.is_some_and(|shown| are_same(&shown, 0, 1)),
        preferred: Vec::new(),
        decides: false,
    }))
}

/// Returns the pairs that games are of, without a label, with what the data set knows of them.
fn pairs_of_games(
    games: &[FileGame],
    data: Option<&Dataset>,
) -> Result<Vec<PairLabel>, EngineError> {
    let questions = data.map(first_items).unwrap_or_default();
    let items = data.iter().flat_map(|data| &data.items).zip(0..);
    let items: HashMap<&str, u32> = items.map(|(item, at)| (&*item.id, at)).collect();
    let systems = data.iter().flat_map(|data| &data.systems).zip(0..);
    let systems: HashMap<&str, u32> = systems.map(|(name, at)| (&**name, at)).collect();
    let mut seen: HashSet<(&str, [&str; 2])> = HashSet::new();
    let mut pairs = Vec::new();
    for game in games {
        let (ShownPair::Systems([a, b]) | ShownPair::Unordered([a, b])) = &game.shown else {
            continue;
        };
        let pair = if a < b { [&**a, &**b] } else { [&**b, &**a] };
        if !seen.insert((&game.item, pair)) {
            continue;
        }
        let known = match (
            data,
            items.get(&*game.item),
            pair.map(|name| systems.get(name)),
        ) {
            (Some(data), Some(item), [Some(a), Some(b)]) => {
                pair_of_dataset(data, &questions, *item, [*a, *b])?
            }
            _ => None,
        };
        pairs.push(known.unwrap_or_else(|| PairLabel {
            item: game.item.clone(),
            systems: Some(pair.map(String::from)),
            ..PairLabel::default()
        }));
    }
    Ok(pairs)
}
