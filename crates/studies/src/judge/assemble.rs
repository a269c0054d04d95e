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
            self.order_known &= !matches!(game.shown, ShownPair::Unordered(_));
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
        let is_unordered = matches!(file.shown, ShownPair::Unordered(_));
        let order = usize::from(found.reversed && !is_unordered);
        let game = if found.reversed {
            turned(file.game)
        } else {
            file.game
        };
        match games.entry(found.at).or_default().get_mut(order) {
            Some(empty @ None) => *empty = Some(game),
            _ => self.repeated += 1,
        }
    }

    fn add_pairs(&mut self, labels: &Labels, mut games: GamesByLabel, subset: &str) {
        let mut clusters: HashMap<&str, u32> = HashMap::new();
        let first = self.next_cluster();
        for (at, label) in labels.iter().enumerate() {
            let Some(games) = games.remove(&at) else {
                self.unjudged += 1;
                continue;
            };
            let next = first + clusters.len() as u32;
            let cluster = *clusters
                .entry(label.cluster.as_deref().unwrap_or(&label.item))
                .or_insert(next);
            self.add_pair(label, cluster, games, subset);
        }
    }

    fn next_cluster(&self) -> u32 {
        let clusters = self.pairs.iter().map(|pair| pair.cluster + 1);
        clusters.max().unwrap_or(0)
    }

    fn add_pair(
        &mut self,
        label: &PairLabel,
        cluster: u32,
        games: [Option<Game>; 2],
        subset: &str,
    ) {
        let subset = self.subset_index(label.category.as_deref().unwrap_or(subset));
        let systems = label
            .systems
            .as_ref()
            .map(|[a, b]| [self.system_index(a), self.system_index(b)]);
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
    let scores: HashMap<(&str, &str), Option<f64>> = grades
        .iter()
        .map(|grade| ((grade.item.as_str(), grade.system.as_str()), grade.score))
        .collect();
    for (at, label) in labels.iter().enumerate() {
        let Some([a, b]) = &label.systems else {
            continue;
        };
        let score = |system: &str| scores.get(&(label.item.as_str(), system)).copied();
        if let (Some(a), Some(b)) = (score(a), score(b)) {
            let game = compared_scores(a, b);
            games.insert(at, [Some(game.clone()), Some(game)]);
        }
    }
}

/// Turns a game in terms of the slots to those of a pair whose b was shown first.
fn turned(game: Game) -> Game {
    let outcome = game
        .outcome
        .map(|[first, tie, second]| [second, tie, first]);
    Game {
        outcome,
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
