//! Puts labels and games together.

use super::labels::{FoundLabel, Labels};
use super::pair::plurality;
use super::{Game, JudgedPairs, LabelledPair};
use evenhand_core::Side;
use evenhand_formats::judgments::games::{PairLabel, ShownPair};
use evenhand_formats::records::Preference;
use std::collections::HashMap;

/// Returns a label's plurality.
fn label_side(votes: &[Preference]) -> Side {
    let outcomes = [Preference::A, Preference::Tie, Preference::B];
    plurality(outcomes.map(|outcome| count_votes(votes, outcome)))
}

fn count_votes(votes: &[Preference], wanted: Preference) -> u64 {
    votes.iter().filter(|vote| **vote == wanted).count() as u64
}

/// What one file says of one judge.
#[derive(Clone, Debug, Default)]
pub(super) struct FileJudgments {
    pub(super) games: Vec<FileGame>,
    pub(super) grades: Vec<FileGrade>,
}

/// A judgment of two responses.
#[derive(Clone, Debug)]
pub(super) struct FileGame {
    pub(super) item: String,
    pub(super) shown: ShownPair,
    pub(super) game: Game,
}

impl FileGame {
    fn is_unordered(&self) -> bool {
        matches!(self.shown, ShownPair::Unordered(_))
    }

    /// Returns which of a pair's games it is. Where the order is not known, it stands as if a was
    /// shown first.
    fn order(&self, reversed: bool) -> usize {
        usize::from(reversed && !self.is_unordered())
    }

    /// Returns the game in terms of the labelled pair, whose b may be in the first slot.
    fn game_of_pair(self, reversed: bool) -> Game {
        if reversed {
            self.game.turned()
        } else {
            self.game
        }
    }
}

/// A judgment of one response; None where no score could be read.
#[derive(Clone, Debug)]
pub(super) struct FileGrade {
    pub(super) item: String,
    pub(super) system: String,
    pub(super) score: Option<f64>,
}

impl FileGrade {
    fn key(&self) -> GradeKey<'_> {
        (&self.item, &self.system)
    }
}

impl FileJudgments {
    /// Keeps what is about these items.
    pub(super) fn retain_items(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.games.retain(|game| is_kept(&game.item));
        self.grades.retain(|grade| is_kept(&grade.item));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.games.is_empty() && self.grades.is_empty()
    }
}

/// The games of labels, by their places.
type GamesByLabel = HashMap<usize, [Option<Game>; 2]>;

impl JudgedPairs {
    /// Adds what a file says; `subset` names the part of pairs whose labels name none.
    pub(super) fn add(&mut self, labels: &Labels, file: FileJudgments, subset: &str) {
        let mut games = GamesByLabel::new();
        for game in order_if_told(labels, file.games) {
            self.order_known &= !game.is_unordered();
            self.add_game(labels, game, &mut games);
        }
        add_compared_grades(labels, &file.grades, &mut games);
        self.add_pairs(labels, games, subset);
    }

    fn add_game(&mut self, labels: &Labels, file: FileGame, games: &mut GamesByLabel) {
        match labels.find(&file.item, &file.shown) {
            Some(found) => self.repeated += u64::from(!place_game(games, found, file)),
            None => self.unlabelled += 1,
        }
    }

    fn add_pairs(&mut self, labels: &Labels, mut games: GamesByLabel, subset: &str) {
        let mut clusters = ClusterNumbers::after(self);
        for (at, label) in labels.iter().enumerate() {
            if let Some(games) = games.remove(&at) {
                let mut pair = labelled_pair(label, games);
                pair.cluster = clusters.number_of(label);
                self.add_pair(pair, label, subset);
            } else {
                self.unjudged += 1;
            }
        }
    }

    /// Adds a pair, with its part of the input set and its systems by their numbers here.
    fn add_pair(&mut self, pair: LabelledPair, label: &PairLabel, subset: &str) {
        let subset = label.category.as_deref().unwrap_or(subset);
        let pair = LabelledPair {
            subset: self.subset_index(subset),
            systems: self.system_indices(label),
            ..pair
        };
        self.pairs.push(pair);
    }

    fn system_indices(&mut self, label: &PairLabel) -> Option<[u32; 2]> {
        let [a, b] = label.systems.as_ref()?;
        Some([self.system_index(a), self.system_index(b)])
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

/// Puts a game in its pair's place; false where that is taken.
fn place_game(games: &mut GamesByLabel, found: FoundLabel, file: FileGame) -> bool {
    let places = games.entry(found.at).or_default();
    match places.get_mut(file.order(found.reversed)) {
        Some(empty @ None) => {
            *empty = Some(file.game_of_pair(found.reversed));
            true
        }
        _ => false,
    }
}

/// Returns a pair whose cluster, part of the input set and systems are still to be numbered.
fn labelled_pair(label: &PairLabel, games: [Option<Game>; 2]) -> LabelledPair {
    LabelledPair {
        name: label.item.clone(),
        label: label_side(&label.preferred),
        lengths: label.lengths,
        games,
        ..LabelledPair::default()
    }
}

/// Compares the two scores of each labelled pair, which makes a game in either order.
fn add_compared_grades(labels: &Labels, grades: &[FileGrade], games: &mut GamesByLabel) {
    // A file of comparisons has no grades, and may have very many labels.
    if grades.is_empty() {
        return;
    }
    let scores = GradeScores::new(grades);
    let compared = labels.iter().map(|label| scores.game_of(label));
    for (at, game) in compared.enumerate() {
        if let Some(game) = game {
            games.insert(at, [Some(game.clone()), Some(game)]);
        }
    }
}

/// An item and a system, by name.
type GradeKey<'a> = (&'a str, &'a str);

/// The scores of single responses.
struct GradeScores<'a>(HashMap<GradeKey<'a>, Option<f64>>);

impl<'a> GradeScores<'a> {
    fn new(grades: &'a [FileGrade]) -> GradeScores<'a> {
        let scores = grades.iter().map(|grade| (grade.key(), grade.score));
        GradeScores(scores.collect())
    }

    /// Compares the scores of a labelled pair; None where a response has no grade.
    fn game_of(&self, label: &PairLabel) -> Option<Game> {
        let [a, b] = label.systems.as_ref()?;
        let (a, b) = (self.score(&label.item, a)?, self.score(&label.item, b)?);
        Some(compared_scores(a.zip(b)))
    }

    /// Returns the score of a grade, if one was read; None where there is no grade.
    fn score(&self, item: &str, system: &str) -> Option<Option<f64>> {
        self.0.get(&(item, system)).copied()
    }
}

/// Numbers the clusters of labels: those with the same name, or else the same item.
struct ClusterNumbers<'a> {
    first: u32,
    numbers: HashMap<&'a str, u32>,
}

impl<'a> ClusterNumbers<'a> {
    /// Starts behind the clusters of these pairs: another file's items are others.
    fn after(pairs: &JudgedPairs) -> ClusterNumbers<'a> {
        ClusterNumbers {
            first: pairs.next_cluster(),
            numbers: HashMap::new(),
        }
    }

    fn number_of(&mut self, label: &'a PairLabel) -> u32 {
        let name = label.cluster.as_deref().unwrap_or(&label.item);
        let next = self.first + self.numbers.len() as u32;
        *self.numbers.entry(name).or_insert(next)
    }
}

fn compared_scores(scores: Option<(f64, f64)>) -> Game {
    match scores {
        Some((a, b)) => Game::of_scores(a, b),
        None => Game::failed("unparsed"),
    }
}
