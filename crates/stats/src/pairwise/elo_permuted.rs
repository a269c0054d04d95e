//! Elo ratings that do not depend on the order of the games: the mean over shuffles.

use super::elo::{Elo, EloRun, Game, check_game};
use crate::bootstrap::{check_round_count, map_on_threads, round_generator, shuffle};
use crate::checks::check_rows;
use crate::linear::{mean, sample_deviation};
use crate::{Error, Estimate, Scores, Undefined};

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
    check_rows(games.len())?;
    for (row, game) in games.iter().enumerate() {
        check_game(row, game, systems)?;
    }
    check_round_count(permutations)?;
    let passes = map_on_threads(threads, (0..permutations as u64).collect(), |round| {
        let mut order: Vec<u32> = (0..games.len() as u32).collect();
        shuffle(&mut order, &mut round_generator(seed, round));
        let mut run = start.clone();
        for game in order {
            run.play(&games[game as usize]);
        }
        run.scores()
    })?;
    // All passes agree on who played. Ratings are summed in order of the passes.
    let first = &passes[0];
    let (mut estimates, mut deviations) = (Vec::new(), Vec::new());
    for system in 0..first.estimates.len() {
        let rating = |pass: &Scores| pass.estimates.get(system)?.finite();
        let ratings: Vec<f64> = passes.iter().filter_map(rating).collect();
        let has_played = ratings.len() > 1;
        estimates.push(Estimate::or_no_data(has_played.then(|| mean(&ratings))));
        let deviation = has_played.then(|| sample_deviation(&ratings));
        deviations.push(deviation.ok_or(Undefined::NoData));
    }
    Ok(EloPermuted {
        scores: Scores::ranked(estimates, first.weight.clone(), first.resolution),
        deviations,
    })
}
