//! The responses that an audit shows: those of the data, and the same rewritten.

use super::answer::Answer;
use super::rewrite::{MARK, Rewrite};
use evenhand_constraints::Constraints;
use evenhand_core::Item;
use evenhand_engine::EngineError;
use evenhand_formats::records::{ItemRef, Place, Record};
use evenhand_formats::{Dataset, DatasetBuilder, Label};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

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
    /// By system, then item.
    answers: Answers,
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
pub(super) const TURNED: &str = "turns a constraint";
/// Why one is dropped of which that cannot be said.
pub(super) const UNREADABLE: &str = "unreadable constraints";

/// A system and an item.
pub(super) type Spot = (u32, u32);

/// A rewritten response, or why it is left out.
pub(super) type Usable = Result<Answer, &'static str>;

/// Responses by system, then item.
type Answers = Vec<Vec<Option<Answer>>>;

/// One way of rewriting, and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// Responses that were to be rewritten: by a model, those that a probe came to show.
    pub responses: u64,
    /// Responses that are left out of it, since the rewritten ones did not keep what must be kept.
    pub dropped: u64,
    /// How many of those for which reason.
    pub reasons: Reasons,
}

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
    fn count(&mut self, written: &Usable) {
        self.responses += 1;
        if let Err(reason) = written {
            self.dropped += 1;
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    fn add(&mut self, other: &Written) {
        self.responses += other.responses;
        self.dropped += other.dropped;
        for (reason, count) in &other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }
}

/// Returns a response rewritten by a rule, or why it is not. The answers to earlier turns are
/// rewritten with it; the item's constraints are on the last one.
fn rewritten_by_rule(
    rewrite: Rewrite,
    answer: &Answer,
    constraints: Option<&Constraints>,
) -> Usable {
    let text = &answer.text;
    let last = match constraints {
        Some(constraints) => rewrite.keeping(text, constraints).ok_or(TURNED)?,
        // Spaces that no reader sees are added whatever the constraints are.
        None if rewrite == Rewrite::Neutral => rewrite.apply(text),
        None => return Err(UNREADABLE),
    };
    let earlier = answer.earlier_texts().map(|text| rewrite.apply(text));
    let texts = earlier.chain([last]).collect();
    answer.with_texts(texts).ok_or(UNREADABLE)
}

impl Material {
    /// Returns the data alone.
    pub(super) fn new(data: &Dataset) -> Result<Material, EngineError> {
        let mut answers = Vec::new();
        for system in 0..data.systems.len() {
            let mut own = Vec::new();
            for item in 0..data.items.len() {
                let response = data.response(item, system)?;
                own.push(response.as_ref().map(Answer::of_response));
            }
            answers.push(own);
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
    pub(super) fn rewrite(&mut self, rewrite: Rewrite, places: &[Spot]) {
        let (answers, reasons) = self.by_rule(rewrite, places);
        self.add(rewrite.name(), answers, reasons);
    }

    /// Adds all of them in the neutral rewrite. It is not among `rewrites`, but comes after the
    /// last of them.
    pub(super) fn add_neutral(&mut self) {
        let (answers, reasons) = self.by_rule(Rewrite::Neutral, &self.answers(0));
        self.neutral = Some(self.append(Rewrite::Neutral.name(), answers, reasons));
    }

    /// Returns these responses rewritten by a rule, and why those that are missing are.
    fn by_rule(&self, rewrite: Rewrite, places: &[Spot]) -> (Answers, Reasons) {
        let written: Vec<Option<Usable>> = places
            .par_iter()
            .map(|(system, item)| {
                let answer = self.answer(*system, *item)?;
                let constraints = self.constraints_of(*item);
                Some(rewritten_by_rule(rewrite, answer, constraints))
            })
            .collect();
        let mut answers = self.no_answers();
        let mut reasons = Reasons::new();
        for ((system, item), written) in places.iter().zip(written) {
            match written {
                Some(Ok(written)) => answers[*system as usize][*item as usize] = Some(written),
                Some(Err(reason)) => *reasons.entry(reason).or_default() += 1,
                None => {}
            }
        }
        (answers, reasons)
    }

    /// Returns the verifiable constraints of an item; None where they cannot be read.
    pub(super) fn constraints_of(&self, item: u32) -> Option<&Constraints> {
        self.constraints[item as usize].as_ref()
    }

    fn no_answers(&self) -> Answers {
        vec![vec![None; self.items.len()]; self.base as usize]
    }

    /// Returns the responses of the data's systems from this one on.
    pub(super) fn answers(&self, from: u32) -> Vec<Spot> {
        (from..self.base)
            .flat_map(|system| self.item_numbers().map(move |item| (system, item)))
            .filter(|(system, item)| self.has(*system, *item))
            .collect()
    }

    pub(super) fn item_numbers(&self) -> Range<u32> {
        0..self.items.len() as u32
    }

    /// Returns what people said first of an item.
    pub(super) fn label_on(&self, item: u32) -> Option<&Label> {
        self.labels.iter().find(|label| label.item == item)
    }

    /// Adds responses of the data's systems that were rewritten somehow.
    fn add(&mut self, name: &str, rewritten: Answers, reasons: Reasons) {
        let written = self.append(name, rewritten, reasons);
        self.rewrites.push(written);
    }

    /// Adds a way of rewriting whose responses are written when a probe shows them.
    pub(super) fn reserve(&mut self, name: &str) {
        let rewrite = self.rewrites.len();
        for (system, item) in self.answers(0) {
            let spot = (self.rewritten(system, rewrite), item);
            self.unwritten.insert(spot);
        }
        self.add(name, self.no_answers(), Reasons::new());
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

    /// Puts what a model wrote in its place, or counts why it is left out.
    pub(super) fn put(&mut self, spot: Spot, written: Usable) {
        let (rewrite, _) = self.origin(spot);
        self.unwritten.remove(&spot);
        self.version += 1;
        self.rewrites[rewrite].count(&written);
        let (system, item) = spot;
        self.answers[system as usize][item as usize] = written.ok();
    }

    fn append(&mut self, name: &str, rewritten: Answers, reasons: Reasons) -> Written {
        let kept = rewritten.iter().flatten().flatten().count() as u64;
        let dropped = reasons.values().sum();
        // The systems that stand for the data's in this rewrite.
        for system in 0..self.base as usize {
            let stands_for = format!("{}{MARK}{name}", self.systems[system]);
            self.systems.push(stands_for);
        }
        self.answers.extend(rewritten);
        Written {
            name: name.into(),
            responses: kept + dropped,
            dropped,
            reasons,
        }
    }

    /// Adds the response that says nothing, to every item, and to every turn of a conversation.
    pub(super) fn add_null(&mut self) {
        let mut nothing = Vec::new();
        for item in self.item_numbers() {
            let known = (0..self.base).find_map(|system| self.answer(system, item));
            let conversation = known.and_then(|known| known.with_every_text(NOTHING));
            nothing.push(Some(
                conversation.unwrap_or_else(|| Answer::single(NOTHING)),
            ));
        }
        self.systems.push(NULL.into());
        self.answers.push(nothing);
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

    /// Returns the place of a system.
    pub(super) fn system(&self, name: &str) -> Option<u32> {
        let at = self.systems.iter().position(|known| known == name)?;
        Some(at as u32)
    }

    pub(super) fn has(&self, system: u32, item: u32) -> bool {
        self.text(system, item).is_some()
    }

    pub(super) fn text(&self, system: u32, item: u32) -> Option<&str> {
        Some(&self.answer(system, item)?.text)
    }

    pub(super) fn answer(&self, system: u32, item: u32) -> Option<&Answer> {
        self.answers
            .get(system as usize)?
            .get(item as usize)?
            .as_ref()
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
        for (system, answers) in self.systems.iter().zip(&self.answers) {
            for (item, answer) in self.items.iter().zip(answers) {
                let Some(answer) = answer else { continue };
                let response = Record::Response {
                    item: ItemRef::Id(item.id.clone()),
                    answer: answer.to_output(system),
                };
                builder.add_record(response, &place)?;
            }
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

    /// Returns how many responses the data's systems gave.
    pub(super) fn response_count(&self) -> u64 {
        let base = self.answers.iter().take(self.base as usize);
        base.flatten().flatten().count() as u64
    }

    /// Returns the data's systems that answered an item.
    pub(super) fn answered(&self, item: u32) -> Vec<u32> {
        (0..self.base)
            .filter(|system| self.has(*system, item))
            .collect()
    }
}
