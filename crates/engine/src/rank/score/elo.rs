//! Elo ratings, which depend on the order of the games.

use super::{Ci, Method, Scored, uncertainty};
use crate::EngineError;
use evenhand_stats::{
    Bootstrap, Elo, EloRun, Error, Game, Resampled, Scores, Undefined, elo, elo_permuted, resample,
};

/// Ratings after all games; a round plays the games of every cluster as often as it was drawn, in
/// the order of the file.
pub(super) fn scored(
    systems: usize,
    games: &[Game],
    clusters: &[u32],
    method: &Method,
) -> Result<Scored, EngineError> {
    let n = games_of(systems, games);
    if let Some(permutations) = method.permutations {
        let plan = &method.plan;
        let mean = elo_permuted(
            systems,
            games,
            Elo::default(),
            permutations,
            plan.seed,
            plan.threads,
        )?;
        return Ok(uncertainty::bare(&mean.scores, &n));
    }
    let point = elo(systems, games, Elo::default())?;
    if method.ci == Ci::None {
        return Ok(uncertainty::bare(&point, &n));
    }
    if method.ci != Ci::Bootstrap {
        return Err(EngineError::Setting(
            "--aggregate elo: use --ci bootstrap or --ci none".into(),
        ));
    }
    let count = clusters.iter().max().map_or(0, |most| *most as usize + 1);
    let rounds = rounds(systems, games, clusters, count, &method.plan)?;
    let resampled = Resampled::new(
        point,
        rounds,
        method.plan.level,
        count,
        n.clone(),
        clusters_of(systems, games, clusters),
    )?;
    uncertainty::of_rounds(&resampled, method)
}

fn rounds(
    systems: usize,
    games: &[Game],
    clusters: &[u32],
    count: usize,
    plan: &Bootstrap,
) -> Result<Vec<Scores>, EngineError> {
    let play = |weights: &[f64]| -> Result<Scores, Error> {
        let mut run = EloRun::new(systems, Elo::default())?;
        for (game, cluster) in games.iter().zip(clusters) {
            for _ in 0..weights[*cluster as usize] as u64 {
                run.push_game(game)?;
            }
        }
        Ok(run.scores())
    };
    match resample(count, plan, play) {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
        rounds => Ok(rounds?.into_iter().collect::<Result<_, _>>()?),
    }
}

fn games_of(systems: usize, games: &[Game]) -> Vec<u64> {
    let mut n = vec![0; systems];
    games
        .iter()
        .flat_map(|game| [game.a, game.b])
        .for_each(|system| n[usize::from(system)] += 1);
    n
}

fn clusters_of(systems: usize, games: &[Game], clusters: &[u32]) -> Vec<usize> {
    let mut seen = std::collections::HashSet::new();
    let mut counts = vec![0; systems];
    for (system, cluster) in games
        .iter()
        .zip(clusters)
        .flat_map(|(game, cluster)| [(game.a, *cluster), (game.b, *cluster)])
    {
        counts[usize::from(system)] += usize::from(seen.insert((system, cluster)));
    }
    counts
}
