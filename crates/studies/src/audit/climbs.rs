//! Can a system climb by its style alone? Tripathi et al. 2025, section 5, figure 4.
//!
//! All pairs of systems are compared and ranked (Bradley and Terry). The lowest systems' responses
//! are rewritten, and their comparisons made again. Who is lowest was chosen by noisy verdicts, and
//! would rise when asked again; so the rewritten are compared with the same systems in a rewrite
//! that no reader sees. The same asked again unchanged is shown beside it. Elo ratings, which the
//! paper shows, have intervals (`climb_elo`).

use super::asks::{Asks, Duel, Seen, View};
use super::climb_elo::{EloPlan, StateRatings};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::games::{AuditGame, Games};
use super::probing::look_at_all;
use super::rows::{Rows, mean};
use crate::Figure;
use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use evenhand_stats::{Comparisons, Error, Estimate, PairMethod};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How many systems are rewritten: the paper's three, but never more than half of them.
const LOWEST: usize = 3;

/// A ranking before and after its lowest systems are rewritten.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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

/// The responses that stand for a system in a comparison.
#[derive(Clone, Copy)]
struct StandIn {
    /// Whose responses are shown: its own, or its rewritten ones.
    system: u32,
    /// Which repetition is needed.
    replicate: u32,
}

/// The systems whose responses are rewritten under one protocol, and how.
pub(super) struct Climbing<'a> {
    view: View<'a>,
    rewrite: usize,
    lowest: Vec<u32>,
}

/// The field in its three states, and in the one that is tested against.
pub(super) struct States {
    before: Games,
    again: Games,
    after: Games,
    neutral: Games,
}

/// A field in all its states, or why it has none.
pub(super) type Played<'a> = Result<(Climbing<'a>, States), EngineError>;

/// Plays all games that the climbs need.
pub(super) fn play_climbs<'a>(asks: &'a Asks<'_>) -> Seen<Vec<Played<'a>>> {
    let rewrites = 0..asks.rewrite_count(0);
    let views = asks.views().into_iter();
    let cases = views.flat_map(|view| rewrites.clone().map(move |rewrite| (view, rewrite)));
    look_at_all(cases, |(view, rewrite)| play_case(view, rewrite))
}

fn play_case(view: View<'_>, rewrite: usize) -> Seen<Played<'_>> {
    let data = view.asks.data();
    // Who is rewritten depends on these games: nothing else is asked before they are known.
    let before = games_shown(view, &StandIn::unchanged)?;
    let Some(lowest) = lowest_systems(&before, data.base) else {
        return Ok(Err(Refusal::of_input("the systems cannot be ranked").into()));
    };
    let games_with = |stand_in: &dyn Fn(u32) -> StandIn| {
        games_shown(view, &|system| {
            if lowest.contains(&system) {
                stand_in(system)
            } else {
                StandIn::unchanged(system)
            }
        })
    };
    // All states are asked for before any of them is missed.
    let again = games_with(&|system| StandIn {
        system,
        replicate: 1,
    });
    let after = games_with(&|system| StandIn::unchanged(data.rewritten(system, rewrite)));
    let neutral = games_with(&|system| StandIn::unchanged(data.neutrally(system)));
    let states = States {
        before,
        again: again?,
        after: after?,
        neutral: neutral?,
    };
    let climbing = Climbing {
        view,
        rewrite,
        lowest,
    };
    Ok(Ok((climbing, states)))
}

impl StandIn {
    fn unchanged(system: u32) -> StandIn {
        StandIn {
            system,
            replicate: 0,
        }
    }
}

impl Climbing<'_> {
    /// Returns the rankings of the states, and what is tested of them: how much more the lowest win
    /// against the others than in the neutral rewrite.
    pub(super) fn climbed(&self, states: &States) -> Result<(Climb, Finding), EngineError> {
        let climb = self.climb(states)?;
        let neutral = self.shares_of_lowest(&states.neutral);
        let after = self.shares_of_lowest(&states.after).into_iter();
        let gains = after
            .filter_map(|(item, share)| Some(((0, item), share - neutral.get(&item)?)))
            .collect();
        let name = FindingName::WinRateGained {
            rewrite: climb.rewrite.clone(),
        };
        let gained = self.view.asks.rows(&gains);
        let finding = self.view.maker().tested_difference(name, &gained)?;
        Ok((climb, finding))
    }

    fn climb(&self, states: &States) -> Result<Climb, Error> {
        let asks = self.view.asks;
        let data = asks.data();
        let systems = data.base as usize;
        let strengths = [
            Strengths::of(&states.before, systems)?,
            Strengths::of(&states.again, systems)?,
            Strengths::of(&states.after, systems)?,
        ];
        let plan = EloPlan {
            systems,
            questions: &data.questions,
            seed: asks.options.seed,
            level: asks.options.level,
        };
        let games = [
            &states.before,
            &states.again,
            &states.after,
            &states.neutral,
        ];
        let elo = plan.rate(games)?;
        let elo_gained = elo.mean_figure(&self.lowest, gained)?;
        let elo_gained_beyond_neutral = elo.mean_figure(&self.lowest, beyond_neutral)?;

        let mut climbers = Vec::new();
        // The best before comes first.
        for system in sorted_systems(&states.before, data.base, |x, y| y.total_cmp(x)) {
            let at = system as usize;
            let rating = |state: usize| elo.figure(at, |states| states[state]);
            let ratings = [rating(0)?, rating(1)?, rating(2)?];
            climbers.push(Climber {
                system: data.systems[at].clone(),
                rewritten: self.lowest.contains(&system),
                rating: strengths.each_ref().map(|state| state.ratings[at]),
                elo: ratings.each_ref().map(|figure| figure.value),
                rank: strengths.each_ref().map(|state| state.ranks[at]),
                elo_ci: ratings.each_ref().map(|figure| figure.ci),
                elo_gained: elo.figure(at, gained)?,
                elo_gained_beyond_neutral: elo.figure(at, beyond_neutral)?,
            });
        }
        Ok(Climb {
            protocol: self.view.asked.protocol.clone(),
            rewrite: asks.rewrite_name(0, self.rewrite),
            systems: climbers,
            elo_gained,
            elo_gained_beyond_neutral,
        })
    }

    /// Returns by item how much of their games against the others the lowest win. Games among the
    /// lowest, or among the others, do not show a climb.
    fn shares_of_lowest(&self, games: &Games) -> BTreeMap<u32, f64> {
        let mut shares: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for game in games {
            let share = match [game.a, game.b].map(|system| self.lowest.contains(&system)) {
                [true, false] => game.share_a,
                [false, true] => 1.0 - game.share_a,
                _ => continue,
            };
            shares.entry(game.item).or_default().push(share);
        }
        shares
            .into_iter()
            .map(|(item, shares)| (item, mean(&shares).unwrap_or(0.0)))
            .collect()
    }
}

/// Compares all pairs of systems on every item; `shown` says what stands for a system.
fn games_shown(view: View<'_>, shown: &dyn Fn(u32) -> StandIn) -> Seen<Games> {
    let systems = view.asks.data().base;
    let pairs = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| [a, b]));
    let games = look_at_all(pairs, |[a, b]| {
        let [first, second] = [a, b].map(shown);
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
    })?;
    Ok(games.iter().flat_map(Rows::values).copied().collect())
}

/// Bradley-Terry ratings in one state of the field, by system.
struct Strengths {
    ratings: Vec<Option<f64>>,
    ranks: Vec<Option<u32>>,
}

/// Returns what a system gains by being rewritten, or loses by others being.
fn gained([before, _, after, _]: &StateRatings) -> Option<f64> {
    Some((*after)? - (*before)?)
}

/// Returns what it gains beyond the neutral rewrite.
fn beyond_neutral([_, _, after, neutral]: &StateRatings) -> Option<f64> {
    Some((*after)? - (*neutral)?)
}

impl Strengths {
    /// Rates all systems in one state by Bradley and Terry.
    fn of(games: &Games, systems: usize) -> Result<Strengths, Error> {
        let rows = games.iter().map(AuditGame::comparison).collect();
        let tally = Comparisons::new(systems, rows)?.tally();
        let scores = PairMethod::BradleyTerry.scores(&tally);
        // Strengths are logarithms of odds; the Elo scale has the mean 1000.
        let on_elo_scale = |strength: f64| 1000.0 + 400.0 * strength / std::f64::consts::LN_10;
        let ratings = scores.estimates.iter().copied().map(Estimate::finite);
        Ok(Strengths {
            ratings: ratings.map(|strength| strength.map(on_elo_scale)).collect(),
            ranks: scores.ranks,
        })
    }
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

/// Sorts all systems by what they won on average; of equals the earlier one is first.
fn sorted_systems(games: &Games, systems: u32, compare: fn(&f64, &f64) -> Ordering) -> Vec<u32> {
    let mut won = vec![Vec::new(); systems as usize];
    for game in games {
        won[game.a as usize].push(game.share_a);
        won[game.b as usize].push(1.0 - game.share_a);
    }
    let won: Vec<f64> = won.iter().map(|won| mean(won).unwrap_or(0.0)).collect();
    let mut order: Vec<u32> = (0..systems).collect();
    order.sort_by(|x, y| compare(&won[*x as usize], &won[*y as usize]));
    order
}
