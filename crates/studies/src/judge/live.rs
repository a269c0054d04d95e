//! From a run's judgments to what the judge said of which pair.

use super::pair::ALL;
use super::{Game, JudgedPairs, LabelledPair, OrdersSeen, PairLooks};
use evenhand_core::{Judgment, Response, Side, Verdict, are_same};
use evenhand_engine::{Design, EngineError, Job, marks_warning};
use evenhand_formats::{Dataset, Label};
use evenhand_protocols::{Judges, Presentation, Protocol, Slots};
use std::collections::{BTreeMap, HashMap};

/// Makes a job that judges the labelled pairs of a data set and nothing else, in the orders that
/// the protocol leaves to the plan: both, or one that is drawn or is the data's.
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

    /// Returns the labelled pairs, each once, whether they were judged or not.
    pub fn labelled_pairs(&self) -> impl Iterator<Item = &LabelledPair> {
        let first = self.0.first().into_iter();
        first.flat_map(|repeat| &repeat.judged.pairs)
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
    /// The place of the pair of an item and two systems, which are in either order; and whether
    /// theirs is the reverse of the pair's.
    places: HashMap<[u32; 3], (usize, bool)>,
    /// Scores of single responses by item and system, for forms that look at one at a time; or the
    /// kind of failure.
    scores: HashMap<[u32; 2], Result<f64, String>>,
    /// Whether a verdict holds for both orders.
    order_free: bool,
    /// Whether differences of scores are log-odds.
    in_log_odds: bool,
}

impl RepeatGames {
    /// Prepares the labelled pairs of a job; none has a judgment yet.
    fn new(job: &Job) -> Result<RepeatGames, EngineError> {
        let protocol = &job.protocol;
        let data = &job.dataset;
        let mut judged = JudgedPairs {
            judge: job.judge(),
            protocol: protocol.to_string(),
            order_known: true,
            warnings: marks_warning(job).into_iter().collect(),
            ..JudgedPairs::default()
        };
        let mut places = HashMap::new();
        for ([item, a, b], votes) in votes_on_pairs(&data.labels) {
            let at = judged.pairs.len();
            places.insert([item, b, a], (at, true));
            places.insert([item, a, b], (at, false));
            let found = data.items.get(item as usize);
            let category = found.and_then(|item| item.category.as_deref());
            let subset = judged.subset_index(category.unwrap_or(ALL));
            let systems = [a, b].map(|system| {
                let name = data.systems.get(system as usize);
                judged.system_index(name.map_or("", |name| name))
            });
            let shown = shown_pair(data, item, [a, b])?;
            judged.pairs.push(LabelledPair {
                name: found.map(|item| item.id.clone()).unwrap_or_default(),
                item: Some(item),
                cluster: job.clusters.of(item),
                subset,
                label: Side::plurality(votes.map(f64::from)),
                votes,
                systems: Some(systems),
                lengths: shown.as_ref().map(lengths_of),
                same: shown.is_some_and(|shown| are_same(&shown, 0, 1)),
                ..LabelledPair::default()
            });
        }
        Ok(RepeatGames {
            judged,
            places,
            scores: HashMap::new(),
            in_log_odds: protocol.scores_log_odds(),
            // Responses are scored alone, or one trial shows both orders.
            order_free: protocol.form().slots() == Slots::One
                || protocol.presentation() == Presentation::BothWithinTrial,
        })
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
            [first, second] => {
                let Some((at, swapped)) = self.places.get(&[item, first, second]).copied() else {
                    return;
                };
                let pair = &mut self.judged.pairs[at];
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
            _ => {}
        }
    }

    /// Returns what the judge said.
    fn finish(mut self) -> JudgedPairs {
        // Games of the scores of both responses of a pair.
        for ([item, a, b], (at, swapped)) in self.places {
            if swapped {
                continue;
            }
            let scores = [a, b].map(|system| self.scores.get(&[item, system]));
            let game = match scores {
                [Some(Ok(a)), Some(Ok(b))] if self.in_log_odds => Game::of_log_odds(*a, *b),
                [Some(Ok(a)), Some(Ok(b))] => Game::of_scores(*a, *b),
                [Some(Err(kind)), Some(_)] | [Some(_), Some(Err(kind))] => {
                    Game::failed(kind.as_str())
                }
                _ => continue,
            };
            let pair = &mut self.judged.pairs[at];
            pair.games = [Some(game.clone()), Some(game)];
            pair.seen = OrdersSeen::Unordered;
        }
        let pairs = &mut self.judged.pairs;
        let all = pairs.len();
        pairs.retain(|pair| pair.judged_games().next().is_some());
        self.judged.unjudged = (all - pairs.len()) as u64;
        self.judged
    }
}

/// Returns the votes for a, a tie and b on every labelled pair, by item, a and b; a pair keeps the
/// order of its first label.
fn votes_on_pairs(labels: &[Label]) -> BTreeMap<[u32; 3], [u32; 3]> {
    let mut votes: BTreeMap<[u32; 3], [u32; 3]> = BTreeMap::new();
    for label in labels {
        let side = label.preferred;
        let Label { item, a, b, .. } = *label;
        if let Some(votes) = votes.get_mut(&[item, b, a]) {
            votes[side.swapped() as usize] += 1;
        } else {
            votes.entry([item, a, b]).or_default()[side as usize] += 1;
        }
    }
    votes
}

/// Returns the two responses of a pair, where both are there.
pub(crate) fn shown_pair(
    data: &Dataset,
    item: u32,
    [a, b]: [u32; 2],
) -> Result<Option<[Response; 2]>, EngineError> {
    let response = |system: u32| data.response(item as usize, system as usize);
    let (a, b) = (response(a)?, response(b)?);
    Ok(a.zip(b).map(<[Response; 2]>::from))
}

/// Returns the lengths of responses in characters.
pub(super) fn lengths_of(shown: &[Response; 2]) -> [u32; 2] {
    shown.each_ref().map(|response| {
        let count = response.text.chars().count();
        u32::try_from(count).unwrap_or(u32::MAX)
    })
}
