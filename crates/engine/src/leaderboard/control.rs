//! Style control: rankings with the effect of covariates taken out.

use super::evidence::{Sort, sources};
use super::{About, ClusterBy, LeaderboardOptions, battles, effects, recorded, report};
use crate::score::{Ci, bare, by_covariance};
use crate::{Aggregation, Coverage, EngineError, Report};
use evenhand_core::battles::read_rows;
use evenhand_core::judgments::Compared;
use evenhand_stats::control::{
    Battles, ControlError, Normalisation, StyleControl, StyleControlled, normalised_difference, style_controlled,
};
use evenhand_stats::inference::Covariance;

/// Comparisons by columns, with their covariates.
struct Columns {
    a: Vec<u16>,
    b: Vec<u16>,
    won: Vec<f64>,
    weight: Option<Vec<f64>>,
    cluster: Option<Vec<u32>>,
    covariates: Vec<Vec<f64>>,
}

/// Ranks by Bradley-Terry with covariates.
pub(crate) fn leaderboard(options: &LeaderboardOptions, sort: Sort) -> Result<Report, EngineError> {
    let aggregation = options.rank.aggregation.unwrap_or(Aggregation::BradleyTerry);
    check(options, aggregation)?;
    let (about, columns) = match sort {
        Sort::Battles => of_battles(options)?,
        Sort::Recorded => of_judgments(options)?,
        Sort::Counts => {
            return Err(EngineError::Setting("--control: counts have no covariates; give the comparisons themselves".into()));
        }
    };
    let method = options.rank.method(aggregation)?;
    let plan = StyleControl {
        ridge: method.prior.map_or(0.0, evenhand_stats::Ridge::weight),
        level: method.plan.level,
        threads: method.plan.threads,
    };
    let battles = Battles {
        systems: about.names.len(),
        a: &columns.a,
        b: &columns.b,
        won: &columns.won,
        weight: columns.weight.as_deref(),
        cluster: columns.cluster.as_deref(),
        covariates: &columns.covariates,
    };
    let controlled = style_controlled(&battles, &plan).map_err(|error| named(error, options))?;
    let n = counts(&columns, about.names.len());
    let mut scored = bare(&controlled.scores, &n);
    if options.rank.ci == Ci::Sandwich {
        by_covariance(&mut scored, covariance(&controlled, &n), &method)?;
    }
    let report = report(options, &about, aggregation, &method).with(&about.names, scored, &method, options.rank.scale);
    Ok(Report { style: effects(&options.control, &controlled), ..report })
}

fn check(options: &LeaderboardOptions, aggregation: Aggregation) -> Result<(), EngineError> {
    if aggregation != Aggregation::BradleyTerry {
        return Err(EngineError::Setting(format!("--control: it is for bradley-terry, not for {}", aggregation.name())));
    }
    if !matches!(options.rank.ci, Ci::Sandwich | Ci::None) {
        return Err(EngineError::Setting("--control: its intervals are --ci sandwich, or --ci none".into()));
    }
    if options.systems.is_some() {
        return Err(EngineError::Setting("--control: it takes all systems of the files; leave --systems out".into()));
    }
    Ok(())
}

/// The error, with a covariate by its name instead of its number.
fn named(error: ControlError, options: &LeaderboardOptions) -> EngineError {
    let name = |number: usize| options.control.get(number).cloned().unwrap_or_default();
    EngineError::Setting(match error {
        ControlError::Collinear { covariate, by } if by.is_empty() => {
            format!("--control {}: the two systems alone determine it, or it is 0 throughout; leave it out", name(covariate))
        }
        ControlError::Collinear { covariate, by } => {
            let others: Vec<String> = by.into_iter().map(name).collect();
            format!("--control {}: it is determined by {}; leave one of them out", name(covariate), others.join(", "))
        }
        ControlError::Separated { covariate } => {
            format!("--control {}: it separates the outcomes: with more of it the fit gets better without end", name(covariate))
        }
        other => format!("--control {}: {other}", options.control.join(",")),
    })
}

/// The covariance of the strengths, cut out of that of all numbers that were estimated.
fn covariance(controlled: &StyleControlled, n: &[u64]) -> Result<Covariance, evenhand_stats::inference::InferenceError> {
    let uncertainty = controlled.uncertainty.as_ref().map_err(|reason| *reason)?;
    let (m, size) = (controlled.systems.len(), controlled.systems.len() + controlled.coefficients.len());
    let rows = uncertainty.covariance.chunks_exact(size).take(m).flat_map(|row| &row[..m]).copied();
    let counts = n.iter().map(|&n| n as usize).collect();
    Covariance::new(controlled.scores.estimates.clone(), rows.collect(), uncertainty.clusters as f64, counts)
}

fn counts(columns: &Columns, systems: usize) -> Vec<u64> {
    let mut n = vec![0; systems];
    columns.a.iter().chain(&columns.b).for_each(|&system| n[usize::from(system)] += 1);
    n
}

/// The names of a covariate's columns: one that is used as it is, or `A/B`, of which the normalised difference is taken.
fn parts(name: &str) -> (&str, Option<&str>) {
    name.split_once('/').map_or((name, None), |(a, b)| (a, Some(b)))
}

fn of_battles(options: &LeaderboardOptions) -> Result<(About, Columns), EngineError> {
    let mut reading = battles::reading(options);
    let names = options.control.iter().flat_map(|name| {
        let (a, b) = parts(name);
        [Some(a), b]
    });
    reading.columns.covariates = names.flatten().map(String::from).collect();
    let rows = read_rows(&mut sources(options)?, &reading)?;
    let won = rows.outcome.iter().map(|outcome| battles::points(*outcome));
    let verdicts = rows.a.len() as u64;
    let coverage = Coverage { trials: verdicts, verdicts, ..Coverage::default() };
    let by_item = rows.cluster.is_some();
    let about = About { names: rows.names, coverage, formats: vec!["battles".into()], by_item, ..About::default() };
    let mut read = rows.covariates.into_iter();
    let covariates = options.control.iter().map(|name| match (parts(name).1, read.next(), &mut read) {
        (Some(_), Some(a), rest) => difference(name, &a, &rest.next().unwrap_or_default()),
        (_, one, _) => Ok(one.unwrap_or_default()),
    });
    let covariates = covariates.collect::<Result<_, _>>()?;
    Ok((about, Columns { a: rows.a, b: rows.b, won: won.collect(), weight: rows.weight, cluster: rows.cluster, covariates }))
}

fn difference(name: &str, a: &[f64], b: &[f64]) -> Result<Vec<f64>, EngineError> {
    normalised_difference(a, b, Normalisation::RELATIVE)
        .map_err(|error| EngineError::Setting(format!("--control {name}: {error}")))
}

/// Judgments know the lengths of the responses, if anything.
fn of_judgments(options: &LeaderboardOptions) -> Result<(About, Columns), EngineError> {
    if options.control != ["length"] {
        return Err(EngineError::Setting("--control: of judgments only `length` is known".into()));
    }
    let recorded = recorded::read(&options.paths, options)?;
    let rows = &recorded.comparisons;
    let of = |length: fn(&Compared) -> Option<f64>| rows.iter().map(length).collect::<Option<Vec<f64>>>();
    let (Some(a), Some(b), false) = (of(|row| row.length_a), of(|row| row.length_b), rows.is_empty()) else {
        return Err(EngineError::Setting("--control length: the files do not say how long the responses are".into()));
    };
    let columns = Columns {
        a: rows.iter().map(|row| row.a).collect(),
        b: rows.iter().map(|row| row.b).collect(),
        won: rows.iter().map(recorded::won).collect(),
        weight: None,
        cluster: (options.cluster != ClusterBy::None).then(|| rows.iter().map(|row| row.item).collect()),
        covariates: vec![difference("length", &a, &b)?],
    };
    let keep: Vec<Option<u16>> = (0..recorded.systems.len() as u16).map(Some).collect();
    Ok((recorded::about(&recorded, &keep), columns))
}
