//! Consistency by a number of characters: in groups of equal width, in thirds, and as a trend.

use super::{ComparedPair, Consistency, questions_of};
use evenhand_stats::{Error, Undefined, share_trend};
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

/// A trend with the number of characters: Cochran and Armitage's test, by question where one has
/// several pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trend {
    /// Standard normal where there is no trend; above 0 where the share rises.
    pub z: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// How many pairs it rests on.
    pub pairs: usize,
}

impl ByNumber {
    pub(super) fn measure(
        pairs: &[ComparedPair],
        number: fn(&ComparedPair) -> usize,
        step: usize,
        level: f64,
    ) -> Result<ByNumber, Error> {
        let mut sorted: Vec<&ComparedPair> = pairs.iter().collect();
        sorted.sort_by_key(|pair| number(pair));
        let bin = |part: &[&ComparedPair], range| {
            Ok(NumberBin {
                range,
                share: part.len() as f64 / sorted.len() as f64,
                consistency: Consistency::measure(part, level)?,
            })
        };
        let groups = sorted.chunk_by(|a, b| number(a) / step == number(b) / step);
        let groups = groups.map(|group| {
            let start = number(group[0]) / step * step;
            bin(group, [start, start + step])
        });
        // Of as nearly equal size as can be; fewer where there are fewer pairs.
        let n = sorted.len();
        let cuts = [0, n / 3, 2 * n / 3, n];
        let thirds = cuts.windows(2).map(|ends| &sorted[ends[0]..ends[1]]);
        let thirds = thirds.filter(|third| !third.is_empty());
        let thirds = thirds.map(|third| {
            bin(
                third,
                [number(third[0]), number(third[third.len() - 1]) + 1],
            )
        });
        let trend = |is: fn(&ComparedPair) -> Option<bool>| {
            let known = sorted.iter().filter_map(|pair| Some((*pair, is(pair)?)));
            let (pairs, yes): (Vec<&ComparedPair>, Vec<bool>) = known.unzip();
            let numbers = pairs.iter().map(|pair| number(pair) as f64);
            let rows: Vec<(f64, bool)> = numbers.zip(yes).collect();
            trend_of(&rows, &questions_of(&pairs))
        };
        Ok(ByNumber {
            groups: groups.collect::<Result<_, Error>>()?,
            thirds: thirds.collect::<Result<_, Error>>()?,
            inconsistency: trend(ComparedPair::was_inconsistent)?,
            fixed: trend(ComparedPair::was_fixed)?,
        })
    }
}

/// Returns the trend of a share over numbered outcomes, each of a question; None where all numbers
/// or all outcomes are alike.
fn trend_of(rows: &[(f64, bool)], questions: &[u32]) -> Result<Option<Trend>, Error> {
    match share_trend(rows, questions) {
        Ok(found) => Ok(Some(Trend {
            z: found.z,
            p: found.p,
            pairs: rows.len(),
        })),
        Err(Error::Undefined(Undefined::NoData | Undefined::NoVariance)) => Ok(None),
        Err(other) => Err(other),
    }
}
