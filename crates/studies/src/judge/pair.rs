//! Labelled pairs and what a judge said of them.

use super::Seen;
use evenhand_core::Side;

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
    /// The verdict's side, if there is a verdict.
    pub fn side(&self) -> Option<Side> {
        self.outcome
            .as_ref()
            .ok()
            .map(|shares| super::decided(*shares))
    }
}

/// Two responses to an item, what people or the truth say of them, and what a judge said.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
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
    pub seen: Seen,
}

/// A judge and what it said of all pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// The judge's name.
    pub judge: String,
    /// How it was asked; empty where that is not known.
    pub protocol: String,
    /// The names of the parts of the input set.
    pub subsets: Vec<String>,
    /// The names of the systems, where they are known.
    pub systems: Vec<String>,
    /// The pairs that the judge was asked about at least once.
    pub pairs: Vec<Pair>,
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

impl Judged {
    /// The index of a name among the parts of the input set.
    pub(super) fn subset(&mut self, name: &str) -> u32 {
        index(&mut self.subsets, name)
    }

    /// The index of a system.
    pub(super) fn system(&mut self, name: &str) -> u32 {
        index(&mut self.systems, name)
    }
}

fn index(names: &mut Vec<String>, name: &str) -> u32 {
    let known = names.iter().position(|known| known == name);
    known.unwrap_or_else(|| {
        names.push(name.to_string());
        names.len() - 1
    }) as u32
}

/// The outcome with the most votes; a tie where none has.
pub(super) fn plurality(votes: [u64; 3]) -> Side {
    let most = votes.iter().max().copied().unwrap_or(0);
    let winners: Vec<Side> = [Side::First, Side::Tie, Side::Second]
        .into_iter()
        .zip(votes)
        .filter(|(_, n)| *n == most)
        .map(|(s, _)| s)
        .collect();
    if let [winner] = winners[..] {
        winner
    } else {
        Side::Tie
    }
}
