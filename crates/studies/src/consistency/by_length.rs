//! Consistency by a number of characters: in groups of equal width, in thirds, and as a trend.

use super::shares::was_fixed;
use super::{ComparedPair, Consistency};
use evenhand_stats::{Bootstrap, Error, Undefined, share_trend};
use schemars::JsonSchema;
use serde::Serialize;

/// Consistency by a number that every pair has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ByNumber {
    /// Groups of equal width from 0, those without pairs left out (PORTIA, tables 4 and 6).
    pub groups: Vec<NumberBin>,
    /// Three groups of equally many pairs.
    pub thirds: Vec<NumberBin>,
    /// Whether inconsistency rises with the number; None where all numbers or all pairs are alike.
    pub inconsistency: Option<Trend>,
    /// Whether fixed coverage rises with the number; None where that has no meaning.
    pub fixed: Option<Trend>,
}

/// The pairs whose number lies within bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberBin {
    /// The least number, and the one before which the group ends.
    pub range: [usize; 2],
    /// Share of all pairs.
    pub share: f64,
    /// Its pairs.
    pub consistency: Consistency,
}

/// A trend with the number of characters (Cochran and Armitage), pairs taken as independent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trend {
    /// Standard normal where there is no trend; above 0 where the share rises.
    pub z: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// How many pairs it rests on.
    pub pairs: usize,
}

/// Returns the number of a pair.
type NumberOf = fn(&ComparedPair) -> usize;

impl ByNumber {
    pub(super) fn measure(
        pairs: &[ComparedPair],
        number: NumberOf,
        step: usize,
        plan: &Bootstrap,
    ) -> Result<ByNumber, Error> {
        let sorted = SortedPairs::new(pairs, number, plan);
        Ok(ByNumber {
            groups: sorted.groups(step)?,
            thirds: sorted.thirds()?,
            inconsistency: sorted.trend(was_inconsistent)?,
            fixed: sorted.trend(was_fixed)?,
        })
    }
}

/// Whether a pair was inconsistent before anything was split; None where that was not asked.
fn was_inconsistent(pair: &ComparedPair) -> Option<bool> {
    pair.first.map(|side| side.is_none())
}

/// Pairs in the order of their numbers.
struct SortedPairs<'a> {
    pairs: Vec<&'a ComparedPair>,
    number: NumberOf,
    plan: &'a Bootstrap,
}

impl<'a> SortedPairs<'a> {
    fn new(pairs: &'a [ComparedPair], number: NumberOf, plan: &'a Bootstrap) -> Self {
        let mut pairs: Vec<&ComparedPair> = pairs.iter().collect();
        pairs.sort_by_key(|pair| number(pair));
        SortedPairs {
            pairs,
            number,
            plan,
        }
    }

    fn groups(&self, step: usize) -> Result<Vec<NumberBin>, Error> {
        let group_of = |pair: &ComparedPair| (self.number)(pair) / step;
        let groups = self.pairs.chunk_by(|a, b| group_of(a) == group_of(b));
        groups.map(|group| self.group(group, step)).collect()
    }

    fn group(&self, pairs: &[&ComparedPair], step: usize) -> Result<NumberBin, Error> {
        let start = (self.number)(pairs[0]) / step * step;
        self.bin(pairs, [start, start + step])
    }

    fn thirds(&self) -> Result<Vec<NumberBin>, Error> {
        let thirds = cut_thirds(&self.pairs).into_iter();
        thirds.map(|pairs| self.third(pairs)).collect()
    }

    fn third(&self, pairs: &[&ComparedPair]) -> Result<NumberBin, Error> {
        let (least, most) = (pairs[0], pairs[pairs.len() - 1]);
        self.bin(pairs, [(self.number)(least), (self.number)(most) + 1])
    }

    fn bin(&self, pairs: &[&ComparedPair], range: [usize; 2]) -> Result<NumberBin, Error> {
        Ok(NumberBin {
            range,
            share: pairs.len() as f64 / self.pairs.len() as f64,
            consistency: Consistency::measure(pairs, self.plan)?,
        })
    }

    /// Returns the trend of a share over the pairs for which it has a meaning; None where all
    /// numbers or all pairs are alike.
    fn trend(&self, is: fn(&ComparedPair) -> Option<bool>) -> Result<Option<Trend>, Error> {
        let rows = self.numbered_outcomes(is);
        match share_trend(&rows) {
            Ok(found) => Ok(Some(Trend {
                z: found.z,
                p: found.p,
                pairs: rows.len(),
            })),
            Err(Error::Undefined(Undefined::NoData | Undefined::NoVariance)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    fn numbered_outcomes(&self, is: fn(&ComparedPair) -> Option<bool>) -> Vec<(f64, bool)> {
        self.pairs
            .iter()
            .filter_map(|pair| Some(((self.number)(pair) as f64, is(pair)?)))
            .collect()
    }
}

/// Returns three groups of as nearly equal size as can be; fewer where there are fewer pairs.
fn cut_thirds<'s, 'p>(sorted: &'s [&'p ComparedPair]) -> Vec<&'s [&'p ComparedPair]> {
    let n = sorted.len();
    let cuts = [0, n / 3, 2 * n / 3, n];
    let thirds = cuts.windows(2).map(|ends| &sorted[ends[0]..ends[1]]);
    thirds.filter(|third| !third.is_empty()).collect()
}
