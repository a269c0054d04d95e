//! The responses that an audit shows: those of the data, and the same rewritten.

use super::rewrite::{MARK, Rewrite};
use evenhand_core::formats::{Answer, ItemRef, Place, Record};
use evenhand_core::{Dataset, DatasetBuilder, Item, Label};
use evenhand_engine::EngineError;
use serde::Serialize;
use std::collections::BTreeMap;

/// The name of the response that says nothing.
pub(super) const NULL: &str = "null answer";
const NOTHING: &str = "I have nothing to add.";

/// Items and texts of systems, of which the first are the data's.
#[derive(Clone, Debug, Default)]
pub(super) struct Material {
    pub(super) items: Vec<Item>,
    /// Names of all systems.
    pub(super) systems: Vec<String>,
    /// How many systems are the data's.
    pub(super) base: u32,
    /// By system, then item.
    pub(super) texts: Vec<Vec<Option<String>>>,
    /// What people said of pairs of the data's systems.
    pub(super) labels: Vec<Label>,
    /// The ways in which responses were rewritten, in their order.
    pub(super) rewrites: Vec<Written>,
}

/// One way of rewriting, and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// Responses that were rewritten.
    pub responses: u64,
    /// Rewritten responses that were dropped since they did not keep what must be kept.
    pub dropped: u64,
    /// How many of those for which reason.
    pub reasons: Reasons,
}

/// How many rewritten responses were dropped for which reason.
pub type Reasons = BTreeMap<&'static str, u64>;

impl Material {
    /// The data alone.
    pub(super) fn new(data: &Dataset) -> Result<Material, EngineError> {
        let text = |item: usize, system: usize| Ok(data.response(item, system)?.map(|response| response.text.to_string()));
        let of = |system: usize| (0..data.items.len()).map(|item| text(item, system)).collect();
        let texts = (0..data.systems.len()).map(of).collect::<Result<_, EngineError>>()?;
        Ok(Material {
            items: data.items.clone(),
            systems: data.systems.iter().map(|name| name.to_string()).collect(),
            base: data.systems.len() as u32,
            texts,
            labels: data.labels.clone(),
            rewrites: Vec::new(),
        })
    }

    /// Adds all responses of the data's systems, rewritten by a rule.
    pub(super) fn rewrite(&mut self, rewrite: Rewrite) {
        self.add(rewrite.name(), self.by_rule(rewrite), Reasons::new());
    }

    /// Adds the same in the neutral rewrite, which is none of `rewrites`: it comes after the last of them.
    pub(super) fn add_neutral(&mut self) {
        self.append(Rewrite::Neutral.name(), self.by_rule(Rewrite::Neutral));
    }

    fn by_rule(&self, rewrite: Rewrite) -> Vec<Vec<Option<String>>> {
        let texts =
            |system: &Vec<Option<String>>| system.iter().map(|text| text.as_deref().map(|text| rewrite.apply(text))).collect();
        self.texts.iter().take(self.base as usize).map(texts).collect()
    }

    /// Adds responses of the data's systems that were rewritten somehow.
    pub(super) fn add(&mut self, name: &str, rewritten: Vec<Vec<Option<String>>>, reasons: Reasons) {
        let (kept, dropped) = (rewritten.iter().flatten().flatten().count() as u64, reasons.values().sum());
        self.append(name, rewritten);
        self.rewrites.push(Written { name: name.into(), responses: kept + dropped, dropped, reasons });
    }

    fn append(&mut self, name: &str, rewritten: Vec<Vec<Option<String>>>) {
        let names: Vec<String> =
            self.systems.iter().take(self.base as usize).map(|system| format!("{system}{MARK}{name}")).collect();
        self.systems.extend(names);
        self.texts.extend(rewritten);
    }

    /// Adds the response that says nothing, to every item.
    pub(super) fn add_null(&mut self) {
        self.systems.push(NULL.into());
        self.texts.push(vec![Some(NOTHING.into()); self.items.len()]);
    }

    /// A system's responses as rewritten.
    pub(super) fn rewritten(&self, system: u32, rewrite: usize) -> u32 {
        self.base * (rewrite as u32 + 1) + system
    }

    /// A system's responses in the neutral rewrite.
    pub(super) fn neutrally(&self, system: u32) -> u32 {
        self.rewritten(system, self.neutral())
    }

    /// The number of the neutral rewrite, for [`Material::rewritten`].
    pub(super) fn neutral(&self) -> usize {
        self.rewrites.len()
    }

    /// The place of a system.
    pub(super) fn system(&self, name: &str) -> Option<u32> {
        self.systems.iter().position(|known| known == name).map(|at| at as u32)
    }

    pub(super) fn has(&self, system: u32, item: u32) -> bool {
        self.text(system, item).is_some()
    }

    pub(super) fn text(&self, system: u32, item: u32) -> Option<&str> {
        self.texts.get(system as usize)?.get(item as usize)?.as_deref()
    }

    /// The length of a response in characters.
    pub(super) fn length(&self, system: u32, item: u32) -> usize {
        self.text(system, item).map_or(0, |text| text.chars().count())
    }

    /// All of it as a data set.
    pub(super) fn dataset(&self) -> Result<Dataset, EngineError> {
        let mut builder = DatasetBuilder::default();
        let place = Place::file("the audit");
        self.items.iter().try_for_each(|item| builder.add(Record::Item(item.clone()), &place))?;
        for (system, texts) in self.systems.iter().zip(&self.texts) {
            for (item, text) in self.items.iter().zip(texts) {
                let Some(text) = text else { continue };
                let answer = Answer { system: system.clone(), output: text.clone() };
                builder.add(Record::Response { item: ItemRef::Id(item.id.clone()), answer }, &place)?;
            }
        }
        Ok(builder.finish(true)?)
    }

    /// The data's systems that answered an item.
    pub(super) fn answered(&self, item: u32) -> Vec<u32> {
        (0..self.base).filter(|system| self.has(*system, item)).collect()
    }
}
