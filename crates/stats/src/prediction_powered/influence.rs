//! The influence of each cluster on an estimate, and from that the variance for every lambda at
//! once.

use super::{JUDGED, LABELLED, PoweredError};

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
    fn zero(d: usize) -> Moments {
        Moments {
            human: vec![0.0; d * d],
            cross: vec![0.0; d * d],
            judge: vec![0.0; d * d],
        }
    }
    /// Adds the products of one cluster's deviations.
    fn add(&mut self, Deviations { human, judge }: &Deviations) {
        add_products(&mut self.human, human, human, 1.0);
        add_products(&mut self.cross, human, judge, 0.5);
        add_products(&mut self.cross, judge, human, 0.5);
        add_products(&mut self.judge, judge, judge, 1.0);
    }

    /// The covariance of h - lambda v.
    pub(super) fn variance(&self, lambda: f64) -> Vec<f64> {
        let parts = self.human.iter().zip(&self.cross).zip(&self.judge);
        parts
            .map(|((human, cross), judge)| human - 2.0 * lambda * cross + lambda * lambda * judge)
            .collect()
    }
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
        let labelled = count_labelled(cluster);
        counts.add_cluster(labelled, cluster.len() - labelled);
    }
    counts
}

/// How many of the rows have a label.
fn count_labelled(rows: &[Contribution]) -> usize {
    rows.iter().filter(|row| row.human.is_some()).count()
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
    fn add_cluster(&mut self, labelled: usize, judged: usize) {
        self.labelled += labelled as f64;
        self.judged += judged as f64;
        self.labelled_clusters += usize::from(labelled > 0);
        self.judged_clusters += usize::from(judged > 0);
    }
    /// Whether either kind has the two clusters that a variance needs.
    pub(super) fn check(&self) -> Result<(), PoweredError> {
        check_clusters(LABELLED, self.labelled_clusters)?;
        check_clusters(JUDGED, self.judged_clusters)
    }
}

fn check_clusters(list: &'static str, clusters: usize) -> Result<(), PoweredError> {
    if clusters < 2 {
        return Err(PoweredError::TooFewClusters { list, clusters });
    }
    Ok(())
}

fn by_cluster(rows: &[Contribution]) -> impl Iterator<Item = &[Contribution]> {
    rows.chunk_by(|x, y| x.cluster == y.cluster)
}

/// The moments of rows that are ordered by cluster, by the sums of each cluster's deviations from
/// the means:
///
/// h_c = a sum (human - mean), v_c = a sum over labelled (judge - mean) - b sum over others
/// (judge - mean), with a = sqrt(C/(C-1))/n for n labelled rows in C clusters and b likewise for
/// the others; a covariance is the sum over clusters of products. With every row a cluster of its
/// own these are the usual variances with n - 1, over n.
pub(super) fn cluster_moments(d: usize, rows: &[Contribution]) -> Moments {
    let counts = count_rows(rows);
    let centre = Centre::new(d, rows, &counts);
    let mut moments = Moments::zero(d);
    for cluster in by_cluster(rows) {
        moments.add(&centre.deviations(cluster));
    }
    moments
}

/// 0 where there is nothing to scale; callers see to it that there are two clusters where they use
/// the result.
fn cluster_scale(rows: f64, clusters: usize) -> f64 {
    let clusters = clusters as f64;
    if clusters > 1.0 {
        (clusters / (clusters - 1.0)).sqrt() / rows
    } else {
        0.0
    }
}

/// Mean contributions, d of each, and what deviations from them are multiplied by.
struct Centre {
    human: Vec<f64>,
    labelled: Vec<f64>,
    judged: Vec<f64>,
    /// a of [`cluster_moments`].
    labelled_scale: f64,
    /// b of [`cluster_moments`].
    judged_scale: f64,
}

/// h_c and v_c of one cluster.
struct Deviations {
    human: Vec<f64>,
    judge: Vec<f64>,
}

impl Deviations {
    fn zero(d: usize) -> Deviations {
        Deviations {
            human: vec![0.0; d],
            judge: vec![0.0; d],
        }
    }
}

impl Centre {
    fn new(d: usize, rows: &[Contribution], counts: &Counts) -> Centre {
        let mut centre = Centre {
            human: vec![0.0; d],
            labelled: vec![0.0; d],
            judged: vec![0.0; d],
            labelled_scale: cluster_scale(counts.labelled, counts.labelled_clusters),
            judged_scale: cluster_scale(counts.judged, counts.judged_clusters),
        };
        for row in rows {
            if let Some(human) = row.human {
                row.add_to(&mut centre.human, human / counts.labelled);
                row.add_to(&mut centre.labelled, row.judge / counts.labelled);
            } else {
                row.add_to(&mut centre.judged, row.judge / counts.judged);
            }
        }
        centre
    }

    fn deviations(&self, cluster: &[Contribution]) -> Deviations {
        let mut found = Deviations::zero(self.human.len());
        for row in cluster {
            self.add_row(&mut found, row);
        }
        self.subtract_from(&mut found, cluster);
        found
    }

    fn add_row(&self, found: &mut Deviations, row: &Contribution) {
        if let Some(label) = row.human {
            row.add_to(&mut found.human, self.labelled_scale * label);
        }
        row.add_to(&mut found.judge, self.judge_scale(row) * row.judge);
    }

    /// The judge's mean over the labelled rows less that over the others is what is estimated.
    fn judge_scale(&self, row: &Contribution) -> f64 {
        if row.human.is_some() {
            self.labelled_scale
        } else {
            -self.judged_scale
        }
    }

    /// Takes off what the rows of a cluster have in the mean.
    fn subtract_from(&self, found: &mut Deviations, cluster: &[Contribution]) {
        let (a, b) = (self.labelled_scale, self.judged_scale);
        let labelled = count_labelled(cluster) as f64;
        let judged = cluster.len() as f64 - labelled;
        for i in 0..found.human.len() {
            found.human[i] -= a * labelled * self.human[i];
            found.judge[i] -= a * labelled * self.labelled[i] - b * judged * self.judged[i];
        }
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
