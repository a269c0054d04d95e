//! Labelled pairs and what a judge said of them.

use super::OrdersSeen;
use evenhand_core::{Outcome, Side, Verdict};

/// What a judge said of a pair in one order, in terms of the pair: first is the pair's a, second
/// its b, whichever was shown first.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The probabilities of "a is better", "a tie", "b is better", which sum to 1; or the kind of
    /// failure.
    pub outcome: Result<[f64; 3], String>,
    /// The score of a less that of b, where the verdict is the comparison of two scores.
    pub margin: Option<f64>,
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
            margin: None,
            recorded: None,
            why: None,
        }
    }

    pub(super) fn failed(kind: impl Into<String>) -> Game {
        Game {
            outcome: Err(kind.into()),
            margin: None,
            recorded: None,
            why: None,
        }
    }

    /// Compares the scores of a and b, of which the higher is better.
    pub(super) fn of_scores(a: f64, b: f64) -> Game {
        Game {
            margin: Some(a - b),
            ..Game::of_shares(Side::of_scores([a, b]).certain())
        }
    }

    /// Returns what was said, in terms of the reverse of its slots where they are `swapped`.
    pub(super) fn of_outcome(outcome: &Outcome, swapped: bool) -> Game {
        let shares = shares_of_outcome(outcome);
        let game = shares.map_or_else(Game::failed, Game::of_shares);
        if swapped { game.turned() } else { game }
    }

    /// Turns a game in terms of the slots to those of a pair whose b was shown first.
    pub(super) fn turned(self) -> Game {
        Game {
            outcome: self.outcome.map(reversed_shares),
            margin: self.margin.map(|margin| -margin),
            recorded: self.recorded.map(|side| side.map(Side::swapped)),
            why: self.why,
        }
    }

    /// Returns the verdict's probabilities, if there is a verdict.
    pub(super) fn shares(&self) -> Option<[f64; 3]> {
        self.outcome.as_ref().ok().copied()
    }

    /// Returns the verdict's side, if there is a verdict.
    pub fn side(&self) -> Option<Side> {
        self.shares().map(Side::of)
    }
}

fn reversed_shares([first, tie, second]: [f64; 3]) -> [f64; 3] {
    [second, tie, first]
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
    let side = match *places {
        [first, second] => Side::of_scores([second, first]),
        _ => Side::Tie,
    };
    side.certain()
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
    /// Which repeat of the pair it is, from 0.
    pub repeat: u32,
}

impl Default for LabelledPair {
    /// Returns a pair without a name, of which nothing was said; its label is a tie.
    fn default() -> Self {
        LabelledPair {
            name: String::new(),
            cluster: 0,
            subset: 0,
            label: Side::Tie,
            systems: None,
            lengths: None,
            games: [None, None],
            seen: OrdersSeen::Apart,
            repeat: 0,
        }
    }
}

impl LabelledPair {
    /// Returns the pair as one of this part of several sets.
    fn in_set(&self, part: SetPart<'_>) -> LabelledPair {
        LabelledPair {
            name: part.name_of(self),
            cluster: self.cluster + part.clusters,
            subset: part.subset,
            systems: None,
            ..self.clone()
        }
    }

    fn in_only_subset(&self) -> LabelledPair {
        LabelledPair {
            subset: 0,
            ..self.clone()
        }
    }

    /// Returns the games that the judge was asked for.
    pub(super) fn judged_games(&self) -> impl Iterator<Item = &Game> {
        self.games.iter().flatten()
    }

    /// Returns the verdicts there are, as shares.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = [f64; 3]> {
        self.judged_games().filter_map(Game::shares)
    }
}

/// An input set as a part of several.
#[derive(Clone, Copy)]
struct SetPart<'a> {
    set: &'a JudgedPairs,
    subset: u32,
    /// The number at which its clusters begin.
    clusters: u32,
}

impl SetPart<'_> {
    /// Returns a name that no other pair of the set has. Systems of several sets have nothing to do
    /// with each other: the name alone keeps them.
    fn name_of(self, pair: &LabelledPair) -> String {
        match self.set.pair_key(pair) {
            (_, name, Some([a, b])) => format!("{name}: {a}, {b}"),
            (_, name, None) => name,
        }
    }
}

/// A part of an input set, the name of a pair and its systems.
pub(super) type PairKey<'a> = (String, String, Option<[&'a str; 2]>);

/// Stands between an evaluation type and the name of its prompts.
const PROMPTS_OF: &str = ", prompts ";

/// A judge and what it said of all pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedPairs {
    /// The judge's name.
    pub judge: String,
    /// The evaluation type by which it was asked; empty where that is not known.
    pub protocol: String,
    /// The name of the prompts, where they are not the built-in ones.
    pub prompts: Option<String>,
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
    /// How often every pair was judged; 0 where that is not known, or differs.
    pub repeats: u32,
}

impl JudgedPairs {
    /// Whether another is of the same judge, by the same protocol.
    pub(crate) fn is_same_judge(&self, other: &JudgedPairs) -> bool {
        self.judge == other.judge && self.is_asked_like(other)
    }

    fn is_asked_like(&self, other: &JudgedPairs) -> bool {
        self.protocol == other.protocol && self.prompts == other.prompts
    }

    /// Returns how the judge was asked, in words.
    pub(crate) fn protocol_name(&self) -> String {
        match &self.prompts {
            Some(prompts) => format!("{}{PROMPTS_OF}{prompts}", self.protocol),
            None => self.protocol.clone(),
        }
    }

    /// Takes how the judge was asked from the words of a recording, which may name prompts.
    pub(crate) fn set_protocol(&mut self, name: &str) {
        let (protocol, prompts) = match name.split_once(PROMPTS_OF) {
            Some((protocol, prompts)) => (protocol, Some(prompts)),
            None => (name, None),
        };
        self.protocol = protocol.into();
        self.prompts = prompts.map(String::from);
    }

    /// Puts the pairs of several input sets together, each set a part with its name: what one judge
    /// said by one protocol.
    pub(crate) fn merge(sets: &[(&str, &JudgedPairs)]) -> JudgedPairs {
        let mut all = JudgedPairs {
            order_known: true,
            repeats: common_repeats(sets),
            ..JudgedPairs::default()
        };
        for (name, set) in sets {
            // Clusters of different sets have nothing in common: each set's go on from the last.
            all.add_set(name, set, all.next_cluster());
        }
        all
    }

    /// Returns the number that is above those of all clusters.
    pub(super) fn next_cluster(&self) -> u32 {
        let clusters = self.pairs.iter().map(|pair| pair.cluster + 1);
        clusters.max().unwrap_or(0)
    }

    /// Adds an input set whose clusters begin at this number.
    fn add_set(&mut self, name: &str, set: &JudgedPairs, clusters: u32) {
        self.judge.clone_from(&set.judge);
        self.protocol.clone_from(&set.protocol);
        self.prompts.clone_from(&set.prompts);
        let part = SetPart {
            set,
            subset: self.subset_index(name),
            clusters,
        };
        self.pairs
            .extend(set.pairs.iter().map(|pair| pair.in_set(part)));
        self.add_counts(set);
    }

    /// Returns the pairs of each part of the input set by themselves.
    pub(crate) fn split_by_subset(&self) -> Vec<JudgedPairs> {
        let parts = self.subsets.iter().zip(0..);
        parts.map(|(name, at)| self.only_subset(name, at)).collect()
    }

    /// Returns the pairs of a part. What was left out is of no part.
    fn only_subset(&self, name: &str, subset: u32) -> JudgedPairs {
        let pairs = self.pairs.iter().filter(|pair| pair.subset == subset);
        JudgedPairs {
            judge: self.judge.clone(),
            protocol: self.protocol.clone(),
            prompts: self.prompts.clone(),
            subsets: vec![name.to_string()],
            systems: self.systems.clone(),
            pairs: pairs.map(LabelledPair::in_only_subset).collect(),
            order_known: self.order_known,
            repeats: self.repeats,
            ..JudgedPairs::default()
        }
    }

    /// Puts the repeats of the same pairs together, in their order.
    pub(super) fn of_repeats(repeats: impl IntoIterator<Item = JudgedPairs>) -> JudgedPairs {
        let mut repeats = repeats.into_iter();
        let mut all = repeats.next().unwrap_or_default();
        all.repeats = 1;
        for mut one in repeats {
            for pair in &mut one.pairs {
                pair.repeat = all.repeats;
            }
            all.pairs.append(&mut one.pairs);
            all.add_counts(&one);
            all.repeats += 1;
        }
        all
    }

    /// Returns what tells a pair of this judge from its others: its part, its name, and its systems
    /// where several pairs have one name.
    pub(super) fn pair_key(&self, pair: &LabelledPair) -> PairKey<'_> {
        let system = |at: u32| self.systems.get(at as usize).map_or("", String::as_str);
        let systems = pair.systems.map(|pair| pair.map(system));
        (
            self.subset_name(pair).to_string(),
            pair.name.clone(),
            systems,
        )
    }

    fn add_counts(&mut self, set: &JudgedPairs) {
        self.order_known &= set.order_known;
        self.unjudged += set.unjudged;
        self.unlabelled += set.unlabelled;
        self.repeated += set.repeated;
    }

    /// Returns the name of a pair's part of the input set; empty where it has none.
    pub(super) fn subset_name(&self, pair: &LabelledPair) -> &str {
        let name = self.subsets.get(pair.subset as usize);
        name.map_or("", String::as_str)
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

/// Returns how often the pairs of all sets were judged; 0 where the sets differ.
fn common_repeats(sets: &[(&str, &JudgedPairs)]) -> u32 {
    let mut all = sets.iter().map(|(_, set)| set.repeats);
    let first = all.next().unwrap_or(0);
    if all.all(|repeats| repeats == first) {
        first
    } else {
        0
    }
}

/// Returns the index of a name, which is added if it is new.
fn index_of(names: &mut Vec<String>, name: &str) -> u32 {
    let known = names.iter().position(|known| known == name);
    let index = known.unwrap_or(names.len());
    if known.is_none() {
        names.push(name.to_string());
    }
    index as u32
}

/// Returns the outcome with the most votes; a tie where two have the most.
pub(super) fn plurality([first, tie, second]: [u64; 3]) -> Side {
    if first > tie.max(second) {
        Side::First
    } else if second > tie.max(first) {
        Side::Second
    } else {
        Side::Tie
    }
}
