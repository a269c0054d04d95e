//! Puts labels and games together.

use super::labels::Labels;
use super::{Game, JudgedPairs, LabelledPair};
use evenhand_formats::judgments::games::ShownPair;
use std::collections::HashMap;

/// What one file says of one judge.
#[derive(Clone, Debug, Default)]
pub(super) struct FileJudgments {
    pub(super) games: Vec<FileGame>,
    pub(super) grades: Vec<FileGrade>,
    /// The names of the items' questions, of those that have one.
    questions: HashMap<String, String>,
}

/// A judgment of two responses.
#[derive(Clone, Debug)]
pub(super) struct FileGame {
    pub(super) item: String,
    pub(super) shown: ShownPair,
    pub(super) game: Game,
}

/// A judgment of one response; None where no score could be read.
#[derive(Clone, Debug)]
pub(super) struct FileGrade {
    pub(super) item: String,
    pub(super) system: String,
    pub(super) score: Option<f64>,
}

impl FileJudgments {
    /// Keeps the name of an item's question, where the file has one.
    pub(super) fn know_question(&mut self, item: &str, question: Option<&str>) {
        if let Some(question) = question
            && !self.questions.contains_key(item)
        {
            self.questions.insert(item.to_owned(), question.to_owned());
        }
    }

    /// Keeps what is about these items.
    pub(super) fn retain_items(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.games.retain(|game| is_kept(&game.item));
        self.grades.retain(|grade| is_kept(&grade.item));
    }

    /// Whether any of these labels is about a judged pair.
    pub(super) fn are_about(&self, labels: &Labels) -> bool {
        let (mut games, mut grades) = (self.games.iter(), self.grades.iter());
        games.any(|game| labels.find(&game.item, &game.shown).is_some())
            || grades.any(|grade| labels.has_item(&grade.item))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.games.is_empty() && self.grades.is_empty()
    }
}

impl JudgedPairs {
    /// Adds what a file says; `subset` names the part of pairs whose labels name none.
    pub(super) fn add(&mut self, labels: &Labels, file: FileJudgments, subset: &str) {
        let mut games: HashMap<usize, [Option<Game>; 2]> = HashMap::new();
        // The question of each label, by the items of its games.
        let mut asked: HashMap<usize, &str> = HashMap::new();
        let questions = file.questions;
        for file in order_if_told(labels, file.games) {
            let is_unordered = matches!(file.shown, ShownPair::Unordered(_));
            self.order_known &= !is_unordered;
            let Some(found) = labels.find(&file.item, &file.shown) else {
                self.unlabelled += 1;
                continue;
            };
            if let Some(question) = questions.get(&file.item) {
                asked.entry(found.at).or_insert(question);
            }
            // Where the order is not known, a game stands as if a was shown first.
            let order = usize::from(found.reversed && !is_unordered);
            let place = &mut games.entry(found.at).or_default()[order];
            if place.is_some() {
                self.repeated += 1;
            } else if found.reversed {
                *place = Some(file.game.turned());
            } else {
                *place = Some(file.game);
            }
        }
        add_compared_grades(labels, &file.grades, &mut games);

        // Labels with one name, or else of one item, are a cluster; another file's items are
        // others. What the labels do not say of questions, the judgments may.
        let first = self.next_cluster();
        let mut clusters: HashMap<&str, u32> = HashMap::new();
        for (at, label) in labels.iter().enumerate() {
            let Some(games) = games.remove(&at) else {
                self.unjudged += 1;
                continue;
            };
            let next = first + clusters.len() as u32;
            let asked = asked.get(&at).copied();
            let asked = asked.or_else(|| questions.get(&label.item).map(String::as_str));
            let cluster = label.cluster.as_deref().or(asked).unwrap_or(&label.item);
            let systems = label.systems.as_ref();
            let pair = LabelledPair {
                name: label.item.clone(),
                cluster: *clusters.entry(cluster).or_insert(next),
                subset: self.subset_index(label.category.as_deref().unwrap_or(subset)),
                label: label.plurality(),
                votes: label.votes(),
                systems: systems.map(|[a, b]| [self.system_index(a), self.system_index(b)]),
                lengths: label.lengths,
                same: label.same,
                games,
                ..LabelledPair::default()
            };
            self.pairs.push(pair);
        }
    }
}

/// A file of battles does not say whose response was shown first, but one that has each pair once
/// in each order does: in the order of its columns, as nothing else would tell the two apart.
fn order_if_told(labels: &Labels, mut games: Vec<FileGame>) -> Vec<FileGame> {
    let mut orders: HashMap<usize, [u32; 2]> = HashMap::new();
    for game in &games {
        if let Some(found) = labels.find(&game.item, &game.shown) {
            orders.entry(found.at).or_default()[usize::from(found.reversed)] += 1;
        }
    }
    let is_told = !orders.is_empty() && orders.values().all(|counts| *counts == [1, 1]);
    for game in games.iter_mut().filter(|_| is_told) {
        if let ShownPair::Unordered(systems) = &mut game.shown {
            game.shown = ShownPair::Systems(std::mem::take(systems));
        }
    }
    games
}

/// Compares the two scores of each labelled pair, which makes a game in either order.
fn add_compared_grades(
    labels: &Labels,
    grades: &[FileGrade],
    games: &mut HashMap<usize, [Option<Game>; 2]>,
) {
    // A file of comparisons has no grades, and may have very many labels.
    if grades.is_empty() {
        return;
    }
    let scores: HashMap<(&str, &str), Option<f64>> = grades
        .iter()
        .map(|grade| ((grade.item.as_str(), grade.system.as_str()), grade.score))
        .collect();
    for (at, label) in labels.iter().enumerate() {
        let Some([a, b]) = &label.systems else {
            continue;
        };
        let score = |system: &String| {
            let key = (label.item.as_str(), system.as_str());
            scores.get(&key).copied()
        };
        let game = match (score(a), score(b)) {
            (Some(Some(a)), Some(Some(b))) => Game::of_scores(a, b),
            // There is a grade of each, but no score could be read in one.
            (Some(_), Some(_)) => Game::failed("unparsed"),
            _ => continue,
        };
        games.insert(at, [Some(game.clone()), Some(game)]);
    }
}
