//! Style-controlled Bradley-Terry: strengths with the effect of covariates taken out.

use super::ControlError;
use super::climb::climb;
use super::design::Design;
use super::input::{Battles, check_row_count, run_on_threads};
use super::newton::Maximum;
use super::sandwich::{self, CoefficientSpread, NormalInterval};
use crate::checks::{check_clusters, check_level, check_weight, ensure};
use crate::data::ClusterSizes;
use crate::estimate::count_better;
use crate::index::{finite_systems, places_of};
use crate::linear::centred;
use crate::special::{student_quantile, two_sided_quantile};
use crate::{BradleyTerry, Estimate, Fit, Scores, Tally, Undefined, bradley_terry};
use rayon::prelude::*;

/// Strengths are found to about 1e-10 log-odds; closer ones share a rank.
const RESOLUTION: f64 = 1e-9;

/// How a style-controlled fit is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StyleControl {
    /// The strengths' ridge: ridge / 2 * sum of squared strengths is taken off the log-likelihood;
    /// 0 for none. Coefficients have no penalty. Above 0 every system with a comparison is finite,
    /// and the estimates say what the ridge makes of them; from 0 to 1e100.
    pub ridge: f64,
    /// Coverage of the intervals, strictly between 0 and 1.
    pub level: f64,
    /// Threads to use; 0 for as many as the machine has. It changes the time taken and nothing
    /// else.
    pub threads: usize,
}

impl Default for StyleControl {
    /// No ridge, level 0.95, one thread.
    fn default() -> Self {
        StyleControl {
            ridge: 0.0,
            level: 0.95,
            threads: 1,
        }
    }
}

impl StyleControl {
    fn check(&self) -> Result<(), ControlError> {
        check_level(self.level)?;
        Ok(check_weight(0, "ridge", self.ridge)?)
    }
}

/// Style-controlled strengths.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StyleControlled {
    /// For each system its strength in log-odds, mean 0 over the systems that have a finite one;
    /// `weight` counts all rows, `fit` is always there.
    pub scores: Scores,
    /// For each covariate the log-odds that 1 more of it is worth.
    pub coefficients: Vec<f64>,
    /// The systems with finite strengths, in ascending order: the first rows of the covariance.
    pub systems: Vec<usize>,
    /// Rows that the fit rests on: those with a weight above 0 between finite systems.
    pub rows: usize,
    /// How uncertain they are; undefined below two clusters ([`Undefined::TooFewClusters`]) or
    /// where every row is met exactly ([`Undefined::NoVariance`]).
    pub uncertainty: Result<StyleUncertainty, Undefined>,
}

/// The uncertainty of a style-controlled fit, by the sandwich.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StyleUncertainty {
    /// How many clusters (or rows, without clusters) it rests on. With few more clusters than
    /// numbers estimated it is too small.
    pub clusters: usize,
    /// For each system its interval, relative to the mean of the finite ones; None for a system
    /// that is not finite, or whose rows are all met exactly.
    pub strengths: Vec<Option<NormalInterval>>,
    /// For each covariate the interval of its coefficient, by Student's t and with a correction for
    /// few clusters; or why there is none: it varies in too few of them
    /// ([`Undefined::FewVaryingClusters`]), or all rows are met exactly
    /// ([`Undefined::NoVariance`]).
    pub coefficients: Vec<Result<NormalInterval, Undefined>>,
    /// The covariance matrix, row-major: finite systems as in [`StyleControlled::systems`], then
    /// covariates. It has no small-sample correction.
    pub covariance: Vec<f64>,
    /// The covariance of rows in clusters, corrected for the leverage of each (CR2 of Bell and
    /// McCaffrey 2002); None without clusters.
    /// [`style_covariance`](crate::inference::style_covariance) has it.
    pub corrected: Option<Vec<f64>>,
    /// For each system as how many clusters (or rows, without clusters) of one weight those are that
    /// it is in.
    pub clusters_of: Vec<usize>,
}

/// Maximum-likelihood strengths s and coefficients b in the model `log odds(first wins) = s_first -
/// s_second + sum_t b_t * x_t`, x being what the first response has more of (Li, Angelopoulos and
/// Chiang 2024, "Does style matter? Disentangling style and substance in Chatbot Arena"). Rows
/// count `won` wins and `1 - won` losses, times their weight; a tie is half a win for both.
///
/// Which strengths are finite is decided as in [`bradley_terry`], which is also the result without
/// covariates: the fit is made on the largest part whose systems all won something from each other,
/// directly or through others, and rows outside it are left out. A covariate that is constant but
/// not 0 is what being named first is worth.
///
/// The covariance is A^-1 B A^-1 (HC0), A being the information and B the sum of the outer products
/// of the rows' gradients, summed within clusters first if there are any; no small-sample
/// correction. The intervals of the coefficients have one of their own. A row with weight w is one
/// observation whose gradient counts w times, as w equal rows of one cluster would. Strengths are
/// relative to their mean.
///
/// Time grows with rows * covariates^2 and, apart from that, with systems^3; the result does not
/// depend on the threads.
///
/// # Errors
/// A value out of range or a column of another length; [`ControlError::Collinear`] (also a
/// covariate that is 0 throughout, or so small that its square vanishes),
/// [`ControlError::Separated`], [`ControlError::TooFewRows`]; no finite strengths at all
/// ([`Undefined::NoData`], [`Undefined::OneSystem`], [`Undefined::Disconnected`],
/// [`Undefined::OneSided`]).
pub fn style_controlled(
    battles: &Battles,
    plan: &StyleControl,
) -> Result<StyleControlled, ControlError> {
    plan.check()?;
    run_on_threads(plan.threads, || fit_battles(battles, plan))?
}

fn fit_battles(battles: &Battles, plan: &StyleControl) -> Result<StyleControlled, ControlError> {
    let tally = battles.checked_tally()?;
    // It decides which strengths are finite, and is where the search starts.
    let plain = bradley_terry(&tally);
    let systems = systems_to_fit(&tally, &plain, plan.ridge)?;
    let places = places_of(&systems, battles.systems);
    let design = Design::of_battles(battles, &places, systems.len());
    // Without a ridge one strength is given by the others: their mean is 0. With one the data need
    // not determine any.
    let strengths = if plan.ridge > 0.0 {
        0
    } else {
        design.systems - 1
    };
    check_row_count(design.rows(), strengths + design.columns.len())?;
    let strength = |&i: &usize| plain.scores.estimates[i].finite().unwrap_or(0.0);
    let mut start = centred(systems.iter().map(strength).collect());
    start.resize(systems.len() + design.columns.len(), 0.0);
    let found = climb(&design, &start, plan.ridge)?;
    Ok(StyleControlled {
        uncertainty: measure_uncertainty(&design, &found, &places, plan.level),
        scores: put_in_strengths(
            plain.scores,
            &systems,
            &found.at[..systems.len()],
            found.fit,
            plan.ridge,
        ),
        coefficients: found.at[systems.len()..].to_vec(),
        rows: design.rows(),
        systems,
    })
}

/// The systems that are fitted; with a ridge, all that were compared with another.
fn systems_to_fit(
    tally: &Tally,
    plain: &BradleyTerry,
    ridge: f64,
) -> Result<Vec<usize>, Undefined> {
    let estimates = &plain.scores.estimates;
    let systems: Vec<usize> = if ridge > 0.0 {
        let all = 0..tally.systems();
        all.filter(|&i| tally.games_of(i) > 0.0).collect()
    } else {
        finite_systems(estimates)
    };
    if !systems.is_empty() {
        return Ok(systems);
    }
    let no_data = Estimate::Undefined(Undefined::NoData);
    Err(
        match estimates.iter().find(|&&estimate| estimate != no_data) {
            None => Undefined::NoData,
            Some(Estimate::Undefined(reason)) => *reason,
            Some(_) => Undefined::OneSided,
        },
    )
}

fn measure_uncertainty(
    design: &Design,
    found: &Maximum,
    places: &[Option<usize>],
    level: f64,
) -> Result<StyleUncertainty, Undefined> {
    let spread = sandwich::gradient_spread(design, &found.at, &found.factor);
    check_clusters(spread.clusters)?;
    let n = design.size();
    let covariance = sandwich::covariance_matrix(&found.factor, spread.plain, n);
    let corrected = spread.raised;
    let corrected = corrected.map(|raised| sandwich::covariance_matrix(&found.factor, raised, n));
    let scale = design.scale();
    let quantile = two_sided_quantile(level);
    let intervals =
        (0..n).map(|i| NormalInterval::new(found.at[i], covariance[i * n + i], scale[i], quantile));
    let intervals: Vec<Option<NormalInterval>> = intervals.collect();
    let some_vary = intervals.iter().any(Option::is_some);
    ensure(some_vary, || Undefined::NoVariance)?;
    let strengths = places.iter().map(|place| intervals[(*place)?]);
    let counts = count_clusters(design);
    let clusters_of = places.iter().map(|place| place.map_or(0, |i| counts[i]));
    let spreads = sandwich::coefficient_spreads(design, &found.at, &found.factor);
    let coefficients = (design.systems..)
        .zip(spreads)
        .map(|(at, spread)| coefficient_interval(found.at[at], &spread, scale[at], level));
    Ok(StyleUncertainty {
        clusters: spread.clusters,
        strengths: strengths.collect(),
        coefficients: coefficients.collect(),
        covariance,
        corrected,
        clusters_of: clusters_of.collect(),
    })
}

/// As how many clusters of one size those of each strength are; rows where there are none.
fn count_clusters(design: &Design) -> Vec<usize> {
    let mut found = vec![ClusterSizes::default(); design.systems];
    let rows = design.runs.iter().filter_map(|run| Some((run, run.pair?)));
    let rows = rows.flat_map(|(run, (i, j))| {
        let rows = run.rows.clone();
        rows.flat_map(move |row| [(i, row), (j, row)])
    });
    let Some(cluster) = &design.cluster else {
        rows.for_each(|(system, row)| found[system].add(design.weight[row]));
        return found.iter().map(ClusterSizes::clusters).collect();
    };
    let mut seen: Vec<(u32, u32, f64)> = rows
        .map(|(system, row)| (system as u32, cluster[row], design.weight[row]))
        .collect();
    // Stable, so that the weights of a cluster are summed in one order.
    seen.par_sort_by_key(|(system, cluster, _)| (*system, *cluster));
    for own in seen.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        found[own[0].0 as usize].add(own.iter().map(|(.., weight)| weight).sum());
    }
    found.iter().map(ClusterSizes::clusters).collect()
}

/// A covariate that varies in fewer clusters, counted by what each says of its coefficient, has no
/// interval. With a judge that reads nothing, an interval from 1 excludes 0 in up to 9 of 10 data
/// sets and from 2 in up to 7 %; from 3 on it is right, and so wide below 5 that it finds nothing
/// (`tests/it/style_simulated.rs`).
const LEAST_VARYING: f64 = 5.0;

/// The interval of a coefficient, or why there is none; `scale` is the largest value of its
/// covariate.
pub(super) fn coefficient_interval(
    coefficient: f64,
    spread: &CoefficientSpread,
    scale: f64,
    level: f64,
) -> Result<NormalInterval, Undefined> {
    // Clusters of equal weight count whole, but for rounding.
    let effective = spread.effective + 1e-9;
    if effective.is_nan() || effective < LEAST_VARYING {
        return Err(Undefined::FewVaryingClusters {
            varying: spread.varying,
            effective: effective as usize,
            least: LEAST_VARYING as usize,
        });
    }
    let quantile = student_quantile((1.0 + level) / 2.0, effective - 1.0);
    NormalInterval::new(coefficient, spread.variance, scale, quantile).ok_or(Undefined::NoVariance)
}

/// The plain scores with the finite strengths, and their ranks, put in.
pub(super) fn put_in_strengths(
    mut scores: Scores,
    systems: &[usize],
    strengths: &[f64],
    fit: Fit,
    ridge: f64,
) -> Scores {
    // Ranks go on from the best that the systems had; with a ridge they begin at 1.
    let first = if ridge > 0.0 {
        Some(1)
    } else {
        systems.iter().map(|&i| scores.ranks[i]).min().flatten()
    };
    for (&system, &strength) in systems.iter().zip(strengths) {
        let better = count_better(strengths.iter().copied(), strength, RESOLUTION);
        scores.estimates[system] = Estimate::Finite(strength);
        scores.ranks[system] = first.map(|first| first + better);
    }
    Scores {
        resolution: RESOLUTION,
        fit: Some(fit),
        ..scores
    }
}
