//! The questions of a probe to a judge, and their answers: a probe is run again from the top until
//! nothing is missing.

use super::AuditOptions;
use super::asked::{Asked, Kind};
use super::finding::FindingMaker;
use super::material::{Material, Spot};
use super::rows::Rows;
use super::what::What;
use crate::figure::indicator;
use evenhand_core::{Outcome, Side, Verdict, average, have_same_score, says_equal};
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

/// The world as a probe sees it.
pub(super) struct Asks<'a> {
    pub(super) what: &'a What,
    pub(super) options: &'a AuditOptions,
    pub(super) known: &'a Known,
    /// Whether only the questions are wanted, and no findings.
    pub(super) only_counts: bool,
    /// The things that the probes lack.
    pub(super) wanted: RefCell<Wanted>,
}

/// Two responses to an item: a number of the material, the item, and the systems.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duel {
    pub(super) material: usize,
    pub(super) item: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// The shares of the slots: (first is better, tie, second is better).
pub(super) type Shares = [f64; 3];

/// What a protocol says of two responses over all looks at them: over both orders, or by a score of
/// each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opinion {
    /// The verdict that it states: flips, circles and right answers are counted by it.
    pub(super) side: Side,
    /// Whether it says that the two are equal: a tie is the most probable answer, or both have the
    /// same most probable score (Tripathi et al. 2025, table 3).
    pub(super) equal: bool,
    /// Whether each look by itself has the verdict that all have together.
    pub(super) unanimous: bool,
    /// How much probability the first has in [0, 1], a tie being half of it; of scores, by their
    /// verdict.
    pub(super) share: f64,
    /// How much probability a tie has; of scores, by their verdict.
    pub(super) tie: f64,
}

impl Opinion {
    /// Makes what looks at both orders come to, in terms of the first and the second response.
    fn of_orders(orders: [Shares; 2]) -> Opinion {
        let mean = average(orders).unwrap_or(Side::Tie.certain());
        let side = Side::of(mean);
        Opinion {
            side,
            equal: says_equal(mean),
            unanimous: orders.map(Side::of) == [side; 2],
            share: mean[0] + mean[1] / 2.0,
            tie: mean[1],
        }
    }

    /// Makes what the scores of two responses come to.
    fn of_scores(a: &Verdict, b: &Verdict) -> Seen<Opinion> {
        let side = Side::of_scores([score_of(a)?, score_of(b)?]);
        let equal = have_same_score(a, b).ok_or(Stop::Failed)?;
        Ok(Opinion {
            side,
            equal,
            unanimous: true,
            share: side.share_of_first(),
            tie: indicator(equal),
        })
    }

    /// Returns how much the first is preferred by the verdict: a tie is half a preference.
    pub(super) fn preference(&self) -> f64 {
        self.side.share_of_first()
    }
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

    /// Returns both systems, the first one first.
    pub(super) fn systems(self) -> [u32; 2] {
        [self.a, self.b]
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

impl Asks<'_> {
    /// Returns the data, which is the first material.
    pub(super) fn data(&self) -> &Material {
        self.material(0)
    }

    pub(super) fn material(&self, material: usize) -> &Material {
        &self.what.materials[material]
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

    /// Returns what became of a look. One that has not been taken is asked for before the probes
    /// run again; one at a response that is not there fails, or waits until a model has written it.
    pub(super) fn outcome(&self, key: Key) -> Seen<&Outcome> {
        let material = self.material(key.material);
        let mut absent: Vec<Spot> = key
            .systems
            .iter()
            .map(|system| (*system, key.item))
            .collect();
        absent.retain(|(system, item)| !material.has(*system, *item));
        if !absent.iter().all(|spot| material.is_unwritten(*spot)) {
            return Err(Stop::Failed);
        }
        let mut wanted = self.wanted.borrow_mut();
        if !absent.is_empty() {
            let absent = absent.into_iter().map(|spot| (key.material, spot));
            wanted.rewrites.extend(absent);
            return Err(Stop::Pending);
        }
        self.known.answers.get(&key).ok_or_else(|| {
            wanted.looks.insert(key);
            Stop::Pending
        })
    }

    fn verdict(&self, key: Key) -> Seen<&Verdict> {
        self.outcome(key)?.as_ref().map_err(|_| Stop::Failed)
    }

    /// Returns what the slots share when a is shown first.
    pub(super) fn shown(&self, protocol: &str, duel: Duel, replicate: u32) -> Seen<Shares> {
        let verdict = self.verdict(duel.key(protocol, duel.systems().into(), replicate))?;
        verdict.preference().ok_or(Stop::Failed)
    }

    /// Returns the score of a response.
    pub(super) fn score(&self, protocol: &str, duel: Duel, replicate: u32) -> Seen<f64> {
        score_of(self.scored(protocol, duel, replicate)?)
    }

    /// Returns the verdict on a response by itself.
    fn scored(&self, protocol: &str, duel: Duel, replicate: u32) -> Seen<&Verdict> {
        self.verdict(duel.key(protocol, vec![duel.a], replicate))
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

    /// Returns the values that were counted by material and item.
    pub(super) fn rows<T: Copy>(&self, counts: &BTreeMap<(usize, u32), T>) -> Rows<T> {
        let values = counts.iter().map(|((material, item), value)| {
            let question = self.material(*material).questions[*item as usize];
            ((*material, question), *value)
        });
        Rows::new(values.collect(), 0)
    }

    /// Returns the values of all items of a material that have one; `Pending` if some are still to
    /// be asked, when all were seen.
    pub(super) fn over<T>(&self, material: usize, value: impl Fn(u32) -> Seen<T>) -> Seen<Rows<T>> {
        let questions = &self.material(material).questions;
        let seen: Vec<Seen<T>> = (0..questions.len() as u32).map(value).collect();
        if seen.iter().any(|seen| matches!(seen, Err(Stop::Pending))) {
            return Err(Stop::Pending);
        }
        let failed = seen.iter().filter(|seen| seen.is_err()).count() as u64;
        let values = questions
            .iter()
            .zip(seen)
            .filter_map(|(question, seen)| Some(((material, *question), seen.ok()?)));
        Ok(Rows::new(values.collect(), failed))
    }

    /// Returns what each of the protocols shows.
    pub(super) fn views(&self) -> Vec<View<'_>> {
        self.what
            .asked
            .iter()
            .map(|asked| View { asks: self, asked })
            .collect()
    }

    /// Returns the values of all items of the data that have one, as [`Asks::over`] does.
    pub(super) fn over_data<T>(&self, value: impl Fn(u32) -> Seen<T>) -> Seen<Rows<T>> {
        self.over(0, value)
    }

    /// Returns what those of the protocols show that look at two responses at a time.
    pub(super) fn pair_views(&self) -> Vec<View<'_>> {
        let mut views = self.views();
        views.retain(|view| view.asked.kind == Kind::Pairs);
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

/// Returns the shares as seen from the other order.
pub(super) fn turned([first, tie, second]: Shares) -> Shares {
    [second, tie, first]
}

fn score_of(verdict: &Verdict) -> Seen<f64> {
    match verdict {
        Verdict::Pointwise { score, .. } => Ok(*score),
        _ => Err(Stop::Failed),
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
                Opinion::of_scores(a?, b?)
            }
        }
    }

    /// Returns what the slots share when a is shown first.
    pub(super) fn shown(self, duel: Duel, replicate: u32) -> Seen<Shares> {
        self.asks.shown(&self.asked.protocol, duel, replicate)
    }

    /// Returns the values of all items of the data, as [`Asks::over_data`] does.
    pub(super) fn over<T>(self, value: impl Fn(u32) -> Seen<T>) -> Seen<Rows<T>> {
        self.asks.over_data(value)
    }

    /// Makes findings of the protocol.
    pub(super) fn maker(self) -> FindingMaker<'a> {
        self.asks.maker(&self.asked.protocol)
    }
}
