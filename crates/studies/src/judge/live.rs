//! From a run's judgments to what the judge said of which pair.

use super::looks::{Looks, Seen};
use super::pair::plurality;
use super::read::shares;
use super::{Game, Judged, Pair};
use evenhand_core::{Judgment, Outcome, Side, Verdict};
use evenhand_engine::{Design, EngineError, Job, marks_warning};
use evenhand_formats::Dataset;
use evenhand_formats::records::Preference;
use evenhand_protocols::{Judges, Presentation, Protocol, Slots};
use std::collections::{BTreeMap, HashMap};

/// A job that judges the labelled pairs of a data set and nothing else, in both orders unless the
/// protocol sees to that itself.
///
/// # Errors
/// A data set without labels, and what [`Job::new`] refuses.
pub fn job(
    dataset: Dataset,
    protocol: Protocol,
    judges: Judges,
    seed: u64,
) -> Result<Job, EngineError> {
    Job::new(dataset, protocol, Design::Labelled, judges, seed)
}

/// Gathers the judgments of a job of [`job`].
#[derive(Debug)]
pub struct Live {
    judged: Judged,
    /// By item and systems, the lower index first: the pair, and whether its a is the higher.
    index: HashMap<[u32; 3], (usize, bool)>,
    /// Scores of single responses by item and system, for forms that look at one at a time.
    scores: HashMap<[u32; 2], Result<f64, String>>,
    /// Whether a verdict holds for both orders.
    order_free: bool,
}

impl Live {
    /// With no judgment yet.
    ///
    /// # Errors
    /// A response that cannot be read back.
    pub fn new(job: &Job) -> Result<Live, EngineError> {
        let alone = job.protocol.form().slots() == Slots::One;
        let within = job.protocol.presentation() == Presentation::BothWithinTrial;
        let (judge, protocol) = (job.judge(), job.protocol.to_string());
        let judged = Judged {
            judge,
            protocol,
            order_known: true,
            marks: marks_warning(job),
            ..Judged::default()
        };
        let mut live = Live {
            judged,
            index: HashMap::new(),
            scores: HashMap::new(),
            order_free: alone || within,
        };
        live.label(&job.dataset)?;
        Ok(live)
    }

    fn label(&mut self, data: &Dataset) -> Result<(), EngineError> {
        let mut votes: BTreeMap<[u32; 3], [u64; 3]> = BTreeMap::new();
        for label in &data.labels {
            let place = match label.preferred {
                Preference::A => 0,
                Preference::Tie => 1,
                Preference::B => 2,
            };
            let reversed = votes.contains_key(&[label.item, label.b, label.a]);
            let key = if reversed {
                [label.item, label.b, label.a]
            } else {
                [label.item, label.a, label.b]
            };
            votes.entry(key).or_default()[if reversed { 2 - place } else { place }] += 1;
        }
        votes
            .into_iter()
            .try_for_each(|([item, a, b], votes)| self.pair(data, item, [a, b], plurality(votes)))
    }

    fn pair(
        &mut self,
        data: &Dataset,
        item: u32,
        systems: [u32; 2],
        label: Side,
    ) -> Result<(), EngineError> {
        let [a, b] = systems;
        let length = |system: u32| -> Result<Option<u32>, EngineError> {
            let response = data.response(item as usize, system as usize)?;
            Ok(response
                .map(|response| u32::try_from(response.text.chars().count()).unwrap_or(u32::MAX)))
        };
        let lengths = length(a)?.zip(length(b)?).map(|(a, b)| [a, b]);
        let known = data.items.get(item as usize);
        let id = known.map(|item| item.id.clone()).unwrap_or_default();
        let subset = self.judged.subset(
            known
                .and_then(|item| item.category.as_deref())
                .unwrap_or("all"),
        );
        self.index
            .insert([item, a.min(b), a.max(b)], (self.judged.pairs.len(), a > b));
        let name = |system: u32| {
            data.systems
                .get(system as usize)
                .map(|name| name.to_string())
                .unwrap_or_default()
        };
        let systems = Some([self.judged.system(&name(a)), self.judged.system(&name(b))]);
        self.judged.pairs.push(Pair {
            name: id,
            cluster: item,
            subset,
            label,
            systems,
            lengths,
            games: [None, None],
            seen: Seen::Apart,
        });
        Ok(())
    }

    /// Takes a judgment.
    pub fn add(&mut self, judgment: &Judgment) {
        let item = judgment.trial.item;
        match judgment.trial.systems[..] {
            [system] => {
                self.scores.insert([item, system], score(&judgment.outcome));
            }
            [first, second] => self.compare([item, first, second], judgment),
            _ => {}
        }
    }

    fn compare(&mut self, [item, first, second]: [u32; 3], judgment: &Judgment) {
        let Some((at, higher)) = self
            .index
            .get(&[item, first.min(second), first.max(second)])
            .copied()
        else {
            return;
        };
        // The pair's a was shown second where the trial's order is the reverse of the pair's.
        let swapped = (first > second) != higher;
        let game = game(&judgment.outcome, swapped);
        let Some(pair) = self.judged.pairs.get_mut(at) else {
            return;
        };
        match self.order_free {
            true => {
                pair.games = [Some(game.clone()), Some(game)];
                pair.seen = match judgment.looks.iter().any(|look| look.swapped) {
                    true => Seen::Within(Looks::of(&judgment.looks, swapped)),
                    false => Seen::Unordered,
                };
            }
            false => pair.games[usize::from(swapped)] = Some(game),
        }
    }

    /// What the judge said.
    pub fn finish(mut self) -> Judged {
        for ([item, low, high], (at, higher)) in &self.index {
            let of = |system: &u32| self.scores.get(&[*item, *system]);
            let (Some(low), Some(high)) = (of(low), of(high)) else {
                continue;
            };
            let game = if *higher {
                compared(high, low)
            } else {
                compared(low, high)
            };
            let Some(pair) = self.judged.pairs.get_mut(*at) else {
                continue;
            };
            pair.games = [Some(game.clone()), Some(game)];
            pair.seen = Seen::Unordered;
        }
        let all = self.judged.pairs.len();
        self.judged
            .pairs
            .retain(|pair| pair.games.iter().any(Option::is_some));
        self.judged.unjudged = (all - self.judged.pairs.len()) as u64;
        self.judged
    }
}

fn score(outcome: &Outcome) -> Result<f64, String> {
    match outcome {
        Ok(Verdict::Pointwise { score, .. }) => Ok(*score),
        Ok(_) => Err("invalid".into()),
        Err(failure) => Err(failure.kind.name().into()),
    }
}

/// What was said, in terms of the reverse of its slots where they are `swapped`.
pub(super) fn game(outcome: &Outcome, swapped: bool) -> Game {
    let outcome = match outcome {
        Ok(Verdict::Listwise { places, .. }) => Ok(placed(places)),
        Ok(verdict) => verdict.preference().ok_or_else(|| "invalid".to_string()),
        Err(failure) => Err(failure.kind.name().to_string()),
    };
    let outcome = outcome.map(|[first, tie, second]| {
        if swapped {
            [second, tie, first]
        } else {
            [first, tie, second]
        }
    });
    Game {
        outcome,
        recorded: None,
        why: None,
    }
}

/// The better place is the smaller.
fn placed(places: &[f64]) -> [f64; 3] {
    match places {
        [first, second] if first < second => shares(Side::First),
        [first, second] if first > second => shares(Side::Second),
        _ => shares(Side::Tie),
    }
}

fn compared(a: &Result<f64, String>, b: &Result<f64, String>) -> Game {
    let outcome = match (a, b) {
        (Ok(a), Ok(b)) if a > b => Ok(shares(Side::First)),
        (Ok(a), Ok(b)) if a < b => Ok(shares(Side::Second)),
        (Ok(_), Ok(_)) => Ok(shares(Side::Tie)),
        (Err(kind), _) | (_, Err(kind)) => Err(kind.clone()),
    };
    Game {
        outcome,
        recorded: None,
        why: None,
    }
}
