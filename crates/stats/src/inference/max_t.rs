//! Rank intervals from simultaneous comparisons of all pairs.

use super::normals::{Purpose, draw_normal, repeat_draws};
use super::{Covariance, InferenceError, check_rounds, finite_score};
use crate::checks::check_level;
use crate::index::{self, count_for_share, places_of};
use crate::linear::{centred, dot, semidefinite_root};
use crate::{Bootstrap, Estimate, RankInterval};
use rand_chacha::ChaCha8Rng;

/// Whether the level is that of all intervals together or of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coverage {
    /// All rank intervals hold together with the probability of the level.
    Joint,
    /// Each rank interval alone holds with the probability of the level.
    Each,
}

/// Rank intervals of k systems.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankSets {
    /// For each system its rank interval, from 1 (best), or why there is none. Systems whose score
    /// is undefined do not count in the ranks of others.
    pub intervals: Vec<Result<RankInterval, InferenceError>>,
    /// For each system the critical value that its differences in standard errors must exceed; the
    /// same for all with [`Coverage::Joint`]. None where there is none: the system has no interval,
    /// there is nobody to compare it with, or so many rounds were incomplete that no difference is
    /// beyond them.
    pub critical: Vec<Option<f64>>,
    /// The pairs of finite scores told apart, the better first, in ascending order; with
    /// [`Coverage::Each`] those beyond the critical values of both.
    pub apart: Vec<(usize, usize)>,
}

/// Rank intervals from bootstrap rounds (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for
/// ranks"; the maximum of studentised differences as in Chernozhukov, Chetverikov and Kato 2013).
///
/// With d_ij = s_i - s_j, its standard error se_ij over the rounds and d*_ij a round's difference,
/// the critical value is the ceil(level (R + 1))-th smallest of max |d*_ij - d_ij| / se_ij over the
/// pairs; i is better than j where d_ij / se_ij exceeds it; and the interval of i is [1 + how many
/// are better, k - how many are worse]. One step, two-sided; [`Coverage::Each`] takes the maximum
/// over the pairs of one system.
///
/// `point` holds the scores of k systems and each of `rounds` those of one resample, on the same
/// origin. A round in which a system that is compared has no finite score counts as an infinite
/// maximum. A system without a finite score in more than (1 - level) / 2 of the rounds is not
/// compared ([`InferenceError::UnsettledRounds`]). A pair whose difference does not vary is not
/// told apart.
///
/// A system with an infinite score is told apart from nobody and has no interval
/// ([`InferenceError::Infinite`]): one won comparison gives such a score, and such data hold no
/// trace of their own uncertainty. In simulations with a newcomer of few comparisons, taking
/// infinities at their word brought the joint coverage down from 0.95 to 0.7.
///
/// # Errors
/// A bad level; a round without k scores; fewer rounds than the level needs.
pub fn rank_sets(
    point: &[Estimate],
    rounds: &[Vec<Estimate>],
    level: f64,
    coverage: Coverage,
) -> Result<RankSets, InferenceError> {
    check_level(level)?;
    check_rounds(point, rounds)?;
    let reasons = all_reasons(point, rounds, level);
    let members = without_reason(&reasons);
    let complete = complete_rounds(point, rounds, &members);
    let family = Family::new(point, members, reasons, &covariance_of(&complete));
    let maxima = complete.iter().map(|draw| family.maxima(draw, coverage));
    let drawn = DrawnMaxima {
        maxima: maxima.collect(),
        rounds: rounds.len(),
    };
    family.rank_sets(&drawn, level)
}

/// For each system why it is not compared.
fn all_reasons(
    point: &[Estimate],
    rounds: &[Vec<Estimate>],
    level: f64,
) -> Vec<Option<InferenceError>> {
    let systems = 0..point.len();
    systems
        .map(|system| why_unsettled(point, rounds, level, system))
        .collect()
}

/// The largest deviations of the complete rounds, and how many rounds there are in all.
struct DrawnMaxima {
    maxima: Vec<Vec<f64>>,
    rounds: usize,
}

impl DrawnMaxima {
    fn undetermined(&self) -> usize {
        self.rounds - self.maxima.len()
    }

    /// The critical values at a level: one for all pairs, or one for each member.
    fn quantiles(&self, level: f64) -> Result<Vec<Option<f64>>, InferenceError> {
        let position = quantile_position(self.rounds, level)?;
        let columns = 0..count_columns(&self.maxima);
        let values = columns.map(|column| quantile_of(&self.maxima, column, position));
        Ok(values.collect())
    }
}

/// Rank intervals from a covariance matrix, as [`rank_sets`]: the rounds are `plan.rounds` normal
/// draws with that covariance, seeded and the same for every number of threads. A system without a
/// standard error is not compared, and its interval says why.
///
/// # Errors
/// A level, a number of rounds or threads that cannot be used; fewer rounds than the level needs.
pub fn rank_sets_from_covariance(
    covariance: &Covariance,
    plan: &Bootstrap,
    coverage: Coverage,
) -> Result<RankSets, InferenceError> {
    let systems = 0..covariance.estimates().len();
    let reasons: Vec<_> = systems
        .map(|i| covariance.standard_error(i).err())
        .collect();
    let members = without_reason(&reasons);
    let matrix = covariance_among(covariance, &members);
    let m = members.len();
    let family = Family::new(covariance.estimates(), members, reasons, &matrix);
    let root = semidefinite_root(m, matrix);
    let maxima = repeat_draws(plan, Purpose::Normal, |words| {
        family.maxima(&draw_correlated(&root, m, words), coverage)
    })?;
    let rounds = plan.rounds;
    family.rank_sets(&DrawnMaxima { maxima, rounds }, plan.level)
}

/// Normal numbers with the covariance whose root is given.
#[inline]
fn draw_correlated(root: &[f64], m: usize, words: &mut ChaCha8Rng) -> Vec<f64> {
    let normals: Vec<f64> = (0..m).map(|_| draw_normal(words)).collect();
    correlate_normals(root, &normals)
}

/// Systems with no reason to be left out.
fn without_reason(reasons: &[Option<InferenceError>]) -> Vec<usize> {
    let systems = 0..reasons.len();
    systems
        .filter(|&system| reasons[system].is_none())
        .collect()
}

/// The covariance of some systems, row-major.
fn covariance_among(covariance: &Covariance, members: &[usize]) -> Vec<f64> {
    let places = members.iter().filter_map(|&i| covariance.place_of(i).ok());
    let places: Vec<usize> = places.collect();
    let pairs = index::all_pairs(places.len());
    pairs
        .map(|(i, j)| covariance.entry(places[i], places[j]))
        .collect()
}

/// Normal numbers with the covariance whose root is given, from independent ones.
fn correlate_normals(root: &[f64], normals: &[f64]) -> Vec<f64> {
    let m = normals.len();
    (0..m)
        .map(|i| dot(&root[i * m..=i * m + i], &normals[..=i]))
        .collect()
}

/// Why a system is not compared: no finite score, or too few rounds with one.
fn why_unsettled(
    point: &[Estimate],
    rounds: &[Vec<Estimate>],
    level: f64,
    system: usize,
) -> Option<InferenceError> {
    if let Err(reason) = finite_score(point[system], system) {
        return Some(reason);
    }
    let open = count_open(rounds, system);
    let allowed = (1.0 - level) / 2.0 * rounds.len() as f64;
    (open as f64 > allowed).then_some(InferenceError::UnsettledRounds {
        system,
        rounds: open,
    })
}

/// How many rounds have no finite score of a system.
fn count_open(rounds: &[Vec<Estimate>], system: usize) -> usize {
    rounds
        .iter()
        .filter(|round| round[system].finite().is_none())
        .count()
}

/// How far each complete round is from the point.
fn complete_rounds(
    point: &[Estimate],
    rounds: &[Vec<Estimate>],
    members: &[usize],
) -> Vec<Vec<f64>> {
    let deviations = rounds
        .iter()
        .map(|round| deviations_of(point, round, members));
    deviations.flatten().collect()
}

/// How far a round is from the point, if it is complete.
fn deviations_of(point: &[Estimate], round: &[Estimate], members: &[usize]) -> Option<Vec<f64>> {
    members
        .iter()
        .map(|&i| Some(round[i].finite()? - point[i].finite()?))
        .collect()
}

/// The covariance over the rounds, with n - 1; empty without rounds.
fn covariance_of(rounds: &[Vec<f64>]) -> Vec<f64> {
    let columns = centred_columns(rounds);
    let degrees = rounds.len().saturating_sub(1).max(1) as f64;
    // Always in the same order, so that the matrix is symmetric to the last bit.
    let product = |i: usize, j: usize| dot(&columns[i.min(j)], &columns[i.max(j)]);
    let pairs = index::all_pairs(columns.len());
    pairs.map(|(i, j)| product(i, j) / degrees).collect()
}

fn centred_columns(rounds: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let members = 0..count_columns(rounds);
    members.map(|i| centred_column(rounds, i)).collect()
}

/// How many numbers each row has; 0 where there is no row.
fn count_columns(rows: &[Vec<f64>]) -> usize {
    rows.first().map_or(0, Vec::len)
}

fn centred_column(rounds: &[Vec<f64>], i: usize) -> Vec<f64> {
    centred(rounds.iter().map(|round| round[i]).collect())
}

/// The systems that are compared with each other.
struct Family<'a> {
    point: &'a [Estimate],
    /// For each system its place among the members.
    places: Vec<Option<usize>>,
    reasons: Vec<Option<InferenceError>>,
    strengths: Vec<f64>,
    /// One over the standard errors of the differences, m x m; 0 where a difference does not vary.
    precision: Vec<f64>,
}

impl<'a> Family<'a> {
    fn new(
        point: &'a [Estimate],
        members: Vec<usize>,
        reasons: Vec<Option<InferenceError>>,
        covariance: &[f64],
    ) -> Self {
        Family {
            point,
            places: places_of(&members, point.len()),
            reasons,
            strengths: members.iter().filter_map(|&i| point[i].finite()).collect(),
            precision: precision_of(covariance, members.len()),
        }
    }

    /// The largest studentised deviation: of all pairs, or of the pairs of each member.
    fn maxima(&self, draw: &[f64], coverage: Coverage) -> Vec<f64> {
        let rows = self.precision.chunks(draw.len().max(1)).enumerate();
        match coverage {
            // All pairs are met once below the diagonal; the pairs of one member are its whole row.
            Coverage::Joint => {
                let each = rows.map(|(i, row)| largest_deviation(draw[i], &draw[..i], row));
                vec![each.fold(0.0, f64::max)]
            }
            Coverage::Each => rows
                .map(|(i, row)| largest_deviation(draw[i], draw, row))
                .collect(),
        }
    }

    fn rank_sets(&self, drawn: &DrawnMaxima, level: f64) -> Result<RankSets, InferenceError> {
        let critical = self.critical_values(&drawn.quantiles(level)?);
        let systems = 0..self.point.len();
        let intervals = systems.map(|system| self.rank_interval(system, critical[system], drawn));
        Ok(RankSets {
            intervals: intervals.collect(),
            apart: self.pairs_apart(&critical),
            critical,
        })
    }

    /// For each system its critical value; `values` has one for all, or one for each place.
    fn critical_values(&self, values: &[Option<f64>]) -> Vec<Option<f64>> {
        let of_place = |place: usize| *values.get(if values.len() == 1 { 0 } else { place })?;
        // A system with nobody to be compared with has no critical value.
        let alone = self.strengths.len() < 2;
        let places = self.places.iter().map(|place| place.filter(|_| !alone));
        places.map(|place| place.and_then(of_place)).collect()
    }

    fn rank_interval(
        &self,
        system: usize,
        critical: Option<f64>,
        drawn: &DrawnMaxima,
    ) -> Result<RankInterval, InferenceError> {
        if let Some(reason) = &self.reasons[system] {
            return Err(reason.clone());
        }
        Ok(RankInterval {
            low: 1 + self.count_better(system, critical) as u32,
            high: self.count_not_worse(system, critical) as u32,
            rounds: drawn.rounds,
            undetermined: drawn.undetermined(),
        })
    }

    /// How many systems are certainly better than one.
    fn count_better(&self, system: usize, critical: Option<f64>) -> usize {
        self.count_defined(|other| self.is_beyond(other, system, critical))
    }

    /// How many systems with a score are not certainly worse than one, itself included.
    fn count_not_worse(&self, system: usize, critical: Option<f64>) -> usize {
        self.count_defined(|other| !self.is_beyond(system, other, critical))
    }

    /// How many systems with a score pass a test.
    fn count_defined(&self, test: impl Fn(usize) -> bool) -> usize {
        (0..self.point.len())
            .filter(|&other| !matches!(self.point[other], Estimate::Undefined(_)))
            .filter(|&other| test(other))
            .count()
    }

    /// Whether `i` is certainly better than `j`.
    fn is_beyond(&self, i: usize, j: usize, critical: Option<f64>) -> bool {
        let (Some(i), Some(j), Some(critical)) = (self.places[i], self.places[j], critical) else {
            return false;
        };
        let difference = self.strengths[i] - self.strengths[j];
        difference * self.precision[i * self.strengths.len() + j] > critical
    }

    fn pairs_apart(&self, critical: &[Option<f64>]) -> Vec<(usize, usize)> {
        let pairs = index::all_pairs(self.point.len());
        pairs
            .filter(|&pair| self.is_apart(pair, critical))
            .collect()
    }

    /// Whether a pair is beyond the critical values of both.
    fn is_apart(&self, (i, j): (usize, usize), critical: &[Option<f64>]) -> bool {
        self.is_beyond(i, j, critical[i]) && self.is_beyond(i, j, critical[j])
    }
}

/// One over the standard errors of the differences of m members, m x m; 0 where a difference does
/// not vary.
fn precision_of(covariance: &[f64], m: usize) -> Vec<f64> {
    let mut precision = vec![0.0; m * m];
    if covariance.is_empty() {
        return precision;
    }
    for (i, j) in index::pairs_below(m) {
        let inverse = precision_at(covariance, m, i, j);
        (precision[i * m + j], precision[j * m + i]) = (inverse, inverse);
    }
    precision
}

#[inline]
fn precision_at(covariance: &[f64], m: usize, i: usize, j: usize) -> f64 {
    let sum = covariance[i * m + i] + covariance[j * m + j];
    let variance = sum - 2.0 * covariance[i * m + j];
    // Less is rounding.
    if variance > 1e-12 * sum {
        variance.sqrt().recip()
    } else {
        0.0
    }
}

fn largest_deviation(own: f64, others: &[f64], precision: &[f64]) -> f64 {
    precision
        .iter()
        .zip(others)
        .map(|(precision, other)| (own - other).abs() * precision)
        .fold(0.0, f64::max)
}

/// Which of the maxima is the critical value, counted from 1.
fn quantile_position(rounds: usize, level: f64) -> Result<usize, InferenceError> {
    let position = count_for_share(level, rounds + 1) as usize;
    if position <= rounds {
        return Ok(position);
    }
    Err(InferenceError::FewRounds {
        rounds,
        needed: (level / (1.0 - level) - 1e-9).ceil() as usize,
    })
}

/// The value at a position, from 1, of one column in ascending order.
fn quantile_of(maxima: &[Vec<f64>], column: usize, position: usize) -> Option<f64> {
    let column = maxima.iter().filter_map(|draw| draw.get(column).copied());
    let mut values: Vec<f64> = column.collect();
    values.sort_by(f64::total_cmp);
    values.get(position.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests;
