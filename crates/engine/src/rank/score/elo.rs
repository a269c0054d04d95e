//! Elo ratings, which depend on the order of the games.

use super::estimator::Estimator;
use crate::rank::method::{Ci, refuse_aggregation};
use crate::rank::scored::Scored;
use crate::{Aggregation, EngineError};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_stats::{
    Bootstrap, Comparison, Elo, EloRun, Error, Game, Resampled, Scores, Undefined, elo,
    elo_permuted, resample,
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
        let (clusters, games) = rows
            .iter()
            .map(|row| (row.item, game_of_comparison(row)))
            .unzip();
        Games {
            systems,
            games,
            clusters,
        }
    }

    /// Rates the systems over so many orders of the games, and averages.
    pub(super) fn rate_permuted(
        &self,
        permutations: usize,
        plan: &Bootstrap,
    ) -> Result<Scored, EngineError> {
        let mean = elo_permuted(
            self.systems,
            &self.games,
            Elo::default(),
            permutations,
            plan.seed,
            plan.threads,
        )?;
        Ok(Scored::without_intervals(
            &mean.scores,
            &self.games_of_systems(),
        ))
    }

    fn games_of_systems(&self) -> Vec<u64> {
        let mut n = vec![0; self.systems];
        for game in &self.games {
            n[usize::from(game.a)] += 1;
            n[usize::from(game.b)] += 1;
        }
        n
    }

    fn clusters_of_systems(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut counts = vec![0; self.systems];
        for (game, cluster) in self.games.iter().zip(&self.clusters) {
            for system in [game.a, game.b] {
                counts[usize::from(system)] += usize::from(seen.insert((system, *cluster)));
            }
        }
        counts
    }

    fn cluster_count(&self) -> usize {
        let highest = self.clusters.iter().max();
        highest.map_or(0, |highest| *highest as usize + 1)
    }
}

/// A verdict that is a distribution is one game with its expected score.
pub(crate) fn game_of_comparison(row: &Comparison) -> Game {
    let weight = row.wins_a + row.ties + row.wins_b;
    let score = if weight > 0.0 {
        (row.wins_a + 0.5 * row.ties) / weight
    } else {
        0.5
    };
    Game {
        a: row.a,
        b: row.b,
        score: score.clamp(0.0, 1.0),
        weight,
    }
}

/// Refuses intervals that Elo ratings do not have.
pub(super) fn check_ci(ci: Ci) -> Result<(), Refusal> {
    if matches!(ci, Ci::Bootstrap | Ci::None) {
        return Ok(());
    }
    let reason = format!("use {0} bootstrap or {0} none", Setting::Ci);
    let conflict = Cause::Conflict(Setting::Ci);
    Err(refuse_aggregation(Aggregation::Elo, conflict, reason))
}

impl Estimator for Games {
    fn estimate(&self) -> Result<Scored, EngineError> {
        let point = elo(self.systems, &self.games, Elo::default())?;
        Ok(Scored::without_intervals(&point, &self.games_of_systems()))
    }

    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError> {
        let point = elo(self.systems, &self.games, Elo::default())?;
        let clusters = self.cluster_count();
        let rounds = match resample(clusters, plan, |weights| replay(self, weights)) {
            Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Vec::new(),
            rounds => rounds?.into_iter().collect::<Result<_, _>>()?,
        };
        Ok(Resampled::new(
            point,
            rounds,
            plan.level,
            clusters,
            self.games_of_systems(),
            self.clusters_of_systems(),
        )?)
    }

    fn accelerations(&self) -> Result<Vec<Option<f64>>, EngineError> {
        Ok(vec![None; self.systems])
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
