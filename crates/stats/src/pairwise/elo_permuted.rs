//! Elo ratings that do not depend on the order of the games: the mean over shuffles.

use super::elo::{Elo, EloRun, Game, check_game};
use crate::bootstrap::{MAX_ROUNDS, below, generator};
use crate::{Error, Estimate, Scores, Undefined, competition_ranks};
use rayon::prelude::*;

/// Elo ratings over many orders of the games.
#[derive(Clone, Debug, PartialEq)]
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
    crate::data::check_rows(games.len())?;
    games
        .iter()
        .enumerate()
        .try_for_each(|(row, game)| check_game(row, game, systems))?;
    if !(2..=MAX_ROUNDS).contains(&permutations) {
        return Err(Error::Rounds {
            rounds: permutations,
            limit: MAX_ROUNDS,
        });
    }
    let numbers: Vec<u64> = (0..permutations as u64).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Threads {
        reason: error.to_string(),
    })?;
    let pass = |order: &mut Vec<u32>, number| pass(&start, games, order, seed, number);
    let passes: Vec<Scores> =
        pool.install(|| numbers.into_par_iter().map_init(Vec::new, pass).collect());
    Ok(summary(&passes))
}

/// The ratings after the games in the order of round `number`.
fn pass(start: &EloRun, games: &[Game], order: &mut Vec<u32>, seed: u64, number: u64) -> Scores {
    order.clear();
    order.extend(0..games.len() as u32);
    let mut words = generator(seed, number);
    for last in (1..order.len()).rev() {
        order.swap(last, below(&mut words, last as u32 + 1) as usize);
    }
    let mut run = start.clone();
    order
        .iter()
        .filter_map(|&game| games.get(game as usize))
        .for_each(|game| run.play(game));
    run.scores()
}

/// There is at least one pass, and all agree on who played.
fn summary(passes: &[Scores]) -> EloPermuted {
    let Some(first) = passes.first() else {
        let scores = Scores {
            estimates: vec![],
            ranks: vec![],
            weight: vec![],
            resolution: 0.0,
            fit: None,
        };
        return EloPermuted {
            scores,
            deviations: vec![],
        };
    };
    let moments: Vec<Option<(f64, f64)>> = (0..first.estimates.len())
        .map(|i| moments(passes, i))
        .collect();
    let estimates: Vec<Estimate> = moments
        .iter()
        .map(|m| Estimate::or_no_data(m.map(|(mean, _)| mean)))
        .collect();
    let ranks = competition_ranks(&estimates, first.resolution);
    let deviations = moments
        .iter()
        .map(|m| m.map(|(_, deviation)| deviation).ok_or(Undefined::NoData))
        .collect();
    EloPermuted {
        scores: Scores {
            estimates,
            ranks,
            ..first.clone()
        },
        deviations,
    }
}

/// Mean and standard deviation of a system's ratings, summed in order of the passes.
fn moments(passes: &[Scores], system: usize) -> Option<(f64, f64)> {
    let ratings = || {
        passes
            .iter()
            .filter_map(|pass| pass.estimates.get(system)?.finite())
    };
    let n = ratings().count() as f64;
    let mean = ratings().sum::<f64>() / n;
    let squares: f64 = ratings().map(|x| (x - mean) * (x - mean)).sum();
    (n > 1.0).then(|| (mean, (squares / (n - 1.0)).sqrt()))
}
