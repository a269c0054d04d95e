//! Can a system climb by its style alone? Tripathi et al. 2025, section 5, figure 4.
//!
//! All pairs of systems are compared and ranked (Bradley and Terry). The lowest systems' responses
//! are rewritten, and their comparisons made again. Who is lowest was chosen by noisy verdicts, and
//! would rise when asked again; so the rewritten are compared with the same systems in a rewrite
//! that no reader sees. The same asked again unchanged is shown beside it. Elo ratings, which the
//! paper shows, have intervals (`climb_elo`).

use super::asks::{Asks, Duel, Seen, View, look_at_all};
use super::climb_elo::{EloPlan, Games, STATES, StateRatings};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::rows::{Rows, mean};
use crate::Figure;
use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use evenhand_stats::{Comparison, Comparisons, Error, Estimate, PairMethod};
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

/// The games of a field whose lowest systems are rewritten, under one protocol.
pub(super) struct Played<'a> {
    view: View<'a>,
    rewrite: usize,
    /// The systems whose responses are rewritten.
    lowest: Vec<u32>,
    /// Before, asked again, rewritten, and in the neutral rewrite.
    states: [Games; STATES],
}

/// Plays all games that the climbs need; an error where systems cannot be ranked.
pub(super) fn play_climbs<'a>(asks: &'a Asks<'_>) -> Seen<Vec<Result<Played<'a>, EngineError>>> {
    let rewrites = 0..asks.data().rewrites.len();
    let views = asks.views().into_iter();
    let cases = views.flat_map(|view| rewrites.clone().map(move |rewrite| (view, rewrite)));
    look_at_all(cases, |(view, rewrite)| play_case(view, rewrite))
}

fn play_case(view: View<'_>, rewrite: usize) -> Seen<Result<Played<'_>, EngineError>> {
    let data = view.asks.data();
    // Who is rewritten depends on these games: nothing else is asked before they are known.
    let before = games_shown(view, &|system| (system, 0))?;
    if data.base < 2 || before.is_empty() {
        return Ok(Err(Refusal::of_input("the systems cannot be ranked").into()));
    }
    let mut lowest = sorted_systems(&before, data.base, f64::total_cmp);
    lowest.truncate(LOWEST.min(data.base as usize / 2));
    // The games with these responses in place of those of the lowest.
    let games_with = |shown: &dyn Fn(u32) -> (u32, u32)| {
        games_shown(view, &|system| match lowest.contains(&system) {
            true => shown(system),
            false => (system, 0),
        })
    };
    // All states are asked for before any of them is missed.
    let again = games_with(&|system| (system, 1));
    let after = games_with(&|system| (data.rewritten(system, rewrite), 0));
    let neutral = games_with(&|system| (data.neutrally(system), 0));
    let states = [before, again?, after?, neutral?];
    Ok(Ok(Played {
        view,
        rewrite,
        lowest,
        states,
    }))
}

impl Played<'_> {
    /// Returns the rankings of the states, and what is tested of them: how much more the lowest win
    /// against the others than in the neutral rewrite.
    pub(super) fn climbed(&self) -> Result<(Climb, Finding), EngineError> {
        let asks = self.view.asks;
        let data = asks.data();
        let systems = data.base as usize;
        let [before, again, after, neutral] = &self.states;
        let bradley_terry = [
            bradley_terry(before, systems)?,
            bradley_terry(again, systems)?,
            bradley_terry(after, systems)?,
        ];
        let plan = EloPlan {
            systems,
            questions: &data.questions,
            seed: asks.options.seed,
            level: asks.options.level,
        };
        let elo = plan.rate(&self.states)?;
        let mut climbers = Vec::new();
        // The best before comes first.
        for system in sorted_systems(before, data.base, |x, y| y.total_cmp(x)) {
            let at = system as usize;
            let rating = |state: usize| elo.figure(at, |states| states[state]);
            let ratings = [rating(0)?, rating(1)?, rating(2)?];
            climbers.push(Climber {
                system: data.systems[at].clone(),
                rewritten: self.lowest.contains(&system),
                rating: bradley_terry.each_ref().map(|(ratings, _)| ratings[at]),
                elo: ratings.each_ref().map(|figure| figure.value),
                rank: bradley_terry.each_ref().map(|(_, ranks)| ranks[at]),
                elo_ci: ratings.each_ref().map(|figure| figure.ci),
                elo_gained: elo.figure(at, gained)?,
                elo_gained_beyond_neutral: elo.figure(at, beyond_neutral)?,
            });
        }
        let climb = Climb {
            protocol: self.view.asked.protocol.clone(),
            rewrite: data.rewrites[self.rewrite].name.clone(),
            systems: climbers,
            elo_gained: elo.mean_figure(&self.lowest, gained)?,
            elo_gained_beyond_neutral: elo.mean_figure(&self.lowest, beyond_neutral)?,
        };

        let of_neutral = self.shares_of_lowest(neutral);
        let after = self.shares_of_lowest(after).into_iter();
        let gains = after
            .filter_map(|(item, share)| Some(((0, item), share - of_neutral.get(&item)?)))
            .collect();
        let name = FindingName::WinRateGained {
            rewrite: climb.rewrite.clone(),
        };
        let gained = asks.rows(&gains);
        let finding = self.view.maker().tested_difference(name, &gained)?;
        Ok((climb, finding))
    }

    /// Returns by item how much of their games against the others the lowest win. Games among the
    /// lowest, or among the others, do not show a climb.
    fn shares_of_lowest(&self, games: &Games) -> BTreeMap<u32, f64> {
        let mut shares: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for game in games {
            let [a, b] = [game.a, game.b].map(|system| self.lowest.contains(&system.into()));
            let share = match [a, b] {
                [true, false] => game.wins_a,
                [false, true] => game.wins_b,
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

/// Compares all pairs of systems on every item; `shown` says whose responses stand for a system,
/// and which repetition is needed.
fn games_shown(view: View<'_>, shown: &dyn Fn(u32) -> (u32, u32)) -> Seen<Games> {
    let systems = view.asks.data().base;
    let pairs = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| [a, b]));
    let games = look_at_all(pairs, |[a, b]| {
        let [(first, replicate), (second, other)] = [a, b].map(shown);
        view.over(|item| {
            let duel = Duel::in_data(item, [first, second]);
            // By the probabilities of the verdict, as a ranking counts it.
            let share = view.compares(duel, replicate.max(other))?.share;
            Ok(Comparison {
                item,
                a: a as u16,
                b: b as u16,
                wins_a: share,
                ties: 0.0,
                wins_b: 1.0 - share,
            })
        })
    })?;
    Ok(games.iter().flat_map(Rows::values).copied().collect())
}

/// Returns what a system gains by being rewritten, or loses by others being.
fn gained([before, _, after, _]: &StateRatings) -> Option<f64> {
    Some((*after)? - (*before)?)
}

/// Returns what it gains beyond the neutral rewrite.
fn beyond_neutral([_, _, after, neutral]: &StateRatings) -> Option<f64> {
    Some((*after)? - (*neutral)?)
}

/// The ratings and ranks of all systems; None where one has none.
type Ranking = (Vec<Option<f64>>, Vec<Option<u32>>);

/// Ranks all systems in one state by Bradley and Terry.
fn bradley_terry(games: &Games, systems: usize) -> Result<Ranking, Error> {
    let tally = Comparisons::new(systems, games.clone())?.tally();
    let scores = PairMethod::BradleyTerry.scores(&tally);
    // Strengths are logarithms of odds; the Elo scale has the mean 1000.
    let on_elo_scale = |strength: f64| 1000.0 + 400.0 * strength / std::f64::consts::LN_10;
    let strengths = scores.estimates.iter().copied().map(Estimate::finite);
    let ratings = strengths.map(|strength| strength.map(on_elo_scale));
    Ok((ratings.collect(), scores.ranks))
}

/// Sorts all systems by what they won on average; of equals the earlier one is first.
fn sorted_systems(games: &Games, systems: u32, compare: fn(&f64, &f64) -> Ordering) -> Vec<u32> {
    let mut won = vec![Vec::new(); systems as usize];
    for game in games {
        won[game.a as usize].push(game.wins_a);
        won[game.b as usize].push(game.wins_b);
    }
    let won: Vec<f64> = won.iter().map(|won| mean(won).unwrap_or(0.0)).collect();
    let mut order: Vec<u32> = (0..systems).collect();
    order.sort_by(|x, y| compare(&won[*x as usize], &won[*y as usize]));
    order
}
