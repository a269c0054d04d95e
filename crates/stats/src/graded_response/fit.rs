//! The fit of a graded response model: marginal maximum likelihood with weak priors.

use super::LEAST_CLUSTERS;
use super::likelihood::{Model, add_square, thresholds};
use super::measures::{GradedResponse, Quality, Wording, WordingFit};
use crate::checks::{check_lengths, check_level, check_some, ensure};
use crate::index::{distinct, number_values};
use crate::linear::{Cholesky, mean, mean_of, sample_deviation, sandwiched};
use crate::pairwise::ascent::maximise;
use crate::special::{normal_quantile, student_quantile};
use crate::{Error, Undefined};
use std::collections::BTreeSet;

/// Fits the graded response model to the scores of one judge: `rows[i][p]` is the category that
/// response i got under wording p, None without a verdict; `cluster[i]` is what response i belongs
/// to, such as its item: responses to one item are not independent.
///
/// Qualities are integrated out (Bock and Aitkin 1981) on 241 nodes; log discriminations have a
/// normal prior with standard deviation 0.5 around 0 and thresholds one with 3, which keep finite
/// what would be infinite where wordings agree perfectly, and shrink what rests on little. Maxima
/// by Newton's steps. Standard errors are A⁻¹ B A⁻¹, A the curvature with the priors and B the sum
/// over clusters of the squared sums of scores, times G / (G - 1). An interval reaches Student's t
/// of G - 1 times that to either side, and as far again as the priors pull the estimate: without
/// that it would miss what lies far from their middle. Wordings are held against each other by the
/// responses that several of them scored: below [`LEAST_CLUSTERS`] clusters of these a wording has
/// estimates and no intervals, and without any it is not fitted. A category that a wording never used has no threshold there.
///
/// Of one wording alone a discrimination says nothing but its prior: two at least are fitted.
///
/// # Errors
/// No rows; rows or clusters of different lengths; a level that is no share; fewer than two
/// wordings whose scores vary and that share responses ([`Undefined::TooFewPoints`]); a fit whose curvature cannot be
/// inverted ([`Undefined::NoVariance`]).
pub fn graded_response(
    rows: &[Vec<Option<usize>>],
    cluster: &[u32],
    level: f64,
) -> Result<GradedResponse, Error> {
    check_some(rows.len())?;
    check_lengths(rows.len(), cluster.len())?;
    check_level(level)?;
    let wordings = rows[0].len();
    for row in rows {
        check_lengths(wordings, row.len())?;
    }
    // Wordings whose scores vary, with the categories that they used.
    let mut used: Vec<Vec<usize>> = Vec::new();
    for wording in 0..wordings {
        used.push(distinct(
            rows.iter().filter_map(|row| row[wording]).collect(),
        ));
    }
    let varying: Vec<usize> = (0..wordings)
        .filter(|wording| used[*wording].len() > 1)
        .collect();
    let (clusters, numbers) = number_values(cluster);
    let shared = shared_clusters(rows, &numbers, &varying);
    let fitted: Vec<usize> = varying
        .into_iter()
        .filter(|wording| shared[*wording] > 0)
        .collect();
    let points = fitted.len();
    if points < 2 {
        return Err(Undefined::TooFewPoints { points }.into());
    }
    let number = |wording: usize, category: usize| used[wording].binary_search(&category).ok();
    let numbered = |row: &Vec<Option<usize>>| {
        let of_wording = |wording: &usize| row[*wording].and_then(|one| number(*wording, one));
        fitted.iter().map(of_wording).collect::<Vec<_>>()
    };
    let numbered: Vec<Vec<Option<usize>>> = rows.iter().map(numbered).collect();
    let model = Model::new(
        &numbered,
        fitted.iter().map(|one| used[*one].len()).collect(),
    );
    let (point, fit) = maximise(&model, start(&model));

    let (covariance, pull) = covariance(&model, &point, &numbers, clusters)?;
    let of_wording = |wording: usize| {
        let Some(place) = fitted.iter().position(|one| *one == wording) else {
            return Err(match used[wording].len() {
                0 => Undefined::NoData,
                1 => Undefined::Constant,
                _ => Undefined::NothingShared,
            });
        };
        let shown = Shown {
            model: &model,
            point: &point,
            covariance: &covariance,
            pull: &pull,
            reach: reach_of(shared[wording], level),
        };
        Ok(shown.wording(place, used[wording].clone()))
    };
    let qualities = model.qualities(&point);
    let means: Vec<f64> = qualities.iter().map(|[mean, _]| *mean).collect();
    let spread = sample_deviation(&means).powi(2);
    let noise = mean_of(qualities.iter().map(|[_, variance]| *variance));
    Ok(GradedResponse {
        wordings: (0..wordings).map(of_wording).collect(),
        reliability: spread / (spread + noise),
        variation: variation(&numbered, &means, &model.categories),
        qualities: qualities
            .into_iter()
            .map(|[mean, variance]| Quality {
                mean,
                deviation: variance.sqrt(),
            })
            .collect(),
        fit,
        clusters,
    })
}

/// For each wording the clusters with a response that it and another of these wordings scored.
fn shared_clusters(
    rows: &[Vec<Option<usize>>],
    cluster: &[usize],
    wordings: &[usize],
) -> Vec<usize> {
    let mut shared = vec![BTreeSet::new(); rows[0].len()];
    for (row, cluster) in rows.iter().zip(cluster) {
        let scored = wordings.iter().filter(|wording| row[**wording].is_some());
        if scored.clone().count() > 1 {
            scored.for_each(|wording| {
                shared[*wording].insert(*cluster);
            });
        }
    }
    shared.iter().map(BTreeSet::len).collect()
}

/// How many standard errors an interval reaches; or why there is none.
fn reach_of(clusters: usize, level: f64) -> Result<f64, Undefined> {
    let least = LEAST_CLUSTERS;
    ensure(clusters >= least, || Undefined::TooFewResponses {
        clusters,
        least,
    })?;
    Ok(student_quantile(0.5 + level / 2.0, clusters as f64 - 1.0))
}

/// Where the search starts: discriminations of 1.5, and thresholds by how many scores lie above.
fn start(model: &Model) -> Vec<f64> {
    let mut point = Vec::with_capacity(model.size());
    for (wording, categories) in model.categories.iter().enumerate() {
        let mut counts = vec![0.5; *categories];
        for category in model.rows.iter().filter_map(|row| row[wording]) {
            counts[category] += 1.0;
        }
        let total: f64 = counts.iter().sum();
        let mut below = 0.0;
        let cuts = counts[..categories - 1].iter().map(|count| {
            below += count;
            1.3 * normal_quantile(below / total)
        });
        let cuts: Vec<f64> = cuts.collect();
        point.extend([1.5f64.ln(), cuts[0]]);
        point.extend(cuts.windows(2).map(|pair| (pair[1] - pair[0]).ln()));
    }
    point
}

/// The robust covariance of all numbers, by clusters of responses; and how far the priors pull each
/// number, to first order.
fn covariance(
    model: &Model,
    point: &[f64],
    cluster: &[usize],
    clusters: usize,
) -> Result<(Vec<f64>, Vec<f64>), Undefined> {
    let n = model.size();
    let mut sums = vec![vec![0.0; n]; clusters];
    for (score, cluster) in model.scores(point).iter().zip(cluster) {
        crate::linear::add_scaled(&mut sums[*cluster], score, 1.0);
    }
    let mut meat = vec![0.0; n * n];
    for sum in &sums {
        add_square(&mut meat, sum);
    }
    let factor = clusters as f64 / (clusters as f64 - 1.0).max(1.0);
    meat.iter_mut().for_each(|entry| *entry *= factor);
    let bread = Cholesky::new(n, model.information(point)).ok_or(Undefined::NoVariance)?;
    let (_, mut pull) = model.penalty(point);
    bread.solve(&mut pull);
    Ok((sandwiched(&bread.inverse(), &meat, n), pull))
}

/// What is shown of the wordings of a fit.
struct Shown<'a> {
    model: &'a Model<'a>,
    point: &'a [f64],
    covariance: &'a [f64],
    /// How far the priors pull each number.
    pull: &'a [f64],
    /// How many standard errors an interval reaches; or why there are none.
    reach: Result<f64, Undefined>,
}

impl Shown<'_> {
    fn wording(&self, place: usize, used: Vec<usize>) -> Wording {
        let numbers = self.model.numbers(place, self.point);
        let all = thresholds(&numbers[1..]);
        // The derivative of threshold k by the numbers of the wording.
        let slopes = |k: usize| {
            let mut slopes = vec![0.0; numbers.len()];
            slopes[1] = 1.0;
            for step in 1..=k {
                slopes[1 + step] = numbers[1 + step].exp();
            }
            slopes
        };
        let mut mean_slopes = vec![0.0; numbers.len()];
        for k in 0..all.len() {
            crate::linear::add_scaled(&mut mean_slopes, &slopes(k), 1.0 / all.len() as f64);
        }
        let mut of_log = vec![0.0; numbers.len()];
        of_log[0] = 1.0;
        let log = self.linear(place, numbers[0], &of_log);
        let thresholds = all.iter().enumerate();
        Wording {
            used,
            discrimination: WordingFit {
                value: numbers[0].exp(),
                standard_error: log.standard_error.map(|error| error * numbers[0].exp()),
                interval: log.interval.map(|ends| ends.map(f64::exp)),
            },
            severity: self.linear(place, mean(&all), &mean_slopes),
            thresholds: thresholds
                .map(|(k, value)| self.linear(place, *value, &slopes(k)))
                .collect(),
        }
    }

    /// An estimate of which the derivatives by the numbers of a wording are given.
    fn linear(&self, place: usize, value: f64, slopes: &[f64]) -> WordingFit {
        let (n, start) = (self.model.size(), self.model.starts[place]);
        let mut variance = 0.0;
        for (i, x) in slopes.iter().enumerate() {
            let row = &self.covariance[(start + i) * n + start..];
            variance += slopes
                .iter()
                .zip(row)
                .map(|(y, entry)| x * y * entry)
                .sum::<f64>();
        }
        let error = variance.max(0.0).sqrt();
        let pull = slopes.iter().zip(&self.pull[start..]);
        let pull = pull.map(|(slope, pull)| slope * pull).sum::<f64>().abs();
        let interval = |reach: f64| {
            let reach = reach * error + pull;
            [value - reach, value + reach]
        };
        WordingFit {
            value,
            standard_error: self.reach.map(|_| error),
            interval: self.reach.map(interval),
        }
    }
}

/// The coefficient of variation over wordings of how much the qualities behind one score vary.
fn variation(rows: &[Vec<Option<usize>>], means: &[f64], categories: &[usize]) -> Option<f64> {
    let of_wording = |(wording, categories): (usize, &usize)| {
        let variances = (0..*categories).filter_map(|category| {
            let same = rows
                .iter()
                .zip(means)
                .filter(|(row, _)| row[wording] == Some(category));
            let same: Vec<f64> = same.map(|(_, mean)| *mean).collect();
            (same.len() > 1).then(|| sample_deviation(&same).powi(2))
        });
        let variances: Vec<f64> = variances.collect();
        (!variances.is_empty()).then(|| mean(&variances))
    };
    let within: Vec<f64> = categories
        .iter()
        .enumerate()
        .filter_map(of_wording)
        .collect();
    let middle = mean(&within);
    (within.len() > 1 && middle > 0.0).then(|| sample_deviation(&within) / middle)
}
