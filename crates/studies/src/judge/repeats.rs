//! Repeats of the same pairs: the accuracy in each, and how far it varies.

use super::measure::PairFigures;
use super::{JudgedPairs, LabelledPair, Settings};
use crate::Figure;
use evenhand_stats::{Error, ItemCount, column_share};
use schemars::JsonSchema;

/// A judge's accuracy in each repeat of the same pairs.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct Repeats {
    /// The accuracy in each repeat, by itself.
    pub accuracies: Vec<Figure>,
    /// The mean of these, with its interval over items, each with all its repeats.
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
                    ItemCount::default()
                }
            })?);
        }

        let by_repeat = self.part_sums(repeats as usize, |pair| {
            Some((pair.repeat as usize, rule.game_credits(pair)))
        });
        let mean = Figure::of_mean(column_share(&by_repeat, self.settings.bootstrap.level))?;
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
