//! Bradley-Terry strengths as people see them, from a few human comparisons and many by a judge.

use super::influence::{
    Contribution, Counts, by_cluster, cluster_moments, count_rows, join_lists, labelled_clusters,
    unseen_errors,
};
use super::objective::{Objective, not_converged};
use super::sampling::{SamplingCheck, test_same_share};
use super::{JUDGED, LABELLED, Measured, PoweredError, Tuning, check_list};
use crate::checks::{check_level, check_pair, check_probability, check_rows, check_systems};
use crate::graph::components;
use crate::linear::{laplacian_inverse, sandwiched, strength_information, trace};
use crate::special::win_chance;
use crate::{Error, Undefined};
use std::collections::BTreeMap;

/// With less of the judge, strengths that labels alone put infinitely far apart are 5 log-odds apart
/// or more by nothing but its weight.
const LEAST_LAMBDA: f64 = 0.01;
/// Standard errors (in log-odds) below this are rounding.
const ROUNDING: f64 = 1e-12;

/// A comparison that a human and the judge have decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledPair {
    /// The cluster (item) it belongs to: any number, the same for rows that belong together, with a
    /// label or without.
    pub cluster: u32,
    /// One system.
    pub a: u16,
    /// The other system.
    pub b: u16,
    /// The human's outcome for `a`, in [0, 1]: 1 won, 0.5 tied, 0 lost, or a share of annotators.
    pub human: f64,
    /// The judge's outcome for `a`, in [0, 1]: the same, or a probability.
    pub judge: f64,
}

/// A comparison that only the judge has decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    /// The cluster (item) it belongs to; see [`LabelledPair::cluster`].
    pub cluster: u32,
    /// One system.
    pub a: u16,
    /// The other system.
    pub b: u16,
    /// The judge's outcome for `a`, in [0, 1].
    pub judge: f64,
}

/// Strengths of k systems in log-odds (natural logarithm) with mean 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Strengths {
    /// One for each system.
    pub systems: Vec<Measured>,
    /// Their covariance, k x k, row-major: the variance of a difference is c(i, i) - 2 c(i, j) +
    /// c(j, j). It says nothing where the systems' uncertainty is undefined.
    pub covariance: Vec<f64>,
}

impl Strengths {
    /// The sum of the variances.
    fn total_variance(&self) -> f64 {
        trace(&self.covariance, self.systems.len())
    }
}

/// Prediction-powered strengths and what they are to be held against.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PoweredStrengths {
    /// The estimate of the strengths that all human labels would give.
    pub estimate: Strengths,
    /// The lambda that was used, in [0, 1].
    pub lambda: f64,
    /// The strengths by the labels alone, or why there are none.
    pub labels_only: Result<Strengths, PoweredError>,
    /// The strengths by the judge's verdict on every row, or why there are none. They are off by
    /// the judge's bias, which their intervals know nothing of.
    pub judge_only: Result<Strengths, PoweredError>,
    /// How many labels alone would do as well: labels * (sum of the variances by labels alone / sum
    /// of the variances). [`Undefined::NoVariance`] where either is 0, [`Undefined::NotComparable`]
    /// where labels alone give no strengths.
    pub effective_labels: Result<f64, Undefined>,
    /// Rows with a label.
    pub labels: usize,
    /// Clusters with a labelled row.
    pub label_clusters: usize,
    /// As how many clusters of equally many labels those of each system are; Student's distribution
    /// has one degree of freedom less.
    pub label_clusters_of: Vec<usize>,
    /// Whether the labelled share is the same for every pair of systems.
    pub sampling: SamplingCheck,
}

/// Bradley-Terry strengths by PPI++ (its case of generalised linear models, with power tuning).
///
/// The strengths s maximise mean l(human) + lambda (mean l(judge) over the rows without a label -
/// mean l(judge) over the labelled ones), where l(x) = x log p + (1 - x) log(1 - p), p = 1 / (1 +
/// exp(s_b - s_a)), of one comparison with outcome x for a. That is a Bradley-Terry likelihood with
/// rectified points, which is concave; a tie is half a win.
///
/// With H the information of a row and H+ its inverse on mean-0 vectors, the covariance is H+
/// M(lambda) H+ + lambda^2 U, where M is the covariance of the objective's gradient by sums over
/// clusters, each raised by its share of the rows, and U stands for errors of the judge that the
/// labels do not show, as in [`super::mean`].
///
/// Tuned, H is that of the objective: 1 - lambda of the labelled rows' mean and lambda of the
/// others'. So lambda 0 is the labels alone, and a lambda just above 0 is next to it. With a lambda
/// that is given, H is the mean over all rows, over the labelled ones where lambda is 0, and U is
/// 0, as in the program of the paper's authors.
///
/// Tuned, lambda makes the sum of the variances with the mean over all rows least, clipped to [0,
/// 1]: tr(H+ cross H+) / tr(H+ judge H+ + U), taken at the strengths for lambda 1 or, where those
/// are not finite, for lambda 0.
///
/// The target are the strengths that fit the population of human labels best, whether or not the
/// model holds.
///
/// # Errors
/// A row that cannot be used, with its list; a bad level or lambda, more than
/// [`crate::MAX_SYSTEMS`] systems; fewer than 2 systems ([`Undefined::OneSystem`]); fewer than 2
/// clusters of either kind; labels that do not connect all systems
/// ([`PoweredError::LabelsDisconnected`]); no finite strengths ([`PoweredError::NoFiniteMaximum`]),
/// also where labels alone have none and a tuned lambda is below 0.01.
pub fn bradley_terry(
    systems: usize,
    labelled: &[LabelledPair],
    judged: &[JudgedPair],
    tuning: Tuning,
    level: f64,
) -> Result<PoweredStrengths, PoweredError> {
    check_level(level)?;
    tuning.check()?;
    let sample = Sample::check(systems, labelled, judged)?;
    sample.counts.check()?;
    // The judge must not be all that connects two groups: its bias there could not be measured.
    let labels = sample.count_labelled();
    let components = components(systems, |i, j| labels[i * systems + j] > 0.0);
    if components.len() > 1 {
        return Err(PoweredError::LabelsDisconnected { components });
    }
    let lambda = match tuning {
        Tuning::Given(lambda) => lambda,
        Tuning::Tuned => sample.tune_lambda()?,
    };
    sample.estimate_strengths(lambda, tuning, level)
}

/// Checked comparisons, ordered by cluster: `up` is a, `down` is b.
struct Sample {
    systems: usize,
    rows: Vec<Contribution>,
    counts: Counts,
}

impl Sample {
    fn check(
        systems: usize,
        labelled: &[LabelledPair],
        judged: &[JudgedPair],
    ) -> Result<Sample, PoweredError> {
        check_rows(labelled.len().saturating_add(judged.len()))?;
        if systems < 2 {
            return Err(Error::from(Undefined::OneSystem).into());
        }
        check_systems(systems)?;
        let labelled = check_list(labelled, LABELLED, |at, row| row.check(systems, at))?;
        let judged = check_list(judged, JUDGED, |at, row| row.check(systems, at))?;
        Ok(Sample::new(systems, join_lists(labelled, judged)))
    }

    /// From rows that are ordered by cluster.
    fn new(systems: usize, rows: Vec<Contribution>) -> Sample {
        Sample {
            systems,
            counts: count_rows(&rows),
            rows,
        }
    }

    /// How many rows of each pair are labelled, k x k, row-major and symmetric.
    fn count_labelled(&self) -> Vec<f64> {
        self.count_pairs(|row| f64::from(u8::from(row.human.is_some())))
    }

    /// The sum of `count` over the rows of each pair, k x k, row-major and symmetric.
    fn count_pairs(&self, count: impl Fn(&Contribution) -> f64) -> Vec<f64> {
        let mut table = vec![0.0; self.systems * self.systems];
        for row in &self.rows {
            let ((a, b), count) = (ends_of(row), count(row));
            table[a * self.systems + b] += count;
            table[b * self.systems + a] += count;
        }
        table
    }

    fn estimate_strengths(
        &self,
        lambda: f64,
        tuning: Tuning,
        level: f64,
    ) -> Result<PoweredStrengths, PoweredError> {
        let mut estimate = self.fit_strengths(lambda, tuning, level)?;
        let alone = |sample: Sample| sample.fit_strengths(0.0, Tuning::Given(0.0), level);
        let with_label = self.rows.iter().filter(|row| row.human.is_some());
        let labels_only = Sample::new(self.systems, with_label.copied().collect());
        let labels_only = alone(labels_only);
        // Then the judge is all that keeps the strengths finite, and the variance of the labels
        // does not bound how far off it is; where it hardly counts, nothing keeps them so.
        if let (Err(one_sided), Tuning::Tuned) = (&labels_only, tuning) {
            if lambda < LEAST_LAMBDA {
                return Err(one_sided.clone());
            }
            for system in &mut estimate.systems {
                system.uncertainty = Err(Undefined::LabelsOneSided);
            }
        }
        // Every row, the judge's verdict taken for the label.
        let by_judge = self.rows.iter().map(Contribution::judge_as_label);
        let judge_only = Sample::new(self.systems, by_judge.collect());
        let labels = self.counts.labelled as usize;
        let clusters = by_cluster(&self.rows).map(|cluster| {
            let mut pairs = BTreeMap::<(usize, usize), [f64; 2]>::new();
            for row in cluster {
                let (a, b) = ends_of(row);
                let counts = pairs.entry((a.min(b), a.max(b))).or_default();
                counts[usize::from(row.human.is_none())] += 1.0;
            }
            pairs
        });
        Ok(PoweredStrengths {
            effective_labels: effective_labels(labels, &labels_only, &estimate),
            estimate,
            lambda,
            labels_only,
            judge_only: alone(judge_only),
            labels,
            label_clusters: self.counts.labelled_clusters,
            label_clusters_of: labelled_clusters(self.systems, &self.rows),
            sampling: SamplingCheck {
                labelled_share: self.counts.labelled / self.rows.len() as f64,
                test: test_same_share(clusters),
            },
        })
    }

    /// Lambda 1 may lack finite strengths where lambda 0 has them; which of them lambda is taken at
    /// matters little.
    fn tune_lambda(&self) -> Result<f64, PoweredError> {
        let start = self.maximise(1.0).or_else(|_| self.maximise(0.0))?;
        let gradients = self.gradients(&start);
        let moments = cluster_moments(self.systems, &gradients);
        let inverse = self.inverse_information(&start, 1.0, Tuning::Given(1.0))?;
        // tr(H+ matrix H+).
        let total_variance =
            |matrix: &[f64]| trace(&sandwiched(&inverse, matrix, self.systems), self.systems);
        let unseen = trace(&self.unseen_errors(&gradients, &inverse), self.systems);
        let judge = total_variance(&moments.judge) + unseen;
        if judge.sqrt() <= ROUNDING {
            // The judge does not vary.
            return Ok(0.0);
        }
        Ok((total_variance(&moments.cross) / judge).clamp(0.0, 1.0))
    }

    fn maximise(&self, lambda: f64) -> Result<Vec<f64>, PoweredError> {
        let mut objective = Objective::new(self.systems);
        let label = 1.0 / self.counts.labelled;
        let other = lambda / self.counts.judged;
        for row in &self.rows {
            let pair = ends_of(row);
            if let Some(human) = row.human {
                objective.add(pair, label, human);
                objective.add(pair, -lambda * label, row.judge);
            } else {
                objective.add(pair, other, row.judge);
            }
        }
        objective.maximise(lambda)
    }

    /// The rows, each less what the strengths expect of it.
    fn gradients(&self, strengths: &[f64]) -> Vec<Contribution> {
        let gradients = self.rows.iter().map(|row| {
            let (a, b) = ends_of(row);
            let expected = win_chance(strengths[a] - strengths[b]);
            Contribution {
                human: row.human.map(|human| human - expected),
                judge: row.judge - expected,
                ..*row
            }
        });
        gradients.collect()
    }

    /// The covariance of the strengths by errors of the judge that the labels do not show.
    fn unseen_errors(&self, gradients: &[Contribution], inverse: &[f64]) -> Vec<f64> {
        let k = self.systems;
        unseen_errors(k, gradients, |part| {
            let rows = inverse.chunks_exact(k);
            rows.map(|row| row.iter().zip(&part).map(|(x, y)| x * y).sum())
                .collect()
        })
    }

    /// Returns H+, the inverse of the information of a row: see [`bradley_terry`].
    fn inverse_information(
        &self,
        strengths: &[f64],
        lambda: f64,
        tuning: Tuning,
    ) -> Result<Vec<f64>, PoweredError> {
        let k = self.systems;
        // What a labelled row and any other count.
        let [label, other] = match tuning {
            Tuning::Given(lambda) if lambda > 0.0 => [1.0 / self.rows.len() as f64; 2],
            _ => [
                (1.0 - lambda) / self.counts.labelled,
                lambda / self.counts.judged.max(1.0),
            ],
        };
        let games = self.count_pairs(|row| match row.human {
            Some(_) => label,
            None => other,
        });
        let information = strength_information(strengths, |i, j| games[i * k + j]);
        laplacian_inverse(&information, k).ok_or(not_converged(lambda, 0))
    }

    fn fit_strengths(
        &self,
        lambda: f64,
        tuning: Tuning,
        level: f64,
    ) -> Result<Strengths, PoweredError> {
        let strengths = self.maximise(lambda)?;
        let inverse = self.inverse_information(&strengths, lambda, tuning)?;
        let gradients = self.gradients(&strengths);
        let variance = cluster_moments(self.systems, &gradients).variance(lambda);
        let mut covariance = sandwiched(&inverse, &variance, self.systems);
        if tuning == Tuning::Tuned {
            let unseen = self.unseen_errors(&gradients, &inverse);
            for (cell, unseen) in covariance.iter_mut().zip(unseen) {
                *cell += lambda * lambda * unseen;
            }
        }
        let clusters_of = labelled_clusters(self.systems, &self.rows);
        let measured = (0..self.systems).map(|i| {
            let variance = covariance[i * self.systems + i];
            Measured::new(strengths[i], variance, ROUNDING, level, clusters_of[i])
        });
        Ok(Strengths {
            systems: measured.collect(),
            covariance,
        })
    }
}

/// a and b of a row.
fn ends_of(row: &Contribution) -> (usize, usize) {
    (row.up, row.down.unwrap_or(row.up))
}

impl LabelledPair {
    fn check(&self, systems: usize, position: usize) -> Result<Contribution, Error> {
        check_probability(position, "human", self.human)?;
        let judged = JudgedPair {
            cluster: self.cluster,
            a: self.a,
            b: self.b,
            judge: self.judge,
        };
        let row = judged.check(systems, position)?;
        Ok(row.with_label(self.human))
    }
}

impl JudgedPair {
    fn check(&self, systems: usize, position: usize) -> Result<Contribution, Error> {
        check_probability(position, "judge", self.judge)?;
        let (a, b) = (usize::from(self.a), usize::from(self.b));
        check_pair(position, a, b, systems)?;
        Ok(Contribution {
            cluster: self.cluster,
            up: a,
            down: Some(b),
            human: None,
            judge: self.judge,
        })
    }
}

fn effective_labels(
    labels: usize,
    alone: &Result<Strengths, PoweredError>,
    powered: &Strengths,
) -> Result<f64, Undefined> {
    let alone = alone.as_ref().map_err(|_| Undefined::NotComparable)?;
    let (alone, powered) = (alone.total_variance(), powered.total_variance());
    if alone.min(powered) <= ROUNDING * ROUNDING {
        return Err(Undefined::NoVariance);
    }
    Ok(labels as f64 * alone / powered)
}
