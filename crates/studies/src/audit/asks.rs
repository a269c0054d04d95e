//! What a probe asks a judge, and what has been answered: a probe is run again from the top until
//! nothing is missing.

use super::material::Material;
use super::rows::Rows;
use evenhand_core::{Outcome, Verdict};
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

/// Everything that was answered.
pub(super) type Answers = HashMap<Key, Outcome>;

/// Of replies with probabilities and a text, what the text says, and what the most probable answer.
pub(super) type Readings = HashMap<Key, [Outcome; 2]>;

/// What has been answered so far.
#[derive(Default)]
pub(super) struct Known {
    pub(super) answers: Answers,
    pub(super) readings: Readings,
}

/// How a protocol looks at responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One at a time.
    Scores,
    /// Two at a time.
    Pairs,
}

/// A protocol under audit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) protocol: String,
    pub(super) kind: Kind,
}

/// What a probe sees of the world.
pub(super) struct Asks<'a> {
    pub(super) known: &'a Known,
    pub(super) materials: &'a [Material],
    pub(super) seed: u64,
    pub(super) level: f64,
    pub(super) repeats: u32,
    pub(super) wanted: RefCell<BTreeSet<Key>>,
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
    pub(super) fn against(self, b: u32) -> Duel {
        Duel { b, ..self }
    }
}

impl Asks<'_> {
    /// The two with spaces that no reader sees.
    pub(super) fn neutral(&self, duel: Duel) -> Duel {
        let of = |system: u32| {
            self.materials
                .get(duel.material)
                .map_or(system, |material| material.neutrally(system))
        };
        Duel {
            a: of(duel.a),
            b: of(duel.b),
            ..duel
        }
    }

    /// What became of a look.
    pub(super) fn outcome(&self, key: Key) -> Seen<&Outcome> {
        let there = |system: &u32| {
            self.materials
                .get(key.material)
                .is_some_and(|material| material.has(*system, key.item))
        };
        if !key.systems.iter().all(there) {
            return Err(Stop::Failed);
        }
        self.known.answers.get(&key).ok_or_else(|| {
            self.wanted.borrow_mut().insert(key);
            Stop::Pending
        })
    }

    fn verdict(&self, key: Key) -> Seen<&Verdict> {
        self.outcome(key)?.as_ref().map_err(|_| Stop::Failed)
    }

    /// What the slots share when a is shown first: (first is better, tie, second is better).
    pub(super) fn shown(&self, protocol: &str, duel: Duel, replicate: u32) -> Seen<[f64; 3]> {
        let systems = vec![duel.a, duel.b];
        let key = Key {
            material: duel.material,
            protocol: protocol.into(),
            item: duel.item,
            systems,
            replicate,
        };
        self.verdict(key)?.preference().ok_or(Stop::Failed)
    }

    /// How much a is preferred to b in [0, 1], over both orders, and how much of it is ties.
    pub(super) fn preferred(&self, protocol: &str, duel: Duel, replicate: u32) -> Seen<[f64; 2]> {
        let forward = self.shown(protocol, duel, replicate);
        let swapped = self.shown(
            protocol,
            Duel {
                a: duel.b,
                b: duel.a,
                ..duel
            },
            replicate,
        );
        let (forward, swapped) = (forward?, swapped?);
        let for_a = forward[0] + forward[1] / 2.0 + swapped[2] + swapped[1] / 2.0;
        Ok([for_a / 2.0, (forward[1] + swapped[1]) / 2.0])
    }

    /// The score of a response.
    pub(super) fn score(&self, protocol: &str, duel: Duel, replicate: u32) -> Seen<f64> {
        let key = Key {
            material: duel.material,
            protocol: protocol.into(),
            item: duel.item,
            systems: vec![duel.a],
            replicate,
        };
        match self.verdict(key)? {
            Verdict::Pointwise { score, .. } => Ok(*score),
            _ => Err(Stop::Failed),
        }
    }

    /// The places of a list, in slot order.
    pub(super) fn places(
        &self,
        protocol: &str,
        duel: Duel,
        systems: Vec<u32>,
        replicate: u32,
    ) -> Seen<&[f64]> {
        let key = Key {
            material: duel.material,
            protocol: protocol.into(),
            item: duel.item,
            systems,
            replicate,
        };
        match self.verdict(key)? {
            Verdict::Listwise { places, .. } => Ok(places),
            _ => Err(Stop::Failed),
        }
    }

    /// How much a protocol of any kind prefers a to b: over both orders, or by comparing scores
    /// (equal ones are a tie).
    pub(super) fn prefers(&self, asked: &Asked, duel: Duel, replicate: u32) -> Seen<[f64; 2]> {
        match asked.kind {
            Kind::Pairs => self.preferred(&asked.protocol, duel, replicate),
            Kind::Scores => self.higher(&asked.protocol, duel, [replicate; 2]),
        }
    }

    /// How much a protocol prefers a to b, which it has judged before: of scores, that of b is
    /// asked for again.
    pub(super) fn prefers_anew(&self, asked: &Asked, duel: Duel, replicate: u32) -> Seen<[f64; 2]> {
        match asked.kind {
            Kind::Pairs => self.preferred(&asked.protocol, duel, replicate),
            Kind::Scores => self.higher(&asked.protocol, duel, [replicate, 1]),
        }
    }

    /// Whether the score of a is above that of b, each of its repetition.
    fn higher(&self, protocol: &str, duel: Duel, replicates: [u32; 2]) -> Seen<[f64; 2]> {
        let a = self.score(protocol, duel, replicates[0]);
        let b = self.score(protocol, Duel { a: duel.b, ..duel }, replicates[1]);
        let (a, b) = (a?, b?);
        let tie = f64::from(u8::from(a == b));
        Ok([if a > b { 1.0 } else { tie / 2.0 }, tie])
    }

    /// What was counted by material and item.
    pub(super) fn rows<T: Copy>(&self, counts: &BTreeMap<(usize, u32), T>) -> Rows<T> {
        let question = |(material, item): (usize, u32)| {
            let questions = self
                .materials
                .get(material)
                .map_or(&[][..], |material| &material.questions);
            (
                material,
                questions.get(item as usize).copied().unwrap_or(item),
            )
        };
        Rows::new(
            counts
                .iter()
                .map(|(place, value)| (question(*place), *value))
                .collect(),
            0,
        )
    }

    /// The values of all items of a material that have one; `Pending` if some are still to be
    /// asked, when all were seen.
    pub(super) fn over<T>(&self, material: usize, value: impl Fn(u32) -> Seen<T>) -> Seen<Rows<T>> {
        let (mut values, mut failed, mut pending) = (Vec::new(), 0, false);
        for (item, question) in (0..).zip(
            self.materials
                .get(material)
                .map_or(&[][..], |material| &material.questions),
        ) {
            match value(item) {
                Ok(value) => values.push(((material, *question), value)),
                Err(Stop::Failed) => failed += 1,
                Err(Stop::Pending) => pending = true,
            }
        }
        if pending {
            Err(Stop::Pending)
        } else {
            Ok(Rows::new(values, failed))
        }
    }
}
