//! Elo ratings that do not depend on the order of the games: the mean over shuffles.

use super::elo::{Elo, EloRun, Game, check_game};
use crate::bootstrap::{check_round_count, round_generator, shuffle, start_pool};
use crate::checks::check_rows;
use crate::linear::{mean, sample_deviation};
use crate::{Error, Estimate, Scores, Undefined};
use rayon::prelude::*;

/// Elo ratings over many orders of the games.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct EloPermuted {
    /// For each system the mean of its final ratings, in Elo points.
    pub scores: Scores,
    /// For each system the standard deviation of its final rating over the orders (with n - 1), in
    /// Elo points: how much the order alone moves a single pass. It does not shrink with more
    /// permutations, and is no error of the mean.
    pub deviations: Vec<Result<f64, Undefined>>,
}

/// The mean of [`crate::elo`] over `permutations` orders of the games, 2 to 10 million, on
/// `threads` threads (0 for as many as the machine has; it changes the time taken and nothing
/// else).
///
/// Order number r is the shuffle of Fisher and Yates, from the last game down, each partner drawn
/// from the stream of `seed` and round r (see [`crate::draw_clusters`]).
///
/// # Errors
/// What [`crate::elo`] does not accept; too many games or permutations; threads that cannot be
/// started.
pub fn elo_permuted(
    systems: usize,
    games: &[Game],
    options: Elo,
    permutations: usize,
    seed: u64,
    threads: usize,
) -> Result<EloPermuted, Error> {
    let start = EloRun::new(systems, options)?;
    check_games(games, systems)?;
    check_round_count(permutations)?;
    // A list, because its length is known to rayon, which then collects into place.
    let rounds: Vec<u64> = (0..permutations as u64).collect();
    let passes = rounds.into_par_iter().map_init(Vec::new, |order, round| {
        play_shuffled(&start, games, order, (seed, round))
    });
    let passes: Vec<Scores> = start_pool(threads)?.install(|| passes.collect());
    Ok(summarise(&passes))
}

fn check_games(games: &[Game], systems: usize) -> Result<(), Error> {
    check_rows(games.len())?;
    for (row, game) in games.iter().enumerate() {
        check_game(row, game, systems)?;
    }
    Ok(())
}

/// The ratings after the games in the order of a round of a seed.
fn play_shuffled(
    start: &EloRun,
    games: &[Game],
    order: &mut Vec<u32>,
    (seed, round): (u64, u64),
) -> Scores {
    order.clear();
    order.extend(0..games.len() as u32);
    shuffle(order, &mut round_generator(seed, round));
    let mut run = start.clone();
    for game in order.iter().filter_map(|&game| games.get(game as usize)) {
        run.play(game);
    }
    run.scores()
}

/// All passes agree on who played.
fn summarise(passes: &[Scores]) -> EloPermuted {
    let Some(first) = passes.first() else {
        return EloPermuted::empty();
    };
    let systems = 0..first.estimates.len();
    let moments: Vec<Option<Moments>> = systems.map(|i| moments_of(passes, i)).collect();
    let estimates = moments.iter().map(Moments::mean_of).collect();
    EloPermuted {
        scores: Scores::ranked(estimates, first.weight.clone(), first.resolution),
        deviations: moments.iter().map(Moments::deviation_of).collect(),
    }
}

impl EloPermuted {
    fn empty() -> EloPermuted {
        EloPermuted {
            scores: Scores::ranked(vec![], vec![], 0.0),
            deviations: vec![],
        }
    }
}

/// Mean and standard deviation of a system's ratings.
struct Moments {
    mean: f64,
    deviation: f64,
}

impl Moments {
    fn mean_of(found: &Option<Moments>) -> Estimate {
        Estimate::or_no_data(found.as_ref().map(|moments| moments.mean))
    }

    fn deviation_of(found: &Option<Moments>) -> Result<f64, Undefined> {
        let moments = found.as_ref().ok_or(Undefined::NoData)?;
        Ok(moments.deviation)
    }
}

/// Summed in order of the passes; None for a system that did not play.
fn moments_of(passes: &[Scores], system: usize) -> Option<Moments> {
    let rating = |pass: &Scores| pass.estimates.get(system)?.finite();
    let ratings: Vec<f64> = passes.iter().filter_map(rating).collect();
    (ratings.len() > 1).then(|| Moments {
        mean: mean(&ratings),
        deviation: sample_deviation(&ratings),
    })
}
