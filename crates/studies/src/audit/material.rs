//! The responses that an audit shows: those of the data, and the same rewritten.

use super::answer::Answer;
use super::rewrite::{MARK, Rewrite};
use evenhand_constraints::Constraints;
use evenhand_core::Item;
use evenhand_engine::EngineError;
use evenhand_formats::records::{Place, Record};
use evenhand_formats::{Dataset, DatasetBuilder, Label};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The name of the response that says nothing.
pub(super) const NULL: &str = "null answer";
const NOTHING: &str = "I have nothing to add.";

/// Items and texts of systems, of which the first are the data's.
#[derive(Clone, Debug, Default)]
pub(super) struct Material {
    pub(super) items: Vec<Item>,
    /// The number of the question that each asks.
    pub(super) questions: Vec<u32>,
    /// The verifiable constraints of each; None where they cannot be read.
    pub(super) constraints: Vec<Option<Constraints>>,
    /// Names of all systems.
    pub(super) systems: Vec<String>,
    /// How many systems are the data's.
    pub(super) base: u32,
    answers: BTreeMap<Spot, Answer>,
    /// People's labels of pairs of the data's systems.
    pub(super) labels: Vec<Label>,
    /// The ways in which responses were rewritten, in their order.
    pub(super) rewrites: Vec<Written>,
    /// Responses that a model rewrites once a probe shows them.
    unwritten: HashSet<Spot>,
    /// How often rewritten responses were added: a data set of fewer is out of date.
    pub(super) version: u32,
    /// How the neutral one went, once it is there.
    neutral: Option<Written>,
}

/// Why a rewritten response is dropped whose item's constraints would be kept or broken otherwise
/// than before.
pub(super) const TURNED: &str = "constraints not kept as before";
/// Why nothing is added to a trajectory that ends without a final message.
const NO_MESSAGE: &str = "no final message";
/// Why one is dropped of which that cannot be said.
pub(super) const UNREADABLE: &str = "unreadable constraints";

/// A system and an item.
pub(super) type Spot = (u32, u32);

/// A rewritten response, or why it is left out.
pub(super) type Usable = Result<Answer, &'static str>;

/// One way of rewriting, and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// Responses that were to be rewritten: by a model, those that a probe came to show.
    pub responses: u64,
    /// Responses that are left out of it, since the rewritten ones did not keep what must be kept.
    pub dropped: u64,
    /// How many of those for which reason.
    pub reasons: Reasons,
    /// How many of the others are longer than the original, in characters.
    pub longer: u64,
}

/// The share of responses that a rewrite makes longer from which on it is said to do so.
const NEARLY_ALL: f64 = 0.9;

/// How many rewritten responses were dropped for which reason.
pub type Reasons = BTreeMap<&'static str, u64>;

/// Returns how rewriting went over all materials; the neutral rewrite is among them where a
/// response is left out of it.
pub(super) fn rewrites_of(materials: &[Material]) -> Vec<Written> {
    let mut all: Vec<Written> = Vec::new();
    for material in materials {
        let neutral = material
            .neutral
            .iter()
            .filter(|written| written.dropped > 0);
        for written in material.rewrites.iter().chain(neutral) {
            match all.iter_mut().find(|known| known.name == written.name) {
                Some(known) => known.add(written),
                None => all.push(written.clone()),
            }
        }
    }
    all
}

impl Written {
    /// Counts what was made of a response of this length.
    fn count(&mut self, written: &Usable, length: usize) {
        self.responses += 1;
        match written {
            Ok(answer) => self.longer += u64::from(answer.length() > length),
            Err(reason) => {
                self.dropped += 1;
                *self.reasons.entry(reason).or_default() += 1;
            }
        }
    }

    /// Whether it makes nearly every response longer.
    pub(super) fn lengthens(&self) -> bool {
        let kept = self.responses - self.dropped;
        kept > 0 && self.longer as f64 >= NEARLY_ALL * kept as f64
    }

    fn add(&mut self, other: &Written) {
        self.responses += other.responses;
        self.dropped += other.dropped;
        self.longer += other.longer;
        for (reason, count) in &other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }
}

impl Material {
    /// Returns the data alone.
    pub(super) fn new(data: &Dataset) -> Result<Material, EngineError> {
        let mut answers = BTreeMap::new();
        for system in 0..data.systems.len() {
            for item in 0..data.items.len() {
                if let Some(response) = data.response(item, system)? {
                    let spot = (system as u32, item as u32);
                    answers.insert(spot, Answer::of_response(&response));
                }
            }
        }
        let constraints = data.items.iter().map(|item| match &item.constraints {
            Some(value) => Constraints::parse(value, item.instruction()).ok(),
            None => Some(Constraints::default()),
        });
        Ok(Material {
            items: data.items.clone(),
            questions: data.clusters().numbers().to_vec(),
            constraints: constraints.collect(),
            systems: data.systems.iter().map(ToString::to_string).collect(),
            base: data.systems.len() as u32,
            answers,
            labels: data.labels.clone(),
            ..Material::default()
        })
    }

    /// Returns the names of the data's systems.
    pub(super) fn base_systems(&self) -> &[String] {
        &self.systems[..self.base as usize]
    }

    /// Adds these responses, rewritten by a rule.
    pub(super) fn rewrite(&mut self, rewrite: Rewrite, spots: &[Spot]) {
        let written = self.rewrite_by_rule(rewrite, spots);
        self.rewrites.push(written);
    }

    /// Adds all of them in the neutral rewrite. It is not among `rewrites`, but comes after the
    /// last of them.
    pub(super) fn add_neutral(&mut self) {
        let written = self.rewrite_by_rule(Rewrite::Neutral, &self.answers(0));
        self.neutral = Some(written);
    }

    fn rewrite_by_rule(&mut self, rewrite: Rewrite, spots: &[Spot]) -> Written {
        // The answers to earlier turns are rewritten too; the constraints are on the last one.
        let by_rule = |spot: &Spot| -> Option<(Spot, Usable)> {
            let answer = self.answers.get(spot)?;
            let last = match self.constraints_of(spot.1) {
                // Even spaces would make a message where an agent wrote none.
                _ if answer.trajectory.is_some() && answer.text.is_empty() => Err(NO_MESSAGE),
                Some(constraints) => rewrite.keeping(&answer.text, constraints).ok_or(TURNED),
                // Spaces that no reader sees are added whatever the constraints are.
                None if rewrite == Rewrite::Neutral => Ok(rewrite.apply(&answer.text)),
                None => Err(UNREADABLE),
            };
            let usable = last.and_then(|last| {
                let earlier = answer.earlier_texts().map(|text| rewrite.apply(text));
                let texts = earlier.chain([last]).collect();
                answer.with_texts(texts).ok_or(UNREADABLE)
            });
            Some((*spot, usable))
        };
        let all: Vec<(Spot, Usable)> = spots.par_iter().filter_map(by_rule).collect();
        let first = self.systems.len() as u32;
        let mut written = self.make_room(rewrite.name());
        for ((system, item), usable) in all {
            written.count(&usable, self.length(system, item));
            if let Ok(answer) = usable {
                self.answers.insert((first + system, item), answer);
            }
        }
        written
    }

    /// Adds a way of rewriting whose responses are written when a probe shows them.
    pub(super) fn reserve(&mut self, name: &str) {
        let rewrite = self.rewrites.len();
        for (system, item) in self.answers(0) {
            self.unwritten
                .insert((self.rewritten(system, rewrite), item));
        }
        let written = self.make_room(name);
        self.rewrites.push(written);
    }

    /// Adds systems that stand for the data's in this rewrite, without responses.
    fn make_room(&mut self, name: &str) -> Written {
        for system in 0..self.base as usize {
            let stands_for = format!("{}{MARK}{name}", self.systems[system]);
            self.systems.push(stands_for);
        }
        Written {
            name: name.into(),
            ..Written::default()
        }
    }

    /// Adds the response that says nothing, to every item, and to every turn of a conversation.
    pub(super) fn add_null(&mut self) {
        let null = self.systems.len() as u32;
        self.systems.push(NULL.into());
        for item in self.item_numbers() {
            let known = (0..self.base).find_map(|system| self.answer(system, item));
            let conversation = known.and_then(|known| known.with_every_text(NOTHING));
            let nothing = conversation.unwrap_or_else(|| Answer::single(NOTHING));
            self.answers.insert((null, item), nothing);
        }
    }

    /// Puts what a model wrote in its place, or counts why it is left out.
    pub(super) fn put(&mut self, spot: Spot, written: Usable) {
        let (rewrite, (system, item)) = self.origin(spot);
        let length = self.length(system, item);
        self.unwritten.remove(&spot);
        self.version += 1;
        self.rewrites[rewrite].count(&written, length);
        if let Ok(answer) = written {
            self.answers.insert(spot, answer);
        }
    }

    /// Whether a model has still to write this response.
    pub(super) fn is_unwritten(&self, spot: Spot) -> bool {
        self.unwritten.contains(&spot)
    }

    /// Returns the number of the rewrite that a system stands for, and where the response is that
    /// is rewritten in it.
    pub(super) fn origin(&self, (system, item): Spot) -> (usize, Spot) {
        let rewrite = (system / self.base).saturating_sub(1) as usize;
        (rewrite, (system % self.base, item))
    }

    /// Returns the system that stands for another's responses as rewritten.
    pub(super) fn rewritten(&self, system: u32, rewrite: usize) -> u32 {
        self.base * (rewrite as u32 + 1) + system
    }

    /// Returns the system that stands for another's responses in the neutral rewrite.
    pub(super) fn neutrally(&self, system: u32) -> u32 {
        self.rewritten(system, self.neutral())
    }

    /// Returns the number of the neutral rewrite, for [`Material::rewritten`].
    pub(super) fn neutral(&self) -> usize {
        self.rewrites.len()
    }

    /// Returns the verifiable constraints of an item; None where they cannot be read.
    pub(super) fn constraints_of(&self, item: u32) -> Option<&Constraints> {
        self.constraints[item as usize].as_ref()
    }

    /// Returns the responses of the data's systems from this one on, by system, then item.
    pub(super) fn answers(&self, from: u32) -> Vec<Spot> {
        let spots = self.answers.range((from, 0)..).map(|(spot, _)| *spot);
        spots
            .take_while(|(system, _)| *system < self.base)
            .collect()
    }

    pub(super) fn item_numbers(&self) -> std::ops::Range<u32> {
        0..self.items.len() as u32
    }

    /// Returns the place of a system.
    pub(super) fn system(&self, name: &str) -> Option<u32> {
        let at = self.systems.iter().position(|known| known == name)?;
        Some(at as u32)
    }

    pub(super) fn answer(&self, system: u32, item: u32) -> Option<&Answer> {
        self.answers.get(&(system, item))
    }

    /// Whether a judge is shown the same of both systems, whichever stands first.
    pub(super) fn are_same(&self, [a, b]: [u32; 2], item: u32) -> bool {
        self.answer(a, item) == self.answer(b, item)
    }

    /// Returns the length of what is judged of a response, in characters.
    pub(super) fn length(&self, system: u32, item: u32) -> usize {
        self.answer(system, item).map_or(0, Answer::length)
    }

    /// Returns all of it as a data set: the items, and the responses by system and then item.
    pub(super) fn dataset(&self) -> Result<Dataset, EngineError> {
        let mut builder = DatasetBuilder::default();
        let place = Place::file("the audit");
        for item in &self.items {
            builder.add_record(Record::Item(item.clone()), &place)?;
        }
        for ((system, item), answer) in &self.answers {
            let id = &self.items[*item as usize].id;
            let answer = answer.to_output(&self.systems[*system as usize]);
            let response = Record::response(id, answer);
            builder.add_record(response, &place)?;
        }
        Ok(builder.finish(true)?)
    }

    /// Returns the turns that items answer, from the first; none where all answer one.
    pub(super) fn turns(&self) -> Vec<u32> {
        let turns: BTreeSet<u32> = self.items.iter().filter_map(|item| item.turn).collect();
        if turns.len() < 2 {
            return Vec::new();
        }
        turns.into_iter().collect()
    }

    pub(super) fn item_count(&self) -> u64 {
        self.items.len() as u64
    }

    /// Returns how many questions are asked.
    pub(super) fn question_count(&self) -> u64 {
        let last = self.questions.iter().max();
        last.map_or(0, |last| u64::from(*last) + 1)
    }

    /// Returns the pairs of the data's systems that people compared on an item and that both
    /// answered it, each once.
    pub(super) fn labelled_pairs(&self, item: u32) -> Vec<[u32; 2]> {
        let labels = self.labels.iter().filter(|label| label.item == item);
        let mut pairs: Vec<[u32; 2]> = labels
            .map(|label| [label.a.min(label.b), label.a.max(label.b)])
            .filter(|pair| {
                pair.iter()
                    .all(|system| self.answer(*system, item).is_some())
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Returns N different systems of the data that answered an item, in an order drawn from the
    /// seed, first the two that people compared; None where fewer answered.
    pub(super) fn drawn_systems<const N: usize>(&self, seed: u64, item: u32) -> Option<[u32; N]> {
        // No item depends on the others, but all turns of a conversation share the stream of the
        // first one in the data, so that the same systems are compared in each.
        let mut stream = item;
        if self.items[item as usize].turn.is_some() {
            let question = self.questions[item as usize];
            let first = self.questions.iter().position(|other| *other == question);
            stream = first.map_or(item, |first| first as u32);
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(stream));
        let mut systems: Vec<u32> = (0..self.base).collect();
        systems.retain(|system| self.answer(*system, item).is_some());
        for last in (1..systems.len()).rev() {
            systems.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
        }
        if let Some(label) = self.labels.iter().find(|label| label.item == item) {
            systems.sort_by_key(|system| ![label.a, label.b].contains(system));
        }
        systems.first_chunk().copied()
    }
}

/// The systems of the tweak set, best first.
pub const TWEAKED: [&str; 4] = ["adherent", "severity-1", "severity-2", "severity-3"];

/// Returns the systems that a simulated judge tells apart, best first; rewritten responses are as
/// good as the others of their system.
pub(super) fn known_systems(materials: &[Material]) -> Vec<Arc<str>> {
    let base = materials.iter().take(1).flat_map(Material::base_systems);
    let tweaked = TWEAKED.iter().filter(|_| materials.len() > 1).copied();
    let names = base.map(String::as_str).chain(tweaked);
    names.map(Arc::from).collect()
}
