//! Rank intervals from simultaneous comparisons of all pairs.

use super::normals::{Purpose, draws, normal};
use super::{Covariance, InferenceError, check_length};
use crate::bootstrap::check_level;
use crate::linear::{dot, semidefinite_root};
use crate::{Bootstrap, Estimate, RankInterval};

/// What the level is a promise of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coverage {
    /// All rank intervals hold together with the probability of the level.
    Joint,
    /// Each rank interval alone holds with the probability of the level.
    Each,
}

/// Rank intervals of k systems.
#[derive(Clone, Debug, PartialEq)]
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
    for round in rounds {
        check_length("scores of a round", point.len(), round.len())?;
    }
    let (members, reasons) = settled(point, rounds, level);
    let complete: Vec<Vec<f64>> = rounds
        .iter()
        .filter_map(|round| deviations(point, round, &members))
        .collect();
    let family = Family::new(point, members, reasons, &covariance_of(&complete));
    let maxima: Vec<Vec<f64>> = complete
        .iter()
        .map(|draw| family.maxima(draw, coverage))
        .collect();
    family.sets(&maxima, rounds.len(), level)
}

/// The same from a covariance matrix: the rounds are `plan.rounds` normal draws with that
/// covariance, seeded and the same for every number of threads. A system without a standard error
/// is not compared, and its interval says why.
///
/// # Errors
/// A level, a number of rounds or threads that cannot be used; fewer rounds than the level needs.
pub fn rank_sets_from_covariance(
    covariance: &Covariance,
    plan: &Bootstrap,
    coverage: Coverage,
) -> Result<RankSets, InferenceError> {
    let reason = |system| covariance.standard_error(system).err();
    let reasons: Vec<_> = (0..covariance.estimates().len()).map(reason).collect();
    let members: Vec<usize> = (0..reasons.len())
        .filter(|&system| reasons[system].is_none())
        .collect();
    let places: Vec<usize> = members
        .iter()
        .filter_map(|&system| covariance.settled(system).ok())
        .collect();
    let (m, size) = (places.len(), covariance.systems().len());
    let entry = |i: usize, j: usize| covariance.matrix()[i * size + j];
    let matrix: Vec<f64> = places
        .iter()
        .flat_map(|&i| places.iter().map(move |&j| entry(i, j)))
        .collect();
    let family = Family::new(covariance.estimates(), members, reasons, &matrix);
    let root = semidefinite_root(m, matrix);
    let maxima = draws(plan, Purpose::Normal, |words| {
        let normals: Vec<f64> = (0..m).map(|_| normal(words)).collect();
        let draw: Vec<f64> = (0..m)
            .map(|i| dot(&root[i * m..=i * m + i], &normals[..=i]))
            .collect();
        family.maxima(&draw, coverage)
    })?;
    family.sets(&maxima, plan.rounds, plan.level)
}

/// The finite systems with enough finite rounds, and for every system why it is not one of them.
fn settled(
    point: &[Estimate],
    rounds: &[Vec<Estimate>],
    level: f64,
) -> (Vec<usize>, Vec<Option<InferenceError>>) {
    let open = |system: usize| {
        rounds
            .iter()
            .filter(|round| round[system].finite().is_none())
            .count()
    };
    let allowed = (1.0 - level) / 2.0 * rounds.len() as f64;
    let reason = |system: usize| match super::finite(point[system], system) {
        Err(reason) => Some(reason),
        Ok(_) if open(system) as f64 > allowed => Some(InferenceError::UnsettledRounds {
            system,
            rounds: open(system),
        }),
        Ok(_) => None,
    };
    let reasons: Vec<_> = (0..point.len()).map(reason).collect();
    (
        (0..point.len())
            .filter(|&system| reasons[system].is_none())
            .collect(),
        reasons,
    )
}

/// How far a round is from the point, if it is complete.
fn deviations(point: &[Estimate], round: &[Estimate], members: &[usize]) -> Option<Vec<f64>> {
    members
        .iter()
        .map(|&i| Some(round[i].finite()? - point[i].finite()?))
        .collect()
}

/// The covariance over the rounds, with n - 1; empty without rounds.
fn covariance_of(rounds: &[Vec<f64>]) -> Vec<f64> {
    let m = rounds.first().map_or(0, Vec::len);
    let column = |i: usize| {
        let values: Vec<f64> = rounds.iter().map(|round| round[i]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.into_iter().map(|x| x - mean).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> = (0..m).map(column).collect();
    let degrees = rounds.len().saturating_sub(1).max(1) as f64;
    let entry = |i: usize, j: usize| dot(&columns[i.min(j)], &columns[i.max(j)]) / degrees;
    (0..m)
        .flat_map(|i| (0..m).map(move |j| (i, j)))
        .map(|(i, j)| entry(i, j))
        .collect()
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
        let m = members.len();
        let mut places = vec![None; point.len()];
        members
            .iter()
            .enumerate()
            .for_each(|(place, &system)| places[system] = Some(place));
        let mut precision = vec![0.0; m * m];
        for (i, j) in (0..m)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .filter(|_| !covariance.is_empty())
        {
            let sum = covariance[i * m + i] + covariance[j * m + j];
            let variance = sum - 2.0 * covariance[i * m + j];
            // Less is rounding.
            if variance > 1e-12 * sum {
                (precision[i * m + j], precision[j * m + i]) =
                    (variance.sqrt().recip(), variance.sqrt().recip());
            }
        }
        let strengths = members.iter().filter_map(|&i| point[i].finite()).collect();
        Family {
            point,
            places,
            reasons,
            strengths,
            precision,
        }
    }

    /// The largest studentised deviation: of all pairs, or of the pairs of each member.
    fn maxima(&self, draw: &[f64], coverage: Coverage) -> Vec<f64> {
        let m = draw.len().max(1);
        // All pairs are met once below the diagonal; the pairs of one member are its whole row.
        let of_row = |(i, row): (usize, &[f64])| {
            let others = if coverage == Coverage::Joint {
                &draw[..i]
            } else {
                draw
            };
            let deviations = row
                .iter()
                .zip(others)
                .map(|(precision, other)| (draw[i] - other).abs() * precision);
            deviations.fold(0.0, f64::max)
        };
        let each = self.precision.chunks(m).enumerate().map(of_row);
        match coverage {
            Coverage::Joint => vec![each.fold(0.0, f64::max)],
            Coverage::Each => each.collect(),
        }
    }

    fn sets(
        &self,
        maxima: &[Vec<f64>],
        rounds: usize,
        level: f64,
    ) -> Result<RankSets, InferenceError> {
        let critical = self.critical(maxima, rounds, level)?;
        let undetermined = rounds - maxima.len();
        let interval = |system: usize| {
            let (low, high) = self.ranks(system, &critical)?;
            Ok(RankInterval {
                low,
                high,
                rounds,
                undetermined,
            })
        };
        let intervals = (0..self.point.len()).map(interval).collect();
        Ok(RankSets {
            intervals,
            apart: self.apart(&critical),
            critical,
        })
    }

    /// For each system its critical value.
    fn critical(
        &self,
        maxima: &[Vec<f64>],
        rounds: usize,
        level: f64,
    ) -> Result<Vec<Option<f64>>, InferenceError> {
        // A hair less, so that rounding does not ask for one more.
        let position = (level * (rounds + 1) as f64 - 1e-9).ceil() as usize;
        if position > rounds {
            return Err(InferenceError::FewRounds {
                rounds,
                needed: (level / (1.0 - level) - 1e-9).ceil() as usize,
            });
        }
        let quantile = |column: usize| {
            let mut values: Vec<f64> = maxima
                .iter()
                .filter_map(|draw| draw.get(column).copied())
                .collect();
            values.sort_by(f64::total_cmp);
            values.get(position.saturating_sub(1)).copied()
        };
        let columns = maxima.first().map_or(0, Vec::len);
        let values: Vec<Option<f64>> = (0..columns).map(quantile).collect();
        let of = |place: usize| {
            values
                .get(if columns == 1 { 0 } else { place })
                .copied()
                .flatten()
        };
        let alone = self.strengths.len() < 2;
        Ok(self
            .places
            .iter()
            .map(|place| place.filter(|_| !alone).and_then(of))
            .collect())
    }

    fn ranks(&self, system: usize, critical: &[Option<f64>]) -> Result<(u32, u32), InferenceError> {
        if let Some(reason) = &self.reasons[system] {
            return Err(reason.clone());
        }
        let others = || {
            (0..self.point.len())
                .filter(|&other| !matches!(self.point[other], Estimate::Undefined(_)))
        };
        let better = others()
            .filter(|&other| self.beyond(other, system, critical[system]))
            .count();
        let worse = others()
            .filter(|&other| self.beyond(system, other, critical[system]))
            .count();
        Ok((1 + better as u32, (others().count() - worse) as u32))
    }

    /// Whether `i` is certainly better than `j`.
    fn beyond(&self, i: usize, j: usize, critical: Option<f64>) -> bool {
        let (Some(i), Some(j), Some(critical)) = (self.places[i], self.places[j], critical) else {
            return false;
        };
        (self.strengths[i] - self.strengths[j]) * self.precision[i * self.strengths.len() + j]
            > critical
    }

    fn apart(&self, critical: &[Option<f64>]) -> Vec<(usize, usize)> {
        let k = self.point.len();
        let both = |&(i, j): &(usize, usize)| {
            self.beyond(i, j, critical[i]) && self.beyond(i, j, critical[j])
        };
        (0..k)
            .flat_map(|i| (0..k).map(move |j| (i, j)))
            .filter(both)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;
    use Estimate::{Finite, MinusInfinity, PlusInfinity};

    fn shifted(point: &[f64], by: &[[f64; 3]]) -> (Vec<Estimate>, Vec<Vec<Estimate>>) {
        let round = |shift: &[f64; 3]| {
            point
                .iter()
                .zip(shift)
                .map(|(x, d)| Finite(x + d))
                .collect()
        };
        (
            point.iter().map(|&x| Finite(x)).collect(),
            by.iter().map(round).collect(),
        )
    }

    #[test]
    fn the_critical_value_by_hand() {
        // Only system 0 moves, by -2, -1, 0, 1, 2: its differences have standard error sqrt(10 /
        // 4), that of 1 and 2 none.
        let moves = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|x| [x, 0.0, 0.0]);
        let (point, rounds) = shifted(&[9.0, 5.0, 0.0], &moves);
        let found = rank_sets(&point, &rounds, 0.5, Coverage::Joint).unwrap();
        // The third smallest of 0, 1, 1, 2, 2 over the standard error.
        assert!((found.critical[0].unwrap() - 1.0 / 2.5f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.apart, [(0, 1), (0, 2)]);
        let ranks: Vec<_> = found
            .intervals
            .iter()
            .map(|x| x.as_ref().map(|x| (x.low, x.high)).unwrap())
            .collect();
        assert_eq!(ranks, [(1, 1), (2, 3), (2, 3)]);
        let needed = rank_sets(&point, &rounds, 0.95, Coverage::Joint).unwrap_err();
        assert_eq!(
            needed,
            InferenceError::FewRounds {
                rounds: 5,
                needed: 19
            }
        );
    }

    #[test]
    fn infinite_and_undefined_systems_have_their_places() {
        let moves: Vec<[f64; 3]> = (0..40)
            .map(|x| [f64::from(x % 5) / 10.0, f64::from(x % 7) / 10.0, 0.0])
            .collect();
        let (mut point, mut rounds) = shifted(&[3.0, 0.0, -3.0], &moves);
        let others = [
            PlusInfinity,
            MinusInfinity,
            MinusInfinity,
            Estimate::Undefined(Undefined::NoData),
        ];
        point.extend(others);
        rounds.iter_mut().for_each(|round| round.extend(others));
        let found = rank_sets(&point, &rounds, 0.9, Coverage::Joint).unwrap();
        let ranks: Vec<_> = found.intervals[..3]
            .iter()
            .map(|x| x.as_ref().map(|x| (x.low, x.high)).unwrap())
            .collect();
        // Any of the three infinite ones may in truth be above or below.
        assert_eq!(ranks, [(1, 4), (2, 5), (3, 6)]);
        assert_eq!(
            found.intervals[3],
            Err(InferenceError::Infinite { system: 3 })
        );
        assert_eq!(found.intervals[6], Err(Undefined::NoData.into()));
    }

    #[test]
    fn incomplete_rounds_widen_and_then_forbid() {
        let moves: Vec<[f64; 3]> = (0..99)
            .map(|x| {
                [
                    f64::from(x % 10) / 10.0 - 0.45,
                    f64::from(x % 7) / 10.0 - 0.3,
                    0.0,
                ]
            })
            .collect();
        let (point, mut rounds) = shifted(&[3.0, 0.0, -3.0], &moves);
        let critical =
            |rounds: &[Vec<Estimate>]| rank_sets(&point, rounds, 0.9, Coverage::Joint).unwrap();
        let before = critical(&rounds).critical[0].unwrap();
        rounds[..4]
            .iter_mut()
            .for_each(|round| round[0] = PlusInfinity);
        let found = critical(&rounds);
        assert!(
            found.critical[0].unwrap() >= before
                && found.intervals[0].as_ref().unwrap().undetermined == 4
        );
        rounds[4..8]
            .iter_mut()
            .for_each(|round| round[1] = Estimate::Undefined(Undefined::NoData));
        rounds[8..12]
            .iter_mut()
            .for_each(|round| round[2] = MinusInfinity);
        let found = critical(&rounds);
        assert_eq!(
            (
                found.critical[0],
                found.intervals[0].as_ref().map(|x| (x.low, x.high))
            ),
            (None, Ok((1, 3)))
        );
        rounds[..6]
            .iter_mut()
            .for_each(|round| round[0] = PlusInfinity);
        assert_eq!(
            critical(&rounds).intervals[0],
            Err(InferenceError::UnsettledRounds {
                system: 0,
                rounds: 6
            })
        );
    }

    #[test]
    fn independent_normals_give_the_studentised_range() {
        // Unit variances: the maximum over pairs of |x_i - x_j| / sqrt 2 is the studentised range
        // over sqrt 2; its 0.95 quantiles are 3.3145 (three means) and 3.6332 (four), infinite
        // degrees of freedom (scipy.stats.studentized_range).
        for (m, range) in [(3, 3.314_493), (4, 3.633_160)] {
            let identity = (0..m * m).map(|i| f64::from(i % (m + 1) == 0)).collect();
            let point = (0..m).map(|i| Finite(f64::from(i as u32))).collect();
            let covariance = Covariance::new(point, identity, 9.0, vec![9; m]).unwrap();
            let plan = Bootstrap {
                rounds: 40_000,
                ..Default::default()
            };
            let found = rank_sets_from_covariance(&covariance, &plan, Coverage::Joint).unwrap();
            assert!(
                (found.critical[0].unwrap() - range / 2f64.sqrt()).abs() < 0.03,
                "{found:?}"
            );
            let again = rank_sets_from_covariance(
                &covariance,
                &Bootstrap { threads: 2, ..plan },
                Coverage::Joint,
            );
            assert_eq!(again, Ok(found.clone()));
            let each = rank_sets_from_covariance(&covariance, &plan, Coverage::Each).unwrap();
            assert!(
                each.critical
                    .iter()
                    .zip(&found.critical)
                    .all(|(one, all)| one.unwrap() < all.unwrap())
            );
        }
    }
}
