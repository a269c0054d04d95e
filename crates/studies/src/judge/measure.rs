//! The figures of one judge over some pairs.

use super::benchmark_ties;
use super::decide::{Failures, Rule, Ties};
use super::kappa::KappaTables;
use super::{Game, LabelledPair, OrdersSeen};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{Side, are_consistent, average};
use evenhand_engine::Coverage;
use evenhand_stats::{Bootstrap, CalibrationBin, Error, ItemCount};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// How figures are made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// How ties count.
    pub ties: Ties,
    /// How failures count.
    pub failures: Failures,
    /// Of the intervals; pairs on the same item are resampled together.
    pub bootstrap: Bootstrap,
}

impl Settings {
    /// Returns the usual settings, with this plan of the intervals.
    #[must_use]
    pub fn of_plan(bootstrap: Bootstrap) -> Settings {
        Settings {
            bootstrap,
            ..Settings::default()
        }
    }

    pub(super) fn rule(&self) -> Rule {
        Rule {
            ties: self.ties,
            failures: self.failures,
        }
    }
}

/// The figures of one judge over some pairs.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct Measures {
    /// How right the judge is in a game, on average over pairs and orders: the mean of the next two
    /// where all pairs were judged in both orders, in a trial each. In [0, 1].
    pub accuracy: Figure,
    /// How right it is over the games in which a was shown first. Where one trial holds both
    /// orders, this, the next, `accuracy_both`, `consistency`, `first_slot` and `kappa_orders` are
    /// of the looks in it.
    pub accuracy_forward: Figure,
    /// How right it is over the games in which b was.
    pub accuracy_swapped: Figure,
    /// How right the average of both orders' verdicts is; of one alone where the other failed.
    pub accuracy_averaged: Figure,
    /// Of the items with several labelled pairs, the share of those about all of whose pairs the
    /// average of both orders' verdicts is right: the best of four of RewardBench 2 (Malik et al.
    /// 2025, "RewardBench 2: Advancing Reward Model Evaluation"), where each of three rejected
    /// completions is compared with the chosen one. Where responses are scored alone, an item whose
    /// chosen one shares the highest score with n others is worth 1 / (n + 1), as there. Items of
    /// the benchmark's Ties are left out: `ties_score` is of those. In [0, 1]; undefined where no
    /// item has several pairs.
    pub best_of: Figure,
    /// The score of RewardBench 2's subset Ties, in which several answers are right: 60 % whether
    /// each right answer is scored above each wrong one, 40 % whether right ones are less apart
    /// than right and wrong. At most 1.01; undefined where responses were not scored alone.
    pub ties_score: Figure,
    /// The mean of the accuracy on pairs whose better response is the longer one and of that on the
    /// others: a half for a judge that looks at the length alone.
    pub accuracy_length_balanced: Figure,
    /// How often the longer response is the better one by the labels: the accuracy of preferring it
    /// always.
    pub longer_wins: Figure,
    /// How often the shorter one is.
    pub shorter_wins: Figure,
    /// How often the judge prefers the longer response, ties as half, over its verdicts on the
    /// pairs that count for `longer_wins`: more often than that is more often than people do.
    pub longer_preferred: Figure,
    /// The accuracy less that of the better of always preferring the longer response and always
    /// preferring the shorter one, on the same pairs: those that count for `longer_wins` and have a
    /// verdict that counts. In [-1, 1]; its interval leaves out 0 exactly where the paired test
    /// does.
    pub accuracy_beyond_length: Figure,
    /// The Brier score of its probabilities, averaged over both orders; undefined where every
    /// verdict is all or nothing.
    pub brier: Figure,
    /// Their expected calibration error, over ten bins of equal mass; undefined likewise.
    pub calibration_error: Figure,
    /// The bins of that error that hold a pair: what was stated, and how often it came true; empty
    /// where it is undefined.
    #[schemars(skip)]
    pub calibration: Vec<CalibrationBin>,
    /// Games with a verdict, by label (a, tie, b) and by verdict (a, tie, b).
    pub confusion: [[u64; 3]; 3],
    /// Share of the pairs that the judge is right about in both orders (by `credit` 1 in each).
    pub accuracy_both: Figure,
    /// Share of the pairs judged in both orders that have the same verdict in both; a failure is no
    /// verdict.
    pub consistency: Figure,
    /// Share of the verdicts for a winner that prefer the response that was shown first; 0.5 over
    /// both orders if position does not matter.
    pub first_slot: Figure,
    /// Cohen's kappa between label and verdict over all games with a verdict (a, tie, b), each
    /// counted both ways ([`evenhand_stats::preference_kappa`]); 0 is what chance gives.
    pub kappa: Figure,
    /// The same of the average of both orders' verdicts, one for each pair that has a verdict.
    pub kappa_averaged: Figure,
    /// Of the games on pairs whose a people prefer, the share whose verdict is a: the judge's
    /// sensitivity, where a win of a is a pass. A tie is no pass; failures do not count.
    pub sensitivity: Figure,
    /// Of the games on pairs whose b people prefer, the share whose verdict is not a: its
    /// specificity.
    pub specificity: Figure,
    /// Cohen's kappa between the verdicts of the two orders.
    pub kappa_orders: Figure,
    /// Pairs; one that was judged several times is one.
    pub n: u64,
    /// Labels that verdicts are held against: as many as pairs, or all votes where each counts.
    pub labels: u64,
    /// Clusters of pairs, which the intervals rest on.
    pub items: u64,
    /// Labels that are a tie.
    pub tied_labels: u64,
    /// What was asked and answered. A trial is a pair in one order, or a pair where one trial holds
    /// both orders or responses are scored alone.
    pub coverage: Coverage,
}

const NO_ORDER: &str = "the recording does not say which response was shown first";

/// Returns the figures of a judge over these pairs. Where it is not known which response was shown
/// first, what depends on that is undefined.
///
/// Intervals are over clusters of pairs ([`LabelledPair::cluster`]): of shares and means of shares,
/// Korn and Graubard's ([`evenhand_stats::clustered_share`], [`evenhand_stats::part_share`]), of
/// kappa that of the share that disagrees ([`evenhand_stats::preference_kappa_interval`]).
///
/// # Errors
/// A bad level, number of rounds or threads.
// Long, and nearly flat: a line a figure, last those that take a known order.
pub fn measure(
    pairs: &[&LabelledPair],
    order_known: bool,
    settings: &Settings,
) -> Result<Measures, Error> {
    let figures = PairFigures { pairs, settings };
    let rule = settings.rule();
    let once = || pairs.iter().filter(|pair| pair.repeat == 0);
    // What is said of the judge alone counts once for a pair, however many labels it has.
    let mut alone = pairs.to_vec();
    alone.retain(|pair| pair.is_first_vote());
    let of_judge = PairFigures {
        pairs: &alone,
        settings,
    };
    let mut confusion = [[0; 3]; 3];
    for (label, verdict) in pairs.iter().flat_map(|pair| labels_and_verdicts(pair)) {
        confusion[label as usize][verdict as usize] += 1;
    }
    let mut coverage = Coverage::default();
    for game in alone.iter().flat_map(|pair| pair.trials()) {
        coverage.trials += 1;
        match &game.outcome {
            Ok(_) => coverage.verdicts += 1,
            Err(kind) => *coverage.failures.entry(kind.clone()).or_default() += 1,
        }
    }
    let (brier, calibration_error, calibration) = figures.forecast()?;
    let mut measures = Measures {
        accuracy: figures.share(|pair| rule.game_credits(pair))?,
        accuracy_averaged: figures.mean(|pair| figures.averaged_credit(pair))?,
        best_of: of_judge.best_of(alone.len() < pairs.len())?,
        ties_score: benchmark_ties::score(&alone, rule, settings.bootstrap.level)?,
        accuracy_length_balanced: figures.length_balanced(|pair| rule.game_credits(pair))?,
        longer_wins: figures.length_alone(true)?,
        shorter_wins: figures.length_alone(false)?,
        longer_preferred: figures.prefers_longer()?,
        accuracy_beyond_length: figures.beyond_length()?,
        brier,
        calibration_error,
        calibration,
        confusion,
        kappa: figures.kappa(labels_and_verdicts)?,
        kappa_averaged: figures.kappa(|pair| Some((pair.label, averaged_side(pair)??)))?,
        sensitivity: figures.share(|pair| passes(pair, Side::First, true))?,
        specificity: figures.share(|pair| passes(pair, Side::Second, false))?,
        n: once().filter(|pair| pair.is_first_vote()).count() as u64,
        labels: once().count() as u64,
        items: figures.cluster_sums(|_| ItemCount::default()).len() as u64,
        tied_labels: once().filter(|pair| pair.label == Side::Tie).count() as u64,
        coverage,
        ..Measures::default()
    };

    if !order_known {
        let unknown = Figure::undefined(NO_ORDER);
        return Ok(Measures {
            accuracy_forward: unknown.clone(),
            accuracy_swapped: unknown.clone(),
            accuracy_both: unknown.clone(),
            consistency: unknown.clone(),
            first_slot: unknown.clone(),
            kappa_orders: unknown,
            ..measures
        });
    }
    let in_order =
        |order: usize| figures.mean(|pair| rule.credit(pair.in_order(order)?.side(), pair.label));
    measures.accuracy_forward = in_order(0)?;
    measures.accuracy_swapped = in_order(1)?;
    measures.accuracy_both =
        figures.mean(|pair| rule.right_in_both(pair.in_both_orders()?, pair.label))?;
    measures.consistency = of_judge.mean(|pair| {
        let sides = pair.in_both_orders()?.map(Game::side);
        Some(indicator(are_consistent(sides)))
    })?;
    measures.first_slot = of_judge.share(first_slot_wins)?;
    measures.kappa_orders = of_judge.kappa(|pair| {
        let [x, y] = pair.in_both_orders()?.map(Game::side);
        x.zip(y)
    })?;
    Ok(measures)
}

/// Makes figures over pairs.
pub(super) struct PairFigures<'a> {
    pub(super) pairs: &'a [&'a LabelledPair],
    pub(super) settings: &'a Settings,
}

impl PairFigures<'_> {
    /// Returns the share of items that are right whole; undefined where a pair has several labels
    /// that count one by one.
    fn best_of(&self, has_votes: bool) -> Result<Figure, Error> {
        if has_votes {
            return Ok(Figure::undefined("the votes on a pair count one by one"));
        }
        /// An item: its first pair, how many there are, whether the judge is right about all but
        /// for equal scores, and how many of these there are.
        struct Whole<'p> {
            first: &'p LabelledPair,
            pairs: usize,
            right: Option<f64>,
            equal: u32,
        }
        let has_ties = benchmark_ties::are_met(self.pairs);
        let mut items: BTreeMap<(&str, u32, u32), Whole<'_>> = BTreeMap::new();
        for pair in self.pairs {
            if has_ties && benchmark_ties::is_item(&pair.name) {
                continue;
            }
            let item = items.entry((&pair.name, pair.subset, pair.repeat));
            let item = item.or_insert(Whole {
                first: pair,
                pairs: 0,
                right: Some(1.0),
                equal: 0,
            });
            item.pairs += 1;
            // A pair that does not count leaves its item out.
            let credit = self.averaged_credit(pair);
            let equal = pair.judged_games().any(|game| game.margin == Some(0.0));
            if credit.is_some() && equal && pair.label != Side::Tie {
                item.equal += 1;
                continue;
            }
            let credit = credit.map(f64::floor);
            item.right = item.right.zip(credit).map(|(right, credit)| right * credit);
        }
        items.retain(|_, item| item.pairs > 1);
        if items.is_empty() {
            return Ok(Figure::undefined(match has_ties {
                true => "but for RewardBench 2's Ties, no item has several labelled pairs",
                false => "no item has several labelled pairs",
            }));
        }
        self.mean(|pair| {
            let item = items.get(&(pair.name.as_str(), pair.subset, pair.repeat))?;
            let share = item.right? / f64::from(item.equal + 1);
            std::ptr::eq(item.first, pair).then_some(share)
        })
    }

    /// Returns the credit of the average of both orders' verdicts.
    fn averaged_credit(&self, pair: &LabelledPair) -> Option<f64> {
        self.settings
            .rule()
            .credit(averaged_side(pair)?, pair.label)
    }

    /// Returns the mean of a value over the pairs that have one.
    pub(super) fn mean(
        &self,
        of_pair: impl Fn(&LabelledPair) -> Option<f64>,
    ) -> Result<Figure, Error> {
        self.share(|pair| of_pair(pair).into_iter().collect())
    }

    /// Returns a ratio of sums over pairs.
    pub(super) fn share(
        &self,
        of_pair: impl Fn(&LabelledPair) -> ItemCount,
    ) -> Result<Figure, Error> {
        let sums = self.cluster_sums(of_pair).into_iter();
        let rows: Vec<(f64, f64)> = sums.map(|ratio| (ratio.sum, ratio.count)).collect();
        Figure::of_clusters(&rows, self.settings.bootstrap.level)
    }

    /// Returns the sums over each cluster, in the order of the clusters.
    fn cluster_sums(&self, of_pair: impl Fn(&LabelledPair) -> ItemCount) -> Vec<ItemCount> {
        let mut sums: BTreeMap<u32, ItemCount> = BTreeMap::new();
        for pair in self.pairs {
            // A cluster without a value stays: `items` counts it.
            let sum = sums.entry(pair.cluster).or_default();
            sum.add(of_pair(pair), 1.0);
        }
        sums.into_values().collect()
    }

    /// Returns the sums over each cluster in so many parts of the pairs, in the order of the
    /// clusters; of a pair that is in one of them, which one, and what it adds.
    pub(super) fn part_sums(
        &self,
        parts: usize,
        of_pair: impl Fn(&LabelledPair) -> Option<(usize, ItemCount)>,
    ) -> Vec<Vec<ItemCount>> {
        let mut sums: BTreeMap<u32, Vec<ItemCount>> = BTreeMap::new();
        for pair in self.pairs {
            let own = sums.entry(pair.cluster);
            let own = own.or_insert_with(|| vec![ItemCount::default(); parts]);
            if let Some((part, ratio)) = of_pair(pair)
                && let Some(sum) = own.get_mut(part)
            {
                sum.add(ratio, 1.0);
            }
        }
        sums.into_values().collect()
    }

    /// Returns kappa over the sides that met on each pair.
    fn kappa<Sides>(&self, sides: impl Fn(&LabelledPair) -> Sides) -> Result<Figure, Error>
    where
        Sides: IntoIterator<Item = (Side, Side)>,
    {
        let mut tables = KappaTables::default();
        for pair in self.pairs {
            tables.add(pair.cluster, sides(pair));
        }
        tables.figure(self.settings.bootstrap.level)
    }
}

/// Returns the label of a pair with the verdict of each game.
fn labels_and_verdicts(pair: &LabelledPair) -> Vec<(Side, Side)> {
    let sides = pair.judged_games().filter_map(Game::side);
    sides.map(|side| (pair.label, side)).collect()
}

/// Returns how many of the verdicts on a pair with this label are for a, or are not.
fn passes(pair: &LabelledPair, label: Side, wanted: bool) -> ItemCount {
    let sides = pair.judged_games().filter_map(Game::side);
    sides
        .filter(|_| pair.label == label)
        .map(|side| indicator((side == Side::First) == wanted))
        .collect()
}

/// Returns the side of the average of the verdicts there are; the outer None where the judge was
/// not asked.
fn averaged_side(pair: &LabelledPair) -> Option<Option<Side>> {
    pair.judged_games().next()?;
    Some(average(pair.verdicts()).map(Side::of))
}

/// Returns how many of the verdicts for a winner prefer the response that was shown first, of
/// responses that differ.
fn first_slot_wins(pair: &LabelledPair) -> ItemCount {
    if pair.same {
        return ItemCount::default();
    }
    if let OrdersSeen::Within(looks) = &pair.seen {
        return ItemCount {
            sum: looks.first as f64,
            count: looks.winners as f64,
        };
    }
    // Where b was shown first, the first slot is the pair's second.
    let games = pair.games.iter().zip([Side::First, Side::Second]);
    games
        .filter_map(|(game, first)| {
            let winner = game.as_ref()?.side().filter(|side| *side != Side::Tie)?;
            Some(indicator(winner == first))
        })
        .collect()
}
