//! Elo ratings, which depend on the order of the games.

use super::{Estimator, Scored, count_systems};
use crate::Aggregation;
use crate::method::{Ci, refuse_aggregation};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::inference::{Contributions, InferenceError};
use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, Elo, EloRun, Error, Estimate, Game, Resampled,
    Scores, Undefined, bradley_terry, elo, elo_clusters, elo_permuted, resample,
};

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
        let n = self.games_of_systems();
        Ok(Scored::without_intervals(&mean.scores, &n))
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

    fn cluster_count(&self) -> usize {
        let highest = self.clusters.iter().max();
        highest.map_or(0, |highest| *highest as usize + 1)
    }
}

/// A verdict that is a distribution is one game with its expected score; one without any weight
/// counts for neither.
pub(crate) fn game_of_comparison(row: &Comparison) -> Game {
    let weight = row.wins_a + row.ties + row.wins_b;
    Game {
        a: row.a,
        b: row.b,
        score: match weight > 0.0 {
            true => ((row.wins_a + 0.5 * row.ties) / weight).clamp(0.0, 1.0),
            false => 0.5,
        },
        weight,
    }
}

/// Refuses intervals that Elo ratings do not have.
pub(super) fn check_ci(ci: Ci) -> Result<(), Refusal> {
    if matches!(ci, Ci::Bootstrap | Ci::None) {
        return Ok(());
    }
    let reason = format!("use {0} bootstrap or {0} none", Setting::Ci);
    let cause = Cause::Conflict(Setting::Ci);
    Err(refuse_aggregation(Aggregation::Elo, cause, reason))
}

impl Estimator for Games {
    fn estimate(&self) -> Result<Scored, EngineError> {
        let n = self.games_of_systems();
        Ok(Scored::without_intervals(&self.rate()?, &n))
    }

    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError> {
        let point = self.rate()?;
        // The games of every cluster are played as often as it was drawn, in the order of the file.
        let replay = |weights: &[f64]| {
            let mut run = EloRun::new(self.systems, Elo::default())?;
            for (game, cluster) in self.games.iter().zip(&self.clusters) {
                for _ in 0..weights[*cluster as usize] as u64 {
                    run.push_game(game)?;
                }
            }
            Ok(run.scores())
        };
        let rounds: Result<Vec<Scores>, Error> = match resample(self.cluster_count(), plan, replay)
        {
            Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
            rounds => rounds?.into_iter().collect(),
        };
        let resampled = Resampled::new(
            point,
            rounds?,
            plan.level,
            self.cluster_count(),
            self.games_of_systems(),
            elo_clusters(self.systems, &self.games, &self.clusters, Elo::default())?,
        )?;
        Ok(resampled.of_comparisons(&self.comparisons()?.tally())?)
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
