//! The mean of human labels: win rates, pass rates and mean scores.

use super::influence::{
    Contribution, by_cluster, cluster_moments, count_rows, join_lists, labelled_clusters,
    unseen_errors,
};
use super::sampling::{SamplingCheck, test_same_mean};
use super::{JUDGED, LABELLED, Measured, PoweredError, Tuning, check_list};
use crate::Undefined;
use crate::checks::{check_level, check_number, check_rows};
use crate::linear::mean_of;

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
    /// Clusters with a labelled row. Student's distribution has one degree of freedom less than
    /// clusters of equally many labels that would vary as much.
    pub label_clusters: usize,
    /// Whether the judge says the same of the labelled rows as of the others: a test of one degree
    /// of freedom, (difference of its means / its standard error were labels drawn by chance)^2.
    pub sampling: SamplingCheck,
}

/// The mean human label of the population that all rows are drawn from (PPI++, its case of a mean):
///
/// mean(human) - lambda (mean of the judge over labelled rows - mean of the judge over the others).
///
/// A mean is over rows, so that an item with more rows weighs more. The variance is `var(human) - 2
/// lambda cov + lambda^2 (var(judge difference) + unseen)` by sums over clusters, each raised by
/// its share of the rows (C/(C-1) for C clusters of one size). Tuned, `unseen` stands for errors of
/// the judge that the labels do not show, 8 sqrt(m4) / n^2 for n labelled rows whose verdicts have
/// the fourth central moment m4; lambda is cov / (var(judge difference) + unseen), clipped to [0,
/// 1], and 0 for a constant judge, so that the standard error is never above that of the labels
/// alone. With a lambda that is given, `unseen` is 0, as in the paper. (The paper estimates lambda
/// from the variance pooled over both kinds of rows; the two differ by O(1/sqrt n).)
///
/// # Errors
/// A number out of range, with its row and list; a bad level or lambda; fewer than 2 clusters of
/// either kind.
// Long, and flat: one estimate beside the two that it is held against.
pub fn mean(
    labelled: &[Labelled],
    judged: &[Judged],
    tuning: Tuning,
    level: f64,
) -> Result<PoweredMean, PoweredError> {
    check_level(level)?;
    tuning.check()?;
    check_rows(labelled.len().saturating_add(judged.len()))?;
    let contribution = |cluster, human, judge| Contribution {
        cluster,
        up: 0,
        down: None,
        human,
        judge,
    };
    let with_label = check_list(labelled, LABELLED, |at, row| {
        check_number(at, "human", row.human)?;
        check_number(at, "judge", row.judge)?;
        Ok(contribution(row.cluster, Some(row.human), row.judge))
    })?;
    let without = check_list(judged, JUDGED, |at, row| {
        check_number(at, "judge", row.judge)?;
        Ok(contribution(row.cluster, None, row.judge))
    })?;
    let rows = join_lists(with_label, without);
    let counts = count_rows(&rows);
    counts.check()?;
    let moments = cluster_moments(1, &rows);
    // Lambda as it is given takes the judge to err as it is seen to.
    let unseen = match tuning {
        Tuning::Given(_) => 0.0,
        Tuning::Tuned => unseen_errors(1, &rows, |part| part)[0],
    };
    let sizes = rows
        .iter()
        .map(|row| row.judge.abs().max(row.human.unwrap_or(0.0).abs()));
    let rounding = ROUNDING * sizes.fold(0.0, f64::max);
    // Whether the judge says next to the same of all clusters.
    let is_judge_constant = moments.judge[0].sqrt() <= rounding;
    let lambda = match tuning {
        Tuning::Given(lambda) => lambda,
        Tuning::Tuned if is_judge_constant => 0.0,
        Tuning::Tuned => (moments.cross[0] / (moments.judge[0] + unseen)).clamp(0.0, 1.0),
    };
    let human = mean_of(labelled.iter().map(|row| row.human));
    let on_labelled = mean_of(labelled.iter().map(|row| row.judge));
    let gap = on_labelled - mean_of(judged.iter().map(|row| row.judge));
    let measure =
        |value, variance, clusters| Measured::new(value, variance, rounding, level, clusters);
    let label_clusters = labelled_clusters(1, &rows)[0];
    let variance = moments.variance(lambda)[0] + lambda * lambda * unseen;
    let estimate = measure(human - lambda * gap, variance, label_clusters);
    let labels_only = measure(human, moments.human[0], label_clusters);
    // The judge's mean over all rows, as if its verdicts were labels.
    let as_labels: Vec<_> = rows.iter().map(Contribution::judge_as_label).collect();
    let by_judge = mean_of(rows.iter().map(|row| row.judge));
    let all_clusters = labelled_clusters(1, &as_labels)[0];
    let judge_only = measure(
        by_judge,
        cluster_moments(1, &as_labels).human[0],
        all_clusters,
    );
    let labels = counts.labelled as usize;
    Ok(PoweredMean {
        estimate,
        lambda,
        labels_only,
        judge_only,
        effective_labels: effective_labels(labels, &labels_only, &estimate),
        labels,
        label_clusters: counts.labelled_clusters,
        sampling: SamplingCheck {
            labelled_share: counts.labelled / (counts.labelled + counts.judged),
            test: if is_judge_constant {
                Err(Undefined::NoVariance)
            } else {
                let beyond: Vec<(f64, bool)> = rows
                    .iter()
                    .map(|row| (row.judge - by_judge, row.human.is_some()))
                    .collect();
                let mut from = 0;
                test_same_mean(by_cluster(&rows).map(|cluster| {
                    from += cluster.len();
                    &beyond[from - cluster.len()..from]
                }))
            },
        },
    })
}

fn effective_labels(labels: usize, alone: &Measured, powered: &Measured) -> Result<f64, Undefined> {
    Ok(labels as f64
        * (alone.uncertainty?.standard_error / powered.uncertainty?.standard_error).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

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
        // and 1/3 over 3. The judge's fourth moment on labelled rows is (0.75^4 + 3 * 0.25^4) / 4 =
        // 21/256, so that errors not seen have 8 sqrt(21)/16 / 16 = sqrt(21)/32.
        let rows = labelled(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]);
        let run = |tuning| mean(&rows, &judged(&[1.0, 1.0, 0.0]), tuning, 0.95).unwrap();
        let found = run(Tuning::Tuned);
        let lambda = (1.0 / 24.0) / (1.0 / 16.0 + 1.0 / 9.0 + 21f64.sqrt() / 32.0);
        assert!((found.lambda - lambda).abs() < 1e-12, "{found:?}");
        assert!((found.estimate.value - (0.5 - lambda * (0.25 - 2.0 / 3.0))).abs() < 1e-12);
        let error = found.estimate.uncertainty.unwrap();
        let variance = error.standard_error.powi(2);
        assert!((variance - (1.0 / 12.0 - lambda / 24.0)).abs() < 1e-12);
        // Student's quantile with 3 degrees of freedom.
        let reach = 3.182_446_305_284_263 * error.standard_error;
        assert!((error.high - found.estimate.value - reach).abs() < 1e-9);
        // As in the paper, where lambda is given: its variance has its minimum at 0.24.
        let paper = run(Tuning::Given(0.24)).estimate.uncertainty.unwrap();
        assert!((paper.standard_error.powi(2) - (1.0 / 12.0 - 0.24 / 24.0)).abs() < 1e-12);
        assert!((found.effective_labels.unwrap() - 4.0 / 12.0 / variance).abs() < 1e-9);
        assert!((found.judge_only.value - 3.0 / 7.0).abs() < 1e-12);
        // 1 of 4 in place of 12/7, with variance 4/7 * 3/7 * 12/7.
        let test = found.sampling.test.unwrap();
        assert!((test.statistic - 175.0 / 144.0).abs() < 1e-12);
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
