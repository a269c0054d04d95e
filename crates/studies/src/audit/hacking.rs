//! Can a system climb by its style alone?  Tripathi et al. 2025, section 5, figure 4.
//!
//! All pairs of systems are compared and ranked (Bradley and Terry). The lowest systems' responses
//! are rewritten, and their comparisons made again. Who is lowest was chosen by noisy verdicts, and
//! would rise when asked again; so the rewritten are compared with the same systems in a rewrite
//! that no reader sees. The same asked again unchanged is shown beside it.

use super::asks::{Asked, Asks, Duel, Seen};
use super::finding::{About, Finding};
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

/// The games of all pairs in one state of the field, by item.
type Games = Vec<(u32, u32, u32, f64)>;

pub(super) fn climbs(
    asks: &Asks<'_>,
    protocols: &[Asked],
) -> Seen<Result<Vec<Climbed>, EngineError>> {
    let rewrites = 0..asks
        .materials
        .first()
        .map_or(0, |material| material.rewrites.len());
    let cells: Vec<(&Asked, usize)> = protocols
        .iter()
        .flat_map(|asked| rewrites.clone().map(move |rewrite| (asked, rewrite)))
        .collect();
    let seen: Vec<_> = cells
        .iter()
        .map(|(asked, rewrite)| climb(asks, asked, *rewrite))
        .collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    Ok(seen.into_iter().collect())
}

fn climb(asks: &Asks<'_>, asked: &Asked, rewrite: usize) -> Seen<Result<Climbed, EngineError>> {
    let before = games(asks, asked, &|system| (system, 0))?;
    let Some(lowest) = lowest(asks, &before) else {
        return Ok(Err(EngineError::Setting(
            "the systems cannot be ranked".into(),
        )));
    };
    let material = &asks.materials[0];
    let again = games(asks, asked, &|system| {
        (system, u32::from(lowest.contains(&system)))
    });
    let shown = |rewrite: usize| {
        let of = |system| {
            if lowest.contains(&system) {
                material.rewritten(system, rewrite)
            } else {
                system
            }
        };
        games(asks, asked, &|system| (of(system), 0))
    };
    let (after, neutral) = (shown(rewrite), shown(material.neutral()));
    let (again, after, neutral) = (again?, after?, neutral?);
    let gained = asks.rows(&gains(&lowest, &neutral, &after));
    Ok(report(
        asks,
        asked,
        rewrite,
        (&lowest, &gained),
        [&before, &again, &after],
    ))
}

/// All pairs that could be compared; `of` says which responses stand for a system, and which
/// repetition it needs.
fn games(asks: &Asks<'_>, asked: &Asked, of: &dyn Fn(u32) -> (u32, u32)) -> Seen<Games> {
    let game = |item: u32, a: u32, b: u32| -> Seen<Vec<(u32, u32, u32, f64)>> {
        let ((shown_a, again_a), (shown_b, again_b)) = (of(a), of(b));
        let [share, _] = asks.prefers(
            asked,
            Duel {
                material: 0,
                item,
                a: shown_a,
                b: shown_b,
            },
            again_a.max(again_b),
        )?;
        Ok(vec![(item, a, b, share)])
    };
    let systems = asks.materials[0].base;
    let pairs: Vec<(u32, u32)> = (0..systems)
        .flat_map(|a| (a + 1..systems).map(move |b| (a, b)))
        .collect();
    let (mut all, mut pending) = (Vec::new(), false);
    for (a, b) in pairs {
        match asks.over(0, |item| game(item, a, b)) {
            Ok(games) => all.extend(games.values().flatten()),
            Err(_) => pending = true,
        }
    }
    if pending {
        Err(super::asks::Stop::Pending)
    } else {
        Ok(all)
    }
}

/// Ratings in one state of the field.
struct State {
    ratings: Vec<Option<f64>>,
    elo: Vec<Option<f64>>,
    ranks: Vec<Option<u32>>,
}

/// Bradley-Terry ratings on the Elo scale with mean 1000, and ranks; Elo ratings.
fn ratings(games: &Games, systems: u32, seed: u64) -> Result<State, evenhand_stats::Error> {
    let row = |&(item, a, b, share): &(u32, u32, u32, f64)| Comparison {
        item,
        a: a as u16,
        b: b as u16,
        wins_a: share,
        ties: 0.0,
        wins_b: 1.0 - share,
    };
    let data = Comparisons::new(systems as usize, games.iter().map(row).collect())?;
    let found = PairMethod::BradleyTerry.scores(&data.tally());
    let scaled = |strength: f64| 1000.0 + 400.0 * strength / std::f64::consts::LN_10;
    let played: Vec<Game> = games
        .iter()
        .map(|&(_, a, b, score)| Game {
            a: a as u16,
            b: b as u16,
            score,
            weight: 1.0,
        })
        .collect();
    let elo = elo_permuted(systems as usize, &played, Elo::default(), ORDERS, seed, 1)?;
    Ok(State {
        ratings: found
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

fn win_shares(games: &Games, systems: u32) -> Vec<f64> {
    let of = |system: u32| {
        let shares: Vec<f64> = games
            .iter()
            .filter_map(|game| share_of(game, system))
            .collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    };
    (0..systems).map(of).collect()
}

fn share_of(&(_, a, b, share): &(u32, u32, u32, f64), system: u32) -> Option<f64> {
    if a == system {
        Some(share)
    } else {
        (b == system).then_some(1.0 - share)
    }
}

/// Those that won least; none where there are no two to compare.
fn lowest(asks: &Asks<'_>, games: &Games) -> Option<Vec<u32>> {
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

fn report(
    asks: &Asks<'_>,
    asked: &Asked,
    rewrite: usize,
    (lowest, gained): (&[u32], &Rows<f64>),
    [before, again, after]: [&Games; 3],
) -> Result<Climbed, EngineError> {
    let (material, systems) = (&asks.materials[0], asks.materials[0].base);
    let states = [before, again, after].map(|games| ratings(games, systems, asks.seed));
    let [before_state, again_state, after_state] = states;
    let states = [before_state?, again_state?, after_state?];
    let name = material.rewrites[rewrite].name.clone();
    let climber = |system: u32| Climber {
        system: material.systems[system as usize].clone(),
        rewritten: lowest.contains(&system),
        rating: [0, 1, 2].map(|state: usize| states[state].ratings[system as usize]),
        elo: [0, 1, 2].map(|state: usize| states[state].elo[system as usize]),
        rank: [0, 1, 2].map(|state: usize| states[state].ranks[system as usize]),
    };
    let shares = win_shares(before, systems);
    let mut order: Vec<u32> = (0..systems).collect();
    order.sort_by(|x, y| shares[*y as usize].total_cmp(&shares[*x as usize]));
    let climb = Climb {
        protocol: asked.protocol.clone(),
        rewrite: name.clone(),
        systems: order.into_iter().map(climber).collect(),
    };
    let name = format!("{name}: win rate gained");
    let about = About {
        probe: "leaderboard",
        name: &name,
        protocol: &asked.protocol,
        estimand: "win rate of the lowest systems against the others when they are rewritten, less \
                   that with spaces that no reader sees",
    };
    Ok((climb, vec![about.difference(gained, asks.level)?]))
}

/// For each item how much more the lowest win against the others.
fn gains(lowest: &[u32], neutral: &Games, after: &Games) -> BTreeMap<(usize, u32), f64> {
    let [neutral, after] = [neutral, after].map(|games| shares_of_lowest(lowest, games));
    after
        .iter()
        .filter_map(|(item, share)| Some(((0, *item), share - neutral.get(item)?)))
        .collect()
}

/// By item, how much of their games against the others the lowest win.
fn shares_of_lowest(lowest: &[u32], games: &Games) -> BTreeMap<u32, f64> {
    let low = |system: &u32| lowest.contains(system);
    let mut sums: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    for (item, a, _, share) in games.iter().filter(|(_, a, b, _)| low(a) != low(b)) {
        let [sum, count] = sums.entry(*item).or_default();
        (*sum, *count) = (
            *sum + if low(a) { *share } else { 1.0 - share },
            *count + 1.0,
        );
    }
    sums.into_iter()
        .map(|(item, [sum, count])| (item, sum / count))
        .collect()
}
