//! From rounds to intervals, the rounds without a number counted honestly.

use crate::checks::{check_level, check_some};
use crate::special::{normal_below, student_quantile};
use crate::{Error, Estimate, Undefined};

/// A percentile interval of a score, which always holds the score itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Interval {
    /// The lower end; None where there is no finite one.
    pub low: Option<f64>,
    /// The upper end; None where there is no finite one.
    pub high: Option<f64>,
    /// The coverage aimed at, in (0, 1).
    pub level: f64,
    /// Number of rounds it rests on.
    pub rounds: usize,
    /// Rounds in which the score was plus or minus infinity.
    pub infinite: usize,
    /// Rounds in which the score was undefined.
    pub undefined: usize,
}

impl Interval {
    /// An interval of a test, of whose rounds none is infinite or undefined.
    pub(crate) fn of_ends([low, high]: [Option<f64>; 2], level: f64, rounds: usize) -> Interval {
        Interval {
            low,
            high,
            level,
            rounds,
            infinite: 0,
            undefined: 0,
        }
    }

    /// The interval with its ends moved to the point, where they leave it out.
    ///
    /// Rounds of a statistic that noise biases, such as a correlation, lie to one side of the
    /// point, in the worst case all of them. The two ends are then still bounds of what the data
    /// allow, and so is the point, which is the likeliest of all. Moving an end outwards never lets
    /// the interval hold less.
    pub(super) fn reach_to(self, point: Estimate) -> Interval {
        match point {
            Estimate::Finite(point) => Interval {
                low: self.low.map(|low| low.min(point)),
                high: self.high.map(|high| high.max(point)),
                ..self
            },
            Estimate::MinusInfinity => Interval { low: None, ..self },
            Estimate::PlusInfinity => Interval { high: None, ..self },
            Estimate::Undefined(_) => self,
        }
    }

    /// The interval of a quantity that lies between two bounds: it ends there at the latest, and
    /// holds the point wherever that is. The true value lies between the bounds, so that nothing is
    /// taken away that it could be; an interval beyond a bound reaches back to it.
    pub fn within(self, [least, most]: [f64; 2], point: f64) -> Interval {
        let low = self.low.map_or(least, |low| low.max(least).min(most));
        let high = self.high.map_or(most, |high| high.min(most).max(least));
        Interval {
            low: Some(low.min(point)),
            high: Some(high.max(point)),
            ..self
        }
    }

    /// Puts the interval on another scale, which must be increasing.
    pub fn map(self, scale: impl Fn(f64) -> f64) -> Interval {
        Interval {
            low: self.low.map(&scale),
            high: self.high.map(&scale),
            ..self
        }
    }
}

/// A percentile interval of a rank.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct RankInterval {
    /// The best rank, from 1.
    pub low: u32,
    /// The worst rank.
    pub high: u32,
    /// Number of rounds it rests on.
    pub rounds: usize,
    /// Rounds in which the rank was undetermined.
    pub undetermined: usize,
}

/// The interval between the (1 - level)/2 and (1 + level)/2 quantiles of the rounds (Efron and
/// Tibshirani 1993, section 13.3), interpolated linearly between order statistics (Hyndman and Fan
/// 1996, type 7), and to `point`, the statistic of the data, where the rounds all but leave it out;
/// to their quantiles alone where the point is undefined.
///
/// Infinite rounds stand at the ends. An undefined round could be anywhere, so it counts as minus
/// infinity for the lower end and as plus infinity for the upper: the interval is then wider, never
/// too narrow.
///
/// # Errors
/// A level that is not strictly between 0 and 1; no rounds at all ([`Undefined::NoData`]).
pub fn percentile_interval(
    point: Estimate,
    rounds: &[Estimate],
    level: f64,
) -> Result<Interval, Error> {
    check_level(level)?;
    Ok(percentiles(point, rounds, level)?)
}

/// The level of percentiles that hold `level` where each round drew so many clusters, at least 2:
/// the expanded percentile interval (Hesterberg 2014, arXiv 1411.5279).
///
/// Rounds vary by (n - 1)/n of what a sample of n does, and their quantiles are near those of a
/// normal distribution where Student's would be due. So a tail is not (1 - level)/2 but Φ(-t
/// sqrt(n/(n - 1))), t Student's quantile of (1 + level)/2 with n - 1 degrees of freedom. Of 2 or 3
/// clusters it may round to 1, and is the number below.
pub fn expanded_level(level: f64, clusters: usize) -> f64 {
    let n = clusters.max(2) as f64;
    let t = student_quantile(0.5 + level / 2.0, n - 1.0);
    let expanded = 1.0 - 2.0 * normal_below(-t * (n / (n - 1.0)).sqrt());
    expanded.min(1.0 - f64::EPSILON)
}

/// For a level that has been checked already.
pub(crate) fn percentiles(
    point: Estimate,
    rounds: &[Estimate],
    level: f64,
) -> Result<Interval, Undefined> {
    check_some(rounds.len())?;
    let tail = (1.0 - level) / 2.0;
    Ok(quantile_interval(point, rounds, (tail, 1.0 - tail), level))
}

/// The interval between the quantiles of these shares that reaches to the point; an end that is
/// infinite, or has no rounds, is None.
pub(crate) fn quantile_interval(
    point: Estimate,
    rounds: &[Estimate],
    (low, high): (f64, f64),
    level: f64,
) -> Interval {
    // An undefined round, NaN here, could be anywhere, so each end counts it on its own side.
    let as_number = |round: &Estimate| match *round {
        Estimate::Finite(score) => score,
        Estimate::PlusInfinity => f64::INFINITY,
        Estimate::MinusInfinity => f64::NEG_INFINITY,
        Estimate::Undefined(_) => f64::NAN,
    };
    let numbers: Vec<f64> = rounds.iter().map(as_number).collect();
    let found = Interval {
        low: quantile(&sort_with(&numbers, f64::NEG_INFINITY), low),
        high: quantile(&sort_with(&numbers, f64::INFINITY), high),
        level,
        rounds: numbers.len(),
        infinite: numbers.iter().filter(|x| x.is_infinite()).count(),
        undefined: numbers.iter().filter(|x| x.is_nan()).count(),
    };
    found.reach_to(point)
}

/// The numbers in ascending order, the undefined ones at the end that is given.
fn sort_with(numbers: &[f64], undefined: f64) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers
        .iter()
        .map(|&x| if x.is_nan() { undefined } else { x })
        .collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// The quantile of numbers in ascending order; None if it is not finite.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let position = share * sorted.len().checked_sub(1)? as f64;
    let below = *sorted.get(position.floor() as usize)?;
    let above = *sorted.get(position.ceil() as usize)?;
    let between = position - position.floor();
    // Without the first arm, an infinity above would make a NaN of 0 times itself.
    let value = if between == 0.0 {
        below
    } else {
        below + between * (above - below)
    };
    value.is_finite().then_some(value)
}

/// The interval between the same quantiles of a rank, rounded outwards to order statistics,
/// since ranks are whole, and to the rank of the data where there is one.
///
/// A round in which the rank is undetermined counts as 1 for the lower end and as `systems` for the
/// upper.
///
/// # Errors
/// A level that is not strictly between 0 and 1; no rounds at all ([`Undefined::NoData`]).
pub fn rank_interval(
    rank: Option<u32>,
    rounds: &[Option<u32>],
    systems: usize,
    level: f64,
) -> Result<RankInterval, Error> {
    check_level(level)?;
    Ok(rank_percentiles(rank, rounds, systems, level)?)
}

/// For a level that has been checked already.
pub(crate) fn rank_percentiles(
    rank: Option<u32>,
    rounds: &[Option<u32>],
    systems: usize,
    level: f64,
) -> Result<RankInterval, Undefined> {
    check_some(rounds.len())?;
    let last = (rounds.len() - 1) as f64;
    let tail = (1.0 - level) / 2.0;
    let worst = u32::try_from(systems).unwrap_or(u32::MAX);
    // The rank at a position in ascending order, where undetermined ones count as given.
    let rank_at = |position: f64, undetermined: u32| {
        let ranks = rounds.iter().map(|rank| rank.unwrap_or(undetermined));
        let mut ranks: Vec<u32> = ranks.collect();
        ranks.sort_unstable();
        ranks[position as usize]
    };
    let low = rank_at((tail * last).floor(), 1);
    let high = rank_at(((1.0 - tail) * last).ceil(), worst);
    Ok(RankInterval {
        low: rank.map_or(low, |rank| rank.min(low)),
        high: rank.map_or(high, |rank| rank.max(high)),
        rounds: rounds.len(),
        undetermined: rounds.iter().filter(|rank| rank.is_none()).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Estimate::{Finite, MinusInfinity, PlusInfinity};

    const NO_POINT: Estimate = Estimate::Undefined(Undefined::NoData);

    #[test]
    fn few_clusters_take_wider_percentiles() {
        // scipy 1.16: norm.cdf(-sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)).
        let tails = [
            (5, 0.000_954_100_551_882_490_7),
            (10, 0.008_550_639_024_406_366),
            (20, 0.015_880_829_920_347_974),
            (100, 0.023_064_387_207_087_644),
        ];
        for (clusters, tail) in tails {
            let found = expanded_level(0.95, clusters);
            assert!(
                (found - (1.0 - 2.0 * tail)).abs() < 1e-9,
                "{clusters}: {found}"
            );
        }
        assert!((expanded_level(0.9, 1_000_000) - 0.9).abs() < 1e-4);
        // Always wider than what was asked for, and below 1.
        for clusters in 2..200 {
            let (here, next) = (
                expanded_level(0.8, clusters),
                expanded_level(0.8, clusters + 1),
            );
            assert!(0.8 < next && next < here && here < 1.0, "{clusters}");
        }
    }

    #[test]
    fn between_bounds_it_ends_there_and_holds_its_point() {
        let ends = |low, high, point| {
            let within = Interval::of_ends([low, high], 0.95, 99).within([-1.0, 1.0], point);
            [within.low, within.high].map(Option::unwrap)
        };
        assert_eq!(ends(Some(-0.5), Some(0.5), 0.0), [-0.5, 0.5]);
        assert_eq!(ends(None, Some(1.25), 0.5), [-1.0, 1.0]);
        assert_eq!(ends(Some(0.25), None, 0.5), [0.25, 1.0]);
        // An estimate may lie beyond what the quantity can be.
        assert_eq!(ends(Some(0.75), Some(1.5), 1.125), [0.75, 1.125]);
        assert_eq!(ends(Some(1.05), Some(1.5), 1.125), [1.0, 1.125]);
        assert_eq!(ends(Some(-1.5), Some(-1.05), -1.125), [-1.125, -1.0]);
    }

    #[test]
    fn it_reaches_to_its_point() {
        let rounds: Vec<Estimate> = (0..11).map(|x| Finite(x.into())).collect();
        for (point, ends) in [
            (Finite(-3.0), (Some(-3.0), Some(8.75))),
            (Finite(5.0), (Some(1.25), Some(8.75))),
            (Finite(9.0), (Some(1.25), Some(9.0))),
            (PlusInfinity, (Some(1.25), None)),
            (MinusInfinity, (None, Some(8.75))),
        ] {
            let found = percentile_interval(point, &rounds, 0.75).unwrap();
            assert_eq!((found.low, found.high), ends);
        }
        let ranks = vec![Some(2); 9];
        let found = rank_interval(Some(1), &ranks, 3, 0.9).unwrap();
        assert_eq!((found.low, found.high), (1, 2));
    }

    #[test]
    fn quantiles_are_interpolated() {
        // 0, 1, ..., 10 at level 0.75: positions 10 * 0.125 = 1.25 and 10 * 0.875 = 8.75.
        let rounds: Vec<Estimate> = (0..11).rev().map(|x| Finite(x.into())).collect();
        let interval = percentile_interval(NO_POINT, &rounds, 0.75).unwrap();
        assert_eq!((interval.low, interval.high), (Some(1.25), Some(8.75)));
    }

    #[test]
    fn an_end_that_reaches_an_infinite_round_is_open() {
        let mut rounds = vec![Finite(1.0); 8];
        rounds.extend([PlusInfinity, PlusInfinity, MinusInfinity]);
        // Positions 0.5 (between minus infinity and 1) and 9.5 at level 0.9; 2.5 and 7.5 at level
        // 0.5.
        let interval = percentile_interval(NO_POINT, &rounds, 0.9).unwrap();
        assert_eq!(
            (interval.low, interval.high, interval.infinite),
            (None, None, 3)
        );
        let interval = percentile_interval(NO_POINT, &rounds, 0.5).unwrap();
        assert_eq!((interval.low, interval.high), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn an_undefined_round_counts_against_both_ends() {
        let mut rounds: Vec<Estimate> = (0..9).map(|x| Finite(x.into())).collect();
        rounds.extend([Estimate::Undefined(Undefined::NoData); 2]);
        // Lower end: -inf, -inf, 0, 1, ..., 8; position 2.5 is 0.5. Upper end: 0, ..., 8, inf, inf;
        // position 7.5.
        let interval = percentile_interval(NO_POINT, &rounds, 0.5).unwrap();
        assert_eq!(
            (interval.low, interval.high, interval.undefined),
            (Some(0.5), Some(7.5), 2)
        );
        let interval = percentile_interval(NO_POINT, &rounds, 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (None, None));
    }

    #[test]
    fn ranks_are_rounded_outwards() {
        // 1 x 5, 2 x 5, 3 at level 0.75: positions 1.25 -> 1 and 8.75 -> 9.
        let mut rounds = [vec![Some(1); 5], vec![Some(2); 5], vec![Some(3)]].concat();
        let interval = rank_interval(None, &rounds, 4, 0.75).unwrap();
        assert_eq!(
            (interval.low, interval.high, interval.undetermined),
            (1, 2, 0)
        );
        rounds.extend([None, None, None]);
        let interval = rank_interval(None, &rounds, 4, 0.75).unwrap();
        assert_eq!(
            (interval.low, interval.high, interval.undetermined),
            (1, 4, 3)
        );
    }

    #[test]
    fn no_rounds_are_no_interval() {
        assert_eq!(
            percentile_interval(NO_POINT, &[], 0.9),
            Err(Undefined::NoData.into())
        );
        assert_eq!(
            rank_interval(None, &[], 3, 0.9),
            Err(Undefined::NoData.into())
        );
        assert!(matches!(
            rank_interval(None, &[None], 3, 1.5),
            Err(Error::Share { .. })
        ));
    }
}
