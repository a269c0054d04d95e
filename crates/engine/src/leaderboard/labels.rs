//! People's labels beside a judge's verdicts: prediction-powered rankings (PPI++; Angelopoulos,
//! Duchi and Zrnic 2023).

mod matched;

use super::evidence::{Sort, sort};
use super::{About, LeaderboardOptions, battles, recorded, refuse_others, report};
use crate::plan::conditions::{check_conditions, conditions_of};
use crate::rank::score::{Ci, Method, Scored, bare, by_covariance};
use crate::report::rows::order;
use crate::report::{Alone, Interval, LabelledSystem, Labels};
use crate::{Aggregation, EngineError, RankOptions, RankScale, Report, Warning, WarningKind};
use evenhand_formats::judgments::{Error, Options, Recorded};
use evenhand_stats::inference::Covariance;
use evenhand_stats::prediction_powered::{
    self, Measured, PoweredError, PoweredMean, PoweredStrengths, SamplingCheck, Strengths, Tuning,
    bradley_terry,
};
use evenhand_stats::{Estimate, Scores, StrengthScale, Undefined, competition_ranks};
use matched::Rows;
use std::path::PathBuf;

/// Strengths that differ by less than this share a rank, in log-odds.
const SAME_STRENGTH: f64 = 1e-9;
/// Means that differ by less than this share of the largest one share a rank.
const SAME_MEAN: f64 = 1e-12;
/// Below this p-value the labelled rows do not look like a random sample.
const UNLIKELY: f64 = 0.01;

/// Scores, and what is said of the labels: one entry for each system, in the order of their
/// numbers.
struct Powered {
    scored: Scored,
    labels: Labels,
    warnings: Vec<Warning>,
}

/// Ranks by the judge's verdicts and people's labels together.
pub(crate) fn leaderboard(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    refuse_others("--labels", options)?;
    check_conditions(
        &options.filter,
        &[options.paths.clone(), options.labels.clone()].concat(),
    )?;
    let (judged, people) = (
        read(&options.paths, options)?,
        read(&options.labels, options)?,
    );
    let aggregation = aggregation(&judged, &people, options)?;
    let keep = battles::kept(&judged.systems, options)?;
    let about = about(&judged, &people, &keep);
    let rows = matched::rows(&judged, &people, &keep, options.systems.as_deref());
    if rows.matched() == 0 {
        let labels = rows.unmatched;
        return Err(EngineError::Setting(format!(
            "--labels: the judge has judged none of the {labels} labelled rows; rows are matched \
             by the names of the item and the systems"
        )));
    }
    let method = RankOptions {
        ci: Ci::None,
        ..options.rank.clone()
    }
    .method(aggregation)?;
    let method = Method {
        ci: options.rank.ci,
        ..method
    };
    let powered = match aggregation {
        Aggregation::BradleyTerry => strengths(&rows, &about.names, &method, options.rank.scale)?,
        _ => means(&rows, &about.names, &method)?,
    };
    Ok(whole(options, about, aggregation, &method, powered))
}

fn whole(
    options: &LeaderboardOptions,
    mut about: About,
    aggregation: Aggregation,
    method: &Method,
    powered: Powered,
) -> Report {
    let Powered {
        scored,
        mut labels,
        warnings,
    } = powered;
    labels.systems = order(&scored)
        .into_iter()
        .map(|system| labels.systems[system].clone())
        .collect();
    about.warnings.extend(of_labels(&labels));
    about.warnings.extend(warnings);
    let report = report(options, &about, aggregation, method);
    let ci = match method.ci {
        Ci::None => report.ci.clone(),
        _ => Interval {
            method: "prediction-powered",
            rounds: 0,
            ..report.ci.clone()
        },
    };
    Report {
        ci,
        labels: Some(labels),
        ..report
    }
    .with(&about.names, scored, method, options.rank.scale)
}

/// Reads judgments, scores, or battles whose items have names.
fn read(paths: &[PathBuf], options: &LeaderboardOptions) -> Result<Recorded, EngineError> {
    let filter = conditions_of(&options.filter, paths);
    let here = LeaderboardOptions {
        paths: paths.to_vec(),
        filter,
        ..options.clone()
    };
    let reading = Options {
        battles: true,
        ..recorded::reading(&here)
    };
    let names = || {
        paths
            .iter()
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match sort(&here)? {
        Sort::Counts => Err(EngineError::Setting(format!(
            "--labels: {}: counts name no items, by which labels and verdicts are matched; give \
             judgments, scores or battles",
            names()
        ))),
        Sort::Battles => recorded::read_as(paths, &reading).map_err(|error| match error {
            EngineError::Judgments(Error::Unrecognised { .. } | Error::DataSet { .. }) => {
                EngineError::Setting(format!(
                    "--labels: {}: the battles name no items, by which labels and verdicts are \
                 matched; \
                 expected the item in a column `question_id` or `item`",
                    names()
                ))
            }
            other => other,
        }),
        Sort::Recorded => recorded::read_as(paths, &reading),
    }
}

/// The estimators there are: of strengths and win ratios from comparisons, of means from scores.
fn aggregation(
    judged: &Recorded,
    people: &Recorded,
    options: &LeaderboardOptions,
) -> Result<Aggregation, EngineError> {
    let scores = !judged.scores.is_empty();
    if scores == people.scores.is_empty()
        && !(people.comparisons.is_empty() && people.scores.is_empty())
    {
        let (judge, people) = if scores {
            ("scores", "comparisons")
        } else {
            ("comparisons", "scores")
        };
        return Err(EngineError::Setting(format!(
            "--labels: the judge gave {judge} and people {people}; both must be of one sort"
        )));
    }
    let usual = if scores {
        Aggregation::Mean
    } else {
        Aggregation::BradleyTerry
    };
    match (scores, options.rank.aggregation.unwrap_or(usual)) {
        (false, Aggregation::WinRatio) | (true, Aggregation::Mean) if options.rank.differences => {
            Err(EngineError::Setting(
                "--differences: with --labels it is for bradley-terry".into(),
            ))
        }
        (false, found @ (Aggregation::BradleyTerry | Aggregation::WinRatio))
        | (true, found @ Aggregation::Mean) => Ok(found),
        (scores, other) => {
            let (what, which) = if scores {
                ("scores", "mean")
            } else {
                ("comparisons", "bradley-terry or win-ratio")
            };
            let name = other.name();
            Err(EngineError::Setting(format!(
                "--labels: for {what} there is --aggregate {which}, and not {name}"
            )))
        }
    }
}

fn about(judged: &Recorded, people: &Recorded, keep: &[Option<u16>]) -> About {
    let all: Vec<Option<u16>> = (0..people.systems.len() as u16).map(Some).collect();
    let (mut about, labels) = (recorded::about(judged, keep), recorded::about(people, &all));
    about.warnings.extend(
        labels
            .warnings
            .into_iter()
            .map(|warning| warning.kind.says(format!("labels: {warning}"))),
    );
    about.formats.extend(
        labels
            .formats
            .into_iter()
            .map(|format| format!("labels: {format}")),
    );
    about
}

/// Prediction-powered Bradley-Terry.
fn strengths(
    rows: &Rows,
    names: &[String],
    method: &Method,
    scale: RankScale,
) -> Result<Powered, EngineError> {
    let (labelled, judged) = rows.pairs();
    let found = bradley_terry(
        names.len(),
        &labelled,
        &judged,
        Tuning::Tuned,
        method.plan.level,
    )
    .map_err(|error| EngineError::Setting(format!("--labels: {}", named(&error, names))))?;
    let labels = Labels {
        lambda: Some(found.lambda),
        effective_labels: found.effective_labels.ok(),
        sampling_p: p_value(&found.sampling),
        ..held(rows, strengths_beside(&found, names, method, scale))
    };
    let alone = [("labels", &found.labels_only), ("judge", &found.judge_only)];
    let lacking = alone.iter().filter_map(|(who, all)| {
        Some(format!(
            "by the {who} alone there are no scores: {}",
            named(all.as_ref().err()?, names)
        ))
    });
    Ok(Powered {
        scored: scored_strengths(&found, rows, method)?,
        warnings: of_kind_labels(lacking),
        labels,
    })
}

fn scored_strengths(
    found: &PoweredStrengths,
    rows: &Rows,
    method: &Method,
) -> Result<Scored, EngineError> {
    let estimates: Vec<Estimate> = found
        .estimate
        .systems
        .iter()
        .map(|one| Estimate::Finite(one.value))
        .collect();
    let (n, clusters) = (
        rows.counts(estimates.len()),
        rows.label_clusters(estimates.len()),
    );
    let mut scored = bare(&point(estimates.clone(), &n, SAME_STRENGTH), &n);
    if method.ci != Ci::None {
        let (matrix, all) = (
            found.estimate.covariance.clone(),
            found.label_clusters as f64,
        );
        by_covariance(
            &mut scored,
            Covariance::new(estimates, matrix, all, clusters),
            method,
        )?;
    }
    Ok(scored)
}

fn strengths_beside(
    found: &PoweredStrengths,
    names: &[String],
    method: &Method,
    scale: RankScale,
) -> Vec<LabelledSystem> {
    let scale = match scale {
        RankScale::Elo => StrengthScale::Elo,
        RankScale::LogOdds => StrengthScale::LogOdds,
    };
    let of = |all: &Result<Strengths, PoweredError>, system: usize| {
        all.as_ref().ok().map(|all| all.systems[system])
    };
    let system = |(system, name): (usize, &String)| {
        let whole = Some(found.estimate.systems[system]);
        let (labels, judge) = (
            of(&found.labels_only, system),
            of(&found.judge_only, system),
        );
        beside(name, [whole, labels, judge], method, &|x| {
            scale.from_log_odds(x)
        })
    };
    names.iter().enumerate().map(system).collect()
}

/// Prediction-powered means, each system's for itself: of its scores, or of its points of its
/// comparisons.
fn means(rows: &Rows, names: &[String], method: &Method) -> Result<Powered, EngineError> {
    let found: Vec<Result<PoweredMean, PoweredError>> = (0..names.len())
        .map(|system| mean(rows, system, &names[system], method.plan.level))
        .collect::<Result<_, _>>()?;
    let systems = found
        .iter()
        .zip(names)
        .map(|(mean, name)| mean_beside(mean, name, method))
        .collect();
    let failed = found
        .iter()
        .zip(names)
        .filter_map(|(mean, name)| Some(format!("{name} has no score: {}", mean.as_ref().err()?)));
    let tests: Vec<f64> = found
        .iter()
        .flatten()
        .filter_map(|mean| p_value(&mean.sampling))
        .collect();
    let least = tests
        .iter()
        .copied()
        .reduce(f64::min)
        .map(|p| (p * tests.len() as f64).min(1.0));
    let labels = Labels {
        sampling_p: least,
        ..held(rows, systems)
    };
    Ok(Powered {
        scored: scored_means(&found, rows, method),
        warnings: of_kind_labels(failed),
        labels,
    })
}

/// One system's mean, or too few items for it.
fn mean(
    rows: &Rows,
    system: usize,
    name: &str,
    level: f64,
) -> Result<Result<PoweredMean, PoweredError>, EngineError> {
    let (labelled, judged) = rows.points(system);
    match prediction_powered::mean(&labelled, &judged, Tuning::Tuned, level) {
        Err(error) if !matches!(error, PoweredError::TooFewClusters { .. }) => {
            Err(EngineError::Setting(format!("--labels: {name}: {error}")))
        }
        found => Ok(found),
    }
}

fn scored_means(
    found: &[Result<PoweredMean, PoweredError>],
    rows: &Rows,
    method: &Method,
) -> Scored {
    let n = rows.counts(found.len());
    let largest = found
        .iter()
        .flatten()
        .fold(0.0, |most, mean| f64::max(most, mean.estimate.value.abs()));
    let mut scored = bare(
        &point(
            found.iter().map(estimate).collect(),
            &n,
            SAME_MEAN * largest,
        ),
        &n,
    );
    for (system, mean) in scored
        .systems
        .iter_mut()
        .zip(found)
        .filter(|_| method.ci != Ci::None)
    {
        system.interval = Some(interval(mean, method.plan.level));
    }
    scored
}

fn mean_beside(
    mean: &Result<PoweredMean, PoweredError>,
    name: &str,
    method: &Method,
) -> LabelledSystem {
    let mean = mean.as_ref().ok();
    let all = [
        mean.map(|mean| mean.estimate),
        mean.map(|mean| mean.labels_only),
        mean.map(|mean| mean.judge_only),
    ];
    LabelledSystem {
        lambda: mean.map(|mean| mean.lambda),
        effective_labels: mean.and_then(|mean| mean.effective_labels.ok()),
        ..beside(name, all, method, &|x| x)
    }
}

fn point(estimates: Vec<Estimate>, n: &[u64], resolution: f64) -> Scores {
    let ranks = competition_ranks(&estimates, resolution);
    Scores {
        estimates,
        ranks,
        weight: n.iter().map(|&n| n as f64).collect(),
        resolution,
        fit: None,
    }
}

fn estimate(mean: &Result<PoweredMean, PoweredError>) -> Estimate {
    match mean {
        Ok(mean) => Estimate::Finite(mean.estimate.value),
        Err(PoweredError::TooFewClusters { clusters, .. }) => {
            Estimate::Undefined(Undefined::TooFewClusters {
                clusters: *clusters,
            })
        }
        Err(_) => Estimate::Undefined(Undefined::NoData),
    }
}

fn interval(
    mean: &Result<PoweredMean, PoweredError>,
    level: f64,
) -> Result<evenhand_stats::Interval, String> {
    let mean = mean.as_ref().map_err(PoweredError::to_string)?;
    let ends = mean
        .estimate
        .uncertainty
        .map_err(|reason| reason.to_string())?;
    let (low, high) = (Some(ends.low), Some(ends.high));
    Ok(evenhand_stats::Interval {
        low,
        high,
        level,
        rounds: 0,
        infinite: 0,
        undefined: 0,
    })
}

/// What the labels and the judge say alone, and by what the two together are better; given are:
/// together, labels, judge.
fn beside(
    name: &str,
    all: [Option<Measured>; 3],
    method: &Method,
    show: &impl Fn(f64) -> f64,
) -> LabelledSystem {
    let [whole, labels, judge] = all;
    let ends = |one: &Measured| one.uncertainty.ok().filter(|_| method.ci != Ci::None);
    let alone = |one: Measured| Alone {
        score: show(one.value),
        ci: ends(&one).map(|ends| [show(ends.low), show(ends.high)]),
    };
    let error = |one: Option<Measured>| Some(ends(&one?)?.standard_error);
    let narrower = error(whole)
        .zip(error(labels))
        .map(|(both, labels)| 1.0 - both / labels);
    let (labels_only, judge_only) = (labels.map(alone), judge.map(alone));
    LabelledSystem {
        system: name.into(),
        labels_only,
        judge_only,
        narrower,
        lambda: None,
        effective_labels: None,
    }
}

/// What is known of the labels whatever the estimator.
fn held(rows: &Rows, systems: Vec<LabelledSystem>) -> Labels {
    let narrower: Vec<f64> = systems
        .iter()
        .filter_map(|system| system.narrower)
        .collect();
    Labels {
        matched: rows.matched(),
        unmatched: rows.unmatched,
        labelled_share: rows.matched() as f64 / rows.all.len() as f64,
        narrower: (!narrower.is_empty())
            .then(|| narrower.iter().sum::<f64>() / narrower.len() as f64),
        systems,
        ..Labels::default()
    }
}

fn p_value(check: &SamplingCheck) -> Option<f64> {
    check.test.ok().map(|test| test.p_value)
}

fn of_kind_labels(texts: impl Iterator<Item = String>) -> Vec<Warning> {
    texts.map(|text| WarningKind::Labels.says(text)).collect()
}

fn of_labels(labels: &Labels) -> Vec<Warning> {
    let (unmatched, all) = (labels.unmatched, labels.matched + labels.unmatched);
    let unlikely = labels.sampling_p.filter(|p| *p < UNLIKELY);
    let found = [
        (unmatched > 0).then(|| {
            format!(
                "{unmatched} of {all} labelled rows have no verdict of the \
                                         judge; they count for nobody"
            )
        }),
        unlikely.map(|p| {
            format!(
                "the labelled rows do not look like a random sample of all rows (p {p:.1e}), \
                     and the ranking rests on their being one"
            )
        }),
    ];
    of_kind_labels(found.into_iter().flatten())
}

/// The error with the systems' names in place of their numbers.
fn named(error: &PoweredError, names: &[String]) -> String {
    let list = |group: &[usize]| {
        group
            .iter()
            .map(|&system| names[system].as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match error {
        PoweredError::LabelsDisconnected { components } => {
            let groups: Vec<String> = components.iter().map(|group| list(group)).collect();
            let groups = groups.join(" | ");
            format!(
                "no chain of people's labels connects these groups: {groups}; label comparisons \
                 between them"
            )
        }
        PoweredError::NoFiniteMaximum { lambda, above } => format!(
            "with lambda {lambda:.3} there are no finite strengths: the labels, the judge's \
             correction included, never put {} below the others; more labels are needed",
            list(above)
        ),
        other => other.to_string(),
    }
}
