//! From a run's judgments to what the judge said of which pair.

use super::looks::{OrdersSeen, PairLooks};
use super::pair::plurality;
use super::recorded::ALL;
use super::{Game, JudgedPairs, LabelledPair};
use evenhand_core::{Judgment, Verdict};
use evenhand_engine::{Design, EngineError, Job, marks_warning};
use evenhand_formats::{Dataset, Label};
use evenhand_protocols::{Judges, Presentation, Protocol, Slots};
use std::collections::{BTreeMap, HashMap};

/// Makes a job that judges the labelled pairs of a data set and nothing else, in both orders unless
/// the protocol sees to that itself.
///
/// # Errors
/// A data set without labels, and what [`Job::new`] refuses.
pub fn labelled_job(
    dataset: Dataset,
    protocol: Protocol,
    judges: Judges,
    seed: u64,
) -> Result<Job, EngineError> {
    Job::new(dataset, protocol, Design::Labelled, judges, seed)
}

/// An item and two systems, the lower index first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PairKey([u32; 3]);

impl PairKey {
    fn new(item: u32, a: u32, b: u32) -> PairKey {
        PairKey([item, a.min(b), a.max(b)])
    }
}

/// The votes for a, a tie and b on a labelled pair.
struct VotedPair {
    item: u32,
    systems: [u32; 2],
    votes: [u64; 3],
}

/// Where a pair is kept.
#[derive(Clone, Copy, Debug)]
struct PairPlace {
    at: usize,
    /// Whether its a has the higher index of the two systems.
    a_is_higher: bool,
}

/// A response's score, or the kind of failure.
type ScoreRead = Result<f64, String>;

/// Scores by item and system.
type Scores = HashMap<[u32; 2], ScoreRead>;

/// Gathers the judgments of a job of [`labelled_job`], each repeat by itself.
#[derive(Debug)]
pub struct LiveGames(Vec<RepeatGames>);

impl LiveGames {
    /// Prepares the labelled pairs of a job; none has a judgment yet.
    ///
    /// # Errors
    /// A response that cannot be read back.
    pub fn new(job: &Job) -> Result<LiveGames, EngineError> {
        let repeats = job.plan.repeats() as usize;
        Ok(LiveGames(vec![RepeatGames::new(job)?; repeats]))
    }

    /// Takes a judgment.
    pub fn add(&mut self, judgment: &Judgment) {
        if let Some(games) = self.0.get_mut(judgment.trial.replicate as usize) {
            games.add(judgment);
        }
    }

    /// Returns what the judge said, in all repeats.
    #[must_use]
    pub fn finish(self) -> JudgedPairs {
        JudgedPairs::of_repeats(self.0.into_iter().map(RepeatGames::finish))
    }
}

/// The judgments of one repeat.
#[derive(Clone, Debug)]
struct RepeatGames {
    judged: JudgedPairs,
    places: HashMap<PairKey, PairPlace>,
    /// Scores of single responses by item and system, for forms that look at one at a time.
    scores: Scores,
    /// Whether a verdict holds for both orders.
    order_free: bool,
}

impl RepeatGames {
    /// Prepares the labelled pairs of a job; none has a judgment yet.
    ///
    /// # Errors
    /// A response that cannot be read back.
    fn new(job: &Job) -> Result<RepeatGames, EngineError> {
        let protocol = &job.protocol;
        let mut live = RepeatGames {
            judged: JudgedPairs {
                judge: job.judge(),
                protocol: protocol.to_string(),
                order_known: true,
                marks: marks_warning(job),
                ..JudgedPairs::default()
            },
            // Responses are scored alone, or one trial shows both orders.
            order_free: protocol.form().slots() == Slots::One
                || protocol.presentation() == Presentation::BothWithinTrial,
            places: HashMap::new(),
            scores: Scores::new(),
        };
        for voted in votes_on_pairs(&job.dataset.labels) {
            live.add_pair(job, &voted)?;
        }
        Ok(live)
    }

    fn add_pair(&mut self, job: &Job, voted: &VotedPair) -> Result<(), EngineError> {
        let data = &job.dataset;
        let VotedPair { item, systems, .. } = *voted;
        let [a, b] = systems;
        let place = PairPlace {
            at: self.judged.pairs.len(),
            a_is_higher: a > b,
        };
        self.places.insert(PairKey::new(item, a, b), place);
        let found = data.items.get(item as usize);
        let category = found.and_then(|item| item.category.as_deref());
        let pair = LabelledPair {
            name: found.map(|item| item.id.clone()).unwrap_or_default(),
            cluster: job.clusters.of(item),
            subset: self.judged.subset_index(category.unwrap_or(ALL)),
            label: plurality(voted.votes),
            systems: Some(systems.map(|system| {
                let name = data.systems.get(system as usize);
                let name = name.map(ToString::to_string).unwrap_or_default();
                self.judged.system_index(&name)
            })),
            lengths: lengths_of(data, item, systems)?,
            ..LabelledPair::default()
        };
        self.judged.pairs.push(pair);
        Ok(())
    }

    /// Takes a judgment.
    fn add(&mut self, judgment: &Judgment) {
        let item = judgment.trial.item;
        match judgment.trial.systems[..] {
            [system] => {
                let score = match &judgment.outcome {
                    Ok(Verdict::Pointwise { score, .. }) => Ok(*score),
                    Ok(_) => Err("invalid".into()),
                    Err(failure) => Err(failure.kind.name().into()),
                };
                self.scores.insert([item, system], score);
            }
            [first, second] => self.add_comparison(PairKey::new(item, first, second), judgment),
            _ => {}
        }
    }

    fn add_comparison(&mut self, key: PairKey, judgment: &Judgment) {
        let Some(place) = self.places.get(&key) else {
            return;
        };
        let Some(pair) = self.judged.pairs.get_mut(place.at) else {
            return;
        };
        // Whether the pair's a was shown second: the trial's order is the reverse of the pair's.
        let systems = &judgment.trial.systems;
        let swapped = (systems.first() > systems.last()) != place.a_is_higher;
        let game = Game::of_outcome(&judgment.outcome, swapped);
        if !self.order_free {
            pair.games[usize::from(swapped)] = Some(game);
            return;
        }
        pair.games = [Some(game.clone()), Some(game)];
        pair.seen = if judgment.looks.iter().any(|look| look.swapped) {
            OrdersSeen::Within(PairLooks::of_judgment(&judgment.looks, swapped))
        } else {
            OrdersSeen::Unordered
        };
    }

    /// Returns what the judge said.
    fn finish(mut self) -> JudgedPairs {
        // Games of the scores of both responses of a pair.
        for (key, place) in &self.places {
            let PairKey([item, low, high]) = *key;
            let [a, b] = if place.a_is_higher {
                [high, low]
            } else {
                [low, high]
            };
            let scores = [a, b].map(|system| self.scores.get(&[item, system]));
            let game = match scores {
                [Some(Ok(a)), Some(Ok(b))] => Game::of_scores(*a, *b),
                [Some(Err(kind)), Some(_)] | [Some(_), Some(Err(kind))] => {
                    Game::failed(kind.as_str())
                }
                _ => continue,
            };
            if let Some(pair) = self.judged.pairs.get_mut(place.at) {
                pair.games = [Some(game.clone()), Some(game)];
                pair.seen = OrdersSeen::Unordered;
            }
        }
        let pairs = &mut self.judged.pairs;
        let all = pairs.len();
        pairs.retain(|pair| pair.games.iter().any(Option::is_some));
        self.judged.unjudged = (all - pairs.len()) as u64;
        self.judged
    }
}

/// Returns the votes on every labelled pair, by item, then systems; a pair keeps the order of its
/// first label.
fn votes_on_pairs(labels: &[Label]) -> impl Iterator<Item = VotedPair> {
    let mut votes: BTreeMap<[u32; 3], [u64; 3]> = BTreeMap::new();
    for label in labels {
        let place = label.preferred as usize;
        let Label { item, a, b, .. } = *label;
        if let Some(votes) = votes.get_mut(&[item, b, a]) {
            votes[2 - place] += 1;
        } else {
            votes.entry([item, a, b]).or_default()[place] += 1;
        }
    }
    votes.into_iter().map(|([item, a, b], votes)| VotedPair {
        item,
        systems: [a, b],
        votes,
    })
}

/// Returns the lengths of two responses in characters, where both are there.
pub(super) fn lengths_of(
    data: &Dataset,
    item: u32,
    [a, b]: [u32; 2],
) -> Result<Option<[u32; 2]>, EngineError> {
    let length = |system: u32| -> Result<Option<u32>, EngineError> {
        let response = data.response(item as usize, system as usize)?;
        let count = response.map(|response| response.text.chars().count());
        Ok(count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
    };
    let (a, b) = (length(a)?, length(b)?);
    Ok(a.zip(b).map(<[u32; 2]>::from))
}
