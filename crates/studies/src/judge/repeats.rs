//! Repeats of the same pairs: the accuracy in each, and how far it varies.

use super::decide::Ratio;
use super::measure::PairFigures;
use super::{JudgedPairs, LabelledPair, Settings};
use crate::Figure;
use evenhand_stats::{Error, Undefined};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// A judge's accuracy in each repeat of the same pairs.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct Repeats {
    /// The accuracy in each repeat, by itself.
    pub accuracies: Vec<Figure>,
    /// The mean of these, with a percentile bootstrap interval over items, which are drawn with all
    /// their repeats.
    pub mean: Figure,
    /// Their standard deviation over repeats (n - 1): how far the judge varies, not how sure the
    /// accuracy is.
    #[schemars(skip)]
    pub sd: Figure,
}

/// Compares the accuracies of several who judged the same pairs, as repeats of one; None where
/// there is one.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(crate) fn compare_repeats(
    all: Vec<JudgedPairs>,
    settings: &Settings,
) -> Result<Option<Repeats>, Error> {
    let judged = JudgedPairs::of_repeats(all);
    let pairs: Vec<&LabelledPair> = judged.pairs.iter().collect();
    let pairs = &pairs;
    PairFigures { pairs, settings }.repeats(&judged)
}

impl PairFigures<'_> {
    /// Compares the repeats; None where pairs were judged once.
    pub(super) fn repeats(&self, judged: &JudgedPairs) -> Result<Option<Repeats>, Error> {
        let repeats = judged.repeats;
        if repeats < 2 {
            return Ok(None);
        }
        let rule = self.settings.rule();
        let mut accuracies = Vec::new();
        for repeat in 0..repeats {
            accuracies.push(self.share(|pair| {
                if pair.repeat == repeat {
                    rule.game_credits(pair)
                } else {
                    Ratio::default()
                }
            })?);
        }

        // The credits of each cluster's games in each repeat.
        let mut clusters: BTreeMap<u32, Vec<Ratio>> = BTreeMap::new();
        for pair in self.pairs {
            let cluster = clusters.entry(pair.cluster);
            let credits = cluster.or_insert_with(|| vec![Ratio::default(); repeats as usize]);
            if let Some(sum) = credits.get_mut(pair.repeat as usize) {
                sum.add(rule.game_credits(pair), 1.0);
            }
        }
        let clusters: Vec<Vec<Ratio>> = clusters.into_values().collect();
        let plan = &self.settings.bootstrap;
        let mean = Figure::resampled(clusters.len(), plan, |weights| {
            let mut total = 0.0;
            for repeat in 0..repeats as usize {
                let mut sum = Ratio::default();
                for (cluster, weight) in clusters.iter().zip(weights) {
                    sum.add(cluster[repeat], *weight);
                }
                total += sum.value().ok_or(Undefined::NoData)?;
            }
            Ok(total / f64::from(repeats))
        })?;
        Ok(Some(Repeats {
            mean,
            sd: deviation(&accuracies),
            accuracies,
        }))
    }
}

/// Returns the standard deviation of accuracies.
fn deviation(accuracies: &[Figure]) -> Figure {
    let known: Option<Vec<f64>> = accuracies.iter().map(|one| one.value).collect();
    let Some(known) = known else {
        return Figure::undefined("a repeat has no accuracy");
    };
    let n = known.len() as f64;
    let mean = known.iter().sum::<f64>() / n;
    let squares: f64 = known.iter().map(|one| (one - mean).powi(2)).sum();
    Figure::of_value((squares / (n - 1.0)).sqrt())
}
