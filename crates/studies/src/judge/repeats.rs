//! Repeats of the same pairs: the accuracy in each, and how far it varies.

use super::measure::{PairFigures, Ratio};
use super::{JudgedPairs, LabelledPair, Settings};
use crate::Figure;
use evenhand_stats::{Error, Undefined};
use std::collections::BTreeMap;

/// A judge's accuracy in each repeat of the same pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeats {
    /// The accuracy in each repeat, by itself.
    pub accuracies: Vec<Figure>,
    /// The mean of these, with a percentile bootstrap interval over items, which are drawn with all
    /// their repeats.
    pub mean: Figure,
    /// Their standard deviation over repeats (n - 1): how far the judge varies, not how sure the
    /// accuracy is.
    pub sd: Figure,
}

/// Compares the accuracies of several who judged the same pairs, as repeats of one; None where there
/// is one.
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

/// The credits of a cluster's games in each repeat.
type ClusterCredits = Vec<Ratio>;

impl PairFigures<'_> {
    /// Compares the repeats; None where pairs were judged once.
    pub(super) fn repeats(&self, judged: &JudgedPairs) -> Result<Option<Repeats>, Error> {
        let repeats = judged.repeats;
        if repeats < 2 {
            return Ok(None);
        }
        let each = (0..repeats).map(|repeat| self.accuracy_in(repeat));
        let accuracies = each.collect::<Result<Vec<Figure>, Error>>()?;
        Ok(Some(Repeats {
            mean: self.mean_of_repeats(repeats as usize)?,
            sd: deviation(&accuracies),
            accuracies,
        }))
    }

    fn accuracy_in(&self, repeat: u32) -> Result<Figure, Error> {
        self.share(|pair| {
            if pair.repeat == repeat {
                self.game_credits(pair)
            } else {
                Ratio::default()
            }
        })
    }

    fn mean_of_repeats(&self, repeats: usize) -> Result<Figure, Error> {
        let clusters = self.credits_by_repeat(repeats);
        Figure::resampled(clusters.len(), &self.settings.bootstrap, |weights| {
            mean_accuracy(&clusters, weights, repeats)
        })
    }

    fn credits_by_repeat(&self, repeats: usize) -> Vec<ClusterCredits> {
        let mut clusters: BTreeMap<u32, ClusterCredits> = BTreeMap::new();
        for pair in self.pairs {
            let cluster = clusters.entry(pair.cluster);
            let credits = cluster.or_insert_with(|| vec![Ratio::default(); repeats]);
            add_credit(credits, pair, self.game_credits(pair));
        }
        clusters.into_values().collect()
    }
}

fn add_credit(credits: &mut ClusterCredits, pair: &LabelledPair, credit: Ratio) {
    if let Some(sum) = credits.get_mut(pair.repeat as usize) {
        sum.add(credit, 1.0);
    }
}

/// Returns the mean over repeats of the accuracy on weighted clusters.
fn mean_accuracy(
    clusters: &[ClusterCredits],
    weights: &[f64],
    repeats: usize,
) -> Result<f64, Error> {
    let mut total = 0.0;
    for repeat in 0..repeats {
        let mut sum = Ratio::default();
        for (cluster, weight) in clusters.iter().zip(weights) {
            sum.add(cluster[repeat], *weight);
        }
        total += sum.value().ok_or(Undefined::NoData)?;
    }
    Ok(total / repeats as f64)
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
