//! Elo ratings, which depend on the order of the games.

use super::estimator::Estimator;
use crate::Aggregation;
use crate::counts::count_systems;
use crate::method::{Ci, refuse_aggregation};
use crate::scored::Scored;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::inference::{Contributions, InferenceError};
use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, Elo, EloRun, Error, Estimate, Game, Resampled,
    Scores, Undefined, bradley_terry, elo, elo_permuted, resample,
};
use std::collections::HashSet;

/// Comparisons in their order.
#[derive(Clone, Debug)]
pub(crate) struct Games {
    pub(crate) systems: usize,
    pub(crate) games: Vec<Game>,
    /// The cluster of each game.
    pub(crate) clusters: Vec<u32>,
}

impl Games {
    /// Comparisons in their order, as games under their items.
    pub(crate) fn from_comparisons(systems: usize, rows: &[Comparison]) -> Games {
        Games {
            systems,
            games: rows.iter().map(game_of_comparison).collect(),
            clusters: rows.iter().map(|row| row.item).collect(),
        }
    }

    /// Rates the systems over so many orders of the games, and averages.
    pub(super) fn rate_permuted(
        &self,
        permutations: usize,
        plan: &Bootstrap,
    ) -> Result<Scored, EngineError> {
        let elo = Elo::default();
        let Bootstrap { seed, threads, .. } = *plan;
        let mean = elo_permuted(self.systems, &self.games, elo, permutations, seed, threads)?;
        Ok(self.scored_at(&mean.scores))
    }

    fn scored_at(&self, ratings: &Scores) -> Scored {
        Scored::without_intervals(ratings, &self.games_of_systems())
    }

    /// Ratings over the games in their order.
    fn rate(&self) -> Result<Scores, Error> {
        elo(self.systems, &self.games, Elo::default())
    }

    /// The games without their order; a tie is half a win for both.
    fn comparisons(&self) -> Result<Comparisons, Error> {
        let rows = self.games.iter().zip(&self.clusters);
        let rows = rows.map(|(game, &item)| Comparison {
            item,
            a: game.a,
            b: game.b,
            wins_a: game.weight * game.score,
            ties: 0.0,
            wins_b: game.weight * (1.0 - game.score),
        });
        Comparisons::new(self.systems, rows.collect())
    }

    fn games_of_systems(&self) -> Vec<u64> {
        let games = self.games.iter();
        count_systems(self.systems, games.flat_map(|game| [game.a, game.b]))
    }

    fn clusters_of_systems(&self) -> Vec<usize> {
        let mut counts = vec![0; self.systems];
        for (system, _) in self.systems_in_clusters() {
            counts[usize::from(system)] += 1;
        }
        counts
    }

    /// The systems with the clusters that they have games in, each once.
    fn systems_in_clusters(&self) -> HashSet<(u16, u32)> {
        let games = self.games.iter().zip(&self.clusters);
        let systems = games.flat_map(|(game, cluster)| [(game.a, *cluster), (game.b, *cluster)]);
        systems.collect()
    }

    fn cluster_count(&self) -> usize {
        let highest = self.clusters.iter().max();
        highest.map_or(0, |highest| *highest as usize + 1)
    }
}

/// A verdict that is a distribution is one game with its expected score.
pub(crate) fn game_of_comparison(row: &Comparison) -> Game {
    let weight = row.wins_a + row.ties + row.wins_b;
    Game {
        a: row.a,
        b: row.b,
        score: score_of_comparison(row, weight),
        weight,
    }
}

/// A comparison without any weight counts for neither.
fn score_of_comparison(row: &Comparison, weight: f64) -> f64 {
    if weight > 0.0 {
        ((row.wins_a + 0.5 * row.ties) / weight).clamp(0.0, 1.0)
    } else {
        0.5
    }
}

/// Refuses intervals that Elo ratings do not have.
pub(super) fn check_ci(ci: Ci) -> Result<(), Refusal> {
    match ci {
        Ci::Bootstrap | Ci::None => Ok(()),
        Ci::Bca | Ci::Sandwich => Err(refuse_intervals()),
    }
}

fn refuse_intervals() -> Refusal {
    let reason = format!("use {0} bootstrap or {0} none", Setting::Ci);
    refuse_aggregation(Aggregation::Elo, Cause::Conflict(Setting::Ci), reason)
}

impl Estimator for Games {
    fn estimate(&self) -> Result<Scored, EngineError> {
        Ok(self.scored_at(&self.rate()?))
    }

    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError> {
        Ok(Resampled::new(
            self.rate()?,
            rounds_of_games(self, plan)?,
            plan.level,
            self.cluster_count(),
            self.games_of_systems(),
            self.clusters_of_systems(),
        )?
        .of_comparisons(&self.comparisons()?.tally())?)
    }

    fn contributions(
        &self,
        estimates: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        // A rating also depends on when the games were played: who is apart is a matter of
        // strengths.
        let data = self.comparisons()?;
        let strengths = bradley_terry(&data.tally()).scores.estimates;
        let found = Contributions::of_strengths(&data, Cluster::Item, &strengths, plan)?;
        found.shown_as(estimates.to_vec())
    }

    fn accelerations(&self) -> Result<Vec<Option<f64>>, EngineError> {
        Ok(vec![None; self.systems])
    }
}

/// Rates the games of every resample; none where there are too few clusters for any.
fn rounds_of_games(games: &Games, plan: &Bootstrap) -> Result<Vec<Scores>, Error> {
    match resample(games.cluster_count(), plan, |weights| {
        replay(games, weights)
    }) {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
        rounds => rounds?.into_iter().collect(),
    }
}

/// Plays the games of every cluster as often as it was drawn, in the order of the file.
fn replay(games: &Games, weights: &[f64]) -> Result<Scores, Error> {
    let mut run = EloRun::new(games.systems, Elo::default())?;
    for (game, cluster) in games.games.iter().zip(&games.clusters) {
        for _ in 0..weights[*cluster as usize] as u64 {
            run.push_game(game)?;
        }
    }
    Ok(run.scores())
}
