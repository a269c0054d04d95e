//! Puts labels and games together.

use super::labels::Labels;
use super::pair::plurality;
use super::{Game, JudgedPairs, LabelledPair, OrdersSeen};
use evenhand_core::Side;
use evenhand_formats::judgments::games::{PairLabel, ShownPair};
use evenhand_formats::records::Preference;
use std::collections::HashMap;

/// Returns a label's plurality.
fn label_side(votes: &[Preference]) -> Side {
    let count = |wanted: Preference| votes.iter().filter(|vote| **vote == wanted).count() as u64;
    plurality([
        count(Preference::A),
        count(Preference::Tie),
        count(Preference::B),
    ])
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

    /// Returns the game in terms of the labelled pair, whose b may be in the first slot.
    fn game_of_pair(self, reversed: bool) -> Game {
        if reversed {
            turned(self.game)
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

impl FileJudgments {
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
        for game in file.games {
            self.order_known &= !game.is_unordered();
            self.add_game(labels, game, &mut games);
        }
        add_compared_grades(labels, &file.grades, &mut games);
        self.add_pairs(labels, games, subset);
    }

    fn add_game(&mut self, labels: &Labels, file: FileGame, games: &mut GamesByLabel) {
        let Some(found) = labels.find(&file.item, &file.shown) else {
            self.unlabelled += 1;
            return;
        };
        // Where the order is not known, the game stands as if a was shown first.
        let order = usize::from(found.reversed && !file.is_unordered());
        match games.entry(found.at).or_default().get_mut(order) {
            Some(empty @ None) => *empty = Some(file.game_of_pair(found.reversed)),
            _ => self.repeated += 1,
        }
    }

    fn add_pairs(&mut self, labels: &Labels, mut games: GamesByLabel, subset: &str) {
        let mut clusters = ClusterNumbers::after(self);
        for (at, label) in labels.iter().enumerate() {
            match games.remove(&at) {
                Some(games) => self.add_pair(label, clusters.number_of(label), games, subset),
                None => self.unjudged += 1,
            }
        }
    }

    fn add_pair(
        &mut self,
        label: &PairLabel,
        cluster: u32,
        games: [Option<Game>; 2],
        subset: &str,
    ) {
        let subset = self.subset_index(label.category.as_deref().unwrap_or(subset));
        let systems = label.systems.as_ref();
        let systems = systems.map(|pair| [0, 1].map(|at| self.system_index(&pair[at])));
        self.pairs.push(LabelledPair {
            name: label.item.clone(),
            cluster,
            subset,
            label: label_side(&label.preferred),
            systems,
            lengths: label.lengths,
            games,
            seen: OrdersSeen::Apart,
        });
    }
}

/// Compares the two scores of each labelled pair, which makes a game in either order.
fn add_compared_grades(labels: &Labels, grades: &[FileGrade], games: &mut GamesByLabel) {
    if grades.is_empty() {
        return;
    }
    let scores = GradeScores::new(grades);
    for (at, label) in labels.iter().enumerate() {
        if let Some(game) = scores.game_of(label) {
            games.insert(at, [Some(game.clone()), Some(game)]);
        }
    }
}

/// The scores of single responses, by item and system.
struct GradeScores<'a>(HashMap<(&'a str, &'a str), Option<f64>>);

impl<'a> GradeScores<'a> {
    fn new(grades: &'a [FileGrade]) -> GradeScores<'a> {
        let scores = grades
            .iter()
            .map(|grade| ((grade.item.as_str(), grade.system.as_str()), grade.score));
        GradeScores(scores.collect())
    }

    /// Compares the scores of a labelled pair; None where a response has no grade.
    fn game_of(&self, label: &PairLabel) -> Option<Game> {
        let [a, b] = label.systems.as_ref()?;
        let score = |system| self.0.get(&(label.item.as_str(), system)).copied();
        Some(compared_scores(score(a.as_str())?, score(b.as_str())?))
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
        let next = self.first + self.numbers.len() as u32;
        let name = label.cluster.as_deref().unwrap_or(&label.item);
        *self.numbers.entry(name).or_insert(next)
    }
}

/// Turns a game in terms of the slots to those of a pair whose b was shown first.
fn turned(game: Game) -> Game {
    let turn = |[first, tie, second]: [f64; 3]| [second, tie, first];
    Game {
        outcome: game.outcome.map(turn),
        recorded: game.recorded.map(|side| side.map(Side::swapped)),
        why: game.why,
    }
}

fn compared_scores(a: Option<f64>, b: Option<f64>) -> Game {
    match a.zip(b) {
        Some((a, b)) => Game::of_scores(a, b),
        None => Game::failed("unparsed"),
    }
}
