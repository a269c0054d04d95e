//! Intervals of scores, ranks and differences, by the rounds of a bootstrap or by a covariance.

use super::{Ci, Method, Scored, Standing, estimates_of_rounds, standings};
use crate::EngineError;
use evenhand_stats::inference::{
    Covariance, Coverage, InferenceError, RankSets, SmallSample, bca_interval,
    bootstrap_differences, covariance_differences, jackknife, jackknife_acceleration,
    joint_p_values, mean_accelerations, rank_sets, rank_sets_from_covariance, sandwich,
    sandwich_clustered, smallest_p_value, strength_accelerations, strength_accelerations_of_tally,
};
use evenhand_stats::{
    Cluster, Comparisons, Estimate, ItemScores, PairMethod, PointMethod, Resampled, Scores, Tally,
};

/// Scores alone.
pub(crate) fn bare(point: &Scores, n: &[u64]) -> Scored {
    let standing = |(system, n): (usize, &u64)| Standing {
        estimate: point.estimates[system],
        n: *n,
        interval: None,
        rank: point.ranks[system],
        rank_interval: None,
        standard_error: None,
    };
    Scored {
        systems: n.iter().enumerate().map(standing).collect(),
        components: Vec::new(),
        fit: point.fit,
        unconverged_rounds: 0,
        apart: None,
        rounds_needed: None,
        differences: Vec::new(),
        joint: None,
        drop: None,
    }
}

/// Percentile intervals, and simultaneous rank intervals from the same rounds.
pub(super) fn of_rounds(resampled: &Resampled, method: &Method) -> Result<Scored, EngineError> {
    let ranking = resampled.ranking();
    let mut scored = Scored {
        components: ranking.components.clone(),
        fit: ranking.fit,
        unconverged_rounds: ranking.unconverged_rounds,
        ..bare(
            &resampled.point,
            &ranking
                .systems
                .iter()
                .map(|system| system.n)
                .collect::<Vec<_>>(),
        )
    };
    if method.ci == Ci::None || method.ci == Ci::Sandwich {
        return Ok(scored);
    }
    scored.systems = standings(ranking);
    if !resampled.rounds.is_empty() {
        let (point, rounds) = estimates_of_rounds(resampled, method);
        rank_by(
            &mut scored,
            rank_sets(&point, &rounds, resampled.level, Coverage::Joint),
        )?;
        if method.differences {
            let rounds = in_rounds(resampled);
            scored.differences =
                bootstrap_differences(&resampled.point.estimates, &rounds, resampled.level)?;
            scored.joint = Some((
                joint_p_values(&scored.differences, &rounds),
                smallest_p_value(rounds.len()),
            ));
        }
    }
    Ok(scored)
}

fn in_rounds(resampled: &Resampled) -> Vec<Vec<Estimate>> {
    resampled
        .rounds
        .iter()
        .map(|round| round.estimates.clone())
        .collect()
}

/// Rank intervals for all systems whose rank the data determine.
fn rank_by(scored: &mut Scored, sets: Result<RankSets, InferenceError>) -> Result<(), EngineError> {
    let sets = match sets {
        Err(InferenceError::FewRounds { needed, .. }) => {
            scored
                .systems
                .iter_mut()
                .for_each(|system| system.rank_interval = None);
            scored.rounds_needed = Some(needed);
            return Ok(());
        }
        sets => sets?,
    };
    for (system, interval) in scored.systems.iter_mut().zip(&sets.intervals) {
        match interval {
            // Data that do not vary would make their rank look certain.
            _ if system.rank.is_none() || matches!(&system.interval, Some(Err(_))) => {
                system.rank_interval = None
            }
            Ok(interval) => system.rank_interval = Some([interval.low, interval.high]),
            // Too often infinite to be held against the others: its own rounds alone would say
            // another thing than theirs.
            Err(_) => system.rank_interval = None,
        }
    }
    scored.apart = Some(sets.apart);
    Ok(())
}

/// Robust intervals from rows.
pub(super) fn sandwich_of_rows(
    data: &Comparisons,
    resampled: &Resampled,
    method: &Method,
) -> Result<Scored, EngineError> {
    let mut scored = of_rounds(resampled, method)?;
    check_sandwich(method)?;
    let covariance = sandwich_clustered(
        data,
        method.cluster,
        &resampled.point.estimates,
        SmallSample::Uncorrected,
    );
    by_covariance(&mut scored, covariance, method)?;
    Ok(scored)
}

/// Robust intervals from counts.
pub(super) fn sandwich_of_counts(
    tally: &Tally,
    point: &Scores,
    n: &[u64],
    method: &Method,
) -> Result<Scored, EngineError> {
    let mut scored = bare(point, n);
    check_sandwich(method)?;
    by_covariance(&mut scored, sandwich(tally, &point.estimates), method)?;
    Ok(scored)
}

/// That the aggregation has a sandwich was checked with the settings.
fn check_sandwich(method: &Method) -> Result<(), EngineError> {
    let why = "--ci sandwich: it is for maximum likelihood; with --prior use --ci bootstrap";
    if method.prior.is_some() {
        Err(EngineError::Setting(why.into()))
    } else {
        Ok(())
    }
}

/// Normal intervals from a covariance, and rank intervals from normal draws.
pub(crate) fn by_covariance(
    scored: &mut Scored,
    covariance: Result<Covariance, InferenceError>,
    method: &Method,
) -> Result<(), EngineError> {
    let covariance = match covariance {
        Err(reason @ (InferenceError::Undefined(_) | InferenceError::Singular)) => {
            scored
                .systems
                .iter_mut()
                .for_each(|system| system.interval = Some(Err(reason.to_string())));
            return Ok(());
        }
        covariance => covariance?,
    };
    let level = method.plan.level;
    for (number, system) in scored.systems.iter_mut().enumerate() {
        system.interval = Some(
            covariance
                .interval(number, level)
                .map_err(|reason| reason.to_string()),
        );
    }
    rank_by(
        scored,
        rank_sets_from_covariance(&covariance, &method.plan, Coverage::Joint),
    )?;
    if method.differences {
        scored.differences = covariance_differences(&covariance, level)?;
        scored.joint = None;
    }
    Ok(())
}

/// Replaces percentile intervals by corrected ones, where those exist.
pub(super) fn correct(
    scored: &mut Scored,
    resampled: &Resampled,
    method: &Method,
    accelerations: impl FnOnce() -> Result<Vec<Option<f64>>, EngineError>,
) -> Result<(), EngineError> {
    if resampled.rounds.is_empty() {
        return Ok(());
    }
    let accelerations = accelerations()?;
    for (number, system) in scored
        .systems
        .iter_mut()
        .enumerate()
        .filter(|(_, system)| matches!(system.interval, Some(Ok(_))))
    {
        let rounds: Vec<Estimate> = resampled
            .rounds
            .iter()
            .map(|round| round.estimates[number])
            .collect();
        let interval = match accelerations[number] {
            Some(acceleration) => {
                bca_interval(system.estimate, &rounds, acceleration, method.plan.level)
                    .map_err(|reason| reason.to_string())
            }
            None => Err("its data do not say how skewed it is".into()),
        };
        system.interval = Some(interval);
    }
    Ok(())
}

pub(super) fn accelerations_of_rows(
    data: &Comparisons,
    pairs: PairMethod,
    method: &Method,
) -> Result<Vec<Option<f64>>, EngineError> {
    let point = pairs.scores(&data.tally());
    if pairs == PairMethod::BradleyTerry {
        return or_none(
            strength_accelerations(data, method.cluster, &point.estimates),
            data.systems(),
        );
    }
    let statistic = |weights: &[f64]| match data.weighted_tally(method.cluster, weights) {
        Ok(tally) => pairs.scores(&tally).estimates,
        Err(_) => Vec::new(),
    };
    by_jackknife(data.clusters(method.cluster), data.systems(), statistic)
}

pub(super) fn accelerations_of_counts(
    tally: &Tally,
    pairs: PairMethod,
    method: &Method,
) -> Result<Vec<Option<f64>>, EngineError> {
    let point = pairs.scores(tally);
    if pairs == PairMethod::BradleyTerry {
        return or_none(
            strength_accelerations_of_tally(tally, &point.estimates),
            tally.systems(),
        );
    }
    let name = method.aggregation.name();
    Err(EngineError::Setting(format!(
        "--ci bca: from counts it is for bradley-terry; with --aggregate {name} use --ci bootstrap"
    )))
}

pub(super) fn accelerations_of_scores(
    data: &ItemScores,
    points: PointMethod,
) -> Result<Vec<Option<f64>>, EngineError> {
    if points == PointMethod::Mean {
        return Ok(mean_accelerations(data));
    }
    let statistic = |weights: &[f64]| match data.weighted_scores(points, weights) {
        Ok(scores) => scores.estimates,
        Err(_) => Vec::new(),
    };
    by_jackknife(data.clusters(Cluster::Item), data.systems(), statistic)
}

fn or_none(
    found: Result<Vec<Option<f64>>, InferenceError>,
    systems: usize,
) -> Result<Vec<Option<f64>>, EngineError> {
    match found {
        Err(InferenceError::Undefined(_) | InferenceError::Singular) => Ok(vec![None; systems]),
        found => Ok(found?),
    }
}

fn by_jackknife(
    clusters: usize,
    systems: usize,
    statistic: impl Fn(&[f64]) -> Vec<Estimate>,
) -> Result<Vec<Option<f64>>, EngineError> {
    let groups = jackknife(clusters, statistic)?;
    let of = |system: usize| {
        let values: Vec<Estimate> = groups.iter().map(|group| group[system]).collect();
        jackknife_acceleration(&values).ok()
    };
    Ok((0..systems).map(of).collect())
}
