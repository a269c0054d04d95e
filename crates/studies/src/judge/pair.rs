//! Labelled pairs and what a judge said of them.

use super::OrdersSeen;
use super::decide::decided;
use evenhand_core::{Outcome, Side, Verdict};
use std::cmp::Ordering;

/// What a judge said of a pair in one order, in terms of the pair: first is the pair's a, second
/// its b, whichever was shown first.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The probabilities of "a is better", "a tie", "b is better", which sum to 1; or the kind of
    /// failure.
    pub outcome: Result<[f64; 3], String>,
    /// What the source recorded, where it records a verdict beside the text; the inner None where
    /// it found no verdict.
    pub recorded: Option<Option<Side>>,
    /// Why no verdict was read, or another than the source recorded; for a person. None of a live
    /// judge's game.
    pub why: Option<String>,
}

impl Game {
    /// Returns a game that nothing was recorded of beside these shares.
    pub(crate) fn of_shares(shares: [f64; 3]) -> Game {
        Game {
            outcome: Ok(shares),
            recorded: None,
            why: None,
        }
    }

    pub(super) fn failed(kind: impl Into<String>) -> Game {
        Game {
            outcome: Err(kind.into()),
            recorded: None,
            why: None,
        }
    }

    /// Compares the scores of a and b, of which the higher is better.
    pub(super) fn of_scores(a: f64, b: f64) -> Game {
        let better = match a.partial_cmp(&b) {
            Some(Ordering::Greater) => Side::First,
            Some(Ordering::Less) => Side::Second,
            _ => Side::Tie,
        };
        Game::of_shares(certain_shares(better))
    }

    /// Returns what was said, in terms of the reverse of its slots where they are `swapped`.
    pub(super) fn of_outcome(outcome: &Outcome, swapped: bool) -> Game {
        match shares_of_outcome(outcome) {
            Ok([first, tie, second]) if swapped => Game::of_shares([second, tie, first]),
            Ok(shares) => Game::of_shares(shares),
            Err(kind) => Game::failed(kind),
        }
    }

    /// Returns the verdict's probabilities, if there is a verdict.
    pub(super) fn shares(&self) -> Option<[f64; 3]> {
        self.outcome.as_ref().ok().copied()
    }

    /// Returns the verdict's side, if there is a verdict.
    pub fn side(&self) -> Option<Side> {
        self.shares().map(decided)
    }
}

/// Returns the probabilities in terms of the slots, or the kind of failure.
fn shares_of_outcome(outcome: &Outcome) -> Result<[f64; 3], &'static str> {
    match outcome {
        Ok(Verdict::Listwise { places, .. }) => Ok(shares_of_places(places)),
        Ok(verdict) => verdict.preference().ok_or("invalid"),
        Err(failure) => Err(failure.kind.name()),
    }
}

/// Returns the shares of places, of which the smaller is better.
fn shares_of_places(places: &[f64]) -> [f64; 3] {
    certain_shares(match places {
        [first, second] if first < second => Side::First,
        [first, second] if first > second => Side::Second,
        _ => Side::Tie,
    })
}

/// Returns a verdict that leaves no doubt.
pub(super) fn certain_shares(side: Side) -> [f64; 3] {
    match side {
        Side::First => [1.0, 0.0, 0.0],
        Side::Tie => [0.0, 1.0, 0.0],
        Side::Second => [0.0, 0.0, 1.0],
    }
}

/// Two responses to an item, what people or the truth say of them, and what a judge said.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPair {
    /// The name of its item, or its own.
    pub name: String,
    /// What it is resampled with: pairs on the same instruction have the same number.
    pub cluster: u32,
    /// Index of its part of the input set.
    pub subset: u32,
    /// Which is better, by the plurality of the labels; a tie where two outcomes have the most.
    pub label: Side,
    /// Indices of the systems of a and b, where they are known.
    pub systems: Option<[u32; 2]>,
    /// Lengths of a and b in characters, where they are known.
    pub lengths: Option<[u32; 2]>,
    /// The game in which a was shown first, and the one in which b was; None where the judge was
    /// not asked.
    pub games: [Option<Game>; 2],
    /// How these orders were judged.
    pub seen: OrdersSeen,
}

/// A judge and what it said of all pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedPairs {
    /// The judge's name.
    pub judge: String,
    /// How it was asked; empty where that is not known.
    pub protocol: String,
    /// The names of the parts of the input set.
    pub subsets: Vec<String>,
    /// The names of the systems, where they are known.
    pub systems: Vec<String>,
    /// The pairs that the judge was asked about at least once.
    pub pairs: Vec<LabelledPair>,
    /// Whether it is known which response was shown first. Where it is not, all games stand as if a
    /// was.
    pub order_known: bool,
    /// What is to be known of marks of chat templates in the data.
    pub marks: Option<String>,
    /// Labelled pairs that the judge was never asked about.
    pub unjudged: u64,
    /// Games and grades on what has no label.
    pub unlabelled: u64,
    /// Games beyond one for each pair and order, which count for nothing.
    pub repeated: u64,
}

impl JudgedPairs {
    /// Puts the pairs of several input sets together, each set a part with its name: what one judge
    /// said by one protocol.
    pub(crate) fn merge<'a>(sets: impl IntoIterator<Item = (&'a str, &'a JudgedPairs)>) -> Self {
        let mut all = JudgedPairs {
            order_known: true,
            ..JudgedPairs::default()
        };
        // Clusters of different sets have nothing in common: each set's go on from the last.
        let mut clusters = 0;
        for (name, set) in sets {
            all.add_set(name, set, clusters);
            clusters += set.next_cluster();
        }
        all
    }

    /// Returns the number that is above those of all clusters.
    pub(super) fn next_cluster(&self) -> u32 {
        let clusters = self.pairs.iter().map(|pair| pair.cluster + 1);
        clusters.max().unwrap_or(0)
    }

    /// Adds an input set whose clusters begin at this number. Systems of several sets have nothing
    /// to do with each other, and are left out.
    fn add_set(&mut self, name: &str, set: &JudgedPairs, clusters: u32) {
        self.judge.clone_from(&set.judge);
        self.protocol.clone_from(&set.protocol);
        let subset = self.subset_index(name);
        let pairs = set.pairs.iter().map(|pair| LabelledPair {
            cluster: pair.cluster + clusters,
            subset,
            systems: None,
            ..pair.clone()
        });
        self.pairs.extend(pairs);
        self.add_counts(set);
    }

    fn add_counts(&mut self, set: &JudgedPairs) {
        self.order_known &= set.order_known;
        self.unjudged += set.unjudged;
        self.unlabelled += set.unlabelled;
        self.repeated += set.repeated;
    }

    /// Returns the index of a name among the parts of the input set.
    pub(super) fn subset_index(&mut self, name: &str) -> u32 {
        index_of(&mut self.subsets, name)
    }

    /// Returns the index of a system.
    pub(super) fn system_index(&mut self, name: &str) -> u32 {
        index_of(&mut self.systems, name)
    }
}

/// Returns the index of a name, which is added if it is new.
fn index_of(names: &mut Vec<String>, name: &str) -> u32 {
    let known = names.iter().position(|known| known == name);
    known.unwrap_or_else(|| {
        names.push(name.to_string());
        names.len() - 1
    }) as u32
}

/// Returns the outcome with the most votes; a tie where two have the most.
pub(super) fn plurality(votes: [u64; 3]) -> Side {
    let most = votes.iter().max();
    let sides = [Side::First, Side::Tie, Side::Second].into_iter();
    let mut winners = sides.zip(&votes).filter(|(_, n)| Some(*n) == most);
    match (winners.next(), winners.next()) {
        (Some((winner, _)), None) => winner,
        _ => Side::Tie,
    }
}
