//! How much of a judge's accuracy may be a preference for longer, or shorter, responses.

use super::measure::{PairFigures, Settings};
use super::paired::mean_of_pairs;
use super::{Game, JudgedPairs, LabelledPair};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{Setting, Side};
use evenhand_stats::{Error, ItemCount, part_share};
use std::collections::BTreeMap;

const ONE_SIDED: &str = "the better response is always the longer one, or always the shorter one";
const NOT_COUNTED: &str = "no verdict counts where the better response is the longer one, or where \
                           it is \
                           the shorter one";
const NOTHING_COUNTED: &str = "no verdict counts on a pair whose better response is the longer or \
                               the shorter one";

/// The credit of a cluster's games where the better response is the longer, and where it is the
/// shorter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LengthCredit {
    longer: ItemCount,
    shorter: ItemCount,
}

impl LengthCredit {
    /// Adds another cluster's, as often as its weight says.
    pub(crate) fn add(&mut self, other: LengthCredit, weight: f64) {
        self.longer.add(other.longer, weight);
        self.shorter.add(other.shorter, weight);
    }

    /// Returns the sum of all credits, and how many there are.
    pub(crate) fn sum_and_count(self) -> (f64, f64) {
        let [longer, shorter] = [self.longer, self.shorter];
        (longer.sum + shorter.sum, longer.count + shorter.count)
    }

    /// Returns the mean of both accuracies, in [0, 1]; None where the better response is always the
    /// longer one, or always the shorter.
    pub(crate) fn balanced(self) -> Option<f64> {
        let both = self.longer.mean().zip(self.shorter.mean());
        both.map(|(longer, shorter)| (longer + shorter) / 2.0)
    }
}

/// Returns the credit of each cluster of pairs, of those that have a pair whose better response is
/// the longer or the shorter one; empty where lengths are not known.
pub(crate) fn length_credits(judged: &JudgedPairs, settings: &Settings) -> Vec<LengthCredit> {
    let rule = settings.rule();
    let mut clusters: BTreeMap<u32, LengthCredit> = BTreeMap::new();
    for pair in &judged.pairs {
        // A cluster of tied labels and equal lengths alone is none that is drawn.
        if let Some(longer) = longer_is_better(pair) {
            let cluster = clusters.entry(pair.cluster).or_default();
            let side = if longer {
                &mut cluster.longer
            } else {
                &mut cluster.shorter
            };
            side.add(rule.game_credits(pair), 1.0);
        }
    }
    clusters.into_values().collect()
}

impl PairFigures<'_> {
    /// Returns the mean of two accuracies: over the pairs whose better response is the longer one,
    /// and over those whose better one is the shorter. A judge that prefers the longer (or the
    /// shorter) whatever they say has a half. Pairs of equal length and tied labels do not count.
    /// `credit` gives the credit of a pair over its games.
    pub(super) fn length_balanced(
        &self,
        credit: impl Fn(&LabelledPair) -> ItemCount,
    ) -> Result<Figure, Error> {
        if self.has_no_lengths() {
            return Ok(unknown_lengths());
        }
        let parts = self.part_sums(2, |pair| {
            Some((usize::from(longer_is_better(pair)?), credit(pair)))
        });
        let level = self.settings.bootstrap.level;
        let figure = Figure::of_mean(part_share(&parts, &[1.0, 1.0], level))?;
        Ok(match figure.value {
            Some(_) => figure,
            None => {
                let is_met = |longer| {
                    let mut pairs = self.pairs.iter();
                    pairs.any(|pair| longer_is_better(pair) == Some(longer))
                };
                Figure::undefined(match is_met(true) && is_met(false) {
                    true => NOT_COUNTED,
                    false => ONE_SIDED,
                })
            }
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

    /// Returns how often a verdict is for the longer response, a tie as half, where people prefer
    /// the longer or the shorter one.
    pub(super) fn prefers_longer(&self) -> Result<Figure, Error> {
        if self.has_no_lengths() {
            return Ok(unknown_lengths());
        }
        self.share(|pair| {
            let Some([a, b]) = pair.lengths.filter(|_| longer_is_better(pair).is_some()) else {
                return ItemCount::default();
            };
            let sides = pair.judged_games().filter_map(Game::side);
            sides
                .map(|side| match side {
                    Side::Tie => 0.5,
                    Side::First => indicator(a > b),
                    Side::Second => indicator(b > a),
                })
                .collect()
        })
    }

    /// Returns how much more often the judge is right than whichever of the two rules that look at
    /// the length alone is right more often on these labels. That the better one is chosen after
    /// the labels were seen favours the rule, so a judge that is ahead is ahead of both.
    pub(super) fn beyond_length(&self) -> Result<Figure, Error> {
        if self.has_no_lengths() {
            return Ok(unknown_lengths());
        }
        let (mut longer, mut shorter) = (0_usize, 0_usize);
        for is_longer in self.pairs.iter().filter_map(|pair| longer_is_better(pair)) {
            *(if is_longer { &mut longer } else { &mut shorter }) += 1;
        }
        let takes_longer = longer >= shorter;
        let rule = self.settings.rule();
        let differences = self.pairs.iter().filter_map(|pair| {
            // Where both are of one length the rule has nothing to go by, and is a coin.
            let by_length = match longer_is_better(pair) {
                Some(is_longer) => indicator(is_longer == takes_longer),
                None if pair.label != Side::Tie && pair.lengths.is_some() => 0.5,
                None => return None,
            };
            let by_judge = rule.game_credits(pair).mean()?;
            Some((pair.cluster, by_judge - by_length))
        });
        let differences: Vec<(u32, f64)> = differences.collect();
        if differences.is_empty() {
            return Ok(Figure::undefined(NOTHING_COUNTED));
        }
        Ok(mean_of_pairs(&differences, &self.settings.bootstrap)?.figure)
    }

    fn has_no_lengths(&self) -> bool {
        self.pairs.iter().all(|pair| pair.lengths.is_none())
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
