//! From a run's judgments to what the judge said of which pair.

use super::looks::{OrdersSeen, PairLooks};
use super::pair::plurality;
use super::recorded::ALL;
use super::{Game, JudgedPairs, LabelledPair};
use evenhand_core::{Judgment, Outcome, Verdict};
use evenhand_engine::{Design, EngineError, Job, marks_warning};
use evenhand_formats::records::Preference;
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

impl PairKey {
    /// Returns the game of the pair's scores; None where one of them is not there.
    fn compare_scores(&self, scores: &Scores, a_is_higher: bool) -> Option<Game> {
        let PairKey([item, low, high]) = *self;
        let [a, b] = if a_is_higher {
            [high, low]
        } else {
            [low, high]
        };
        let a = scores.get(&[item, a])?;
        Some(compared_scores(a, scores.get(&[item, b])?))
    }
}

/// The votes for a, a tie and b on a labelled pair.
struct VotedPair {
    item: u32,
    systems: [u32; 2],
    votes: [u64; 3],
}

impl VotedPair {
    /// Returns the pair; its part of the input set and its systems are still to be numbered.
    fn labelled_pair(&self, data: &Dataset) -> Result<LabelledPair, EngineError> {
        let item = data.items.get(self.item as usize);
        Ok(LabelledPair {
            name: item.map(|item| item.id.clone()).unwrap_or_default(),
            label: plurality(self.votes),
            lengths: lengths_of(data, self.item, self.systems)?,
            ..LabelledPair::default()
        })
    }
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

impl PairPlace {
    /// Whether the pair's a was shown second: the trial's order is the reverse of the pair's.
    fn is_swapped_in(&self, judgment: &Judgment) -> bool {
        let systems = &judgment.trial.systems;
        (systems.first() > systems.last()) != self.a_is_higher
    }
}

impl LabelledPair {
    /// Takes the game of a judgment.
    fn set_game(&mut self, judgment: &Judgment, swapped: bool, order_free: bool) {
        let game = Game::of_outcome(&judgment.outcome, swapped);
        if order_free {
            self.set_game_of_both(game, orders_seen(judgment, swapped));
        } else {
            self.games[usize::from(swapped)] = Some(game);
        }
    }

    /// Takes a game that holds for both orders.
    fn set_game_of_both(&mut self, game: Game, seen: OrdersSeen) {
        self.games = [Some(game.clone()), Some(game)];
        self.seen = seen;
    }
}

fn orders_seen(judgment: &Judgment, swapped: bool) -> OrdersSeen {
    let looks = &judgment.looks;
    if looks.iter().any(|look| look.swapped) {
        OrdersSeen::Within(PairLooks::of_judgment(looks, swapped))
    } else {
        OrdersSeen::Unordered
    }
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
        let mut live = RepeatGames {
            judged: judged_by(job),
            order_free: is_order_free(&job.protocol),
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
        self.note_place(item, systems);
        let names = systems.map(|system| system_name(data, system));
        let category = data
            .items
            .get(item as usize)
            .and_then(|item| item.category.as_deref());
        let pair = LabelledPair {
            subset: self.judged.subset_index(category.unwrap_or(ALL)),
            systems: Some(names.map(|name| self.judged.system_index(&name))),
            cluster: job.clusters.of(item),
            ..voted.labelled_pair(data)?
        };
        self.judged.pairs.push(pair);
        Ok(())
    }

    /// Notes where the next pair is kept.
    fn note_place(&mut self, item: u32, [a, b]: [u32; 2]) {
        let at = self.judged.pairs.len();
        let a_is_higher = a > b;
        let place = PairPlace { at, a_is_higher };
        self.places.insert(PairKey::new(item, a, b), place);
    }

    /// Takes a judgment.
    fn add(&mut self, judgment: &Judgment) {
        let item = judgment.trial.item;
        match judgment.trial.systems[..] {
            [system] => self.add_score([item, system], judgment),
            [first, second] => self.add_comparison(PairKey::new(item, first, second), judgment),
            _ => {}
        }
    }

    fn add_score(&mut self, response: [u32; 2], judgment: &Judgment) {
        let score = score_read(&judgment.outcome);
        self.scores.insert(response, score);
    }

    fn add_comparison(&mut self, key: PairKey, judgment: &Judgment) {
        let place = self.places.get(&key).copied();
        let pair = place.and_then(|place| self.judged.pairs.get_mut(place.at));
        if let Some((pair, place)) = pair.zip(place) {
            let swapped = place.is_swapped_in(judgment);
            pair.set_game(judgment, swapped, self.order_free);
        }
    }

    /// Returns what the judge said.
    fn finish(mut self) -> JudgedPairs {
        self.compare_scores();
        let pairs = &mut self.judged.pairs;
        let all = pairs.len();
        pairs.retain(|pair| pair.games.iter().any(Option::is_some));
        self.judged.unjudged = (all - pairs.len()) as u64;
        self.judged
    }

    /// Makes games of the scores of both responses of a pair.
    fn compare_scores(&mut self) {
        for (key, place) in &self.places {
            let game = key.compare_scores(&self.scores, place.a_is_higher);
            let pair = self.judged.pairs.get_mut(place.at);
            if let Some((pair, game)) = pair.zip(game) {
                pair.set_game_of_both(game, OrdersSeen::Unordered);
            }
        }
    }
}

/// Whether a verdict of the protocol holds for both orders: responses are scored alone, or one trial
/// shows both orders.
fn is_order_free(protocol: &Protocol) -> bool {
    protocol.form().slots() == Slots::One
        || protocol.presentation() == Presentation::BothWithinTrial
}

/// Returns a job's judge, without pairs.
fn judged_by(job: &Job) -> JudgedPairs {
    JudgedPairs {
        judge: job.judge(),
        protocol: job.protocol.to_string(),
        order_known: true,
        marks: marks_warning(job),
        ..JudgedPairs::default()
    }
}

/// Returns the votes on every labelled pair, by item, then systems.
fn votes_on_pairs(labels: &[Label]) -> impl Iterator<Item = VotedPair> {
    let mut votes: BTreeMap<[u32; 3], [u64; 3]> = BTreeMap::new();
    for label in labels {
        add_vote(&mut votes, label);
    }
    votes.into_iter().map(|([item, a, b], votes)| VotedPair {
        item,
        systems: [a, b],
        votes,
    })
}

/// Adds a vote to its pair, which keeps the order of its first label.
fn add_vote(votes: &mut BTreeMap<[u32; 3], [u64; 3]>, label: &Label) {
    let place = vote_place(label.preferred);
    let Label { item, a, b, .. } = *label;
    if let Some(votes) = votes.get_mut(&[item, b, a]) {
        votes[2 - place] += 1;
    } else {
        votes.entry([item, a, b]).or_default()[place] += 1;
    }
}

fn vote_place(preferred: Preference) -> usize {
    match preferred {
        Preference::A => 0,
        Preference::Tie => 1,
        Preference::B => 2,
    }
}

fn system_name(data: &Dataset, system: u32) -> String {
    let name = data.systems.get(system as usize);
    name.map(|name| name.to_string()).unwrap_or_default()
}

/// Returns the lengths of two responses in characters, where both are there.
pub(super) fn lengths_of(
    data: &Dataset,
    item: u32,
    [a, b]: [u32; 2],
) -> Result<Option<[u32; 2]>, EngineError> {
    let (a, b) = (length_of(data, item, a)?, length_of(data, item, b)?);
    Ok(a.zip(b).map(<[u32; 2]>::from))
}

fn length_of(data: &Dataset, item: u32, system: u32) -> Result<Option<u32>, EngineError> {
    let response = data.response(item as usize, system as usize)?;
    Ok(response.map(|response| characters_in(&response.text)))
}

fn characters_in(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

fn score_read(outcome: &Outcome) -> ScoreRead {
    match outcome {
        Ok(Verdict::Pointwise { score, .. }) => Ok(*score),
        Ok(_) => Err("invalid".into()),
        Err(failure) => Err(failure.kind.name().into()),
    }
}

fn compared_scores(a: &ScoreRead, b: &ScoreRead) -> Game {
    match (a, b) {
        (Ok(a), Ok(b)) => Game::of_scores(*a, *b),
        (Err(kind), _) | (_, Err(kind)) => Game::failed(kind.as_str()),
    }
}
