//! The fit of a graded response model: marginal maximum likelihood with weak priors.

use super::LEAST_CLUSTERS;
use super::likelihood::{Model, add_square, thresholds};
use super::measures::{Contrast, GradedResponse, Quality, Wording, WordingDifference, WordingFit};
use crate::checks::{check_lengths, check_level, check_some, ensure};
use crate::data::ClusterSizes;
use crate::index::{distinct, number_values, pairs};
use crate::linear::{
    Cholesky, add_scaled, difference, dot, mean, mean_of, sample_deviation, sandwiched,
};
use crate::multiplicity::holm;
use crate::pairwise::ascent::maximise;
use crate::special::{normal_quantile, student_above, student_quantile};
use crate::{Error, Undefined};
use std::collections::BTreeMap;

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
/// that it would miss what lies far from their middle. Of clusters of unlike sizes G is as how many
/// of one size they are, and the factor is by their sizes, too ([`ClusterSizes`]). Wordings are
/// held against each other by the responses that several of them scored: below [`LEAST_CLUSTERS`]
/// clusters of these a wording has estimates and no intervals, and without any it is not fitted. A
/// category that a wording never used has no threshold there.
///
/// Differences of two wordings are tested by the same errors, with what the two share taken off: a
/// difference counts as far as it is more than the priors pull, and p-values are Holm's over all
/// pairs, of severities and of discriminations each.
///
/// Of one wording alone a discrimination says nothing but its prior: two at least are fitted.
///
/// # Errors
/// No rows; rows or clusters of different lengths; a level that is no share; fewer than two
/// wordings whose scores vary and that share responses ([`Undefined::TooFewPoints`]); a fit whose
/// curvature cannot be inverted ([`Undefined::NoVariance`]).
// Long: the steps of one fit, which share how wordings, categories and clusters are numbered.
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
        .filter(|wording| !shared[*wording].is_empty())
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
    let shown = Shown {
        model: &model,
        point: &point,
        covariance: &covariance,
        pull: &pull,
        freedom: (fitted.iter().map(|wording| freedom_of(&shared[*wording]))).collect(),
        level,
    };
    let of_wording = |wording: usize| match fitted.iter().position(|one| *one == wording) {
        Some(place) => Ok(shown.wording(place, used[wording].clone())),
        None => Err(match used[wording].len() {
            0 => Undefined::NoData,
            1 => Undefined::Constant,
            _ => Undefined::NothingShared,
        }),
    };
    let categories: Vec<&[usize]> = fitted.iter().map(|one| &used[*one][..]).collect();
    let differences = match shown.freedom.iter().find_map(|freedom| freedom.err()) {
        None => Ok(shown.differences(&fitted, &categories)?),
        Some(why) => Err(why),
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
        differences,
        fit,
        clusters,
    })
}

/// For each wording the clusters with a response that it and another of these wordings scored, and
/// how many such responses each has.
fn shared_clusters(
    rows: &[Vec<Option<usize>>],
    cluster: &[usize],
    wordings: &[usize],
) -> Vec<BTreeMap<usize, f64>> {
    let mut shared = vec![BTreeMap::new(); rows[0].len()];
    for (row, cluster) in rows.iter().zip(cluster) {
        let scored = wordings.iter().filter(|wording| row[**wording].is_some());
        if scored.clone().count() > 1 {
            scored.for_each(|wording| {
                *shared[*wording].entry(*cluster).or_default() += 1.0;
            });
        }
    }
    shared
}

/// The degrees of freedom of intervals and tests, by how many clusters of one size these are; or
/// why there are none.
fn freedom_of(clusters: &BTreeMap<usize, f64>) -> Result<f64, Undefined> {
    let (count, least) = (clusters.len(), LEAST_CLUSTERS);
    ensure(count >= least, || Undefined::TooFewResponses {
        clusters: count,
        least,
    })?;
    let mut sizes = ClusterSizes::default();
    clusters.values().for_each(|size| sizes.add(*size));
    Ok(sizes.clusters() as f64 - 1.0)
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
    let mut counts = vec![0.0; clusters];
    for (score, cluster) in model.scores(point).iter().zip(cluster) {
        add_scaled(&mut sums[*cluster], score, 1.0);
        counts[*cluster] += 1.0;
    }
    let mut sizes = ClusterSizes::default();
    counts.iter().for_each(|count| sizes.add(*count));
    let mut meat = vec![0.0; n * n];
    for sum in &sums {
        add_square(&mut meat, sum);
    }
    let factor = match clusters {
        1 => 1.0,
        _ => sizes.correction(),
    };
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
    /// For each wording the degrees of freedom of intervals and tests; or why there are none.
    freedom: Vec<Result<f64, Undefined>>,
    level: f64,
}

/// A number that follows from those of the fit: how it changes with each, to first order.
struct Linear {
    value: f64,
    slopes: Vec<f64>,
}

impl Linear {
    /// This less another.
    fn less(&self, other: &Linear) -> Linear {
        Linear {
            value: self.value - other.value,
            slopes: difference(&self.slopes, &other.slopes),
        }
    }
}

impl Shown<'_> {
    /// The logarithm of a wording's discrimination.
    fn log_discrimination(&self, place: usize) -> Linear {
        let start = self.model.starts[place];
        let mut slopes = vec![0.0; self.model.size()];
        slopes[start] = 1.0;
        Linear {
            value: self.point[start],
            slopes,
        }
    }

    /// The thresholds of a wording.
    fn thresholds(&self, place: usize) -> Vec<Linear> {
        let numbers = self.model.numbers(place, self.point);
        let first = self.model.starts[place] + 1;
        let mut slopes = vec![0.0; self.model.size()];
        slopes[first] = 1.0;
        let all = thresholds(&numbers[1..]);
        let each = all.iter().enumerate().map(|(k, value)| {
            // Each lies the exponential of its number beyond the one before.
            if k > 0 {
                slopes[first + k] = numbers[1 + k].exp();
            }
            Linear {
                value: *value,
                slopes: slopes.clone(),
            }
        });
        each.collect()
    }

    /// The mean of a wording's thresholds.
    fn severity(&self, place: usize) -> Linear {
        let all = self.thresholds(place);
        let mut slopes = vec![0.0; self.model.size()];
        for one in &all {
            add_scaled(&mut slopes, &one.slopes, 1.0 / all.len() as f64);
        }
        Linear {
            value: mean_of(all.iter().map(|one| one.value)),
            slopes,
        }
    }

    fn wording(&self, place: usize, used: Vec<usize>) -> Wording {
        let log = self.fitted(place, &self.log_discrimination(place));
        let discrimination = log.value.exp();
        let thresholds = self.thresholds(place);
        Wording {
            used,
            discrimination: WordingFit {
                value: discrimination,
                standard_error: log.standard_error.map(|error| error * discrimination),
                interval: log.interval.map(|ends| ends.map(f64::exp)),
            },
            severity: self.fitted(place, &self.severity(place)),
            thresholds: thresholds
                .iter()
                .map(|one| self.fitted(place, one))
                .collect(),
        }
    }

    /// The standard error of a number, and how far the priors pull it.
    fn error_and_pull(&self, number: &Linear) -> (f64, f64) {
        let rows = self.covariance.chunks_exact(number.slopes.len());
        let products = rows.map(|row| dot(row, &number.slopes));
        let products: Vec<f64> = products.collect();
        let variance = dot(&products, &number.slopes);
        let pull = dot(&number.slopes, self.pull);
        (variance.max(0.0).sqrt(), pull.abs())
    }

    fn fitted(&self, place: usize, number: &Linear) -> WordingFit {
        let (error, pull) = self.error_and_pull(number);
        let interval = |freedom| self.interval(number.value, (error, pull), freedom);
        WordingFit {
            value: number.value,
            standard_error: self.freedom[place].map(|_| error),
            interval: self.freedom[place].map(interval),
        }
    }

    fn interval(&self, value: f64, (error, pull): (f64, f64), freedom: f64) -> [f64; 2] {
        let reach = student_quantile(0.5 + self.level / 2.0, freedom) * error + pull;
        [value - reach, value + reach]
    }

    /// All pairs of wordings, of which the numbers and the categories are given.
    fn differences(
        &self,
        wordings: &[usize],
        categories: &[&[usize]],
    ) -> Result<Vec<WordingDifference>, Error> {
        // What two wordings have in common is at most what either shares with any.
        let known = self.freedom.iter().filter_map(|freedom| freedom.ok());
        let freedom = known.fold(f64::INFINITY, f64::min);
        let contrast = |number: &Linear| {
            let (error, pull) = self.error_and_pull(number);
            let beyond = (number.value.abs() - pull).max(0.0);
            Contrast {
                value: number.value,
                interval: self.interval(number.value, (error, pull), freedom),
                // Where nothing varies, nothing differs.
                p_adjusted: match error > 0.0 {
                    true => (2.0 * student_above(beyond / error, freedom)).min(1.0),
                    false => 1.0,
                },
            }
        };
        let places = 0..wordings.len();
        let logs: Vec<Linear> = places
            .clone()
            .map(|place| self.log_discrimination(place))
            .collect();
        let severities: Vec<Linear> = places.map(|place| self.severity(place)).collect();
        let mut found: Vec<WordingDifference> = Vec::new();
        for (i, j) in pairs(wordings.len()) {
            let comparable = categories[i] == categories[j];
            found.push(WordingDifference {
                pair: (wordings[i], wordings[j]),
                severity: comparable.then(|| contrast(&severities[i].less(&severities[j]))),
                log_discrimination: contrast(&logs[i].less(&logs[j])),
            });
        }
        adjust(found.iter_mut().filter_map(|one| one.severity.as_mut()))?;
        adjust(found.iter_mut().map(|one| &mut one.log_discrimination))?;
        Ok(found)
    }
}

/// Adjusts the p-values of differences of one kind.
fn adjust<'a>(kind: impl Iterator<Item = &'a mut Contrast>) -> Result<(), Error> {
    let mut kind: Vec<&mut Contrast> = kind.collect();
    let p: Vec<f64> = kind.iter().map(|one| one.p_adjusted).collect();
    for (one, adjusted) in kind.iter_mut().zip(holm(&p)?) {
        one.p_adjusted = adjusted;
    }
    Ok(())
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
