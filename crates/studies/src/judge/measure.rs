//! The figures of one judge over some pairs.

use super::benchmark_ties;
use super::decide::{Failures, Rule, Ties};
use super::kappa::{KappaTables, category_of};
use super::{Game, LabelledPair, OrdersSeen, PairLooks};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{Side, are_consistent, average};
use evenhand_stats::{Bootstrap, CalibrationBin, Error};
use schemars::JsonSchema;
use serde::Serialize;
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

/// What the judge was asked, and how often it gave a verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Coverage {
    /// Trials: a pair in one order, or a pair where one trial holds both orders or responses are
    /// scored alone.
    pub trials: u64,
    /// Trials with a verdict.
    pub verdicts: u64,
    /// The others, by the kind of failure.
    pub failures: BTreeMap<String, u64>,
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
    /// How often the longer response is the better one: the accuracy of preferring it always.
    pub longer_wins: Figure,
    /// How often the shorter one is.
    pub shorter_wins: Figure,
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
    /// Clusters of pairs, which the intervals rest on.
    pub items: u64,
    /// Labels that are a tie.
    pub tied_labels: u64,
    /// What was asked and answered.
    pub coverage: Coverage,
}

const NO_ORDER: &str = "the recording does not say which response was shown first";

/// Returns the figures of a judge over these pairs. Where it is not known which response was shown
/// first, what depends on that is undefined.
///
/// Intervals are percentile bootstrap intervals over clusters of pairs ([`LabelledPair::cluster`]).
/// Where every cluster has the same share (all right, all wrong) resampling says nothing; then it
/// is Wilson's interval over clusters.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub fn measure(
    pairs: &[&LabelledPair],
    order_known: bool,
    settings: &Settings,
) -> Result<Measures, Error> {
    let figures = PairFigures { pairs, settings };
    let measures = figures.measures()?;
    if order_known {
        figures.with_orders(measures)
    } else {
        Ok(without_orders(measures))
    }
}

fn without_orders(measures: Measures) -> Measures {
    let unknown = Figure::undefined(NO_ORDER);
    Measures {
        accuracy_forward: unknown.clone(),
        accuracy_swapped: unknown.clone(),
        accuracy_both: unknown.clone(),
        consistency: unknown.clone(),
        first_slot: unknown.clone(),
        kappa_orders: unknown,
        ..measures
    }
}

/// A sum over what has a value, and how many have one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ratio {
    sum: f64,
    count: f64,
}

impl Ratio {
    fn once(value: f64) -> Ratio {
        Ratio {
            sum: value,
            count: 1.0,
        }
    }

    pub(super) fn add(&mut self, other: Ratio, weight: f64) {
        self.sum += weight * other.sum;
        self.count += weight * other.count;
    }

    fn with_value(self, value: f64) -> Ratio {
        Ratio {
            sum: self.sum + value,
            count: self.count + 1.0,
        }
    }

    fn parts(&self) -> (f64, f64) {
        (self.sum, self.count)
    }

    /// Returns the mean; None where nothing has a value.
    pub(super) fn value(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl From<Option<f64>> for Ratio {
    fn from(value: Option<f64>) -> Ratio {
        value.map_or_else(Ratio::default, Ratio::once)
    }
}

/// How far probabilities are from what happened.
pub(super) struct ForecastFigures {
    pub(super) brier: Figure,
    pub(super) calibration_error: Figure,
    pub(super) bins: Vec<CalibrationBin>,
}

/// Two verdicts on the same pair, or its label and a verdict.
type SidePair = (Side, Side);

/// Makes figures over pairs.
pub(super) struct PairFigures<'a> {
    pub(super) pairs: &'a [&'a LabelledPair],
    pub(super) settings: &'a Settings,
}

impl PairFigures<'_> {
    /// Returns the figures that do not depend on which response was shown first.
    fn measures(&self) -> Result<Measures, Error> {
        let forecast = self.forecast()?;
        Ok(Measures {
            accuracy: self.share(|pair| self.game_credits(pair))?,
            accuracy_averaged: self.mean(|pair| self.averaged_credit(pair))?,
            best_of: self.best_of()?,
            ties_score: benchmark_ties::score(
                self.pairs,
                self.settings.rule(),
                &self.settings.bootstrap,
            )?,
            brier: forecast.brier,
            calibration_error: forecast.calibration_error,
            calibration: forecast.bins,
            confusion: self.confusion(),
            kappa: self.kappa(labels_and_verdicts)?,
            kappa_averaged: self.kappa(label_and_average)?,
            sensitivity: self.share(|pair| passes(pair, Side::First, true))?,
            specificity: self.share(|pair| passes(pair, Side::Second, false))?,
            ..self.length_measures()?
        })
    }

    /// Returns the share of items that are right whole.
    fn best_of(&self) -> Result<Figure, Error> {
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

    fn length_measures(&self) -> Result<Measures, Error> {
        Ok(Measures {
            accuracy_length_balanced: self.length_balanced(|pair| self.game_credits(pair))?,
            longer_wins: self.length_alone(true)?,
            shorter_wins: self.length_alone(false)?,
            ..self.counts()
        })
    }

    fn counts(&self) -> Measures {
        let once = || self.pairs.iter().filter(|pair| pair.repeat == 0);
        let tied = once().filter(|pair| pair.label == Side::Tie);
        Measures {
            n: once().count() as u64,
            items: self.cluster_sums(|_| Ratio::default()).len() as u64,
            tied_labels: tied.count() as u64,
            coverage: Coverage::of_pairs(self.pairs),
            ..Measures::default()
        }
    }

    /// Adds the figures that depend on which response was shown first.
    fn with_orders(&self, measures: Measures) -> Result<Measures, Error> {
        Ok(Measures {
            accuracy_forward: self.mean(|pair| self.order_credit(pair, 0))?,
            accuracy_swapped: self.mean(|pair| self.order_credit(pair, 1))?,
            accuracy_both: self.mean(|pair| self.right_in_both(pair))?,
            consistency: self.mean(consistency_of)?,
            first_slot: self.share(first_slot_wins)?,
            kappa_orders: self.kappa(|pair| verdicts_in_both(pair).into_iter().collect())?,
            ..measures
        })
    }

    /// Counts games with a verdict by label and verdict.
    fn confusion(&self) -> [[u64; 3]; 3] {
        let mut counts = [[0; 3]; 3];
        for (label, verdict) in self.pairs.iter().flat_map(|pair| labels_and_verdicts(pair)) {
            counts[category_of(label)][category_of(verdict)] += 1;
        }
        counts
    }

    /// Returns how right a verdict on a pair is; None where it does not count.
    fn credit(&self, verdict: Option<Side>, pair: &LabelledPair) -> Option<f64> {
        self.settings.rule().credit(verdict, pair.label)
    }

    /// Returns the credit of a pair over its games.
    pub(super) fn game_credits(&self, pair: &LabelledPair) -> Ratio {
        let credits = pair
            .judged_games()
            .filter_map(|game| self.game_credit(game, pair));
        credits.fold(Ratio::default(), Ratio::with_value)
    }

    fn game_credit(&self, game: &Game, pair: &LabelledPair) -> Option<f64> {
        self.credit(game.side(), pair)
    }

    fn averaged_credit(&self, pair: &LabelledPair) -> Option<f64> {
        self.credit(averaged_side(pair)?, pair)
    }

    fn order_credit(&self, pair: &LabelledPair, order: usize) -> Option<f64> {
        self.game_credit(pair.in_order(order)?, pair)
    }

    fn right_in_both(&self, pair: &LabelledPair) -> Option<f64> {
        let [x, y] = both_orders(pair)?.map(|game| self.game_credit(game, pair));
        Some(indicator(x? == 1.0 && y? == 1.0))
    }

    /// Returns the mean of a value over the pairs that have one.
    pub(super) fn mean(
        &self,
        of_pair: impl Fn(&LabelledPair) -> Option<f64>,
    ) -> Result<Figure, Error> {
        self.share(|pair| of_pair(pair).into())
    }

    /// Returns a ratio of sums over pairs.
    pub(super) fn share(&self, of_pair: impl Fn(&LabelledPair) -> Ratio) -> Result<Figure, Error> {
        let sums = self.cluster_sums(of_pair);
        let rows: Vec<(f64, f64)> = sums.iter().map(Ratio::parts).collect();
        Figure::of_clusters(&rows, &self.settings.bootstrap)
    }

    /// Returns the sums over each cluster, in the order of the clusters.
    fn cluster_sums(&self, of_pair: impl Fn(&LabelledPair) -> Ratio) -> Vec<Ratio> {
        let mut sums: BTreeMap<u32, Ratio> = BTreeMap::new();
        for pair in self.pairs {
            // A cluster without a value stays: `items` counts it.
            sums.entry(pair.cluster)
                .or_default()
                .add(of_pair(pair), 1.0);
        }
        sums.into_values().collect()
    }

    /// Returns kappa over the pairs of sides that each pair gives.
    fn kappa(&self, sides: impl Fn(&LabelledPair) -> Vec<SidePair>) -> Result<Figure, Error> {
        let mut tables = KappaTables::default();
        for pair in self.pairs {
            tables.add(pair.cluster, &sides(pair));
        }
        tables.figure(&self.settings.bootstrap)
    }
}

fn labels_and_verdicts(pair: &LabelledPair) -> Vec<SidePair> {
    let sides = pair.judged_games().filter_map(Game::side);
    sides.map(|side| (pair.label, side)).collect()
}

/// Returns how many of the verdicts on a pair with this label are for a, or are not.
fn passes(pair: &LabelledPair, label: Side, wanted: bool) -> Ratio {
    let sides = pair.judged_games().filter_map(Game::side);
    let of_label = sides.filter(|_| pair.label == label);
    of_label.fold(Ratio::default(), |ratio, side| {
        ratio.with_value(indicator((side == Side::First) == wanted))
    })
}

fn label_and_average(pair: &LabelledPair) -> Vec<SidePair> {
    let side = averaged_side(pair).flatten();
    side.map(|side| (pair.label, side)).into_iter().collect()
}

fn both_orders(pair: &LabelledPair) -> Option<[&Game; 2]> {
    Some([pair.in_order(0)?, pair.in_order(1)?])
}

fn verdicts_in_both(pair: &LabelledPair) -> Option<SidePair> {
    let [x, y] = both_orders(pair)?;
    Some((x.side()?, y.side()?))
}

/// Whether both orders have the same verdict, as 0 or 1.
fn consistency_of(pair: &LabelledPair) -> Option<f64> {
    Some(indicator(are_consistent(
        both_orders(pair)?.map(Game::side),
    )))
}

/// Returns the side of the average of the verdicts there are; the outer None where the judge was
/// not asked.
fn averaged_side(pair: &LabelledPair) -> Option<Option<Side>> {
    pair.judged_games().next()?;
    Some(average(pair.verdicts()).map(Side::of))
}

/// Returns how many of the verdicts for a winner prefer the response that was shown first.
fn first_slot_wins(pair: &LabelledPair) -> Ratio {
    match &pair.seen {
        OrdersSeen::Within(looks) => looks.first_slot_wins(),
        OrdersSeen::Apart | OrdersSeen::Unordered => wins_of_games(&pair.games),
    }
}

impl PairLooks {
    fn first_slot_wins(&self) -> Ratio {
        Ratio {
            sum: self.first as f64,
            count: self.winners as f64,
        }
    }
}

fn wins_of_games(games: &[Option<Game>; 2]) -> Ratio {
    let mut wins = Ratio::default();
    // Where b was shown first, the first slot is the pair's second.
    for (game, first) in games.iter().zip([Side::First, Side::Second]) {
        wins.add(first_slot_win(game.as_ref(), first).into(), 1.0);
    }
    wins
}

/// Whether the winner of a game is this side, as 0 or 1; None without a winner.
fn first_slot_win(game: Option<&Game>, first: Side) -> Option<f64> {
    let winner = game?.side().filter(|side| *side != Side::Tie)?;
    Some(indicator(winner == first))
}

impl Coverage {
    fn of_pairs(pairs: &[&LabelledPair]) -> Coverage {
        let mut coverage = Coverage::default();
        for game in pairs.iter().flat_map(|pair| pair.trials()) {
            coverage.add(game);
        }
        coverage
    }

    fn add(&mut self, game: &Game) {
        self.trials += 1;
        match &game.outcome {
            Ok(_) => self.verdicts += 1,
            Err(kind) => *self.failures.entry(kind.clone()).or_default() += 1,
        }
    }
}
