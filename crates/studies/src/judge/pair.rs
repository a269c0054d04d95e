//! Labelled pairs, and all that a judge said of them.

use super::{Game, OrdersSeen, Votes};
use evenhand_core::Side;
use std::iter::repeat_n;

/// Two responses to an item, what people or the truth say of them, and what a judge said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelledPair {
    /// The name of its item, or its own.
    pub name: String,
    /// The number of its item in the data that a judge was asked about; None in recordings.
    pub item: Option<u32>,
    /// What it is resampled with: pairs on the same instruction have the same number.
    pub cluster: u32,
    /// Index of its part of the input set.
    pub subset: u32,
    /// Which is better: the outcome with more labels than each other, a tie where none has; or by
    /// one of them, where each counts.
    pub label: Side,
    /// How many labels there are for a, for a tie and for b.
    pub votes: [u32; 3],
    /// Which of the labels it is held against, from 0; 0 where their plurality counts.
    pub vote: u32,
    /// Indices of the systems of a and b, where they are known.
    pub systems: Option<[u32; 2]>,
    /// Lengths of a and b in characters, where they are known.
    pub lengths: Option<[u32; 2]>,
    /// Whether the judge was shown the same response twice; false where the texts are not at hand.
    pub same: bool,
    /// The game in which a was shown first, and the one in which b was; None where the judge was
    /// not asked.
    pub games: [Option<Game>; 2],
    /// How these orders were judged.
    pub seen: OrdersSeen,
    /// Which repeat of the pair it is, from 0.
    pub repeat: u32,
}

impl LabelledPair {
    /// Whether it is the first of its labels: what is said of the judge alone counts there.
    pub(super) fn is_first_vote(&self) -> bool {
        self.vote == 0
    }

    /// Returns the pair once for each of its labels; as it is where they are not known.
    fn by_each_vote(self) -> impl Iterator<Item = LabelledPair> {
        let sides = [Side::First, Side::Tie, Side::Second].into_iter();
        let votes = sides.zip(self.votes);
        let mut labels: Vec<Side> = votes
            .flat_map(|(side, count)| repeat_n(side, count as usize))
            .collect();
        if labels.is_empty() {
            labels.push(self.label);
        }
        (0..).zip(labels).map(move |(vote, label)| LabelledPair {
            label,
            vote,
            ..self.clone()
        })
    }

    /// Returns the games that the judge was asked for.
    pub(super) fn judged_games(&self) -> impl Iterator<Item = &Game> {
        self.games.iter().flatten()
    }

    /// Returns the verdicts there are, as shares.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = [f64; 3]> {
        self.judged_games().filter_map(Game::shares)
    }

    /// Returns what the judge said in an order: where one trial holds both, in its looks.
    pub(super) fn in_order(&self, at: usize) -> Option<&Game> {
        let games = match &self.seen {
            OrdersSeen::Within(looks) => &looks.orders,
            OrdersSeen::Apart | OrdersSeen::Unordered => &self.games,
        };
        games.get(at)?.as_ref()
    }

    /// Returns what it said in both orders; None where it was not asked in one of them, or nothing
    /// tells them apart.
    pub(super) fn in_both_orders(&self) -> Option<[&Game; 2]> {
        if self.same {
            return None;
        }
        Some([self.in_order(0)?, self.in_order(1)?])
    }

    /// Returns the games that are trials of their own: one where it stands for both orders.
    pub(super) fn trials(&self) -> impl Iterator<Item = &Game> {
        let most = if self.seen == OrdersSeen::Apart { 2 } else { 1 };
        self.judged_games().take(most)
    }
}

/// A part of an input set, the name of a pair, its systems, and which of its labels counts.
pub(super) type PairKey<'a> = (&'a str, &'a str, Option<[&'a str; 2]>, u32);

/// The name of an input set that has no parts.
pub(super) const ALL: &str = "all";

/// Stands between an evaluation type and the name of its prompts.
const PROMPTS_OF: &str = ", prompts ";

/// Returns the protocol and the prompts of the words in which a study says how a judge was asked.
pub fn split_prompts(name: &str) -> (&str, Option<&str>) {
    match name.split_once(PROMPTS_OF) {
        Some((protocol, prompts)) => (protocol, Some(prompts)),
        None => (name, None),
    }
}

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
    /// What is to be known of the data, a sentence each.
    pub warnings: Vec<String>,
    /// Whether the pairs have no labels: then the label of each means nothing.
    pub has_no_labels: bool,
    /// Labelled pairs that the judge was never asked about.
    pub unjudged: u64,
    /// How several labels of one pair count.
    pub votes: Votes,
    /// Games and grades on what has no label.
    pub unlabelled: u64,
    /// Games beyond one for each pair and order, which count for nothing.
    pub repeated: u64,
    /// Whether it is of several input sets, whose systems are then no one ranking's.
    pub is_merged: bool,
    /// How often every pair was judged; 0 where that is not known, or differs.
    pub repeats: u32,
}

impl JudgedPairs {
    /// Whether another is of the same judge, by the same protocol.
    pub(crate) fn is_same_judge(&self, other: &JudgedPairs) -> bool {
        self.judge == other.judge
            && self.protocol == other.protocol
            && self.prompts == other.prompts
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
        let (protocol, prompts) = split_prompts(name);
        self.protocol = protocol.into();
        self.prompts = prompts.map(String::from);
    }

    /// Puts the pairs of several input sets together, each set a part with its name: what one judge
    /// said by one protocol.
    pub(crate) fn merge(sets: &[(&str, &JudgedPairs)]) -> JudgedPairs {
        let mut all = JudgedPairs {
            order_known: true,
            is_merged: true,
            ..JudgedPairs::default()
        };
        for (part, set) in sets {
            all.judge.clone_from(&set.judge);
            all.protocol.clone_from(&set.protocol);
            all.prompts.clone_from(&set.prompts);
            all.votes = set.votes;
            // Clusters of different sets have nothing in common: each set's go on from the last.
            let first = all.next_cluster();
            let subset = all.subset_index(part);
            for pair in &set.pairs {
                let (.., systems, _) = set.pair_key(pair);
                let systems = systems.map(|both| both.map(|name| all.system_index(name)));
                all.pairs.push(LabelledPair {
                    cluster: pair.cluster + first,
                    subset,
                    systems,
                    ..pair.clone()
                });
            }
            all.add_counts(set);
        }
        let repeats = sets.first().map_or(0, |(_, set)| set.repeats);
        if sets.iter().all(|(_, set)| set.repeats == repeats) {
            all.repeats = repeats;
        }
        all
    }

    /// Returns the number that is above those of all clusters.
    pub(super) fn next_cluster(&self) -> u32 {
        let clusters = self.pairs.iter().map(|pair| pair.cluster + 1);
        clusters.max().unwrap_or(0)
    }

    /// Returns the pairs of each part of the input set by themselves. What was left out is of no
    /// part.
    pub(crate) fn split_by_subset(&self) -> Vec<JudgedPairs> {
        let parts = self.subsets.iter().zip(0..).map(|(name, subset)| {
            let pairs = self.pairs.iter().filter(|pair| pair.subset == subset);
            let pairs = pairs
                .cloned()
                .map(|pair| LabelledPair { subset: 0, ..pair });
            JudgedPairs {
                judge: self.judge.clone(),
                protocol: self.protocol.clone(),
                prompts: self.prompts.clone(),
                subsets: vec![name.clone()],
                systems: self.systems.clone(),
                pairs: pairs.collect(),
                order_known: self.order_known,
                repeats: self.repeats,
                votes: self.votes,
                ..JudgedPairs::default()
            }
        });
        parts.collect()
    }

    /// Returns the pairs as their labels count: each once, or once for each of its labels. Pairs
    /// with one name stay in one cluster, so that intervals do not take votes for questions.
    #[must_use]
    pub fn counted_by(mut self, votes: Votes) -> JudgedPairs {
        self.votes = votes;
        if votes == Votes::Each {
            let pairs = self.pairs.into_iter();
            self.pairs = pairs.flat_map(LabelledPair::by_each_vote).collect();
        }
        self
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

    /// Returns what tells a pair of this judge from its others: its part, its name, its systems
    /// where several pairs have one name, and which of its labels counts.
    pub(super) fn pair_key<'a>(&'a self, pair: &'a LabelledPair) -> PairKey<'a> {
        let system = |at: u32| self.systems.get(at as usize).map_or("", String::as_str);
        let systems = pair.systems.map(|pair| pair.map(system));
        (self.subset_name(pair), &pair.name, systems, pair.vote)
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

/// Returns the index of a name, which is added if it is new.
fn index_of(names: &mut Vec<String>, name: &str) -> u32 {
    let known = names.iter().position(|known| known == name);
    let index = known.unwrap_or(names.len());
    if known.is_none() {
        names.push(name.to_string());
    }
    index as u32
}
