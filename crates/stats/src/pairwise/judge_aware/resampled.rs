//! Strengths and discriminations of a panel with bootstrap intervals.

use super::cells::Cells;
use super::{JudgedComparison, fit_judges};
use crate::bootstrap::{or_none_if_too_few, percentiles};
use crate::{
    Bootstrap, Cluster, Error, Estimate, Interval, Resampled, Scores, Tally, Undefined, resample,
};
use std::collections::{BTreeMap, BTreeSet};

/// A judge of a panel, and how far its discrimination is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JudgeStanding {
    /// Its discrimination; see [`JudgeAware::discriminations`].
    pub discrimination: Estimate,
    /// How many comparisons it judged.
    pub n: u64,
    /// Percentile bootstrap interval of the discrimination, or why there is none.
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
    let shown = (0..judges).map(|judge| {
        let own = rows.iter().filter(|row| usize::from(row.judge) == judge);
        let discrimination = point.shown.discriminations[judge];
        let interval = match discrimination {
            Estimate::Undefined(reason) => Err(reason),
            _ if rounds.is_empty() => Err(Undefined::TooFewClusters { clusters }),
            _ => {
                let drawn = rounds.iter().map(|round| round.discriminations[judge]);
                percentiles(discrimination, &drawn.collect::<Vec<_>>(), plan.level)
            }
        };
        JudgeStanding {
            discrimination,
            n: own.count() as u64,
            interval,
        }
    });
    let shown = shown.collect();
    // How many judgments and clusters each system is in.
    let mut n = vec![0u64; systems];
    let mut clusters_of = vec![BTreeSet::new(); systems];
    let mut tally = Tally::new(systems)?;
    for (row, &cluster) in rows.iter().zip(&cluster_of) {
        let one = &row.comparison;
        let (a, b) = (usize::from(one.a), usize::from(one.b));
        tally.add(a, b, one.wins_a, one.ties, one.wins_b)?;
        for system in [a, b] {
            n[system] += 1;
            clusters_of[system].insert(cluster);
        }
    }
    let clusters_of = clusters_of.iter().map(BTreeSet::len).collect();
    let rounds: Vec<Scores> = rounds.into_iter().map(|round| round.scores).collect();
    let scores = point.shown.scores;
    let found = Resampled::new(scores, rounds, plan.level, clusters, n, clusters_of)?
        .of_comparisons(&tally)?;
    Ok(JudgeAwareResampled {
        systems: found.with_components(point.shown.components),
        judges: shown,
    })
}
