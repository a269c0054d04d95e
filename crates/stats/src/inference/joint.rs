//! All pairs of systems compared at once: who is apart, rank intervals and p-values from one test.

use super::contributions::Contributions;
use super::draws::{NORMALS, SignPatterns, check_rounds_for, draw_normal, repeat_draws};
use super::{Covariance, InferenceError, covariance_difference, finite_score};

use crate::bootstrap::{ROUNDING, map_on_threads};
use crate::checks::check_level;
use crate::index::{self, number_of_pair};
use crate::linear::{add_scaled, dot, semidefinite_root};
use crate::special::{halve_range, normal_quantile, student_above};
use crate::{Bootstrap, Estimate, Interval, RankInterval, Undefined};
use std::cmp::Ordering;

/// Which of k systems are apart, and what follows of their ranks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointComparison {
    /// For each system its rank interval, from 1 (best), or why there is none. Systems without data
    /// do not count in the ranks of others.
    pub rank_intervals: Vec<Result<RankInterval, InferenceError>>,
    /// The pairs told apart, the better first, in ascending order.
    pub apart: Vec<(usize, usize)>,
    /// The p-value that more rounds could show to be smaller; None where all patterns are counted.
    pub least: Option<f64>,
    systems: usize,
    /// For each pair in ascending order; NaN where it is not compared.
    p_adjusted: Vec<f64>,
}

impl JointComparison {
    /// The p-value of a pair, adjusted for all pairs, in (0, 1]; None where it is not compared.
    pub fn p_adjusted(&self, a: usize, b: usize) -> Option<f64> {
        let p = *self
            .p_adjusted
            .get(number_of_pair(self.systems, a.min(b), a.max(b)))?;
        (a != b && !p.is_nan()).then_some(p)
    }
}

/// One pair of systems by itself, never adjusted for how many are looked at.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairDifference {
    /// One system.
    pub a: usize,
    /// The other, with a higher number.
    pub b: usize,
    /// The score of `a` less that of `b`, in their unit, or why there is none.
    pub difference: Result<f64, InferenceError>,
    /// The differences that the test of `p_value` does not refute at the level, open where it
    /// refutes none; None where there is no test.
    pub interval: Option<Interval>,
    /// Two-sided p-value of no difference, in (0, 1].
    pub p_value: Option<f64>,
}

/// Compares all pairs of systems by one sign-flip test of the maximum (Westfall and Young 1993,
/// section 2.3.1; Romano and Wolf 2005): with contributions D_c of a pair, its statistic is t = |Σ
/// D_c| / sqrt(Σ D_c²), which orders as Student's t does, and a pattern of signs g gives t* = |Σ
/// g_c D_c| / sqrt(Σ D_c²) to every pair at once: each pattern has the standard error of its own.
/// The adjusted p-value of a pair is the share of patterns, the data's own among them, of which the
/// largest t* of any pair reaches its t. A pair is apart where that is at most 1 - level; the rank
/// interval of i is [1 + how many are better and apart, k - how many are worse and apart].
///
/// The chance that any pair is said to be apart the wrong way round is at most 1 - level where the
/// contributions of the pairs that are equal may as well have the other sign, for any number of
/// clusters and of systems (Canay, Santos and Shaikh 2021 for clusters that are few).
///
/// # Errors
/// A bad level, a number of rounds or threads that cannot be used; fewer clusters than can speak at
/// this level ([`InferenceError::FewClusters`]); fewer rounds than it needs.
pub fn compare_jointly(
    contributions: &Contributions,
    plan: &Bootstrap,
) -> Result<JointComparison, InferenceError> {
    let patterns = SignPatterns::new(contributions.clusters, plan)?;
    let k = contributions.estimates.len();
    let tests = PairTests::of(contributions);
    let mut greatest = map_on_threads(
        plan.threads,
        patterns.signs.iter().collect(),
        |signs: &Vec<f64>| tests.greatest_under(signs),
    )?;
    greatest.sort_by(f64::total_cmp);
    let estimates = &contributions.estimates;
    let pairs = index::pairs(k).zip(&tests.observed).zip(&tests.sums);
    let p_adjusted = pairs.map(|(((a, b), &t), &sum)| {
        // Scores that order the two one way and a test that does the other show no difference.
        let is_contrary = || lead_of(estimates[a], estimates[b], sum) != sum.partial_cmp(&0.0);
        match t {
            t if t.is_nan() => t,
            t if t > 0.0 && is_contrary() => 1.0,
            t => {
                // Rounding must not make a pattern less extreme than the data.
                let below = greatest.partition_point(|most| *most < t * (1.0 - 1e-9) - 1e-12);
                patterns.p_value(greatest.len() - below)
            }
        }
    });
    let p_adjusted: Vec<f64> = p_adjusted.collect();
    let rounds = patterns.signs.len();
    let reasons = &contributions.reasons;
    let lead = |pair: usize, x, y| lead_of(x, y, tests.sums[pair]);
    Ok(JointComparison {
        least: patterns.least(),
        ..conclude(estimates, reasons, p_adjusted, lead, plan.level, rounds)
    })
}

/// The tests of all pairs, whose statistics under one pattern of signs are found together.
struct PairTests<'a> {
    contributions: &'a Contributions,
    /// Of means, the common mean of each pair (k x k); where both have their data in the same
    /// clusters it does not matter.
    common: Vec<f64>,
    /// One over the root of the sum of squares of each pair (k x k) without contributions of its
    /// own, and of each with them; 0 where there is nothing to test.
    inverse: Vec<f64>,
    inverse_own: Vec<f64>,
    /// Of each pair the statistic of the data, NaN for those that are not compared, and the sum of
    /// its contributions.
    observed: Vec<f64>,
    sums: Vec<f64>,
}

impl PairTests<'_> {
    fn of(contributions: &Contributions) -> PairTests<'_> {
        let k = contributions.estimates.len();
        let exposure = contributions.exposure.as_ref();
        let mut common = vec![0.0; if exposure.is_some() { k * k } else { 0 }];
        if let Some(exposure) = exposure {
            for (i, j) in index::pairs(k).filter(|pair| contributions.is_compared(*pair)) {
                common[i * k + j] = exposure.common_mean((i, j));
            }
        }
        let (mut sums, mut squares) = (vec![0.0; k], vec![0.0; k * k]);
        for (cluster, row) in contributions.by_system.chunks(k).enumerate() {
            let shares = exposure.map(|exposure| &exposure.shares[cluster * k..][..k]);
            for i in 0..k {
                sums[i] += row[i];
                for j in i + 1..k {
                    let mut each = row[i] - row[j];
                    if let Some(shares) = shares {
                        each -= common[i * k + j] * (shares[i] - shares[j]);
                    }
                    squares[i * k + j] += each * each;
                }
            }
        }
        let sizes = contributions.by_system.iter().map(|x| x * x);
        let size: f64 = sizes.fold(0.0, f64::max);
        let mut own = contributions.own.iter().peekable();
        let pairs = k * k.saturating_sub(1) / 2;
        let mut found = PairTests {
            contributions,
            common,
            inverse: vec![0.0; k * k],
            inverse_own: Vec::with_capacity(contributions.own.len()),
            observed: vec![f64::NAN; pairs],
            sums: vec![0.0; pairs],
        };
        for (pair, (a, b)) in index::pairs(k).enumerate() {
            let own = own.next_if(|((i, j), _)| (*i, *j) == (a, b));
            let (sum, square) = if let Some((_, each)) = own {
                let square: f64 = each.iter().map(|x| x * x).sum();
                (each.iter().sum(), square)
            } else if contributions.is_compared((a, b)) {
                // Less is rounding: the two have the same score on every cluster.
                let square = squares[a * k + b];
                let is_rounding = square <= 1e-24 * size * contributions.clusters as f64;
                (sums[a] - sums[b], if is_rounding { 0.0 } else { square })
            } else {
                continue;
            };
            let inverse = if square > 0.0 {
                square.sqrt().recip()
            } else {
                0.0
            };
            found.observed[pair] = contributions.shrinkage * f64::abs(sum) * inverse;
            found.sums[pair] = sum;
            match own {
                Some(_) => found.inverse_own.push(inverse),
                None => found.inverse[a * k + b] = inverse,
            }
        }
        found
    }

    /// The greatest statistic of any pair under a pattern of signs.
    fn greatest_under(&self, signs: &[f64]) -> f64 {
        let k = self.contributions.estimates.len();
        let flip = |columns: &[f64]| {
            let mut flipped = vec![0.0; k];
            for (sign, row) in signs.iter().zip(columns.chunks(k)) {
                add_scaled(&mut flipped, row, *sign);
            }
            flipped
        };
        let flipped = flip(&self.contributions.by_system);
        let exposure = self.contributions.exposure.as_ref();
        let shares = exposure.map(|exposure| flip(&exposure.shares));
        let mut most: f64 = 0.0;
        for i in 0..k {
            for j in i + 1..k {
                let mut sum = flipped[i] - flipped[j];
                if let Some(shares) = &shares {
                    sum -= self.common[i * k + j] * (shares[i] - shares[j]);
                }
                most = most.max(sum.abs() * self.inverse[i * k + j]);
            }
        }
        for ((_, each), inverse) in self.contributions.own.iter().zip(&self.inverse_own) {
            most = most.max(dot(signs, each).abs() * inverse);
        }
        most
    }
}

/// Who is apart by the adjusted p-values, and the rank intervals that follow. `lead` says which of
/// two estimates is ahead, given the number of the pair.
fn conclude(
    estimates: &[Estimate],
    reasons: &[Option<InferenceError>],
    p_adjusted: Vec<f64>,
    lead: impl Fn(usize, Estimate, Estimate) -> Option<Ordering>,
    level: f64,
    rounds: usize,
) -> JointComparison {
    let k = estimates.len();
    let alpha = (1.0 - level) * (1.0 + 1e-9);
    let (mut better, mut worse) = (vec![0u32; k], vec![0u32; k]);
    let mut apart = Vec::new();
    for (pair, (a, b)) in index::pairs(k).enumerate() {
        if p_adjusted[pair].is_nan() || p_adjusted[pair] > alpha {
            continue;
        }
        let (above, below) = match lead(pair, estimates[a], estimates[b]) {
            Some(Ordering::Greater) => (a, b),
            Some(Ordering::Less) => (b, a),
            _ => continue,
        };
        apart.push((above, below));
        better[below] += 1;
        worse[above] += 1;
    }
    apart.sort_unstable();
    // A system whose score is undefined may still have met others and stand above them.
    let is_there = |estimate: &&Estimate| **estimate != Estimate::Undefined(Undefined::NoData);
    let ranked = estimates.iter().filter(is_there).count() as u32;
    let rank_intervals = (0..k).map(|system| match &reasons[system] {
        Some(reason) => Err(reason.clone()),
        None => Ok(RankInterval {
            low: 1 + better[system],
            high: ranked - worse[system],
            rounds,
            undetermined: 0,
        }),
    });
    JointComparison {
        rank_intervals: rank_intervals.collect(),
        apart,
        least: None,
        systems: k,
        p_adjusted,
    }
}

/// The score of a system all of whose comparisons are one-sided.
const ONE_SIDED: Estimate = Estimate::Undefined(Undefined::OneSided);

/// Returns which of two systems is ahead: by their scores, or, where one has none because all its
/// comparisons are one-sided, by those of the two, of which `sum` is positive where the first is
/// ahead.
fn lead_of(x: Estimate, y: Estimate, sum: f64) -> Option<Ordering> {
    match [x, y].contains(&ONE_SIDED) {
        true => sum.partial_cmp(&0.0),
        false => order(x, y),
    }
}

/// Which of two scores is higher; None where that is unknown.
fn order(x: Estimate, y: Estimate) -> Option<Ordering> {
    let value = |estimate: Estimate| match estimate {
        Estimate::Finite(score) => Some(score),
        Estimate::PlusInfinity => Some(f64::INFINITY),
        Estimate::MinusInfinity => Some(f64::NEG_INFINITY),
        Estimate::Undefined(_) => None,
    };
    value(x)?.partial_cmp(&value(y)?)
}

/// Each pair by itself, by the sign-flip test of [`compare_jointly`], with the interval of the
/// differences that it does not refute: for contributions that a shift of the difference shifts,
/// the quantiles of means over random halves of the clusters (Hartigan 1969); for pairs with
/// contributions of their own, by bisection. So p is at most 1 - level exactly where the interval
/// leaves out 0.
///
/// Signs can be flipped where a cluster's difference might as well have had the other sign, as
/// those of two equal systems. Those of two means that differ, on few clusters and mostly to one
/// side, could not: such as scores of which most are the lowest. So the interval of a difference of
/// means has those that the [`ScoreTest`] keeps, too, which allows for what was not seen.
///
/// A difference that no comparison speaks against is [`InferenceError::Unbounded`], with its
/// p-value, whatever the scores: those that are finite all the same would have an interval of no
/// width. Means of which all clusters say the same have no interval.
///
/// # Errors
/// Those of [`compare_jointly`].
// Long: what a pair may turn out to be stands in one order.
pub fn pair_differences(
    contributions: &Contributions,
    plan: &Bootstrap,
) -> Result<Vec<PairDifference>, InferenceError> {
    let patterns = SignPatterns::new(contributions.clusters, plan)?;
    let pairs: Vec<(usize, usize)> = index::pairs(contributions.estimates.len()).collect();
    let test = |(a, b): (usize, usize)| {
        let [x, y] = [a, b].map(|system| finite_score(contributions.estimates[system], system));
        let unbounded = |a_leads: bool| {
            let (ahead, behind) = if a_leads { (a, b) } else { (b, a) };
            InferenceError::Unbounded { ahead, behind }
        };
        let mut found = PairDifference {
            a,
            b,
            difference: x.and_then(|x| Ok(x - y?)),
            interval: None,
            p_value: None,
        };
        // Of two of which one has an infinite strength, the scores say which is ahead.
        if let Err(InferenceError::Infinite { .. }) = found.difference {
            let [x, y] = [a, b].map(|system| contributions.estimates[system]);
            found.difference = match order(x, y) {
                Some(Ordering::Greater) => Err(unbounded(true)),
                Some(Ordering::Less) => Err(unbounded(false)),
                _ => found.difference,
            };
        }
        if !contributions.is_compared((a, b)) {
            let [first, second] = [a, b].map(|system| contributions.reasons[system].as_ref());
            if let (Ok(_), Some(reason)) = (&found.difference, first.or(second)) {
                found.difference = Err(reason.clone());
            }
            return found;
        }
        let flips = Flips {
            patterns: &patterns,
            shrinkage: contributions.shrinkage,
        };
        let own = contributions
            .own
            .binary_search_by_key(&(a, b), |(pair, _)| *pair);
        let each = match own {
            Ok(place) => contributions.own[place].1.clone(),
            Err(_) => contributions.linear((a, b)),
        };
        if each.iter().all(|x| *x == 0.0) {
            found.difference = found.difference.and(Err(Undefined::NoVariance.into()));
            return found;
        }
        found.p_value = Some(flips.p_value(&each));
        let sum = each.iter().sum::<f64>();
        let Ok(difference) = found.difference else {
            if [a, b]
                .map(|system| contributions.estimates[system])
                .contains(&ONE_SIDED)
            {
                // Of two that beat each other now and then, nothing but the order is known.
                let is_whole = each.iter().all(|x| x * sum >= 0.0);
                found.difference = match is_whole {
                    true => Err(unbounded(sum > 0.0)),
                    false => Err(Undefined::OneSided.into()),
                };
            }
            return found;
        };
        let unit = contributions.unit;
        let ends = if own.is_ok() {
            let at = |lead: f64| contributions.own_at((a, b), lead);
            flips.search(difference / unit, plan.level, contributions.large(), at)
        } else {
            flips.ends(&each, &contributions.spread((a, b)), plan.level)
        };
        if let [Some(low), Some(high)] = ends
            && difference * sum > 0.0
            && high - low <= ROUNDING * low.abs().max(high.abs())
        {
            // All clusters say the same of means: nothing is known of the uncertainty. Where the
            // test refutes any difference that is tried, that of the scores too, one of the two won
            // all that bears on them: scores that are finite all the same, such as Elo's, say
            // nothing of how far it is ahead.
            let at_scores = contributions.own_at((a, b), difference / unit);
            let is_refuted = flips.p_value(&at_scores) <= (1.0 - plan.level) * (1.0 + 1e-9);
            if own.is_ok() && is_refuted {
                found.difference = Err(unbounded(difference > 0.0));
            }
            return found;
        }
        let ends = match (ends, contributions.score_test((a, b))) {
            ([Some(low), Some(high)], Some(score)) => score
                .widened_beyond_zero([low, high], 1.0 - plan.level)
                .map(Some),
            (ends, _) => ends,
        };
        let [mut low, mut high] = ends.map(|end| end.map(|end| end * unit));
        // Scores that order the two one way, or not at all, and a test that does the other show no
        // difference.
        if difference * sum < 0.0 || (difference == 0.0 && sum != 0.0) {
            found.p_value = Some(1.0);
            (low, high) = (low.map(|low| low.min(0.0)), high.map(|high| high.max(0.0)));
        }
        low = low.map(|low| low.min(difference));
        high = high.map(|high| high.max(difference));
        found.interval = Some(Interval::of_ends(
            [low, high],
            plan.level,
            patterns.signs.len(),
        ));
        found
    };
    Ok(map_on_threads(plan.threads, pairs, test)?)
}

/// The sign-flip test of a single pair.
struct Flips<'a> {
    patterns: &'a SignPatterns,
    shrinkage: f64,
}

impl Flips<'_> {
    fn p_value(&self, each: &[f64]) -> f64 {
        let sum: f64 = self.shrinkage * each.iter().sum::<f64>();
        let rounding = 1e-9 * each.iter().map(|x| x.abs()).sum::<f64>();
        let extreme = self
            .patterns
            .signs
            .iter()
            .filter(|signs| dot(signs, each).abs() >= sum.abs() - rounding);
        self.patterns.p_value(extreme.count())
    }

    /// The differences d that are not refuted by contributions of D_c - d h_c, h the `spread` of
    /// sum 1: a pattern with sum T* and g the sum of the signs' h is as extreme at d as the data
    /// where d lies between (r T - T*) / (r - g) and (r T + T*) / (r + g), r the shrinkage.
    fn ends(&self, each: &[f64], spread: &[f64], level: f64) -> [Option<f64>; 2] {
        let total: f64 = each.iter().sum();
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for signs in &self.patterns.signs {
            let flipped = dot(signs, each);
            let kept = dot(signs, spread);
            let r = self.shrinkage;
            // Towards where the pattern keeps (almost) all signs, it is extreme everywhere.
            let sums = [r * total - flipped, r * total + flipped];
            let shares = [r - kept, r + kept];
            let is_open = shares.iter().any(|share| *share <= 1e-12 || share.is_nan());
            let [x, y] = if is_open {
                [f64::NEG_INFINITY, f64::INFINITY]
            } else {
                [sums[0] / shares[0], sums[1] / shares[1]]
            };
            lows.push(x.min(y));
            highs.push(x.max(y));
        }
        lows.sort_by(f64::total_cmp);
        highs.sort_by(|x, y| y.total_cmp(x));
        // Refuted are the d at which at most alpha (R + 1) - 1 patterns are as extreme.
        let few = ((1.0 - level) * (self.patterns.signs.len() + 1) as f64 * (1.0 + 1e-9)).floor()
            as usize;
        let size = each.iter().map(|x| x.abs()).sum::<f64>();
        [lows, highs].map(|sorted| {
            let end = *sorted.get(few.saturating_sub(1))?;
            // Means of halves that cancel are 0 but for rounding.
            let end = if end.abs() <= 1e-12 * size { 0.0 } else { end };
            end.is_finite().then_some(end)
        })
    }

    /// The differences around the one found that are not refuted, by bisection of contributions at
    /// any difference; an end more than 64 `unit`s away is open. It leaves out 0 exactly where 0 is
    /// refuted.
    fn search(
        &self,
        difference: f64,
        level: f64,
        unit: f64,
        at: impl Fn(f64) -> Vec<f64>,
    ) -> [Option<f64>; 2] {
        let alpha = (1.0 - level) * (1.0 + 1e-9);
        let refuted = |d: f64| self.p_value(&at(d)) <= alpha;
        let zero_refuted = refuted(0.0);
        [-1.0, 1.0].map(|side| {
            let towards_zero = difference * side < 0.0;
            let (mut near, mut far) = match (towards_zero, zero_refuted) {
                (true, true) => (0.0, difference.abs()),
                (true, false) => (difference.abs(), difference.abs() + unit / 4.0),
                (false, _) => (0.0, unit / 4.0),
            };
            // Between 0 and the difference the end is known to lie.
            let bracketed = towards_zero && zero_refuted;
            let is_open = |end: f64| end - difference.abs() > 64.0 * unit;
            while !bracketed && !refuted(difference + side * far) {
                if is_open(far) {
                    return None;
                }
                (near, far) = (far, 2.0 * far);
            }
            let (near, _) = halve_range((near, far), 20, |x| !refuted(difference + side * x));
            (!is_open(near)).then_some(difference + side * near)
        })
    }
}

/// [`compare_jointly`] where nothing is known but the covariance of the scores: with t a pair's
/// difference in standard errors, it is held against the largest of `plan.rounds` normal draws with
/// the covariance. With [`Covariance::of_few_clusters`], t is first taken for the normal quantile
/// that is as rare as t is among Student's with n - 1 degrees of freedom, n the clusters that the
/// rarer of the two is in; that rests on clusters whose contributions are nearly normal.
///
/// # Errors
/// A level, a number of rounds or threads that cannot be used; fewer rounds than the level needs.
pub fn compare_jointly_from_covariance(
    covariance: &Covariance,
    plan: &Bootstrap,
) -> Result<JointComparison, InferenceError> {
    check_level(plan.level)?;
    check_rounds_for(plan)?;
    let estimates = covariance.estimates();
    let k = estimates.len();
    let reasons: Vec<Option<InferenceError>> = (0..k)
        .map(|system| covariance.standard_error(system).err())
        .collect();
    let members: Vec<(usize, usize)> = (0..k)
        .filter(|&system| reasons[system].is_none())
        .filter_map(|system| Some((system, covariance.place_of(system).ok()?)))
        .collect();
    let m = members.len();
    let mut precision = vec![0.0; m * m];
    let mut observed = vec![f64::NAN; k * k.saturating_sub(1) / 2];
    let mut matrix = vec![0.0; m * m];
    for (i, &(a, at_a)) in members.iter().enumerate() {
        for (j, &(b, at_b)) in members.iter().enumerate() {
            matrix[i * m + j] = covariance.entry(at_a, at_b);
            if i >= j {
                continue;
            }
            let freedom = covariance.freedom(&[a, b]);
            observed[number_of_pair(k, a, b)] = match covariance.difference(a, b) {
                Ok((difference, error)) => {
                    precision[i * m + j] = error.recip();
                    as_normal((difference / error).abs(), freedom)
                }
                Err(_) => 0.0,
            };
        }
    }
    let root = semidefinite_root(m, matrix);
    let mut greatest = repeat_draws(plan, NORMALS, |words| {
        let normals: Vec<f64> = (0..m).map(|_| draw_normal(words)).collect();
        let draw: Vec<f64> = (0..m)
            .map(|i| dot(&root[i * m..=i * m + i], &normals[..=i]))
            .collect();
        let mut most: f64 = 0.0;
        for i in 0..m {
            for j in i + 1..m {
                most = most.max((draw[i] - draw[j]).abs() * precision[i * m + j]);
            }
        }
        most
    })?;
    greatest.sort_by(f64::total_cmp);
    let p_adjusted = observed.iter().map(|&z| {
        if z.is_nan() {
            return z;
        }
        let below = greatest.partition_point(|most| *most < z);
        (1 + greatest.len() - below) as f64 / (1 + greatest.len()) as f64
    });
    let p_adjusted: Vec<f64> = p_adjusted.collect();
    Ok(JointComparison {
        least: Some(1.0 / (plan.rounds as f64 + 1.0)),
        ..conclude(
            estimates,
            &reasons,
            p_adjusted,
            |_, x, y| order(x, y),
            plan.level,
            plan.rounds,
        )
    })
}

/// The normal quantile that is as rare as t is among Student's with so many degrees of freedom.
fn as_normal(t: f64, freedom: f64) -> f64 {
    if freedom.is_infinite() {
        return t;
    }
    let beyond = student_above(t, freedom);
    // So far out nothing is drawn.
    if beyond < 1e-15 {
        8.0
    } else {
        -normal_quantile(beyond)
    }
}

/// Each pair by itself from a covariance, as [`covariance_difference`].
///
/// # Errors
/// A bad level.
pub fn pair_differences_from_covariance(
    covariance: &Covariance,
    level: f64,
) -> Result<Vec<PairDifference>, InferenceError> {
    check_level(level)?;
    let pairs = index::pairs(covariance.estimates().len());
    Ok(pairs
        .map(|(a, b)| {
            let found = covariance_difference(covariance, a, b, level);
            let known = found.as_ref().ok();
            PairDifference {
                a,
                b,
                interval: known.map(|found| found.interval),
                p_value: known.map(|found| found.p_value),
                difference: found.map(|found| found.difference),
            }
        })
        .collect())
}
