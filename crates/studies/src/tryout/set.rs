//! The labelled set: pairs of answers of which one is plainly better, written for this purpose and
//! under the project's licence, and attacks on some of the better ones.
//!
//! The better answer is the longer in exactly half of the pairs of each category, and is written
//! first in half of these and half of the others. So a judge of lengths alone, or of places alone,
//! is right on half of the set. Every four pairs, as they stand in the file, hold each of the four
//! combinations once.

use evenhand_core::{Item, Message, Refusal, Side};
use evenhand_engine::EngineError;
use evenhand_formats::records::{ItemRef, Place, Record, SystemOutput, Vote};
use evenhand_formats::{Dataset, DatasetBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{IntoStaticStr, VariantArray};

/// The pairs, a JSON object a line.
const PAIRS: &str = include_str!("pairs.jsonl");

/// Is raised where a pair is changed.
const VERSION: u32 = 1;

/// The system whose answers are the better ones, and that of the others.
pub(super) const BETTER: &str = "better";
const WORSE: &str = "worse";

/// Which set a model was tried on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetName {
    /// The version of the set.
    pub version: u32,
    /// The first 16 hexadecimal digits of the BLAKE3 digest of its file.
    pub digest: String,
    /// Pairs that were judged.
    pub pairs: usize,
    /// Pairs of the whole set.
    pub of: usize,
}

/// What stands in an answer's place, to be taken for it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "kebab-case")]
pub enum Attack {
    /// The instruction itself.
    Echo,
    /// A list of the instruction's words.
    Keywords,
    /// A text that calls itself the best answer, the same for all instructions.
    Constant,
    /// Words drawn at random.
    Random,
}

impl Attack {
    /// Returns the name that settings and files use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An instruction and two answers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TryPair {
    pub(super) id: String,
    pub(super) category: String,
    pub(super) instruction: String,
    pub(super) a: String,
    pub(super) b: String,
    /// Which is better: `a` or `b`.
    pub(super) better: Slot,
    /// The attacks on its better answer.
    pub(super) attacks: Option<BTreeMap<Attack, String>>,
}

/// Where an answer stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Slot {
    A,
    B,
}

impl TryPair {
    /// Returns the better answer, and the other.
    pub(super) fn answers(&self) -> [&str; 2] {
        match self.better {
            Slot::A => [&self.a, &self.b],
            Slot::B => [&self.b, &self.a],
        }
    }
}

/// The first of the pairs, or all, and their name.
#[derive(Clone, Debug)]
pub(super) struct TrySet {
    pub(super) name: SetName,
    pub(super) pairs: Vec<TryPair>,
}

impl TrySet {
    /// Reads the first so many pairs, or all.
    ///
    /// # Errors
    /// More pairs than there are, or fewer than four.
    pub(super) fn read(pairs: Option<usize>) -> Result<TrySet, EngineError> {
        let mut all = Vec::new();
        for (number, line) in PAIRS.lines().enumerate() {
            let pair: TryPair = serde_json::from_str(line).map_err(|error| {
                let why = format!("the built-in pairs, line {}: {error}", number + 1);
                Refusal::of_input(why)
            })?;
            all.push(pair);
        }
        let of = all.len();
        let count = pairs.unwrap_or(of);
        if !(4..=of).contains(&count) {
            let why = format!("pairs {count}: the set has {of}; expected a number from 4 to {of}");
            return Err(Refusal::of_input(why).into());
        }
        all.truncate(count);
        Ok(TrySet {
            name: SetName {
                version: VERSION,
                digest: blake3::hash(PAIRS.as_bytes()).to_hex()[..16].into(),
                pairs: count,
                of,
            },
            pairs: all,
        })
    }

    /// Returns the pairs as a data set. The better answers are one system's, the first; the label
    /// of every pair names it.
    pub(super) fn dataset(&self) -> Result<Dataset, EngineError> {
        let mut builder = DatasetBuilder::default();
        let place = Place::file("the built-in pairs");
        for pair in &self.pairs {
            let item = Item {
                id: pair.id.clone(),
                messages: vec![Message::user(pair.instruction.as_str())],
                category: Some(pair.category.clone()),
                ..Item::default()
            };
            builder.add_record(Record::Item(item), &place)?;
            let [better, worse] = pair.answers();
            let mut answers = vec![(BETTER, better), (WORSE, worse)];
            if let Some(attacks) = &pair.attacks {
                let texts = attacks
                    .iter()
                    .map(|(attack, text)| (attack.name(), &**text));
                answers.extend(texts);
            }
            for (system, text) in &answers {
                let answer = SystemOutput::new(*system, *text);
                let response = Record::response(&pair.id, answer);
                builder.add_record(response, &place)?;
            }
            for (system, _) in answers.iter().skip(1) {
                let label = Record::Label {
                    item: ItemRef::Id(pair.id.clone()),
                    a: BETTER.into(),
                    b: (*system).into(),
                    votes: vec![Vote {
                        preferred: Side::First,
                        annotator: None,
                        decides: false,
                    }],
                };
                builder.add_record(label, &place)?;
            }
        }
        Ok(builder.finish(true)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    /// Whether the better answer is the longer, in characters and in words.
    fn is_longer(pair: &TryPair) -> bool {
        let [better, worse] = pair.answers();
        let by_characters = better.chars().count() > worse.chars().count();
        assert_eq!(by_characters, words(better) > words(worse), "{}", pair.id);
        assert_ne!(words(better), words(worse), "{}", pair.id);
        by_characters
    }

    #[test]
    fn neither_length_nor_place_tells_the_better_answer_in_any_category() {
        let set = TrySet::read(None).unwrap();
        assert!(set.pairs.len() >= 96, "{}", set.pairs.len());
        let mut counts: BTreeMap<&str, BTreeMap<(bool, Slot), u32>> = BTreeMap::new();
        for pair in &set.pairs {
            let category = counts.entry(&pair.category).or_default();
            *category.entry((is_longer(pair), pair.better)).or_default() += 1;
        }
        for (category, counts) in counts {
            let each: BTreeSet<u32> = counts.values().copied().collect();
            assert_eq!((counts.len(), each.len()), (4, 1), "{category}: {counts:?}");
        }
    }

    #[test]
    fn so_it_is_in_every_four_pairs_of_the_file() {
        let set = TrySet::read(None).unwrap();
        for four in set.pairs.chunks(4) {
            let kinds: BTreeSet<_> = four
                .iter()
                .map(|pair| (is_longer(pair), pair.better))
                .collect();
            assert_eq!(kinds.len(), 4, "{}", four[0].id);
        }
    }

    #[test]
    fn no_pair_is_there_twice_and_no_answer_is_empty_or_long() {
        let set = TrySet::read(None).unwrap();
        let (mut ids, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for pair in &set.pairs {
            assert!(ids.insert(&pair.id), "{}", pair.id);
            assert!(texts.insert(&pair.instruction), "{}", pair.id);
            let [better, worse] = pair.answers();
            for answer in [better, worse] {
                assert_eq!(answer.trim(), answer, "{}", pair.id);
                assert!((1..=150).contains(&words(answer)), "{}", pair.id);
            }
            assert_ne!(better, worse, "{}", pair.id);
        }
        assert!(PAIRS.len() <= 120 * 1024, "{}", PAIRS.len());
    }

    #[test]
    fn attacks_are_no_answers_and_half_of_them_are_on_longer_ones() {
        let set = TrySet::read(None).unwrap();
        let attacked = set.pairs.iter().filter(|pair| pair.attacks.is_some());
        let attacked: Vec<&TryPair> = attacked.collect();
        assert_eq!(attacked.len(), 24);
        let longer = attacked.iter().filter(|pair| is_longer(pair)).count();
        assert_eq!(longer, 12);
        for pair in attacked {
            let attacks = pair.attacks.as_ref().unwrap();
            assert_eq!(attacks[&Attack::Echo], pair.instruction);
            assert!(attacks.keys().eq(Attack::VARIANTS), "{}", pair.id);
            for text in attacks.values() {
                assert!(!text.is_empty(), "{}", pair.id);
                assert!(!pair.answers().contains(&&**text), "{}", pair.id);
            }
        }
    }

    #[test]
    fn a_part_of_the_set_is_its_first_pairs() {
        let part = TrySet::read(Some(8)).unwrap();
        assert_eq!((part.name.pairs, part.pairs.len()), (8, 8));
        let labels = part.dataset().unwrap().labels;
        let attacked = part.pairs.iter().filter(|pair| pair.attacks.is_some());
        assert_eq!(labels.len(), 8 + 4 * attacked.count());
        let refused = TrySet::read(Some(3)).unwrap_err().to_string();
        assert!(refused.contains("expected a number from 4 to"), "{refused}");
    }
}
