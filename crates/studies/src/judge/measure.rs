//! The figures of one judge over some pairs.

use super::decide::{Failures, Ties, credit, decided};
use super::{Game, Pair, Seen};
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{Bootstrap, Confusion, Disagreement, Error, Estimate, Undefined};
use evenhand_stats::{clustered_ratio, cohen_kappa, percentile_interval, resample, wilson};
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

/// What the judge was asked, and how often it gave a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    /// How right the judge is in a game, on average over pairs and orders: the mean of the next two
    /// where all pairs were judged in both orders, in a trial each. In [0, 1].
    pub accuracy: Figure,
    /// The same over the games in which a was shown first. Where one trial holds both orders, this,
    /// the next, `accuracy_both`, `consistency`, `first_slot` and `kappa_orders` are of the looks
    /// in it.
    pub accuracy_forward: Figure,
    /// The same over the games in which b was.
    pub accuracy_swapped: Figure,
    /// How right the average of both orders' verdicts is; of one alone where the other failed.
    pub accuracy_averaged: Figure,
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
    /// Share of the pairs that the judge is right about in both orders (by `credit` 1 in each).
    pub accuracy_both: Figure,
    /// Share of the pairs judged in both orders that have the same verdict in both; a failure is no
    /// verdict.
    pub consistency: Figure,
    /// Share of the verdicts for a winner that prefer the response that was shown first; 0.5 over
    /// both orders if position does not matter.
    pub first_slot: Figure,
    /// Cohen's kappa between label and verdict over all games with a verdict (a, tie, b); 0 is what
    /// chance gives.
    pub kappa: Figure,
    /// Cohen's kappa between the verdicts of the two orders.
    pub kappa_orders: Figure,
    /// Pairs.
    pub n: u64,
    /// Clusters of pairs, which the intervals rest on.
    pub items: u64,
    /// Labels that are a tie.
    pub tied_labels: u64,
    /// What was asked and answered.
    pub coverage: Coverage,
}

/// The figures of a judge over these pairs. Where it is not known which response was shown first,
/// what depends on that is undefined.
///
/// Intervals are percentile bootstrap intervals over clusters of pairs ([`Pair::cluster`]). Where
/// every cluster has the same share (all right, all wrong) resampling says nothing; then it is
/// Wilson's interval over clusters.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub fn measure(pairs: &[&Pair], order_known: bool, settings: &Settings) -> Result<Measures, Error> {
    let m = Over { pairs, settings };
    let right = |game: &Game, pair: &Pair| {
        credit(game.side(), pair.label, settings.ties, settings.failures)
    };
    let ordered = |figure: Result<Figure, Error>| {
        if order_known {
            figure
        } else {
            Ok(Figure::undefined(NO_ORDER))
        }
    };
    let order = |at: usize| {
        let credit = |pair: &Pair| pair.in_order(at).and_then(|game| right(game, pair));
        ordered(m.share(|pair| Some(credit(pair).map_or((0.0, 0.0), |credit| (credit, 1.0)))))
    };
    let [brier, calibration_error] = m.forecast()?;
    Ok(Measures {
        accuracy: m.share(|pair| Some(m.credits(pair, right)))?,
        accuracy_forward: order(0)?,
        accuracy_swapped: order(1)?,
        accuracy_averaged: m.share(|pair| {
            Some((
                credit(
                    averaged(pair)?,
                    pair.label,
                    settings.ties,
                    settings.failures,
                )?,
                1.0,
            ))
        })?,
        accuracy_length_balanced: m.length_balanced(|pair| m.credits(pair, right))?,
        longer_wins: m.length_alone(true)?,
        shorter_wins: m.length_alone(false)?,
        brier,
        calibration_error,
        accuracy_both: ordered(m.share(|pair| {
            let [x, y] = both(pair)?;
            Some((
                f64::from(u8::from(right(x, pair)? == 1.0 && right(y, pair)? == 1.0)),
                1.0,
            ))
        }))?,
        consistency: ordered(m.share(|pair| {
            let [x, y] = both(pair)?.map(Game::side);
            Some((f64::from(u8::from(x.is_some() && x == y)), 1.0))
        }))?,
        first_slot: ordered(m.share(first_slot))?,
        kappa: m.kappa(|pair| {
            games(pair)
                .filter_map(|(_, game)| Some((pair.label, game.side()?)))
                .collect()
        })?,
        kappa_orders: ordered(m.kappa(|pair| orders(pair).into_iter().collect()))?,
        n: pairs.len() as u64,
        items: m.clusters(|_| Some((0.0, 1.0))).len() as u64,
        tied_labels: pairs.iter().filter(|pair| pair.label == Side::Tie).count() as u64,
        coverage: coverage(pairs),
    })
}

const NO_ORDER: &str = "the recording does not say which response was shown first";

pub(super) struct Over<'a> {
    pub(super) pairs: &'a [&'a Pair],
    pub(super) settings: &'a Settings,
}

impl Over<'_> {
    /// The sum of a value over the games of a pair, and how many have one.
    fn credits(&self, pair: &Pair, value: impl Fn(&Game, &Pair) -> Option<f64>) -> (f64, f64) {
        let values: Vec<f64> = games(pair)
            .filter_map(|(_, game)| value(game, pair))
            .collect();
        (values.iter().sum(), values.len() as f64)
    }

    /// A ratio of sums over pairs.
    pub(super) fn share(&self, row: impl Fn(&Pair) -> Option<(f64, f64)>) -> Result<Figure, Error> {
        let rows = self.clusters(row);
        let found = match clustered_ratio(&rows, &self.settings.bootstrap) {
            Ok(found) => found,
            Err(error) => return Figure::new(Err(error.clone()), Err(error)),
        };
        let Err(Undefined::NoVariance) = found.interval else {
            return Figure::new(Ok(found.value), found.interval.map_err(Error::from));
        };
        let clusters = found.clusters as f64;
        let wilson = wilson(
            (found.value * clusters).min(clusters),
            clusters,
            self.settings.bootstrap.level,
        )?;
        Ok(Figure {
            value: Some(found.value),
            ci: Some([Some(wilson.low), Some(wilson.high)]),
            note: None,
        })
    }

    /// The sums over each cluster, in the order of the clusters.
    fn clusters(&self, row: impl Fn(&Pair) -> Option<(f64, f64)>) -> Vec<(f64, f64)> {
        let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for pair in self.pairs {
            let (up, down) = row(pair).unwrap_or_default();
            let sum = sums.entry(pair.cluster).or_default();
            *sum = (sum.0 + up, sum.1 + down);
        }
        sums.into_values().collect()
    }

    /// Kappa over the pairs of sides that each pair gives.
    fn kappa(&self, sides: impl Fn(&Pair) -> Vec<(Side, Side)>) -> Result<Figure, Error> {
        let mut tables: BTreeMap<u32, [f64; 9]> = BTreeMap::new();
        for pair in self.pairs {
            let table = tables.entry(pair.cluster).or_default();
            sides(pair)
                .into_iter()
                .for_each(|(x, y)| table[3 * category(x) + category(y)] += 1.0);
        }
        let tables: Vec<[f64; 9]> = tables.into_values().collect();
        let value = kappa_of(&tables, |_| 1.0);
        let round = |weights: &[f64]| match kappa_of(&tables, |at| weights[at]) {
            Ok(kappa) => Estimate::Finite(kappa),
            Err(Error::Undefined(reason)) => Estimate::Undefined(reason),
            Err(_) => Estimate::Undefined(Undefined::NoData),
        };
        let rounds = resample(tables.len(), &self.settings.bootstrap, round);
        Figure::new(
            value,
            rounds.and_then(|rounds| percentile_interval(&rounds, self.settings.bootstrap.level)),
        )
    }
}

fn category(side: Side) -> usize {
    match side {
        Side::First => 0,
        Side::Tie => 1,
        Side::Second => 2,
    }
}

fn kappa_of(tables: &[[f64; 9]], weight: impl Fn(usize) -> f64) -> Result<f64, Error> {
    let mut counts = vec![0.0; 9];
    for (at, table) in tables.iter().enumerate() {
        counts
            .iter_mut()
            .zip(table)
            .for_each(|(count, more)| *count += weight(at) * more);
    }
    Ok(cohen_kappa(&Confusion::new(3, counts)?, Disagreement::Any)?.value)
}

/// The games that were played, each with its order.
fn games(pair: &Pair) -> impl Iterator<Item = (usize, &Game)> {
    pair.games
        .iter()
        .enumerate()
        .filter_map(|(at, game)| Some((at, game.as_ref()?)))
}

fn both(pair: &Pair) -> Option<[&Game; 2]> {
    Some([pair.in_order(0)?, pair.in_order(1)?])
}

fn orders(pair: &Pair) -> Option<(Side, Side)> {
    let [x, y] = both(pair)?;
    Some((x.side()?, y.side()?))
}

/// The side of the average of the verdicts there are; the outer None where the judge was not asked.
fn averaged(pair: &Pair) -> Option<Option<Side>> {
    let verdicts: Vec<[f64; 3]> = games(pair)
        .filter_map(|(_, game)| game.outcome.as_ref().ok().copied())
        .collect();
    let sum = |at: usize| verdicts.iter().map(|shares| shares[at]).sum::<f64>();
    games(pair)
        .next()
        .map(|_| (!verdicts.is_empty()).then(|| decided([sum(0), sum(1), sum(2)])))
}

fn first_slot(pair: &Pair) -> Option<(f64, f64)> {
    if let Seen::Within(looks) = &pair.seen {
        return Some((looks.first as f64, looks.winners as f64));
    }
    let slots = games(pair).filter_map(|(at, game)| {
        game.side()
            .map(|side| if at == 0 { side } else { side.swapped() })
    });
    let winners: Vec<Side> = slots.filter(|side| *side != Side::Tie).collect();
    let first = winners.iter().filter(|side| **side == Side::First).count();
    Some((first as f64, winners.len() as f64))
}

fn coverage(pairs: &[&Pair]) -> Coverage {
    let mut coverage = Coverage::default();
    for game in pairs.iter().flat_map(|pair| pair.trials()) {
        coverage.trials += 1;
        match &game.outcome {
            Ok(_) => coverage.verdicts += 1,
            Err(kind) => *coverage.failures.entry(kind.clone()).or_default() += 1,
        }
    }
    coverage
}
