//! The influence of each cluster on an estimate, and from that the variance for every lambda at
//! once.

use super::{JUDGED, LABELLED, PoweredError};
use crate::data::ClusterSizes;
use std::collections::BTreeMap;

/// One row's part in the estimating equations of d parameters: the contribution of the human and of
/// the judge, added to parameter `up` and taken from `down`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contribution {
    pub(super) cluster: u32,
    pub(super) up: usize,
    pub(super) down: Option<usize>,
    /// None: a row without a label.
    pub(super) human: Option<f64>,
    pub(super) judge: f64,
}

/// Covariances of the two parts of an estimate h - lambda v, where h is the labels' mean and v the
/// judge's mean over the labelled rows less that over the others. Each a symmetric d x d matrix,
/// row-major.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// Of h with itself.
    pub(super) human: Vec<f64>,
    /// Of h with v, symmetrised.
    pub(super) cross: Vec<f64>,
    /// Of v with itself.
    pub(super) judge: Vec<f64>,
}

impl Moments {
    /// The covariance of h - lambda v.
    pub(super) fn variance(&self, lambda: f64) -> Vec<f64> {
        let parts = self.human.iter().zip(&self.cross).zip(&self.judge);
        parts
            .map(|((human, cross), judge)| human - 2.0 * lambda * cross + lambda * lambda * judge)
            .collect()
    }
}

/// Errors of the judge that the labels may not have shown, as clusters of labels: see
/// [`unseen_errors`].
const UNSEEN: f64 = 8.0;

/// The covariance of errors of the judge that the labelled rows do not show, which is added to
/// [`Moments::judge`]: few labels show a rare error seldom or never, and the moments of what they
/// show would say that there is none.
///
/// With u the labelled rows' part in v of each cluster, the variance of a parameter is `UNSEEN` *
/// sqrt(mean over its labelled clusters of u^4): of n independent verdicts with fourth central
/// moment m, `UNSEEN` * sqrt(m) / n^2. For a judge that passes half of the rows that is 2 / n^2, as
/// though two more labels had shown it to be wrong, once to either side. Covariances are those of u,
/// scaled to these variances. The number was chosen by simulation (docs/design/statistics.md).
///
/// `to_parameters` turns a cluster's d contributions into its part in the d parameters.
pub(super) fn unseen_errors(
    d: usize,
    rows: &[Contribution],
    to_parameters: impl Fn(Vec<f64>) -> Vec<f64>,
) -> Vec<f64> {
    let labelled = count_rows(rows).labelled;
    let mut mean = vec![0.0; d];
    for row in rows.iter().filter(|row| row.human.is_some()) {
        row.add_to(&mut mean, row.judge / labelled);
    }
    let (mut covariance, mut fourth) = (vec![0.0; d * d], vec![0.0; d]);
    for cluster in by_cluster(rows) {
        let (mut part, mut labels) = (vec![0.0; d], 0.0);
        for row in cluster.iter().filter(|row| row.human.is_some()) {
            row.add_to(&mut part, row.judge / labelled);
            labels += 1.0;
        }
        if labels == 0.0 {
            continue;
        }
        for (part, mean) in part.iter_mut().zip(&mean) {
            *part -= labels / labelled * mean;
        }
        let part = to_parameters(part);
        add_products(&mut covariance, &part, &part, 1.0);
        for (sum, part) in fourth.iter_mut().zip(&part) {
            *sum += part.powi(4);
        }
    }
    let clusters_of = labelled_clusters(d, rows);
    let stretch = (0..d).map(|i| {
        let variance = UNSEEN * (fourth[i] / clusters_of[i].max(1) as f64).sqrt();
        let shown = covariance[i * d + i];
        if shown > 0.0 {
            (variance / shown).sqrt()
        } else {
            0.0
        }
    });
    let stretch: Vec<f64> = stretch.collect();
    for (row, along) in covariance.chunks_exact_mut(d).zip(&stretch) {
        for (cell, across) in row.iter_mut().zip(&stretch) {
            *cell *= along * across;
        }
    }
    covariance
}

/// As how many clusters of equally many labelled rows those are that each of d parameters is in
/// ([`ClusterSizes`]); rows must be ordered by cluster.
pub(super) fn labelled_clusters(d: usize, rows: &[Contribution]) -> Vec<usize> {
    let mut found = vec![ClusterSizes::default(); d];
    for cluster in by_cluster(rows) {
        let mut sizes = BTreeMap::<usize, f64>::new();
        for row in cluster.iter().filter(|row| row.human.is_some()) {
            for parameter in [Some(row.up), row.down].into_iter().flatten() {
                *sizes.entry(parameter).or_default() += 1.0;
            }
        }
        for (parameter, size) in sizes {
            found[parameter].add(size);
        }
    }
    found.iter().map(ClusterSizes::clusters).collect()
}

/// How many rows and clusters there are of either kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) labelled: f64,
    pub(super) judged: f64,
    pub(super) labelled_clusters: usize,
    pub(super) judged_clusters: usize,
}

/// Counts rows, which must be ordered by cluster.
pub(super) fn count_rows(rows: &[Contribution]) -> Counts {
    let mut counts = Counts::default();
    for cluster in by_cluster(rows) {
        let labelled = cluster.iter().filter(|row| row.human.is_some()).count();
        let judged = cluster.len() - labelled;
        counts.labelled += labelled as f64;
        counts.judged += judged as f64;
        counts.labelled_clusters += usize::from(labelled > 0);
        counts.judged_clusters += usize::from(judged > 0);
    }
    counts
}

/// The rows of both lists, by cluster; in a cluster those with a label come first.
pub(super) fn join_lists(
    mut labelled: Vec<Contribution>,
    judged: Vec<Contribution>,
) -> Vec<Contribution> {
    labelled.extend(judged);
    labelled.sort_by_key(|row| row.cluster);
    labelled
}

impl Counts {
    /// Whether either kind has the two clusters that a variance needs.
    pub(super) fn check(&self) -> Result<(), PoweredError> {
        for (list, clusters) in [
            (LABELLED, self.labelled_clusters),
            (JUDGED, self.judged_clusters),
        ] {
            if clusters < 2 {
                return Err(PoweredError::TooFewClusters { list, clusters });
            }
        }
        Ok(())
    }
}

/// The rows of each cluster; they must be ordered by cluster.
pub(super) fn by_cluster(rows: &[Contribution]) -> impl Iterator<Item = &[Contribution]> {
    rows.chunk_by(|x, y| x.cluster == y.cluster)
}

/// The moments of rows that are ordered by cluster, by the sums of each cluster's deviations from
/// the means:
///
/// h_c = a sum (human - mean), v_c = a sum over labelled (judge - mean) - b sum over others
/// (judge - mean), with a = 1 / (n sqrt(1 - n_c/n)) for a cluster with n_c of n labelled rows, which
/// makes up for what the mean gives way to it (CR2 of Bell and McCaffrey 2002), and b likewise for
/// the others; a covariance is the sum over clusters of products. With every row a cluster of its
/// own these are the usual variances with n - 1, over n.
pub(super) fn cluster_moments(d: usize, rows: &[Contribution]) -> Moments {
    let counts = count_rows(rows);
    let zeros = || vec![0.0; d];
    let (mut human, mut labelled, mut judged) = (zeros(), zeros(), zeros());
    for row in rows {
        if let Some(label) = row.human {
            row.add_to(&mut human, label / counts.labelled);
            row.add_to(&mut labelled, row.judge / counts.labelled);
        } else {
            row.add_to(&mut judged, row.judge / counts.judged);
        }
    }
    let mut moments = Moments {
        human: vec![0.0; d * d],
        cross: vec![0.0; d * d],
        judge: vec![0.0; d * d],
    };
    for cluster in by_cluster(rows) {
        let (mut h, mut v) = (zeros(), zeros());
        let labels = cluster.iter().filter(|row| row.human.is_some()).count() as f64;
        let others = cluster.len() as f64 - labels;
        let a = cluster_scale(labels, counts.labelled);
        let b = cluster_scale(others, counts.judged);
        for row in cluster {
            // The judge's mean over the labelled rows less that over the others is estimated.
            if let Some(label) = row.human {
                row.add_to(&mut h, a * label);
                row.add_to(&mut v, a * row.judge);
            } else {
                row.add_to(&mut v, -b * row.judge);
            }
        }
        // What the rows of the cluster have in the means is taken off.
        for i in 0..d {
            h[i] -= a * labels * human[i];
            v[i] -= a * labels * labelled[i] - b * others * judged[i];
        }
        add_products(&mut moments.human, &h, &h, 1.0);
        add_products(&mut moments.cross, &h, &v, 0.5);
        add_products(&mut moments.cross, &v, &h, 0.5);
        add_products(&mut moments.judge, &v, &v, 1.0);
    }
    moments
}

/// 0 where a cluster has all rows, or none; callers see to it that there are two clusters where they
/// use the result.
fn cluster_scale(rows: f64, all: f64) -> f64 {
    if rows > 0.0 && rows < all {
        1.0 / (all * (1.0 - rows / all).sqrt())
    } else {
        0.0
    }
}

impl Contribution {
    /// The row with the judge's verdict taken for the label.
    pub(super) fn judge_as_label(&self) -> Contribution {
        self.with_label(self.judge)
    }

    pub(super) fn with_label(&self, human: f64) -> Contribution {
        Contribution {
            human: Some(human),
            ..*self
        }
    }

    /// Adds a value to the parameter that the row moves up, and takes it from the other.
    fn add_to(&self, into: &mut [f64], value: f64) {
        into[self.up] += value;
        if let Some(down) = self.down {
            into[down] -= value;
        }
    }
}

fn add_products(into: &mut [f64], x: &[f64], y: &[f64], factor: f64) {
    for (row, x) in into.chunks_exact_mut(x.len()).zip(x) {
        for (cell, y) in row.iter_mut().zip(y) {
            *cell += factor * x * y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cluster: u32, human: Option<f64>, judge: f64) -> Contribution {
        Contribution {
            cluster,
            up: 0,
            down: None,
            human,
            judge,
        }
    }

    #[test]
    fn single_rows_give_the_usual_variances() {
        let rows = [
            row(0, Some(1.0), 2.0),
            row(1, Some(3.0), 3.0),
            row(2, None, 1.0),
            row(3, None, 3.0),
            row(4, None, 5.0),
        ];
        let found = cluster_moments(1, &rows);
        // var(1, 3) = 2 over 2; cov(1 3, 2 3) = 1 over 2; var(2, 3) = 0.5 over 2 and var(1, 3, 5) =
        // 4 over 3.
        assert!((found.human[0] - 1.0).abs() < 1e-15);
        assert!((found.cross[0] - 0.5).abs() < 1e-15);
        assert!((found.judge[0] - (0.25 + 4.0 / 3.0)).abs() < 1e-15);
        assert!((found.variance(0.5)[0] - (1.0 - 0.5 + 0.25 * (0.25 + 4.0 / 3.0))).abs() < 1e-15);
    }

    #[test]
    fn rows_of_one_cluster_add_up() {
        // Means 0 and 1 of clusters of two labelled rows: each deviates by 2 * 0.5 in sum;
        // C/(C-1) = 2, n = 4.
        let rows = [
            row(0, Some(0.0), 0.0),
            row(0, Some(0.0), 0.0),
            row(1, Some(1.0), 0.0),
            row(1, Some(1.0), 0.0),
        ];
        assert!((cluster_moments(1, &rows).human[0] - 2.0 * (1.0 + 1.0) / 16.0).abs() < 1e-15);
        assert_eq!(
            count_rows(&rows),
            Counts {
                labelled: 4.0,
                judged: 0.0,
                labelled_clusters: 2,
                judged_clusters: 0
            }
        );
    }

    #[test]
    fn a_cluster_with_both_kinds_of_rows_counts_once() {
        // The judge says the same of a cluster's labelled row and of its other: nothing is left of
        // the difference.
        let rows = [
            row(0, Some(1.0), 0.0),
            row(0, None, 0.0),
            row(1, Some(0.0), 1.0),
            row(1, None, 1.0),
        ];
        assert_eq!(cluster_moments(1, &rows).judge, [0.0]);
    }
}
