//! Strengths and discriminations of a panel with bootstrap intervals.

use super::cells::Cells;
use super::{Fitted, JudgeAware, JudgedComparison, fit_judges};
use crate::bootstrap::percentiles;
use crate::index::saturating_size;
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
    let clusters = clusters_of(rows, cluster);
    let rounds = resample(count_clusters(&clusters), plan, |weights| {
        let drawn = cells.weighted(|row| weights[clusters[row]]);
        fit_judges(&drawn, systems, judges, Some(&point)).shown
    });
    let rounds = match rounds {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Vec::new(),
        rounds => rounds?,
    };
    Found {
        rows,
        clusters: &clusters,
        point,
        rounds,
    }
    .show(systems, judges, plan.level)
}

/// The dense number of each row's cluster.
fn clusters_of(rows: &[JudgedComparison], cluster: Cluster) -> Vec<usize> {
    if cluster == Cluster::None {
        return (0..rows.len()).collect();
    }
    let mut numbers = BTreeMap::new();
    let items = rows.iter().map(|row| {
        let next = numbers.len();
        *numbers.entry(row.comparison.item).or_insert(next)
    });
    items.collect()
}

fn count_clusters(clusters: &[usize]) -> usize {
    clusters.iter().max().map_or(0, |last| last + 1)
}

/// All that was fitted.
struct Found<'a> {
    rows: &'a [JudgedComparison],
    clusters: &'a [usize],
    point: Fitted,
    rounds: Vec<JudgeAware>,
}

impl Found<'_> {
    fn show(self, systems: usize, judges: usize, level: f64) -> Result<JudgeAwareResampled, Error> {
        let shown = (0..judges).map(|judge| self.judge(judge, level)).collect();
        let (n, clusters_of) = self.evidence(systems);
        let rounds = self.rounds.into_iter().map(|round| round.scores);
        let rounds: Vec<Scores> = rounds.collect();
        let clusters = count_clusters(self.clusters);
        let scores = self.point.shown.scores;
        let mut tally = Tally::new(systems)?;
        for row in self.rows {
            let one = &row.comparison;
            let (a, b) = (usize::from(one.a), usize::from(one.b));
            tally.add(a, b, one.wins_a, one.ties, one.wins_b)?;
        }
        let found = Resampled::new(scores, rounds, level, clusters, n, clusters_of)?
            .of_comparisons(&tally)?;
        Ok(JudgeAwareResampled {
            systems: found.with_components(self.point.shown.components),
            judges: shown,
        })
    }

    fn judge(&self, judge: usize, level: f64) -> JudgeStanding {
        let rows = self.rows.iter();
        let n = rows.filter(|row| usize::from(row.judge) == judge).count();
        let discrimination = self.point.shown.discriminations[judge];
        JudgeStanding {
            discrimination,
            n: n as u64,
            interval: self.interval(discrimination, judge, level),
        }
    }

    fn interval(&self, point: Estimate, judge: usize, level: f64) -> Result<Interval, Undefined> {
        if let Estimate::Undefined(reason) = point {
            return Err(reason);
        }
        if self.rounds.is_empty() {
            let clusters = count_clusters(self.clusters);
            return Err(Undefined::TooFewClusters { clusters });
        }
        let rounds = self.rounds.iter().map(|round| round.discriminations[judge]);
        percentiles(&rounds.collect::<Vec<_>>(), level)
    }

    /// How many judgments and clusters each system is in.
    fn evidence(&self, systems: usize) -> (Vec<u64>, Vec<usize>) {
        let mut n = vec![0u64; systems];
        let mut clusters = vec![BTreeSet::new(); systems];
        for (row, &cluster) in self.rows.iter().zip(self.clusters) {
            for system in [row.comparison.a, row.comparison.b].map(usize::from) {
                n[system] += 1;
                clusters[system].insert(cluster);
            }
        }
        let sizes = clusters
            .iter()
            .map(|found| saturating_size(found.len() as u64));
        (n, sizes.collect())
    }
}
