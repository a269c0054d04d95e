//! How much of a judge's accuracy may be a preference for longer, or shorter, responses.

use super::LabelledPair;
use super::measure::{PairFigures, Ratio};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{Setting, Side};
use evenhand_stats::{Error, Undefined};
use std::collections::BTreeMap;

const ONE_SIDED: &str = "the better response is always the longer one, or always the shorter one";

/// The credit of a cluster's games where the better response is the longer, and where it is the
/// shorter.
#[derive(Clone, Copy, Default)]
struct LengthCredit {
    longer: Ratio,
    shorter: Ratio,
}

impl LengthCredit {
    fn side(&mut self, longer: bool) -> &mut Ratio {
        if longer {
            &mut self.longer
        } else {
            &mut self.shorter
        }
    }

    /// Returns the mean of both accuracies; None where one of them has no pair.
    fn balanced(self) -> Option<f64> {
        Some((self.longer.value()? + self.shorter.value()?) / 2.0)
    }

    fn add(&mut self, other: LengthCredit, weight: f64) {
        self.longer.add(other.longer, weight);
        self.shorter.add(other.shorter, weight);
    }
}

impl PairFigures<'_> {
    /// Returns the mean of two accuracies: over the pairs whose better response is the longer one,
    /// and over those whose better one is the shorter. A judge that prefers the longer (or the
    /// shorter) whatever they say has a half. Pairs of equal length and tied labels do not count.
    /// `credit` gives the credit of a pair over its games.
    pub(super) fn length_balanced(
        &self,
        credit: impl Fn(&LabelledPair) -> Ratio,
    ) -> Result<Figure, Error> {
        if self.has_no_lengths() {
            return Ok(unknown_lengths());
        }
        self.balanced_figure(&self.length_credits(credit))
    }

    fn balanced_figure(&self, clusters: &[LengthCredit]) -> Result<Figure, Error> {
        let plan = &self.settings.bootstrap;
        let figure = Figure::resampled(clusters.len(), plan, |weights| {
            balanced_accuracy(clusters, weights)
        })?;
        Ok(match figure.value {
            Some(_) => figure,
            None => Figure::undefined(ONE_SIDED),
        })
    }

    /// Returns how often the longer response is the better one (or the shorter): the accuracy of a
    /// judge that looks at nothing else.
    pub(super) fn length_alone(&self, longer: bool) -> Result<Figure, Error> {
        if self.has_no_lengths() {
            return Ok(unknown_lengths());
        }
        self.mean(|pair| Some(indicator(longer_is_better(pair)? == longer)))
    }

    fn has_no_lengths(&self) -> bool {
        self.pairs.iter().all(|pair| pair.lengths.is_none())
    }

    fn length_credits(&self, credit: impl Fn(&LabelledPair) -> Ratio) -> Vec<LengthCredit> {
        let mut clusters: BTreeMap<u32, LengthCredit> = BTreeMap::new();
        for pair in self.pairs {
            // A cluster of tied labels and equal lengths alone is none that is drawn.
            if let Some(longer) = longer_is_better(pair) {
                let cluster = clusters.entry(pair.cluster).or_default();
                cluster.side(longer).add(credit(pair), 1.0);
            }
        }
        clusters.into_values().collect()
    }
}

fn unknown_lengths() -> Figure {
    Figure::undefined(format!(
        "the responses' lengths are not known; {} adds them to recordings",
        Setting::Data
    ))
}

/// Whether people prefer the longer response; None where they prefer neither, or the lengths are
/// the same or not known.
fn longer_is_better(pair: &LabelledPair) -> Option<bool> {
    let [a, b] = pair.lengths.filter(|[a, b]| a != b)?;
    match pair.label {
        Side::Tie => None,
        Side::First => Some(a > b),
        Side::Second => Some(b > a),
    }
}

fn balanced_accuracy(clusters: &[LengthCredit], weights: &[f64]) -> Result<f64, Error> {
    let mut sums = LengthCredit::default();
    for (cluster, weight) in clusters.iter().zip(weights) {
        sums.add(*cluster, *weight);
    }
    sums.balanced().ok_or(Undefined::NoData.into())
}
