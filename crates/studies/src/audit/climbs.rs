//! Can a system climb by its style alone? Tripathi et al. 2025, section 5, figure 4.
//!
//! All pairs of systems are compared and ranked (Bradley and Terry). The lowest systems' responses
//! are rewritten, and their comparisons made again. Who is lowest was chosen by noisy verdicts, and
//! would rise when asked again; so the rewritten are compared with the same systems in a rewrite
//! that no reader sees. The same asked again unchanged is shown beside it.

use super::asks::{Asked, Asks, Duel, Seen};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::probing::look_at_all;
use super::rows::Rows;
use evenhand_engine::EngineError;
use evenhand_stats::{Comparison, Comparisons, Elo, Game, PairMethod, elo_permuted};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many systems are rewritten: the paper's three, but never more than half of them.
const LOWEST: usize = 3;
/// Orders of the games over which Elo ratings are averaged.
const ORDERS: usize = 100;

/// What a ranking becomes when its lowest systems are rewritten.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Climb {
    /// The protocol.
    pub protocol: String,
    /// How they were rewritten.
    pub rewrite: String,
    /// All systems, in the order of the ranking before.
    pub systems: Vec<Climber>,
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
}

/// A ranking before and after, and what is tested of it.
pub(super) type Climbed = (Climb, Vec<Finding>);

/// How much one system is preferred to another on an item.
#[derive(Clone, Copy)]
struct AuditGame {
    item: u32,
    a: u32,
    b: u32,
    share_a: f64,
}

/// The games of all pairs in one state of the field, by item.
type Games = Vec<AuditGame>;

/// The field in its three states, and in the one that is tested against.
struct States {
    before: Games,
    again: Games,
    after: Games,
    neutral: Games,
}

pub(super) fn probe_climbs(
    asks: &Asks<'_>,
    protocols: &[Asked],
) -> Seen<Result<Vec<Climbed>, EngineError>> {
    let rewrites = asks.rewrite_count(0);
    let cases = protocols
        .iter()
        .flat_map(|asked| (0..rewrites).map(move |rewrite| (asked, rewrite)));
    let seen = look_at_all(cases, |(asked, rewrite)| climb_by(asks, asked, rewrite))?;
    Ok(seen.into_iter().collect())
}

fn climb_by(asks: &Asks<'_>, asked: &Asked, rewrite: usize) -> Seen<Result<Climbed, EngineError>> {
    let before = games_shown(asks, asked, &|system| (system, 0))?;
    let Some(lowest) = lowest_systems(asks, &before) else {
        return Ok(Err(EngineError::Setting(
            "the systems cannot be ranked".into(),
        )));
    };
    let again = games_shown(asks, asked, &|system| {
        (system, u32::from(lowest.contains(&system)))
    });
    let after = games_rewritten(asks, asked, &lowest, rewrite);
    let neutral = games_rewritten(asks, asked, &lowest, asks.materials[0].neutral());
    let states = States {
        before,
        again: again?,
        after: after?,
        neutral: neutral?,
    };
    Ok(climbed(asks, asked, rewrite, &lowest, &states))
}

/// Compares all pairs, with the lowest systems' responses in a rewrite.
fn games_rewritten(asks: &Asks<'_>, asked: &Asked, lowest: &[u32], rewrite: usize) -> Seen<Games> {
    games_shown(asks, asked, &|system| {
        if lowest.contains(&system) {
            (asks.materials[0].rewritten(system, rewrite), 0)
        } else {
            (system, 0)
        }
    })
}

/// Compares all pairs; `shown` says which responses stand for a system, and which repetition it
/// needs.
fn games_shown(asks: &Asks<'_>, asked: &Asked, shown: &dyn Fn(u32) -> (u32, u32)) -> Seen<Games> {
    let systems = asks.materials[0].base;
    let pairs = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| (a, b)));
    let games = look_at_all(pairs, |(a, b)| {
        asks.over(0, |item| {
            let ((shown_a, again_a), (shown_b, again_b)) = (shown(a), shown(b));
            let duel = Duel {
                material: 0,
                item,
                a: shown_a,
                b: shown_b,
            };
            let [share_a, _] = asks.prefers(asked, duel, again_a.max(again_b))?;
            Ok(AuditGame {
                item,
                a,
                b,
                share_a,
            })
        })
    })?;
    Ok(games
        .iter()
        .flat_map(|rows| rows.values().copied())
        .collect())
}

/// Ratings in one state of the field, by system.
struct Ratings {
    bradley_terry: Vec<Option<f64>>,
    elo: Vec<Option<f64>>,
    ranks: Vec<Option<u32>>,
}

/// Returns Bradley-Terry ratings on the Elo scale with mean 1000, and ranks; Elo ratings.
fn ratings_of(games: &Games, systems: u32, seed: u64) -> Result<Ratings, evenhand_stats::Error> {
    let rows = games.iter().map(AuditGame::comparison).collect();
    let found = PairMethod::BradleyTerry.scores(&Comparisons::new(systems as usize, rows)?.tally());
    let played: Vec<Game> = games.iter().map(AuditGame::elo_game).collect();
    let elo = elo_permuted(systems as usize, &played, Elo::default(), ORDERS, seed, 1)?;
    let scaled = |strength: f64| 1000.0 + 400.0 * strength / std::f64::consts::LN_10;
    Ok(Ratings {
        bradley_terry: found
            .estimates
            .iter()
            .map(|estimate| estimate.finite().map(scaled))
            .collect(),
        elo: elo
            .scores
            .estimates
            .iter()
            .map(|estimate| estimate.finite())
            .collect(),
        ranks: found.ranks,
    })
}

impl AuditGame {
    fn comparison(&self) -> Comparison {
        Comparison {
            item: self.item,
            a: self.a as u16,
            b: self.b as u16,
            wins_a: self.share_a,
            ties: 0.0,
            wins_b: 1.0 - self.share_a,
        }
    }

    fn elo_game(&self) -> Game {
        Game {
            a: self.a as u16,
            b: self.b as u16,
            score: self.share_a,
            weight: 1.0,
        }
    }

    /// Returns the share of a system; None where it did not play.
    fn share_of(&self, system: u32) -> Option<f64> {
        if self.a == system {
            Some(self.share_a)
        } else {
            (self.b == system).then_some(1.0 - self.share_a)
        }
    }
}

fn win_shares(games: &Games, systems: u32) -> Vec<f64> {
    (0..systems)
        .map(|system| {
            let shares: Vec<f64> = games
                .iter()
                .filter_map(|game| game.share_of(system))
                .collect();
            shares.iter().sum::<f64>() / shares.len().max(1) as f64
        })
        .collect()
}

/// Returns those that won least; None where there are no two to compare.
fn lowest_systems(asks: &Asks<'_>, games: &Games) -> Option<Vec<u32>> {
    let systems = asks.materials[0].base;
    if systems < 2 || games.is_empty() {
        return None;
    }
    let shares = win_shares(games, systems);
    let mut order: Vec<u32> = (0..systems).collect();
    order.sort_by(|x, y| shares[*x as usize].total_cmp(&shares[*y as usize]));
    order.truncate(LOWEST.min(systems as usize / 2));
    Some(order)
}

/// Returns all systems, the best before first.
fn best_first(games: &Games, systems: u32) -> Vec<u32> {
    let shares = win_shares(games, systems);
    let mut order: Vec<u32> = (0..systems).collect();
    order.sort_by(|x, y| shares[*y as usize].total_cmp(&shares[*x as usize]));
    order
}

fn climbed(
    asks: &Asks<'_>,
    asked: &Asked,
    rewrite: usize,
    lowest: &[u32],
    states: &States,
) -> Result<Climbed, EngineError> {
    let (material, systems) = (&asks.materials[0], asks.materials[0].base);
    let ratings = |games| ratings_of(games, systems, asks.seed);
    let all = [
        ratings(&states.before)?,
        ratings(&states.again)?,
        ratings(&states.after)?,
    ];
    let climbers = best_first(&states.before, systems).into_iter();
    let climb = Climb {
        protocol: asked.protocol.clone(),
        rewrite: asks.rewrite_name(0, rewrite),
        systems: climbers
            .map(|system| Climber {
                system: material.systems[system as usize].clone(),
                rewritten: lowest.contains(&system),
                rating: all
                    .each_ref()
                    .map(|state| state.bradley_terry[system as usize]),
                elo: all.each_ref().map(|state| state.elo[system as usize]),
                rank: all.each_ref().map(|state| state.ranks[system as usize]),
            })
            .collect(),
    };
    let gained = asks.rows(&gains_by_item(lowest, states));
    let finding = gain_finding(&climb, &gained, asks.level)?;
    Ok((climb, vec![finding]))
}

fn gain_finding(climb: &Climb, gained: &Rows<f64>, level: f64) -> Result<Finding, EngineError> {
    let name = FindingName::WinRateGained {
        rewrite: climb.rewrite.clone(),
    };
    Ok(name
        .under(&climb.protocol)
        .tested_difference(gained, level)?)
}

/// Returns for each item how much more the lowest win against the others than in the neutral
/// rewrite.
fn gains_by_item(lowest: &[u32], states: &States) -> BTreeMap<(usize, u32), f64> {
    let neutral = shares_of_lowest(lowest, &states.neutral);
    shares_of_lowest(lowest, &states.after)
        .into_iter()
        .filter_map(|(item, share)| Some(((0, item), share - neutral.get(&item)?)))
        .collect()
}

/// Returns by item how much of their games against the others the lowest win.
fn shares_of_lowest(lowest: &[u32], games: &Games) -> BTreeMap<u32, f64> {
    let mut sums: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    for game in games {
        let share = match [game.a, game.b].map(|system| lowest.contains(&system)) {
            [true, false] => game.share_a,
            [false, true] => 1.0 - game.share_a,
            _ => continue,
        };
        let [sum, count] = sums.entry(game.item).or_default();
        *sum += share;
        *count += 1.0;
    }
    sums.into_iter()
        .map(|(item, [sum, count])| (item, sum / count))
        .collect()
}
