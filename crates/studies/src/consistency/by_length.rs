//! Consistency by a number of characters: in groups of equal width, in thirds, and as a trend.

use super::{ComparedPair, Consistency};
use evenhand_stats::{Bootstrap, Error, Undefined, share_trend};

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
#[derive(Clone, Copy, Debug, PartialEq)]
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
        plan: &Bootstrap,
    ) -> Result<ByNumber, Error> {
        let mut sorted: Vec<&ComparedPair> = pairs.iter().collect();
        sorted.sort_by_key(|pair| number(pair));
        let groups = sorted.chunk_by(|one, next| number(one) / step == number(next) / step);
        let groups = groups.map(|group| {
            let start = number(group[0]) / step * step;
            NumberBin::measure(group, [start, start + step], pairs.len(), plan)
        });
        let thirds = cut_thirds(&sorted).into_iter().map(|third| {
            let ends = [number(third[0]), number(third[third.len() - 1]) + 1];
            NumberBin::measure(third, ends, pairs.len(), plan)
        });
        Ok(ByNumber {
            groups: groups.collect::<Result<_, _>>()?,
            thirds: thirds.collect::<Result<_, _>>()?,
            inconsistency: trend(&sorted, number, |pair| {
                pair.first.map(|side| side.is_none())
            })?,
            fixed: trend(&sorted, number, |pair| {
                pair.is_inconsistent_at_first().then_some(pair.was_mended())
            })?,
        })
    }
}

impl NumberBin {
    fn measure(
        pairs: &[&ComparedPair],
        range: [usize; 2],
        all: usize,
        plan: &Bootstrap,
    ) -> Result<NumberBin, Error> {
        Ok(NumberBin {
            range,
            share: pairs.len() as f64 / all as f64,
            consistency: Consistency::measure(pairs, plan)?,
        })
    }
}

/// Returns three groups of as nearly equal size as can be; fewer where there are fewer pairs.
fn cut_thirds<'s, 'p>(sorted: &'s [&'p ComparedPair]) -> Vec<&'s [&'p ComparedPair]> {
    let n = sorted.len();
    let cuts = [0, n / 3, 2 * n / 3, n];
    let thirds = cuts.windows(2).map(|ends| &sorted[ends[0]..ends[1]]);
    thirds.filter(|third| !third.is_empty()).collect()
}

fn trend(
    pairs: &[&ComparedPair],
    number: fn(&ComparedPair) -> usize,
    is: impl Fn(&ComparedPair) -> Option<bool>,
) -> Result<Option<Trend>, Error> {
    let rows: Vec<(f64, bool)> = pairs
        .iter()
        .filter_map(|pair| Some((number(pair) as f64, is(pair)?)))
        .collect();
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
