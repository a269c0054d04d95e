//! How much of a judge's accuracy may be a preference for longer, or shorter, responses.

use super::Pair;
use super::measure::Over;
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{Error, Estimate, Undefined, percentile_interval, resample};
use std::collections::BTreeMap;

const NO_LENGTHS: &str = "the responses' lengths are not known; --data adds them to recordings";
const ONE_SIDED: &str = "the better response is always the longer one, or always the shorter one";

/// Sums over the pairs of a cluster: the credit and the number of games where the better response
/// is the longer, and where it is the shorter.
type Sums = [f64; 4];

impl Over<'_> {
    /// The mean of two accuracies: over the pairs whose better response is the longer one, and over
    /// those whose better one is the shorter. A judge that prefers the longer (or the shorter)
    /// whatever they say has a half. Pairs of equal length and tied labels do not count. `credit`
    /// gives the credit and the number of games of a pair.
    pub(super) fn length_balanced(
        &self,
        credit: impl Fn(&Pair) -> (f64, f64),
    ) -> Result<Figure, Error> {
        if self.pairs.iter().all(|pair| pair.lengths.is_none()) {
            return Ok(Figure::undefined(NO_LENGTHS));
        }
        let mut clusters: BTreeMap<u32, Sums> = BTreeMap::new();
        for (pair, longer) in self
            .pairs
            .iter()
            .filter_map(|pair| Some((pair, longer_is_better(pair)?)))
        {
            let (right, games) = credit(pair);
            let at = if longer { 0 } else { 2 };
            let sums = clusters.entry(pair.cluster).or_default();
            (sums[at], sums[at + 1]) = (sums[at] + right, sums[at + 1] + games);
        }
        let clusters: Vec<Sums> = clusters.into_values().collect();
        let Some(value) = balanced(&clusters, |_| 1.0) else {
            return Ok(Figure::undefined(ONE_SIDED));
        };
        let round = |weights: &[f64]| match balanced(&clusters, |at| weights[at]) {
            Some(value) => Estimate::Finite(value),
            None => Estimate::Undefined(Undefined::NoData),
        };
        let rounds = resample(clusters.len(), &self.settings.bootstrap, round);
        Figure::new(
            Ok(value),
            rounds.and_then(|rounds| percentile_interval(&rounds, self.settings.bootstrap.level)),
        )
    }

    /// How often the longer response is the better one (or the shorter): the accuracy of a judge
    /// that looks at nothing else.
    pub(super) fn length_alone(&self, longer: bool) -> Result<Figure, Error> {
        if self.pairs.iter().all(|pair| pair.lengths.is_none()) {
            return Ok(Figure::undefined(NO_LENGTHS));
        }
        self.share(|pair| Some((f64::from(u8::from(longer_is_better(pair)? == longer)), 1.0)))
    }
}

/// Whether people prefer the longer response; none where they prefer neither, or the lengths are
/// the same or not known.
fn longer_is_better(pair: &Pair) -> Option<bool> {
    let [a, b] = pair.lengths?;
    match pair.label {
        Side::Tie => None,
        _ if a == b => None,
        Side::First => Some(a > b),
        Side::Second => Some(b > a),
    }
}

fn balanced(clusters: &[Sums], weight: impl Fn(usize) -> f64) -> Option<f64> {
    let mut sums = [0.0; 4];
    for (at, cluster) in clusters.iter().enumerate() {
        sums.iter_mut()
            .zip(cluster)
            .for_each(|(sum, more)| *sum += weight(at) * more);
    }
    let share = |at: usize| (sums[at + 1] > 0.0).then(|| sums[at] / sums[at + 1]);
    Some((share(0)? + share(2)?) / 2.0)
}
