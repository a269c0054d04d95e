//! Strengths and discriminations of a panel with bootstrap intervals.

use super::cells::Cells;
use super::{JudgedComparison, fit_judges};
use crate::bootstrap::{expanded_level, or_none_if_too_few, percentiles};
use crate::data::ClusterSizes;
use crate::{
    Bootstrap, Cluster, Comparison, Comparisons, Error, Estimate, Interval, Resampled, Scores,
    Undefined, resample,
};
use std::collections::BTreeMap;

/// A judge of a panel, and how far its discrimination is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JudgeStanding {
    /// Its discrimination; see [`JudgeAware::discriminations`].
    pub discrimination: Estimate,
    /// How many comparisons it judged.
    pub n: u64,
    /// Percentile bootstrap interval of the discrimination, expanded for few clusters, or why there
    /// is none.
    pub interval: Result<Interval, Undefined>,
}

/// A panel's strengths on the data and on every resample, and its judges.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct JudgeAwareResampled {
    /// The scores of the systems.
    pub systems: Resampled,
    /// The judges, by number.
    pub judges: Vec<JudgeStanding>,
}

/// Fits [`crate::judge_aware`] to the rows and to resamples of their clusters: items with all that
/// was judged on them by whomever, or rows.
///
/// Rounds start from the fit of the data and are put on its origin. Below 2 clusters intervals are
/// undefined and the scores stand.
///
/// # Errors
/// Those of [`crate::judge_aware`]; a level, a number of rounds, or threads that cannot be used.
pub fn resample_judge_aware(
    systems: usize,
    judges: usize,
    rows: &[JudgedComparison],
    cluster: Cluster,
    plan: &Bootstrap,
) -> Result<JudgeAwareResampled, Error> {
    let cells = Cells::new(systems, judges, rows)?;
    let point = fit_judges(&cells.all(), systems, judges, None);
    // The dense number of each row's cluster.
    let mut numbers = BTreeMap::new();
    let mut cluster_of = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        let next = numbers.len();
        cluster_of.push(match cluster {
            Cluster::None => number,
            Cluster::Item => *numbers.entry(row.comparison.item).or_insert(next),
        });
    }
    let clusters = cluster_of.iter().max().map_or(0, |last| last + 1);
    let rounds = resample(clusters, plan, |weights| {
        let drawn = cells.weighted(|row| weights[cluster_of[row]]);
        fit_judges(&drawn, systems, judges, Some(&point)).shown
    });
    let rounds = or_none_if_too_few(rounds)?;
    // What each judge's items weigh.
    let mut weights = BTreeMap::<(u16, usize), f64>::new();
    for (row, &cluster) in rows.iter().zip(&cluster_of) {
        *weights.entry((row.judge, cluster)).or_default() += row.comparison.weight();
    }
    let mut sizes = vec![ClusterSizes::default(); judges];
    for ((judge, _), weight) in weights {
        sizes[usize::from(judge)].add(weight);
    }
    let clustered = rows.iter().zip(&cluster_of).map(|(row, &item)| Comparison {
        item: item as u32,
        ..row.comparison
    });
    let data = Comparisons::new(systems, clustered.collect())?;
    let shown = (0..judges).map(|judge| {
        let is_own = |row: &&JudgedComparison| usize::from(row.judge) == judge;
        let discrimination = point.shown.discriminations[judge];
        let interval = match discrimination {
            Estimate::Undefined(reason) => Err(reason),
            _ if rounds.is_empty() => Err(Undefined::TooFewClusters { clusters }),
            _ => {
                let drawn = rounds.iter().map(|round| round.discriminations[judge]);
                let drawn: Vec<Estimate> = drawn.collect();
                let level = expanded_level(plan.level, sizes[judge].clusters());
                percentiles(discrimination, &drawn, level).map(|found| Interval {
                    level: plan.level,
                    ..found
                })
            }
        };
        JudgeStanding {
            discrimination,
            n: rows.iter().filter(is_own).count() as u64,
            interval,
        }
    });
    let shown = shown.collect();
    let rounds: Vec<Scores> = rounds.into_iter().map(|round| round.scores).collect();
    let scores = point.shown.scores;
    let clusters_of = data.clusters_of_systems(Cluster::Item);
    let n = data.judgments();
    let found = Resampled::new(scores, rounds, plan.level, clusters, n, clusters_of)?
        .of_comparisons(&data.tally())?;
    Ok(JudgeAwareResampled {
        systems: found.with_components(point.shown.components),
        judges: shown,
    })
}
