//! Style-controlled Bradley-Terry: strengths with the effect of covariates taken out.

use super::ControlError;
use super::climb::climb;
use super::design::Design;
use super::input::{Battles, on_threads};
use super::newton::Maximum;
use super::sandwich::{self, NormalInterval};
use crate::{BradleyTerry, Estimate, Scores, Tally, Undefined, bradley_terry};

/// Strengths are found to about 1e-10 log-odds; closer ones share a rank.
const RESOLUTION: f64 = 1e-9;

/// How a style-controlled fit is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StyleControl {
    /// The strengths' ridge: ridge / 2 * sum of squared strengths is taken off the log-likelihood;
    /// 0 for none. There is none on coefficients. Above 0 every system with a comparison is finite,
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

/// Style-controlled strengths.
#[derive(Clone, Debug, PartialEq)]
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
pub struct StyleUncertainty {
    /// How many clusters (or rows, without clusters) it rests on. With few more clusters than
    /// numbers estimated it is too small.
    pub clusters: usize,
    /// For each system its interval, relative to the mean of the finite ones; None for a system
    /// that is not finite, or whose rows are all met exactly.
    pub strengths: Vec<Option<NormalInterval>>,
    /// For each covariate the interval of its coefficient.
    pub coefficients: Vec<Option<NormalInterval>>,
    /// The covariance matrix, row-major: finite systems as in [`StyleControlled::systems`], then
    /// covariates.
    pub covariance: Vec<f64>,
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
/// correction. A row with weight w is one observation whose gradient counts w times, as w equal
/// rows of one cluster would. Strengths are relative to their mean.
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
    crate::bootstrap::check_level(plan.level)?;
    crate::data::check_weight(0, "ridge", plan.ridge)?;
    on_threads(plan.threads, || fit(battles, plan))?
}

fn fit(battles: &Battles, plan: &StyleControl) -> Result<StyleControlled, ControlError> {
    let tally = battles.tally()?;
    let plain = bradley_terry(&tally);
    let systems = finite_systems(&tally, &plain, plan.ridge)?;
    let mut index = vec![None; battles.systems];
    systems
        .iter()
        .enumerate()
        .for_each(|(position, &system)| index[system] = Some(position));
    let design = Design::of_battles(battles, &index, systems.len());
    check_rows(&design, plan.ridge)?;
    let found = climb(
        &design,
        &start(&plain, &systems, design.columns.len()),
        plan.ridge,
    )?;
    let uncertainty = uncertainty(&design, &found, &systems, battles.systems, plan.level);
    let coefficients = found.at[systems.len()..].to_vec();
    let scores = scores(plain.scores, &systems, &found, plan.ridge);
    Ok(StyleControlled {
        scores,
        coefficients,
        rows: design.won.len(),
        systems,
        uncertainty,
    })
}

/// The systems that are fitted; with a ridge, all that were compared with another.
fn finite_systems(
    tally: &Tally,
    plain: &BradleyTerry,
    ridge: f64,
) -> Result<Vec<usize>, Undefined> {
    let estimates = &plain.scores.estimates;
    let finite = |&i: &usize| {
        if ridge > 0.0 {
            tally.games_of(i) > 0.0
        } else {
            estimates[i].finite().is_some()
        }
    };
    let systems: Vec<usize> = (0..tally.systems()).filter(finite).collect();
    match estimates
        .iter()
        .find(|estimate| !matches!(estimate, Estimate::Undefined(Undefined::NoData)))
    {
        _ if !systems.is_empty() => Ok(systems),
        None => Err(Undefined::NoData),
        Some(Estimate::Undefined(reason)) => Err(*reason),
        Some(_) => Err(Undefined::OneSided),
    }
}

fn check_rows(design: &Design, ridge: f64) -> Result<(), ControlError> {
    let strengths = if ridge > 0.0 { 0 } else { design.systems - 1 };
    let (rows, parameters) = (design.won.len(), strengths + design.columns.len());
    if rows < parameters {
        Err(ControlError::TooFewRows { rows, parameters })
    } else {
        Ok(())
    }
}

/// The strengths without covariates (0 where they are not finite), mean 0, and no effect of the
/// covariates.
fn start(plain: &BradleyTerry, systems: &[usize], covariates: usize) -> Vec<f64> {
    let strengths: Vec<f64> = systems
        .iter()
        .map(|&i| plain.scores.estimates[i].finite().unwrap_or(0.0))
        .collect();
    let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
    strengths
        .into_iter()
        .map(|x| x - mean)
        .chain(vec![0.0; covariates])
        .collect()
}

fn uncertainty(
    design: &Design,
    found: &Maximum,
    systems: &[usize],
    all: usize,
    level: f64,
) -> Result<StyleUncertainty, Undefined> {
    let n = design.size();
    let (spread, clusters) = sandwich::spread(design, &found.at);
    if clusters < 2 {
        return Err(Undefined::TooFewClusters { clusters });
    }
    let covariance = sandwich::covariance(&found.factor, spread, n);
    let scale = design.scale();
    let interval =
        |i: usize| NormalInterval::new(found.at[i], covariance[i * n + i], scale[i], level);
    let mut strengths = vec![None; all];
    systems
        .iter()
        .enumerate()
        .for_each(|(i, &system)| strengths[system] = interval(i));
    let coefficients: Vec<_> = (systems.len()..n).map(interval).collect();
    if strengths.iter().chain(&coefficients).all(Option::is_none) {
        return Err(Undefined::NoVariance);
    }
    Ok(StyleUncertainty {
        clusters,
        strengths,
        coefficients,
        covariance,
    })
}

/// The plain scores with the finite strengths, and their ranks, put in.
fn scores(mut scores: Scores, systems: &[usize], found: &Maximum, ridge: f64) -> Scores {
    let above = systems
        .iter()
        .map(|&i| scores.ranks[i])
        .min()
        .flatten()
        .filter(|_| ridge == 0.0);
    for (&system, &strength) in systems.iter().zip(&found.at) {
        scores.estimates[system] = Estimate::Finite(strength);
        let better = found.at[..systems.len()]
            .iter()
            .filter(|&&other| other - strength > RESOLUTION)
            .count() as u32;
        scores.ranks[system] = above
            .or((ridge > 0.0).then_some(1))
            .map(|first| first + better);
    }
    Scores {
        resolution: RESOLUTION,
        fit: Some(found.fit),
        ..scores
    }
}
