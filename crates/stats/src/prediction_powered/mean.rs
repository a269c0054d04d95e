//! The mean of human labels: win rates, pass rates and mean scores.

use super::influence::{Contribution, Counts, Moments, cluster_moments, count_rows, join_lists};
use super::sampling::{ChiSquared, SamplingCheck};
use super::{JUDGED, LABELLED, Measured, PoweredError, Tuning, check_list};
use crate::checks::{check_level, check_number, check_rows};
use crate::{Error, Undefined};

/// Standard errors below this share of the largest number are rounding.
const ROUNDING: f64 = 1e-13;

/// A row that a human has labelled and the judge has judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// The cluster (item) it belongs to: any number, the same for rows that belong together, with a
    /// label or without.
    pub cluster: u32,
    /// The human's label, from -1e100 to 1e100: 0, 0.5 or 1 for a loss, a tie or a win, or a
    /// score.
    pub human: f64,
    /// The judge's verdict, from -1e100 to 1e100, in the same unit or any other.
    pub judge: f64,
}

/// A row that only the judge has seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The cluster (item) it belongs to; see [`Labelled::cluster`].
    pub cluster: u32,
    /// The judge's verdict; see [`Labelled::judge`].
    pub judge: f64,
}

/// A prediction-powered mean and what it is to be held against.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PoweredMean {
    /// The estimate of the mean human label.
    pub estimate: Measured,
    /// The lambda that was used, in [0, 1].
    pub lambda: f64,
    /// The mean label of the labelled rows.
    pub labels_only: Measured,
    /// The judge's mean over all rows. It is off by the judge's bias, which its interval knows
    /// nothing of.
    pub judge_only: Measured,
    /// How many labels alone would give the same standard error: labels * (standard error of the
    /// labels alone / standard error of the estimate)^2. [`Undefined::NoVariance`] where either
    /// does not vary.
    pub effective_labels: Result<f64, Undefined>,
    /// Rows with a label.
    pub labels: usize,
    /// Clusters with a labelled row, which the normal approximation rests on.
    pub label_clusters: usize,
    /// Whether the judge says the same of the labelled rows as of the others: a test of one degree
    /// of freedom, (difference of its means / standard error)^2.
    pub sampling: SamplingCheck,
}

/// The mean human label of the population that all rows are drawn from (PPI++, its case of a mean):
///
/// mean(human) - lambda (mean of the judge over labelled rows - mean of the judge over the others).
///
/// A mean is over rows, so that an item with more rows weighs more. The variance is `var(human) - 2
/// lambda cov + lambda^2 var(judge difference)` by sums over clusters, with the factor C/(C-1) for
/// C clusters; tuned, lambda is cov / var(judge difference), clipped to [0, 1], and 0 for a
/// constant judge, so that the standard error is never above that of the labels alone. (The paper
/// estimates the same lambda from the variance pooled over both kinds of rows; the two differ by
/// O(1/sqrt n).)
///
/// # Errors
/// A number out of range, with its row and list; a bad level or lambda; fewer than 2 clusters of
/// either kind.
pub fn mean(
    labelled: &[Labelled],
    judged: &[Judged],
    tuning: Tuning,
    level: f64,
) -> Result<PoweredMean, PoweredError> {
    check_level(level)?;
    tuning.check()?;
    let sample = Sample::new(check_all(labelled, judged)?);
    sample.counts.check()?;
    let lambda = sample.choose_lambda(tuning);
    let means = Means::of(labelled, judged);
    Ok(sample.estimate_mean(&means, lambda, level))
}

/// The means that the estimate is made of.
struct Means {
    /// Of the labels.
    human: f64,
    /// Of the judge over the labelled rows less that over the others.
    gap: f64,
}

impl Means {
    fn of(labelled: &[Labelled], judged: &[Judged]) -> Means {
        let on_labelled = average(labelled.iter().map(|row| row.judge));
        Means {
            human: average(labelled.iter().map(|row| row.human)),
            gap: on_labelled - average(judged.iter().map(|row| row.judge)),
        }
    }
}

/// Checked rows, ordered by cluster, and what they add up to.
struct Sample {
    rows: Vec<Contribution>,
    counts: Counts,
    moments: Moments,
    /// A standard error up to this is rounding.
    rounding: f64,
}

impl Sample {
    fn new(rows: Vec<Contribution>) -> Sample {
        let sizes = rows.iter().map(magnitude);
        Sample {
            counts: count_rows(&rows),
            moments: cluster_moments(1, &rows),
            rounding: ROUNDING * sizes.fold(0.0, f64::max),
            rows,
        }
    }

    fn estimate_mean(&self, means: &Means, lambda: f64, level: f64) -> PoweredMean {
        let variance = self.moments.variance(lambda)[0];
        let estimate = self.measure(means.human - lambda * means.gap, variance, level);
        let labels_only = self.measure(means.human, self.moments.human[0], level);
        let labels = self.counts.labelled as usize;
        PoweredMean {
            estimate,
            lambda,
            labels_only,
            judge_only: self.judge_only(level),
            effective_labels: effective_labels(labels, &labels_only, &estimate),
            labels,
            label_clusters: self.counts.labelled_clusters,
            sampling: self.check_sampling(means.gap),
        }
    }

    /// Whether the judge says next to the same of all clusters.
    fn is_judge_constant(&self) -> bool {
        self.moments.judge[0].sqrt() <= self.rounding
    }

    fn choose_lambda(&self, tuning: Tuning) -> f64 {
        match tuning {
            Tuning::Given(lambda) => lambda,
            Tuning::Tuned if self.is_judge_constant() => 0.0,
            Tuning::Tuned => (self.moments.cross[0] / self.moments.judge[0]).clamp(0.0, 1.0),
        }
    }

    fn measure(&self, value: f64, variance: f64, level: f64) -> Measured {
        Measured::new(value, variance, self.rounding, level)
    }

    /// The judge's mean over all rows, as if its verdicts were labels.
    fn judge_only(&self, level: f64) -> Measured {
        let as_labels = self.rows.iter().map(Contribution::judge_as_label);
        let moments = cluster_moments(1, &as_labels.collect::<Vec<_>>());
        let value = average(self.rows.iter().map(|row| row.judge));
        self.measure(value, moments.human[0], level)
    }

    /// `gap` is the judge's mean over the labelled rows less that over the others.
    fn check_sampling(&self, gap: f64) -> SamplingCheck {
        SamplingCheck {
            labelled_share: self.counts.labelled / (self.counts.labelled + self.counts.judged),
            test: self.test_gap(gap),
        }
    }

    fn test_gap(&self, gap: f64) -> Result<ChiSquared, Undefined> {
        if self.is_judge_constant() {
            return Err(Undefined::NoVariance);
        }
        ChiSquared::new(gap * gap / self.moments.judge[0], 1)
    }
}

/// All rows, checked, ordered by cluster.
fn check_all(labelled: &[Labelled], judged: &[Judged]) -> Result<Vec<Contribution>, PoweredError> {
    check_rows(labelled.len().saturating_add(judged.len()))?;
    let labelled = check_list(labelled, LABELLED, |at, row| row.check(at))?;
    let judged = check_list(judged, JUDGED, |at, row| row.check(at))?;
    Ok(join_lists(labelled, judged))
}

impl Labelled {
    fn check(&self, row: usize) -> Result<Contribution, Error> {
        check_number(row, "human", self.human)?;
        check_number(row, "judge", self.judge)?;
        Ok(contribution(self.cluster, Some(self.human), self.judge))
    }
}

impl Judged {
    fn check(&self, row: usize) -> Result<Contribution, Error> {
        check_number(row, "judge", self.judge)?;
        Ok(contribution(self.cluster, None, self.judge))
    }
}

/// A row's part in the equation of the mean, the only parameter.
fn contribution(cluster: u32, human: Option<f64>, judge: f64) -> Contribution {
    Contribution {
        cluster,
        up: 0,
        down: None,
        human,
        judge,
    }
}

fn magnitude(row: &Contribution) -> f64 {
    row.judge.abs().max(row.human.unwrap_or(0.0).abs())
}

/// Of at least one value.
fn average(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

fn effective_labels(labels: usize, alone: &Measured, powered: &Measured) -> Result<f64, Undefined> {
    Ok(labels as f64
        * (alone.uncertainty?.standard_error / powered.uncertainty?.standard_error).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(values: &[(f64, f64)]) -> Vec<Labelled> {
        values
            .iter()
            .zip(0..)
            .map(|(&(human, judge), cluster)| Labelled {
                cluster,
                human,
                judge,
            })
            .collect()
    }

    fn judged(values: &[f64]) -> Vec<Judged> {
        values
            .iter()
            .zip(1000..)
            .map(|(&judge, cluster)| Judged { cluster, judge })
            .collect()
    }

    #[test]
    fn by_hand() {
        // Labels 0, 1, 1, 0 against 0, 1, 0, 0; others 1, 1, 0: cov = 1/6 over 4, var = 1/4 over 4
        // and 1/3 over 3, so lambda = (1/24) / (1/16 + 1/9) = 0.24.
        let found = mean(
            &labelled(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]),
            &judged(&[1.0, 1.0, 0.0]),
            Tuning::Tuned,
            0.95,
        );
        let found = found.unwrap();
        assert!((found.lambda - 0.24).abs() < 1e-12, "{found:?}");
        assert!((found.estimate.value - (0.5 - 0.24 * (0.25 - 2.0 / 3.0))).abs() < 1e-12);
        let variance = found.estimate.uncertainty.unwrap().standard_error.powi(2);
        assert!((variance - (1.0 / 12.0 - 0.24 / 24.0)).abs() < 1e-12);
        assert!((found.effective_labels.unwrap() - 4.0 / 12.0 / variance).abs() < 1e-9);
        assert!((found.judge_only.value - 3.0 / 7.0).abs() < 1e-12);
        let test = found.sampling.test.unwrap();
        assert!(
            (test.statistic - (5.0f64 / 12.0).powi(2) / (1.0 / 16.0 + 1.0 / 9.0)).abs() < 1e-12
        );
        assert_eq!(
            (
                found.labels,
                found.label_clusters,
                found.sampling.labelled_share
            ),
            (4, 4, 4.0 / 7.0)
        );
    }

    #[test]
    fn a_judge_that_says_nothing_is_ignored() {
        let constant = labelled(&[(0.1, 0.7), (0.9, 0.7), (0.4, 0.7)]);
        let found = mean(&constant, &judged(&[0.7; 10]), Tuning::Tuned, 0.9).unwrap();
        assert_eq!((found.lambda, found.estimate), (0.0, found.labels_only));
        assert_eq!(found.judge_only.uncertainty, Err(Undefined::NoVariance));
        assert_eq!(found.sampling.test, Err(Undefined::NoVariance));
        // And so is one that is wrong throughout: lambda would be below 0.
        let wrong = labelled(&[(0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]);
        assert_eq!(
            mean(&wrong, &judged(&[0.0, 1.0]), Tuning::Tuned, 0.9)
                .unwrap()
                .lambda,
            0.0
        );
    }

    #[test]
    fn labels_that_do_not_vary_have_no_interval() {
        let same = labelled(&[(0.1, 0.0), (0.1, 1.0), (0.1, 0.0)]);
        let found = mean(&same, &judged(&[0.0, 1.0]), Tuning::Tuned, 0.9).unwrap();
        assert_eq!(found.estimate.uncertainty, Err(Undefined::NoVariance));
        assert_eq!(found.effective_labels, Err(Undefined::NoVariance));
    }

    #[test]
    fn errors_say_where() {
        let good = labelled(&[(0.0, 1.0), (1.0, 0.0)]);
        let run = |labelled: &[Labelled], judged: &[Judged], tuning| {
            mean(labelled, judged, tuning, 0.95).unwrap_err()
        };
        let few = |list, clusters| PoweredError::TooFewClusters { list, clusters };
        assert_eq!(
            run(&[], &judged(&[1.0, 0.0]), Tuning::Tuned),
            few(LABELLED, 0)
        );
        assert_eq!(run(&good, &judged(&[1.0]), Tuning::Tuned), few(JUDGED, 1));
        let message = run(&good, &judged(&[1.0, f64::NAN]), Tuning::Tuned).to_string();
        assert!(
            message.starts_with("among the rows without a label: row 1: judge is NaN"),
            "{message}"
        );
        let message = run(&good, &judged(&[1.0, 0.0]), Tuning::Given(1.5)).to_string();
        assert!(
            message.contains("lambda is 1.5; expected a finite number from 0 to 1"),
            "{message}"
        );
        assert!(matches!(
            mean(&good, &judged(&[1.0, 0.0]), Tuning::Tuned, 1.0),
            Err(PoweredError::Input(Error::Share { .. }))
        ));
    }
}
