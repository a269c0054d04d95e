//! Can a system climb by its style alone? Tripathi et al. 2025, section 5, figure 4.
//!
//! All pairs of systems are compared and ranked (Bradley and Terry). The lowest systems' responses
//! are rewritten, and their comparisons made again. Who is lowest was chosen by noisy verdicts, and
//! would rise when asked again; so the rewritten are compared with the same systems in a rewrite
//! that no reader sees. The same asked again unchanged is shown beside it. Elo ratings, which the
//! paper shows, have intervals (`climb_elo`).

use super::asks::{Asks, Duel, Seen, View};
use super::climb_elo::{EloPlan, EloRatings, STATES, StateRatings};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::games::{AuditGame, Games};
use super::probing::look_at_all;
use super::rows::{Rows, mean};
use crate::Figure;
use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use evenhand_stats::{Comparisons, Error, Estimate, PairMethod, Scores};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How many systems are rewritten: the paper's three, but never more than half of them.
const LOWEST: usize = 3;

/// A ranking before and after its lowest systems are rewritten.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Climb {
    /// The protocol.
    pub protocol: String,
    /// How they were rewritten.
    pub rewrite: String,
    /// All systems, in the order of the ranking before.
    pub systems: Vec<Climber>,
    /// What the rewritten systems gain in Elo points, on average.
    pub elo_gained: Figure,
    /// The same beyond what they gain in the neutral rewrite.
    pub elo_gained_beyond_neutral: Figure,
}

/// A system before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Climber {
    /// The system.
    pub system: String,
    /// Whether it was rewritten.
    pub rewritten: bool,
    /// Its Bradley-Terry rating on the Elo scale, mean 1000: before, asked again unchanged, and
    /// rewritten; None where it has none.
    pub rating: [Option<f64>; 3],
    /// Its Elo rating, likewise: the mean over 100 orders of the games.
    pub elo: [Option<f64>; 3],
    /// Its rank by Bradley and Terry, likewise.
    pub rank: [Option<u32>; 3],
    /// The intervals of its Elo ratings, likewise; None for fewer than two questions.
    pub elo_ci: [Option<[Option<f64>; 2]>; 3],
    /// Its Elo rating once the lowest are rewritten, less that before.
    pub elo_gained: Figure,
    /// The former less its Elo rating in the neutral rewrite: what the style itself does.
    pub elo_gained_beyond_neutral: Figure,
}

/// A ranking before and after, and what is tested of it.
pub(super) type Climbed = (Climb, Vec<Finding>);

/// The responses that stand for a system in a comparison.
#[derive(Clone, Copy)]
struct StandIn {
    /// Whose responses are shown: its own, or its rewritten ones.
    system: u32,
    /// Which repetition is needed.
    replicate: u32,
}

/// The systems whose responses are rewritten under one protocol, and how.
struct Climbing<'a> {
    view: View<'a>,
    rewrite: usize,
    lowest: Vec<u32>,
}

/// The field in its three states, and in the one that is tested against.
struct States {
    before: Games,
    again: Games,
    after: Games,
    neutral: Games,
}

/// A field in all its states, or why it has none.
type Played<'a> = Result<(Climbing<'a>, States), EngineError>;

/// Plays all games that the climbs need.
pub(super) fn look_at_climbs(asks: &Asks<'_>) -> Seen<()> {
    play_all(asks).map(|_| ())
}

pub(super) fn probe_climbs(asks: &Asks<'_>) -> Seen<Result<Vec<Climbed>, EngineError>> {
    let played = play_all(asks)?.into_iter();
    let climbed =
        played.map(|played| played.and_then(|(climbing, states)| climbing.climbed(&states)));
    Ok(climbed.collect())
}

fn play_all<'a>(asks: &'a Asks<'_>) -> Seen<Vec<Played<'a>>> {
    let rewrites = 0..asks.rewrite_count(0);
    let views = asks.views().into_iter();
    let cases = views.flat_map(|view| rewrites.clone().map(move |rewrite| (view, rewrite)));
    look_at_all(cases, |(view, rewrite)| play_case(view, rewrite))
}

fn play_case(view: View<'_>, rewrite: usize) -> Seen<Played<'_>> {
    // Who is rewritten depends on these games: nothing else is asked before they are known.
    let before = games_shown(view, &StandIn::unchanged)?;
    let Some(lowest) = lowest_systems(&before, view.asks.data().base) else {
        return Ok(Err(unranked_error()));
    };
    let climbing = Climbing {
        view,
        rewrite,
        lowest,
    };
    let states = climbing.play(before)?;
    Ok(Ok((climbing, states)))
}

fn unranked_error() -> EngineError {
    Refusal::of_input("the systems cannot be ranked").into()
}

impl StandIn {
    fn unchanged(system: u32) -> StandIn {
        StandIn {
            system,
            replicate: 0,
        }
    }

    fn asked_again(system: u32) -> StandIn {
        StandIn {
            system,
            replicate: 1,
        }
    }
}

impl Climbing<'_> {
    /// Plays the states that come after the first one.
    fn play(&self, before: Games) -> Seen<States> {
        let again = self.games_with(&StandIn::asked_again);
        let after = self.games_rewritten(self.rewrite);
        let neutral = self.games_rewritten(self.view.asks.data().neutral());
        Ok(States {
            before,
            again: again?,
            after: after?,
            neutral: neutral?,
        })
    }

    /// Compares all pairs, with the lowest systems' responses in a rewrite.
    fn games_rewritten(&self, rewrite: usize) -> Seen<Games> {
        let material = self.view.asks.data();
        self.games_with(&|system| StandIn::unchanged(material.rewritten(system, rewrite)))
    }

    /// Compares all pairs, with others in the place of the lowest systems.
    fn games_with(&self, stand_in: &dyn Fn(u32) -> StandIn) -> Seen<Games> {
        games_shown(self.view, &|system| self.stand_in_for(system, stand_in))
    }

    fn stand_in_for(&self, system: u32, stand_in: &dyn Fn(u32) -> StandIn) -> StandIn {
        if self.lowest.contains(&system) {
            stand_in(system)
        } else {
            StandIn::unchanged(system)
        }
    }

    fn climbed(&self, states: &States) -> Result<Climbed, EngineError> {
        let climb = self.climb(states)?;
        let gained = self.view.asks.rows(&self.gains_by_item(states));
        let rewrite = climb.rewrite.clone();
        let name = FindingName::WinRateGained { rewrite };
        let finding = self.view.maker().tested_difference(name, &gained)?;
        Ok((climb, vec![finding]))
    }

    fn climb(&self, states: &States) -> Result<Climb, EngineError> {
        let ratings = self.ratings_of(states)?;
        let [elo_gained, elo_gained_beyond_neutral] = ratings.mean_gains(&self.lowest)?;
        Ok(Climb {
            protocol: self.view.asked.protocol.clone(),
            rewrite: self.view.asks.rewrite_name(0, self.rewrite),
            systems: self.climbers(&states.before, &ratings)?,
            elo_gained,
            elo_gained_beyond_neutral,
        })
    }

    fn ratings_of(&self, states: &States) -> Result<Ratings, Error> {
        let strengths = |games| self.strengths_of(games);
        Ok(Ratings {
            strengths: [
                strengths(&states.before)?,
                strengths(&states.again)?,
                strengths(&states.after)?,
            ],
            elo: self.elo_plan().rate(states.all())?,
        })
    }

    /// Returns all systems, the best before first.
    fn climbers(&self, before: &Games, ratings: &Ratings) -> Result<Vec<Climber>, Error> {
        let systems = best_first(before, self.view.asks.data().base).into_iter();
        systems
            .map(|system| self.climber(system, ratings))
            .collect()
    }

    fn elo_plan(&self) -> EloPlan<'_> {
        let asks = self.view.asks;
        EloPlan {
            systems: asks.data().base as usize,
            questions: &asks.data().questions,
            seed: asks.options.seed,
            level: asks.options.level,
        }
    }

    fn climber(&self, system: u32, ratings: &Ratings) -> Result<Climber, Error> {
        let at = system as usize;
        let elo = ratings.elo_of(at)?;
        let strengths = ratings.strengths.each_ref();
        Ok(Climber {
            system: self.view.asks.data().systems[at].clone(),
            rewritten: self.lowest.contains(&system),
            rating: strengths.map(|state| state.ratings[at]),
            elo: elo.each_ref().map(|figure| figure.value),
            rank: strengths.map(|state| state.ranks[at]),
            elo_ci: elo.each_ref().map(|figure| figure.ci),
            elo_gained: ratings.elo.figure(at, gained)?,
            elo_gained_beyond_neutral: ratings.elo.figure(at, beyond_neutral)?,
        })
    }

    /// Returns the strengths of all systems in one state.
    fn strengths_of(&self, games: &Games) -> Result<Strengths, Error> {
        let systems = self.view.asks.data().base as usize;
        let strengths = strengths_of(games, systems)?;
        Ok(Strengths {
            ratings: on_elo_scale(&strengths.estimates),
            ranks: strengths.ranks,
        })
    }

    /// Returns for each item how much more the lowest win against the others than in the neutral
    /// rewrite.
    fn gains_by_item(&self, states: &States) -> BTreeMap<(usize, u32), f64> {
        let neutral = self.shares_of_lowest(&states.neutral);
        let after = self.shares_of_lowest(&states.after).into_iter();
        after
            .filter_map(|(item, share)| Some(((0, item), share - neutral.get(&item)?)))
            .collect()
    }

    /// Returns by item how much of their games against the others the lowest win.
    fn shares_of_lowest(&self, games: &Games) -> BTreeMap<u32, f64> {
        let mut shares: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for game in games {
            if let Some(share) = self.share_of_lowest(game) {
                shares.entry(game.item).or_default().push(share);
            }
        }
        let mean = |(item, shares): (u32, Vec<f64>)| (item, mean(&shares).unwrap_or(0.0));
        shares.into_iter().map(mean).collect()
    }

    /// Returns the share of the lowest in a game of one of them against another system. Games among
    /// the lowest, or among the others, do not show a climb.
    fn share_of_lowest(&self, game: &AuditGame) -> Option<f64> {
        match [game.a, game.b].map(|system| self.lowest.contains(&system)) {
            [true, false] => Some(game.share_a),
            [false, true] => Some(1.0 - game.share_a),
            _ => None,
        }
    }
}

/// Compares all pairs; `shown` says what stands for a system.
fn games_shown(view: View<'_>, shown: &dyn Fn(u32) -> StandIn) -> Seen<Games> {
    let systems = view.asks.data().base;
    let pairs = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| [a, b]));
    let games = look_at_all(pairs, |pair| games_of_pair(view, pair, pair.map(shown)))?;
    let games = games.iter().flat_map(Rows::values);
    Ok(games.copied().collect())
}

/// Compares two systems on every item by what stands for them.
fn games_of_pair(view: View<'_>, [a, b]: [u32; 2], shown: [StandIn; 2]) -> Seen<Rows<AuditGame>> {
    let [first, second] = shown;
    let replicate = first.replicate.max(second.replicate);
    view.over(|item| {
        let duel = Duel::in_data(item, [first.system, second.system]);
        let share_a = view.compares(duel, replicate)?.share;
        Ok(AuditGame {
            item,
            a,
            b,
            share_a,
        })
    })
}

/// Bradley-Terry ratings in one state of the field, by system.
struct Strengths {
    ratings: Vec<Option<f64>>,
    ranks: Vec<Option<u32>>,
}

/// All ratings of the field.
struct Ratings {
    /// Before, asked again, and rewritten.
    strengths: [Strengths; 3],
    elo: EloRatings,
}

impl Ratings {
    /// Returns the Elo ratings of a system: before, asked again, and rewritten.
    fn elo_of(&self, system: usize) -> Result<[Figure; 3], Error> {
        let rating = |state: usize| self.elo.figure(system, |states| states[state]);
        Ok([rating(0)?, rating(1)?, rating(2)?])
    }

    /// Returns what the lowest gain on average, and what of it is beyond the neutral rewrite.
    fn mean_gains(&self, lowest: &[u32]) -> Result<[Figure; 2], Error> {
        Ok([
            self.elo.mean_figure(lowest, gained)?,
            self.elo.mean_figure(lowest, beyond_neutral)?,
        ])
    }
}

impl States {
    /// Returns the games of all states, in the order of the Elo ratings.
    fn all(&self) -> [&Games; STATES] {
        [&self.before, &self.again, &self.after, &self.neutral]
    }
}

/// Returns what a system gains by being rewritten, or loses by others being.
fn gained([before, _, after, _]: &StateRatings) -> Option<f64> {
    Some((*after)? - (*before)?)
}

/// Returns what it gains beyond the neutral rewrite.
fn beyond_neutral([_, _, after, neutral]: &StateRatings) -> Option<f64> {
    Some((*after)? - (*neutral)?)
}

/// Returns strengths by Bradley and Terry.
fn strengths_of(games: &Games, systems: usize) -> Result<Scores, Error> {
    let rows = games.iter().map(AuditGame::comparison).collect();
    let tally = Comparisons::new(systems, rows)?.tally();
    Ok(PairMethod::BradleyTerry.scores(&tally))
}

/// Puts strengths, which are logarithms of odds, on the Elo scale with mean 1000.
fn on_elo_scale(strengths: &[Estimate]) -> Vec<Option<f64>> {
    let strengths = finite_values(strengths).into_iter();
    strengths.map(|strength| strength.map(elo_of)).collect()
}

fn elo_of(strength: f64) -> f64 {
    1000.0 + 400.0 * strength / std::f64::consts::LN_10
}

fn finite_values(estimates: &[Estimate]) -> Vec<Option<f64>> {
    estimates.iter().copied().map(Estimate::finite).collect()
}

/// Returns the mean share of every system over its games.
fn win_shares(games: &Games, systems: u32) -> Vec<f64> {
    (0..systems)
        .map(|system| mean(&shares_of(games, system)).unwrap_or(0.0))
        .collect()
}

fn shares_of(games: &Games, system: u32) -> Vec<f64> {
    let games = games.iter();
    games.filter_map(|game| game.share_of(system)).collect()
}

/// Returns those that won least; None where there are no two to compare.
fn lowest_systems(games: &Games, systems: u32) -> Option<Vec<u32>> {
    if systems < 2 || games.is_empty() {
        return None;
    }
    let mut order = sorted_systems(games, systems, f64::total_cmp);
    order.truncate(LOWEST.min(systems as usize / 2));
    Some(order)
}

/// Returns all systems, the best before first.
fn best_first(games: &Games, systems: u32) -> Vec<u32> {
    sorted_systems(games, systems, |x, y| y.total_cmp(x))
}

/// Sorts all systems by what they won; of equals the earlier one is first.
fn sorted_systems(games: &Games, systems: u32, compare: fn(&f64, &f64) -> Ordering) -> Vec<u32> {
    let shares = win_shares(games, systems);
    let mut order: Vec<u32> = (0..systems).collect();
    order.sort_by(|x, y| compare(&shares[*x as usize], &shares[*y as usize]));
    order
}
