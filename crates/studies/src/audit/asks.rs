//! The questions of a probe to a judge, and their answers: a probe is run again from the top until
//! nothing is missing.

use super::AuditOptions;
use super::finding::{Finding, FindingMaker};
use super::material::{Material, Spot};
use super::opinion::{Opinion, Shares, score_of, turned};
use super::pair_choice::PairChoice;
use super::rows::Rows;
use super::what::{Asked, Kind, What};
use evenhand_core::{Outcome, Verdict};
use evenhand_engine::EngineError;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One look at responses of an item, under a protocol.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// Which material.
    pub(super) material: usize,
    /// The protocol's name.
    pub(super) protocol: String,
    /// The item.
    pub(super) item: u32,
    /// The systems, in slot order.
    pub(super) systems: Vec<u32>,
    /// Which repetition of the same question, from 0.
    pub(super) replicate: u32,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It has not been asked yet.
    Pending,
    /// There is no verdict, or no such response.
    Failed,
}

/// A value, or why there is none.
pub(super) type Seen<T> = Result<T, Stop>;

/// Figures in the order in which they are shown.
pub(super) type Findings = Result<Vec<Finding>, EngineError>;

/// The findings of a probe; pending while something that it asks for has not been answered.
pub(super) type Probed = Seen<Findings>;

/// Everything that was answered.
pub(super) type Answers = HashMap<Key, Outcome>;

/// Of replies with probabilities and a text, what the text says, and what the most probable answer.
pub(super) type Readings = HashMap<Key, [Outcome; 2]>;

/// All answers so far.
#[derive(Default)]
pub(super) struct Known {
    pub(super) answers: Answers,
    pub(super) readings: Readings,
}

/// The things that the probes lack.
#[derive(Default)]
pub(super) struct Wanted {
    /// Looks that nobody has taken yet.
    pub(super) looks: BTreeSet<Key>,
    /// Responses that a model has still to rewrite, by material: looks show them.
    pub(super) rewrites: BTreeSet<(usize, Spot)>,
}

/// What is audited, and what is known of it so far.
pub(super) struct World {
    pub(super) what: What,
    pub(super) known: Known,
    /// Whether only the questions are wanted, and no findings.
    pub(super) only_counts: bool,
}

/// The world as a probe sees it.
pub(super) struct Asks<'a> {
    pub(super) world: &'a World,
    pub(super) options: &'a AuditOptions,
    /// The things that the probes lack.
    pub(super) wanted: RefCell<Wanted>,
    /// The items of the data that are looked at, and nothing else; None for everything.
    pub(super) slice: Option<&'a BTreeSet<u32>>,
}

/// Two responses to an item: a number of the material, the item, and the systems.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duel {
    pub(super) material: usize,
    pub(super) item: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl Duel {
    /// Two responses to an item of the data.
    pub(super) fn in_data(item: u32, pair: [u32; 2]) -> Duel {
        Duel::new(0, item, pair)
    }

    pub(super) fn new(material: usize, item: u32, [a, b]: [u32; 2]) -> Duel {
        Duel {
            material,
            item,
            a,
            b,
        }
    }

    /// Returns the first response against another one.
    pub(super) fn against(self, b: u32) -> Duel {
        Duel { b, ..self }
    }

    /// Returns another response against the second one.
    pub(super) fn with_first(self, a: u32) -> Duel {
        Duel { a, ..self }
    }

    /// Returns the two in the other order.
    pub(super) fn swapped(self) -> Duel {
        Duel {
            a: self.b,
            b: self.a,
            ..self
        }
    }

    /// Returns the look at responses of these systems to the item.
    fn key(self, protocol: &str, systems: Vec<u32>, replicate: u32) -> Key {
        Key {
            material: self.material,
            protocol: protocol.into(),
            item: self.item,
            systems,
            replicate,
        }
    }
}

/// Looks at every case, and gives the values if all were seen. A case that is pending does not keep
/// the later ones from being looked at, so that one round asks for what all of them lack.
pub(super) fn look_at_all<C, T>(
    cases: impl IntoIterator<Item = C>,
    look: impl FnMut(C) -> Seen<T>,
) -> Seen<Vec<T>> {
    // Collected twice: collecting results at once would stop at the first that is pending.
    let seen: Vec<Seen<T>> = cases.into_iter().map(look).collect();
    seen.into_iter().collect()
}

/// Looks at every case, and then computes the findings of each.
pub(super) fn findings_of_each<C: Copy, T>(
    cases: &[C],
    look: impl FnMut(C) -> Seen<T>,
    mut findings: impl FnMut(C, T) -> Findings,
) -> Probed {
    let seen = look_at_all(cases.iter().copied(), look)?;
    let of_cases = cases.iter().zip(seen);
    let all: Result<Vec<_>, _> = of_cases.map(|(case, seen)| findings(*case, seen)).collect();
    Ok(all.map(|all| all.concat()))
}

impl Asks<'_> {
    /// Returns the data, which is the first material.
    pub(super) fn data(&self) -> &Material {
        self.material(0)
    }

    pub(super) fn material(&self, material: usize) -> &Material {
        &self.world.what.materials[material]
    }

    /// Returns the pairs of an item of the data that are compared.
    pub(super) fn duels(&self, item: u32) -> Vec<Duel> {
        let AuditOptions { pairs, seed, .. } = self.options;
        pairs.duels(self.data(), *seed, item)
    }

    /// Returns the responses to an item of the data that are looked at by themselves, each as a
    /// duel against itself.
    pub(super) fn responses(&self, item: u32) -> Vec<Duel> {
        let AuditOptions { pairs, seed, .. } = self.options;
        pairs.responses(self.data(), *seed, item)
    }

    /// Returns N different systems of an item of the data; fails where fewer answered.
    pub(super) fn drawn_systems<const N: usize>(&self, item: u32) -> Seen<[u32; N]> {
        let drawn = self.data().drawn_systems(self.options.seed, item);
        drawn.ok_or(Stop::Failed)
    }

    /// Returns the two with spaces that no reader sees.
    pub(super) fn neutral(&self, duel: Duel) -> Duel {
        let material = self.material(duel.material);
        Duel {
            a: material.neutrally(duel.a),
            b: material.neutrally(duel.b),
            ..duel
        }
    }

    /// Returns the verdict of a look. One that has not been taken is asked for before the probes
    /// run again; one at a response that is not there fails, or waits until a model has written it.
    fn verdict(&self, key: Key) -> Seen<&Verdict> {
        let material = self.material(key.material);
        let systems = key.systems.iter();
        let mut absent: Vec<Spot> = systems.map(|system| (*system, key.item)).collect();
        absent.retain(|(system, item)| material.answer(*system, *item).is_none());
        if !absent.iter().all(|spot| material.is_unwritten(*spot)) {
            return Err(Stop::Failed);
        }
        let mut wanted = self.wanted.borrow_mut();
        if !absent.is_empty() {
            let absent = absent.into_iter().map(|spot| (key.material, spot));
            wanted.rewrites.extend(absent);
            return Err(Stop::Pending);
        }
        match self.world.known.answers.get(&key) {
            Some(outcome) => outcome.as_ref().map_err(|_| Stop::Failed),
            None => {
                wanted.looks.insert(key);
                Err(Stop::Pending)
            }
        }
    }

    /// Returns the verdict on a response by itself.
    fn scored(&self, protocol: &str, duel: Duel, replicate: u32) -> Seen<&Verdict> {
        self.verdict(duel.key(protocol, vec![duel.a], replicate))
    }

    /// Returns the score of a response.
    pub(super) fn score(&self, protocol: &str, duel: Duel) -> Seen<f64> {
        score_of(self.scored(protocol, duel, 0)?).ok_or(Stop::Failed)
    }

    /// Returns the places of a list, in slot order.
    pub(super) fn places(
        &self,
        protocol: &str,
        duel: Duel,
        systems: Vec<u32>,
        replicate: u32,
    ) -> Seen<&[f64]> {
        match self.verdict(duel.key(protocol, systems, replicate))? {
            Verdict::Listwise { places, .. } => Ok(places),
            _ => Err(Stop::Failed),
        }
    }

    /// Whether an item is looked at.
    fn sees(&self, material: usize, item: u32) -> bool {
        self.slice
            .is_none_or(|items| material == 0 && items.contains(&item))
    }

    /// Returns the values that were counted by material and item.
    pub(super) fn rows<T: Copy>(&self, counts: &BTreeMap<(usize, u32), T>) -> Rows<T> {
        let counts = counts
            .iter()
            .filter(|((material, item), _)| self.sees(*material, *item));
        let values = counts.map(|((material, item), value)| {
            let question = self.material(*material).questions[*item as usize];
            ((*material, question), *value)
        });
        Rows::new(values.collect(), 0)
    }

    /// Returns the values of all items of a material that have one; `Pending` if some are still to
    /// be asked, when all were seen.
    pub(super) fn over<T>(&self, material: usize, value: impl Fn(u32) -> Seen<T>) -> Seen<Rows<T>> {
        let items = self.material(material).item_numbers();
        let items = items.filter(|item| self.sees(material, *item));
        self.rows_of(material, items.map(|item| (item, value(item))).collect())
    }

    /// Returns the values of duels of all items of the data, as [`Asks::over`] does of items. An
    /// item without duels is a failure, unless only those are wanted that people compared, or its
    /// pairs are of responses that are the same.
    pub(super) fn over_duels<T>(
        &self,
        duels: impl Fn(u32) -> Vec<Duel>,
        value: impl Fn(Duel) -> Seen<T>,
    ) -> Seen<Rows<T>> {
        let (mut seen, data) = (Vec::new(), self.data());
        let AuditOptions { pairs, seed, .. } = self.options;
        for item in data.item_numbers().filter(|item| self.sees(0, *item)) {
            let duels = duels(item);
            if duels.is_empty() && *pairs != PairChoice::Labelled {
                let pairs = pairs.pairs(data, *seed, item);
                let are_same = |pair: &[u32; 2]| data.are_same(*pair, item);
                if pairs.is_empty() || !pairs.iter().all(are_same) {
                    seen.push((item, Err(Stop::Failed)));
                }
            }
            seen.extend(duels.into_iter().map(|duel| (item, value(duel))));
        }
        self.rows_of(0, seen)
    }

    /// Returns what was seen of items of a material, each with the question that it asks.
    fn rows_of<T>(&self, material: usize, seen: Vec<(u32, Seen<T>)>) -> Seen<Rows<T>> {
        let questions = &self.material(material).questions;
        let mut values = Vec::new();
        let mut failed = 0;
        for (item, seen) in seen {
            match seen {
                Ok(value) => values.push(((material, questions[item as usize]), value)),
                Err(Stop::Failed) => failed += 1,
                Err(Stop::Pending) => return Err(Stop::Pending),
            }
        }
        Ok(Rows::new(values, failed))
    }

    /// Returns what each of the protocols shows.
    pub(super) fn views(&self) -> Vec<View<'_>> {
        let asked = self.world.what.asked.iter();
        asked.map(|asked| View { asks: self, asked }).collect()
    }

    /// Returns what those of the protocols show that look at responses in this way.
    pub(super) fn views_of(&self, kind: Kind) -> Vec<View<'_>> {
        let mut views = self.views();
        views.retain(|view| view.asked.kind == kind);
        views
    }

    /// Makes findings of a protocol, with intervals at the level of the audit.
    pub(super) fn maker<'a>(&self, protocol: &'a str) -> FindingMaker<'a> {
        FindingMaker {
            protocol,
            level: self.options.level,
        }
    }
}

/// The world as a probe sees it through one protocol.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) asks: &'a Asks<'a>,
    pub(super) asked: &'a Asked,
}

impl<'a> View<'a> {
    /// Returns what the protocol says of a and b.
    pub(super) fn compares(self, duel: Duel, replicate: u32) -> Seen<Opinion> {
        self.compares_in(duel, [replicate; 2])
    }

    /// Returns what the protocol says of a and b, which it has judged before: of scores, that of b
    /// is asked for again.
    pub(super) fn compares_anew(self, duel: Duel, replicate: u32) -> Seen<Opinion> {
        self.compares_in(duel, [replicate, 1])
    }

    /// Returns what the protocol says of a and b. A pair is one look of the first repetition;
    /// scores are looks of their own.
    fn compares_in(self, duel: Duel, [first, second]: [u32; 2]) -> Seen<Opinion> {
        match self.asked.kind {
            Kind::Pairs => {
                // Both are asked for before either is missed.
                let forward = self.shown(duel, first);
                let swapped = self.shown(duel.swapped(), first);
                Ok(Opinion::of_orders([forward?, turned(swapped?)]))
            }
            Kind::Scores => {
                let protocol = &self.asked.protocol;
                let a = self.asks.scored(protocol, duel, first);
                let b = self.asks.scored(protocol, duel.swapped(), second);
                Opinion::of_scores(a?, b?).ok_or(Stop::Failed)
            }
        }
    }

    /// Returns what the slots share when a is shown first.
    pub(super) fn shown(self, duel: Duel, replicate: u32) -> Seen<Shares> {
        let key = duel.key(&self.asked.protocol, vec![duel.a, duel.b], replicate);
        self.asks.verdict(key)?.preference().ok_or(Stop::Failed)
    }

    /// Returns the values of all items of the data, as [`Asks::over`] does.
    pub(super) fn over<T>(self, value: impl Fn(u32) -> Seen<T>) -> Seen<Rows<T>> {
        self.asks.over(0, value)
    }

    /// Returns the values of all pairs of the data that are compared.
    pub(super) fn over_pairs<T>(self, value: impl Fn(Duel) -> Seen<T>) -> Seen<Rows<T>> {
        let asks = self.asks;
        asks.over_duels(|item| asks.duels(item), value)
    }

    /// Returns the values of all responses of the data that are looked at by themselves.
    pub(super) fn over_responses<T>(self, value: impl Fn(Duel) -> Seen<T>) -> Seen<Rows<T>> {
        let asks = self.asks;
        asks.over_duels(|item| asks.responses(item), value)
    }

    /// Makes findings of the protocol.
    pub(super) fn maker(self) -> FindingMaker<'a> {
        self.asks.maker(&self.asked.protocol)
    }
}
