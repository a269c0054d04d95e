//! Whether a judge prefers its own responses beyond what other judges make of them, without labels
//! of people.

use crate::checks::{check_lengths, check_level, check_pair, check_systems, check_weight, ensure};
use crate::linear::mean;
use crate::pairwise::{Met, ridge_of_met};
use crate::special::{student_above, student_quantile};
use crate::{Error, Undefined, index};

/// The weight of the prior that keeps strengths finite: a standard deviation of 3.2 in log-odds.
const PRIOR: f64 = 0.1;

/// Judges beside the one that is looked at: one alone has no consensus with anybody.
const LEAST_PEERS: usize = 2;

/// Systems of others: two of their freedom go into the line, and two must be left.
const LEAST_OTHERS: usize = 4;

/// How far beyond the systems of others the line is followed, in their range, or in log-odds where
/// that is less than 1: log-odds of counts bend where nearly all comparisons are won.
const FARTHEST: f64 = 0.5;

/// How a judge's own system stands with it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OwnPreference {
    /// How far the judge puts its own system above where its peers' opinion of that system would
    /// have it, in log-odds of this judge: above 0 it prefers its own, below 0 it disfavours it.
    pub excess: f64,
    /// The standard error of that, as far as the sampling of comparisons and tastes make it.
    pub standard_error: f64,
    /// Student's degrees of freedom: the systems of others less 2.
    pub freedom: f64,
    /// The interval of the excess: Student's t times the standard error, and as far again as the
    /// prior on strengths pulls it.
    pub interval: [f64; 2],
    /// Two-sided p-value of "no excess".
    pub p_value: f64,
    /// How the judge stretches differences, beside its peers: above 1 it sees larger ones, that is,
    /// it is more often of their opinion.
    pub slope: f64,
    /// How many systems of others it rests on.
    pub others: usize,
    /// How many other judges.
    pub peers: usize,
}

/// What a judge said of pairs of systems: the points of either against the other.
#[derive(Clone, Debug, PartialEq)]
pub struct PairPoints {
    systems: usize,
    /// Of each pair of systems, in the order of their numbers.
    points: Vec<[f64; 2]>,
}

impl PairPoints {
    /// Nothing said of so many systems.
    ///
    /// # Errors
    /// More than [`crate::MAX_SYSTEMS`] systems.
    pub fn new(systems: usize) -> Result<PairPoints, Error> {
        check_systems(systems)?;
        let pairs = systems * systems.saturating_sub(1) / 2;
        Ok(PairPoints {
            systems,
            points: vec![[0.0; 2]; pairs],
        })
    }

    /// How many systems there are.
    pub fn systems(&self) -> usize {
        self.systems
    }

    /// Adds points of `a` against `b` and of `b` against `a`, each from 0 to 1e100: 1 for a win, a
    /// half to both for a tie.
    ///
    /// # Errors
    /// An unknown system, a system against itself, points out of range.
    pub fn add(&mut self, a: usize, b: usize, of_a: f64, of_b: f64) -> Result<(), Error> {
        check_pair(0, a, b, self.systems)?;
        check_weight(0, "points of a", of_a)?;
        check_weight(0, "points of b", of_b)?;
        let [low, high] = if a < b { [of_a, of_b] } else { [of_b, of_a] };
        let place = index::number_of_pair(self.systems, a.min(b), a.max(b));
        self.points[place][0] += low;
        self.points[place][1] += high;
        Ok(())
    }

    /// The points of `a` and of `b` against each other; none of an unknown system or of one and
    /// itself.
    pub fn points(&self, a: usize, b: usize) -> [f64; 2] {
        if a == b || a.max(b) >= self.systems {
            return [0.0; 2];
        }
        let [low, high] = self.points[index::number_of_pair(self.systems, a.min(b), a.max(b))];
        if a < b { [low, high] } else { [high, low] }
    }

    /// The weight of all comparisons.
    pub fn total(&self) -> f64 {
        self.points.iter().map(|[low, high]| low + high).sum()
    }

    /// The pairs that met.
    fn met(&self) -> Vec<Met> {
        let pairs = index::pairs(self.systems).zip(&self.points);
        let met = pairs.filter(|(_, [low, high])| low + high > 0.0);
        let met = met.map(|((a, b), points)| Met {
            systems: [a, b],
            points: *points,
        });
        met.collect()
    }

    /// Adds all comparisons but those that a system is in.
    fn add_without(&mut self, other: &PairPoints, left_out: Option<usize>) {
        let pairs = index::pairs(self.systems).zip(&other.points);
        for (sum, ((a, b), [low, high])) in self.points.iter_mut().zip(pairs) {
            if left_out != Some(a) && left_out != Some(b) {
                sum[0] += low;
                sum[1] += high;
            }
        }
    }
}

/// How far a judge prefers the system that is its own, `judged[j]` being what judge j said of all
/// systems, `own[j]` its own system, or None where it has none there.
///
/// A judge that takes its own system for good may be right. What people's labels would say
/// otherwise the other judges say here, none of them of its own system: their strengths are those
/// of their verdicts together, without the comparisons that a judge's own system is in. The judge's
/// own strengths of the *other* systems are then fitted by a line on theirs. Its slope is how sharp
/// the judge is beside them, and what is left over is its taste. Its own system should lie on the
/// same line, as far off it as a system of somebody else would: that is the prediction interval of
/// a regression, with Student's t. So neither a judge that is more accurate than others, nor one
/// whose tastes differ, is accused; only one whose opinion of its own system stands out among its
/// opinions of all systems.
///
/// A system that wins nearly all its comparisons has a strength that is known less well than the
/// others'. The variance around the line is then raised in the ratio of their sampling variances,
/// as if all of it were sampling. One that stands farther from the systems of others than half of
/// their range, and than half a unit of log-odds, has no line to be held against.
///
/// Self-preference as the excess over what a fair judge would say is from Yang et al. 2026 (arXiv
/// 2604.22891: β = ρ - ρ_null on pairs that a committee takes for equally good). They compare with
/// equal pairs alone; the line uses all, and measures tastes, which equal pairs do not.
///
/// # What is assumed
/// Tastes of a judge for systems are independent draws of one normal distribution, its own system
/// like the others but for self-preference. A taste that the judge shares with its own system for
/// other reasons (a length, a format; the low perplexity of what is like its own words: Wataoka,
/// Takahashi and Ri 2024, arXiv 2410.21819) is part of what is found. Peers of one family may share
/// a taste, and are then no independent witnesses.
///
/// # Errors
/// Not one own system for each judge; judges of unlike numbers of systems; a level that is no
/// share; [`Undefined::NoOwnSystem`], [`Undefined::TooFewPeers`], [`Undefined::TooFewOthers`],
/// [`Undefined::TooFarFromOthers`]; others whom the peers hold for equal, or whom the judge orders
/// exactly as they do ([`Undefined::NoVariance`]).
pub fn own_preference(
    judged: &[PairPoints],
    own: &[Option<usize>],
    judge: usize,
    level: f64,
) -> Result<OwnPreference, Error> {
    check_lengths(judged.len(), own.len())?;
    check_level(level)?;
    let (Some(said), Some(&Some(mine))) = (judged.get(judge), own.get(judge)) else {
        return Err(Undefined::NoOwnSystem.into());
    };
    let systems = said.systems;
    for other in judged {
        check_lengths(systems, other.systems)?;
    }
    ensure(mine < systems, || Undefined::NoOwnSystem)?;
    let peers = (0..judged.len()).filter(|peer| *peer != judge && judged[*peer].total() > 0.0);
    let peers: Vec<usize> = peers.collect();
    if peers.len() < LEAST_PEERS {
        return Err(Undefined::TooFewPeers { peers: peers.len() }.into());
    }
    let mut consensus = PairPoints::new(systems)?;
    for &peer in &peers {
        consensus.add_without(&judged[peer], own[peer]);
    }
    let (by_judge, by_peers) = (said.met(), consensus.met());
    let linked = [&by_judge, &by_peers].map(|met| linked_with(mine, systems, met));
    let others = (0..systems).filter(|one| *one != mine && linked[0][*one] && linked[1][*one]);
    let others: Vec<usize> = others.collect();
    if others.len() < LEAST_OTHERS {
        return Err(Undefined::TooFewOthers {
            systems: others.len(),
        }
        .into());
    }
    let [judged, expected] = [by_judge, by_peers].map(|met| Fitted::of(systems, &met));
    check_range(&others, mine, &expected.strengths)?;
    let line = Line::through(&others, &expected.strengths, &judged.strengths)?;
    let variance =
        |system: usize| judged.variances[system] + line.slope.powi(2) * expected.variances[system];
    let looseness = variance(mine) / mean(&Vec::from_iter(others.iter().copied().map(variance)));
    let error = line.error_at(expected.strengths[mine], looseness.max(1.0));
    let excess = judged.strengths[mine] - line.at(expected.strengths[mine]);
    let pull = judged.pull(mine) + line.slope.abs() * expected.pull(mine);
    let beyond_pull = (excess.abs() - pull).max(0.0);
    let reach = student_quantile(0.5 + level / 2.0, line.freedom) * error + pull;
    Ok(OwnPreference {
        excess,
        standard_error: error,
        freedom: line.freedom,
        interval: [excess - reach, excess + reach],
        p_value: (2.0 * student_above(beyond_pull / error, line.freedom)).min(1.0),
        slope: line.slope,
        others: others.len(),
        peers: peers.len(),
    })
}

/// Returns which systems are linked with one by comparisons, itself included.
fn linked_with(one: usize, systems: usize, met: &[Met]) -> Vec<bool> {
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); systems];
    for Met {
        systems: [a, b], ..
    } in met
    {
        beside[*a].push(*b);
        beside[*b].push(*a);
    }
    let mut linked = vec![false; systems];
    linked[one] = true;
    let mut open = vec![one];
    while let Some(next) = open.pop() {
        for &other in &beside[next] {
            if !linked[other] {
                linked[other] = true;
                open.push(other);
            }
        }
    }
    linked
}

/// Refuses a system that stands too far from those of others to be held against them.
fn check_range(others: &[usize], mine: usize, expected: &[f64]) -> Result<(), Undefined> {
    let of_others = others.iter().map(|other| expected[*other]);
    let least = of_others.clone().fold(f64::INFINITY, f64::min);
    let most = of_others.fold(f64::NEG_INFINITY, f64::max);
    let beyond = FARTHEST * (most - least).max(1.0);
    let is_near = (least - beyond..=most + beyond).contains(&expected[mine]);
    ensure(is_near, || Undefined::TooFarFromOthers)
}

/// Strengths by one judge, or by several together.
struct Fitted {
    strengths: Vec<f64>,
    /// The variance of each strength, those of all others held fixed.
    variances: Vec<f64>,
}

impl Fitted {
    fn of(systems: usize, met: &[Met]) -> Fitted {
        let strengths = ridge_of_met(systems, met, PRIOR);
        let mut information = vec![PRIOR; systems];
        for one in met {
            let own = one.information(&strengths);
            for system in one.systems {
                information[system] += own;
            }
        }
        Fitted {
            variances: information.iter().map(|own| 1.0 / own).collect(),
            strengths,
        }
    }

    /// How far the prior draws a strength to 0, to first order.
    fn pull(&self, system: usize) -> f64 {
        PRIOR * self.strengths[system].abs() * self.variances[system]
    }
}

/// A line of least squares.
struct Line {
    slope: f64,
    /// The means of x and y.
    centre: [f64; 2],
    points: f64,
    /// The sum of squares of x around its mean.
    spread: f64,
    /// The variance of y around the line.
    variance: f64,
    freedom: f64,
}

impl Line {
    /// The line through x and y of these systems, at least 3.
    fn through(systems: &[usize], x: &[f64], y: &[f64]) -> Result<Line, Undefined> {
        let of = |values: &[f64]| Vec::from_iter(systems.iter().map(|system| values[*system]));
        let (x, y) = (of(x), of(y));
        let (x_mean, y_mean) = (mean(&x), mean(&y));
        let points = x.iter().zip(&y).map(|(x, y)| (x - x_mean, y - y_mean));
        let spread: f64 = points.clone().map(|(x, _)| x * x).sum();
        let total: f64 = points.clone().map(|(_, y)| y * y).sum();
        if spread <= ROUNDING {
            return Err(Undefined::NoVariance);
        }
        let slope = points.clone().map(|(x, y)| x * y).sum::<f64>() / spread;
        let left: f64 = points.map(|(x, y)| (y - slope * x).powi(2)).sum();
        if left <= ROUNDING * total.max(1.0) {
            return Err(Undefined::NoVariance);
        }
        let freedom = systems.len() as f64 - 2.0;
        Ok(Line {
            slope,
            centre: [x_mean, y_mean],
            points: systems.len() as f64,
            spread,
            variance: left / freedom,
            freedom,
        })
    }

    fn at(&self, x: f64) -> f64 {
        self.centre[1] + self.slope * (x - self.centre[0])
    }

    /// The standard error of one more point at x around what the line says there, the point being
    /// so many times as loose as those of the line.
    fn error_at(&self, x: f64, looseness: f64) -> f64 {
        let distance = x - self.centre[0];
        let factor = looseness + 1.0 / self.points + distance * distance / self.spread;
        (self.variance * factor).sqrt()
    }
}

/// Squares of log-odds below this are rounding.
const ROUNDING: f64 = 1e-18;

#[cfg(test)]
mod tests {
    use super::*;

    /// What a judge says of systems of these strengths: 100 comparisons of each pair.
    fn tally(strengths: &[f64]) -> PairPoints {
        let mut said = PairPoints::new(strengths.len()).unwrap();
        for (a, b) in index::pairs(strengths.len()) {
            let share = crate::sigmoid(strengths[a] - strengths[b]);
            let points = [share, 1.0 - share].map(|share| 100.0 * share);
            said.add(a, b, points[0], points[1]).unwrap();
        }
        said
    }

    const PEERS: [[f64; 6]; 2] = [
        [0.4, 0.9, 0.1, -0.2, -0.5, -0.7],
        [0.5, 0.7, 0.2, -0.1, -0.6, -0.7],
    ];

    fn own_of(first: [f64; 6]) -> OwnPreference {
        let tallies = [tally(&first), tally(&PEERS[0]), tally(&PEERS[1])];
        own_preference(&tallies, &[Some(0), Some(1), None], 0, 0.95).unwrap()
    }

    #[test]
    fn a_sharper_judge_is_not_accused_and_one_that_prefers_its_own_is() {
        // Twice as sharp, with small tastes.
        let fair = [0.9, 1.65, 0.35, -0.35, -1.0, -1.45];
        let found = own_of(fair);
        assert!(found.p_value > 0.2 && found.excess.abs() < 0.2, "{found:?}");
        assert!((found.slope - 2.0).abs() < 0.3, "{found:?}");
        let mut partial = fair;
        partial[0] += 1.5;
        let found = own_of(partial);
        assert!(
            (found.excess - 1.5).abs() < 0.2 && found.p_value < 0.01,
            "{found:?}"
        );
        assert!(found.interval[0] > 0.0 && found.interval[1] > found.excess);
        partial[0] -= 3.0;
        let found = own_of(partial);
        assert!(
            (found.excess + 1.5).abs() < 0.2 && found.interval[1] < 0.0,
            "{found:?}"
        );
    }

    /// A peer that thinks well of its own system says nothing of it here.
    #[test]
    fn what_a_peer_says_of_its_own_system_does_not_count() {
        let mut partial = PEERS[0];
        partial[1] += 5.0;
        let judge = tally(&[0.9, 1.65, 0.35, -0.35, -1.0, -1.45]);
        let of_peer = |peer: &[f64]| {
            let tallies = [judge.clone(), tally(peer), tally(&PEERS[1])];
            own_preference(&tallies, &[Some(0), Some(1), None], 0, 0.95).unwrap()
        };
        assert_eq!(of_peer(&PEERS[0]), of_peer(&partial));
    }

    /// A judge that wins nearly all: log-odds that no count can tell are no preference.
    #[test]
    fn a_system_far_from_all_others_is_not_held_against_them() {
        let far = [6.0, 0.9, 0.1, -0.2, -0.5, -0.7];
        let all = [tally(&far), tally(&far), tally(&far)];
        let own = [Some(0), None, None];
        assert_eq!(
            own_preference(&all, &own, 0, 0.95),
            Err(Undefined::TooFarFromOthers.into())
        );
    }

    #[test]
    fn what_is_undefined_says_why() {
        let all = [tally(&PEERS[0]), tally(&PEERS[1]), tally(&PEERS[0])];
        let own = [Some(0), Some(1), None];
        let of = |tallies: &[PairPoints], own: &[Option<usize>], judge| {
            own_preference(tallies, own, judge, 0.95)
        };
        assert_eq!(of(&all, &own, 2), Err(Undefined::NoOwnSystem.into()));
        assert_eq!(
            of(&all[..2], &own[..2], 0),
            Err(Undefined::TooFewPeers { peers: 1 }.into())
        );
        let few: Vec<PairPoints> = PEERS
            .iter()
            .chain([&PEERS[0]])
            .map(|peer| tally(&peer[..4]))
            .collect();
        assert_eq!(
            of(&few, &own, 0),
            Err(Undefined::TooFewOthers { systems: 3 }.into())
        );
        let alike = vec![tally(&PEERS[0]); 3];
        let none: [Option<usize>; 3] = [Some(0), None, None];
        assert!(matches!(
            of(&alike, &none, 0),
            Ok(_) | Err(Error::Undefined(Undefined::NoVariance))
        ));
        assert!(own_preference(&all, &own, 0, 1.0).is_err());
        assert!(own_preference(&all, &own[..2], 0, 0.95).is_err());
    }
}
