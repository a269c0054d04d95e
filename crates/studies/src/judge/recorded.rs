//! From files of recorded judgments to what each judge said of which pair.

use super::assemble::{Labels, Said};
use super::{Judged, picks, read, scopes};
use evenhand_core::Side;
use evenhand_engine::files::{files, stem};
use evenhand_engine::{EngineError, open_input};
use evenhand_formats::Dataset;
use evenhand_formats::judgments::games::{JudgmentLine, PairLabel, ShownPair, read_lines};
use evenhand_formats::judgments::{Error, Options};
use evenhand_formats::records::{FieldsFound, Place, Preference};
use evenhand_protocols::Notation;
use std::collections::HashSet;
use std::io::BufReader;
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
    /// With the files of the directories in their places.
    pub(super) fn with_files(&self) -> Result<RecordedOptions, EngineError> {
        let all = |paths: &[PathBuf]| -> Result<Vec<PathBuf>, EngineError> {
            Ok(paths
                .iter()
                .map(|path| files(path))
                .collect::<Result<Vec<_>, _>>()?
                .concat())
        };
        Ok(RecordedOptions {
            recorded: all(&self.recorded)?,
            labels: all(&self.labels)?,
            ..self.clone()
        })
    }
}

/// Reads recordings, and gives the judges in the order of their first files. `data` adds labels,
/// categories and lengths by the items' ids.
///
/// # Errors
/// A file that cannot be read; no file with games; no game with a label.
pub fn recorded(
    options: &RecordedOptions,
    data: Option<&Dataset>,
) -> Result<Vec<Judged>, EngineError> {
    let options = &options.with_files()?;
    let (mut known, mut found) = (Labels::default(), FieldsFound::default());
    data.map(of_dataset)
        .transpose()?
        .into_iter()
        .flatten()
        .for_each(|label| known.add(label));
    let mut labels = Vec::new();
    for path in &options.labels {
        let file = read_file(path, options, Battles::Votes, &mut found)?;
        labels.push((
            path,
            file.labels
                .iter()
                .cloned()
                .chain(file.votes)
                .collect::<Vec<_>>(),
        ));
    }
    let none = known.is_empty() && labels.iter().all(|(_, labels)| labels.is_empty());
    let battles = if none {
        Battles::Votes
    } else {
        Battles::Verdicts
    };
    let mut files = Vec::new();
    for path in &options.recorded {
        let file = read_file(path, options, battles, &mut found)?;
        if file.said.games.is_empty() && file.said.grades.is_empty() {
            labels.push((path, file.labels.iter().cloned().collect()));
        } else {
            files.push((path, file));
        }
    }
    found.check(&options.reading.filter)?;
    let picked = picks::items(options, data);
    scopes::apart(labels)
        .into_iter()
        .for_each(|label| known.add(label));
    known = known.only(picked.as_ref());
    let mut judges: Vec<Judged> = Vec::new();
    for (path, mut file) in files {
        file.keep(path, picked.as_ref());
        let labels = labels_for(path, &file.labels, &known)?;
        let subset = subset(path, &options.recorded);
        let labels = if options.subsets == Subsets::File {
            labels.without_category()
        } else {
            labels
        };
        judge(
            &mut judges,
            options.judge.clone().unwrap_or_else(|| stem(path)),
        )
        .add(&labels, file.said, &subset);
    }
    judges.retain(|judged| !judged.pairs.is_empty());
    if judges.is_empty() {
        return Err(EngineError::Setting(NOTHING.into()));
    }
    Ok(judges)
}

const NOTHING: &str = "no recorded judgment is about a pair that has a label; expected --recorded \
                       files with games (see docs/meta-evaluation.md), \
     and --labels where they hold none of their own, with the same items and systems";

/// What battles are: their files do not say whether people or a judge made them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Battles {
    /// People's votes.
    Votes,
    /// A judge's verdicts, where other files have the labels.
    Verdicts,
}

struct FileRead {
    labels: Labels,
    /// What the file's verdicts are as votes, where it is given as labels.
    votes: Vec<PairLabel>,
    said: Said,
}

impl FileRead {
    /// Leaves out what is about none of these items; without any, nothing.
    fn keep(&mut self, path: &Path, picked: Option<&HashSet<String>>) {
        let Some(items) = picked else { return };
        let here = std::mem::take(&mut self.labels).seen_from(path);
        let is_picked = |item: &str| here.ids(item).any(|id| items.contains(&id));
        self.said.games.retain(|(item, ..)| is_picked(item));
        self.said.grades.retain(|(item, ..)| is_picked(item));
        self.labels = here.only(picked);
    }
}

fn read_file(
    path: &Path,
    options: &RecordedOptions,
    battles: Battles,
    found: &mut FieldsFound,
) -> Result<FileRead, EngineError> {
    let mut file = FileRead {
        labels: Labels::default(),
        votes: Vec::new(),
        said: Said::default(),
    };
    let mut sink = |line: JudgmentLine<'_>, _: &Place| -> Result<(), Error> {
        match line {
            JudgmentLine::Label(label) => file.labels.add(label),
            JudgmentLine::Battle(line) if battles == Battles::Votes => {
                let side = read::game(&line, options.notation).side();
                side.and_then(|side| vote(&line.item, &line.shown, side))
                    .into_iter()
                    .for_each(|vote| file.labels.add(vote));
            }
            JudgmentLine::Game(line) | JudgmentLine::Battle(line) => {
                let game = read::game(&line, options.notation);
                file.votes.extend(
                    game.side()
                        .and_then(|side| vote(&line.item, &line.shown, side)),
                );
                file.said.games.push((line.item, line.shown, game));
            }
            JudgmentLine::Grade(grade) => {
                let score = read::score(&grade);
                file.said.grades.push((grade.item, grade.system, score));
            }
        }
        Ok(())
    };
    let opened = open_input(path)
        .map_err(|e| EngineError::Setting(format!("{}: cannot be read: {e}", path.display())))?;
    let (name, opened) = (
        path.display().to_string(),
        BufReader::with_capacity(1 << 16, opened),
    );
    found.merge(read_lines(opened, &name, &options.reading, &mut sink)?);
    Ok(file)
}

fn vote(item: &str, shown: &ShownPair, side: Side) -> Option<PairLabel> {
    let (ShownPair::Systems(systems) | ShownPair::Unordered(systems)) = shown else {
        return None;
    };
    let preferred = match side {
        Side::First => Preference::A,
        Side::Tie => Preference::Tie,
        Side::Second => Preference::B,
    };
    let systems = Some(systems.clone());
    Some(PairLabel {
        item: item.into(),
        cluster: None,
        category: None,
        systems,
        lengths: None,
        preferred: vec![preferred],
    })
}

/// The file's own labels, with what else is known of their items; else the labels that are known.
fn labels_for(path: &Path, own: &Labels, known: &Labels) -> Result<Labels, EngineError> {
    if !own.is_empty() {
        let mut labels = own.clone();
        labels.enrich(&known.clone().seen_from(path));
        return Ok(labels);
    }
    if known.is_empty() {
        let why = "the file names no labels; give people's labels with --labels FILE, or --data \
                   with labels.jsonl";
        return Err(EngineError::Setting(format!("{}: {why}", path.display())));
    }
    Ok(known.clone().seen_from(path))
}

/// The labels of a data set: one for each vote.
fn of_dataset(data: &Dataset) -> Result<Vec<PairLabel>, EngineError> {
    let length = |item: u32, system: u32| -> Result<Option<u32>, EngineError> {
        let response = data.response(item as usize, system as usize)?;
        Ok(response
            .map(|response| u32::try_from(response.text.chars().count()).unwrap_or(u32::MAX)))
    };
    let mut labels = Vec::new();
    for label in &data.labels {
        let item = data.items.get(label.item as usize);
        let name = |system: u32| {
            data.systems
                .get(system as usize)
                .map(|name| name.to_string())
        };
        let (Some(item), Some(a), Some(b)) = (item, name(label.a), name(label.b)) else {
            continue;
        };
        let lengths = length(label.item, label.a)?
            .zip(length(label.item, label.b)?)
            .map(|(a, b)| [a, b]);
        labels.push(PairLabel {
            item: item.id.clone(),
            cluster: None,
            category: item.category.clone(),
            systems: Some([a, b]),
            lengths,
            preferred: vec![label.preferred],
        });
    }
    Ok(labels)
}

fn judge(judges: &mut Vec<Judged>, name: String) -> &mut Judged {
    let at = judges
        .iter()
        .position(|judged| judged.judge == name)
        .unwrap_or_else(|| {
            judges.push(Judged {
                judge: name,
                order_known: true,
                ..Judged::default()
            });
            judges.len() - 1
        });
    &mut judges[at]
}

/// The last directory of a file's path that the other files of the same name do not have at that
/// place; its name, where it is the only one.
fn subset(path: &Path, all: &[PathBuf]) -> String {
    let parts = |path: &Path| -> Vec<String> {
        let parents = path.parent().into_iter().flat_map(Path::components);
        parents
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let (own, name) = (parts(path), stem(path));
    let others: Vec<Vec<String>> = all
        .iter()
        .filter(|other| stem(other) == name && *other != path)
        .map(|other| parts(other))
        .collect();
    let tells = |at: &usize| others.iter().any(|other| other.get(*at) != own.get(*at));
    let found = (0..own.len())
        .rev()
        .find(tells)
        .and_then(|at| own.get(at).cloned());
    found.unwrap_or(name)
}
