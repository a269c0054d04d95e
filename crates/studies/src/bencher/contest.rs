//! A bencher and a reference over the systems that both have, and figures of them in every round.

use super::names::Matching;
use super::standing::{Standing, Standings};
use crate::Figure;
use evenhand_stats::inference::KnownOrder;
use evenhand_stats::{
    Bootstrap, Correlation, Error, Estimate, Interval, KendallCounts, Undefined,
    interval_with_width, resample,
};
use schemars::JsonSchema;
use std::cmp::Ordering;
use std::iter::repeat_n;

/// What is resampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Items: what other items would have given for these systems.
    Items,
    /// Single comparisons, of judgments that name no items.
    Comparisons,
    /// Systems: what other systems of the same kind would have given.
    #[default]
    Systems,
    /// Nothing here: the bootstrap scores that the file holds.
    Rounds,
}

/// What the intervals of correlations and of tau_u are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CorrelationEnds {
    /// Bounds of what unlimited items would give, by the pairs of systems that one joint test tells
    /// apart.
    Bounds,
    /// Percentiles of rounds.
    #[default]
    Rounds,
}

impl Known {
    /// Returns between what Spearman's rho of the true orders lies.
    pub(super) fn spearman(&self, ratings: &[f64]) -> Result<[f64; 2], Error> {
        match self {
            Known::Bencher(order) => order.spearman(ratings),
            Known::Both(order, other) => {
                let pairs = all_pairs(ratings.len());
                Ok(order.agreement(other, &pairs).spearman_rho())
            }
        }
    }

    /// Returns between what Kendall's tau-b over these pairs lies.
    pub(super) fn kendall_tau_b(
        &self,
        ratings: &[f64],
        pairs: &[(usize, usize)],
    ) -> Result<[f64; 2], Error> {
        match self {
            Known::Bencher(order) => order.kendall_tau_b(ratings, pairs),
            Known::Both(order, other) => Ok(order.agreement(other, pairs).kendall_tau()),
        }
    }
}

/// Returns every pair of so many systems.
pub(super) fn all_pairs(systems: usize) -> Vec<(usize, usize)> {
    let pairs = (0..systems).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.collect()
}

/// Matched systems, in the order of their names in the reference.
#[derive(Clone, Debug, Default)]
pub(super) struct Contest {
    pub(super) bencher: Vec<Standing>,
    pub(super) reference: Vec<Standing>,
    pub(super) over: Over,
    /// What the systems are ordered by on either side, higher better.
    pub(super) orders: [Vec<f64>; 2],
    /// The same in every round; None where a system had no place. Empty where systems are
    /// resampled.
    rounds: Vec<Option<[Vec<f64>; 2]>>,
    /// What is known of the true orders, or why nothing is; None where no joint test is known.
    known: Option<Result<Known, String>>,
    pub(super) notes: Vec<String>,
}

/// What joint tests tell of the orders that unlimited items would give.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// Of the bencher's; the reference's ratings are what they are.
    Bencher(KnownOrder),
    /// Of the bencher's and the reference's.
    Both(KnownOrder, KnownOrder),
}

/// One round: the orders, and how often each system counts.
pub(super) struct Draw<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) times: &'a [f64],
}

impl Contest {
    /// Matches the systems of both sides; one without a rank on either side is left out, and noted.
    pub(super) fn new(
        bencher: &Standings,
        reference: &Standings,
        matching: &Matching,
        over: Over,
    ) -> Contest {
        let mut contest = Contest {
            over,
            ..Contest::default()
        };
        let mut places = Vec::new();
        for &(own, other) in &matching.pairs {
            let own_side = &bencher.systems[own];
            let other_side = &reference.systems[other];
            let (system, why) = match (&own_side.order, &other_side.order) {
                (Ok(x), Ok(y)) => {
                    contest.orders[0].push(*x);
                    contest.orders[1].push(*y);
                    contest.bencher.push(own_side.clone());
                    contest.reference.push(other_side.clone());
                    places.push((own, other));
                    continue;
                }
                (Err(why), _) => (&own_side.system, why),
                (_, Err(why)) => (&other_side.system, why),
            };
            contest.notes.push(format!(
                "{system} is left out because it has no rank: {why}"
            ));
        }
        let tested = matches!(over, Over::Items | Over::Comparisons);
        if let Some(apart) = bencher.apart.as_ref().filter(|_| tested) {
            type Apart = Result<Vec<(usize, usize)>, String>;
            let known = |apart: &Apart, places: &[usize]| -> Result<KnownOrder, String> {
                let place = |system: &usize| places.iter().position(|known| known == system);
                let apart = apart.as_ref().map_err(String::clone)?.iter();
                let matched = apart.filter_map(|(a, b)| Some((place(a)?, place(b)?)));
                Ok(KnownOrder::new(places.len(), matched))
            };
            let (own, others): (Vec<usize>, Vec<usize>) = places.iter().copied().unzip();
            let own = known(apart, &own);
            contest.known = Some(match &reference.apart {
                None => own.map(Known::Bencher),
                Some(apart) => own.and_then(|own| Ok(Known::Both(own, known(apart, &others)?))),
            });
        }
        // Resampled systems keep their orders; in rounds of anything else these change. The
        // reference has its rounds, or the same order in each.
        if over != Over::Systems {
            for (number, round) in bencher.rounds.iter().enumerate() {
                let x: Option<_> = places.iter().map(|&(own, _)| round[own]).collect();
                let y = match reference.rounds.get(number) {
                    Some(round) => places.iter().map(|&(_, other)| round[other]).collect(),
                    None => Some(contest.orders[1].clone()),
                };
                contest.rounds.push(x.zip(y).map(<[Vec<f64>; 2]>::from));
            }
        }
        contest
    }

    /// What the intervals of correlations are made of.
    pub(super) fn correlation_ends(&self) -> CorrelationEnds {
        match self.known {
            Some(_) => CorrelationEnds::Bounds,
            None => CorrelationEnds::Rounds,
        }
    }

    /// Returns a correlation of the orders. Its interval holds what unlimited items would give,
    /// where that can be bounded, by `bounds`; noise draws the correlation in rounds towards 0.
    ///
    /// # Errors
    /// Bad settings of the resampling.
    pub(super) fn correlation_figure(
        &self,
        found: &RoundedFigure,
        bounds: impl Fn(&Known, &[f64]) -> Result<[f64; 2], Error>,
    ) -> Result<Figure, Error> {
        let (Some(known), Ok(value)) = (&self.known, found.value) else {
            return found.to_figure();
        };
        let bounds = match known {
            Ok(known) => bounds(known, &self.orders[1]).map_err(|why| why.to_string()),
            Err(why) => Err(why.clone()),
        };
        let figure = Figure::of_value(value);
        Ok(match bounds {
            Ok([low, high]) => Figure {
                ci: Some([low.min(value), high.max(value)].map(Some)),
                ..figure
            },
            Err(why) => Figure {
                note: Some(why),
                ..figure
            },
        })
    }

    /// Returns how many systems there are.
    pub(super) fn system_count(&self) -> usize {
        self.bencher.len()
    }

    /// Returns how many rounds there are, with this plan.
    pub(super) fn round_count(&self, plan: &Bootstrap) -> usize {
        match self.over {
            Over::Systems => plan.rounds,
            _ => self.rounds.len(),
        }
    }
}

/// A figure of the data, and in every round.
#[derive(Clone, Debug)]
pub(super) struct RoundedFigure {
    pub(super) value: Result<f64, Undefined>,
    /// Empty where there can be none; the interval says why.
    pub(super) rounds: Vec<Estimate>,
    pub(super) interval: Result<Interval, Error>,
}

impl RoundedFigure {
    /// Computes a figure of the orders, and its percentile interval. Over systems, a figure that is
    /// the same in every round says nothing of its uncertainty, as in
    /// [`evenhand_stats::correlation_interval`]; nor does one, over items too, that is the same in
    /// nearly all of them.
    pub(super) fn of_orders(
        contest: &Contest,
        plan: &Bootstrap,
        figure: impl Fn(&Draw<'_>) -> Result<f64, Undefined> + Sync,
    ) -> RoundedFigure {
        let number = |found: Result<f64, Undefined>| {
            found.map_or_else(Estimate::Undefined, Estimate::Finite)
        };
        let estimate = |draw: Draw<'_>| number(figure(&draw));
        let [x, y] = &contest.orders;
        let once = &vec![1.0; contest.system_count()];
        let value = figure(&Draw { x, y, times: once });
        let rounds = match contest.over {
            Over::Systems => resample(contest.system_count(), plan, |times| {
                estimate(Draw { x, y, times })
            }),
            _ if contest.rounds.is_empty() => Err(Undefined::TooFewClusters { clusters: 1 }.into()),
            _ => Ok(contest
                .rounds
                .iter()
                .map(|round| match round {
                    Some([x, y]) => estimate(Draw { x, y, times: once }),
                    None => Estimate::Undefined(Undefined::NoRank),
                })
                .collect()),
        };
        let interval = rounds.clone().and_then(|rounds| {
            if contest.over == Over::Systems && is_constant(&rounds) {
                return Err(Undefined::NoVariance.into());
            }
            interval_with_width(number(value), &rounds, plan.level)
        });
        RoundedFigure {
            value,
            rounds: rounds.unwrap_or_default(),
            interval,
        }
    }

    /// Returns the figure without its rounds.
    ///
    /// # Errors
    /// Bad settings of the resampling.
    pub(super) fn to_figure(&self) -> Result<Figure, Error> {
        Figure::new(self.value.map_err(Error::from), self.interval.clone())
    }
}

fn is_constant(rounds: &[Estimate]) -> bool {
    let numbers = || rounds.iter().filter_map(|round| round.finite());
    numbers().fold(f64::NEG_INFINITY, f64::max) - numbers().fold(f64::INFINITY, f64::min) <= 1e-12
}

/// Returns a function that correlates the orders of a round, each system as often as it counts.
pub(super) fn correlation(
    which: Correlation,
) -> impl Fn(&Draw<'_>) -> Result<f64, Undefined> + Sync {
    move |draw: &Draw<'_>| {
        let [x, y] = [draw.x, draw.y].map(|values| {
            let counted = values.iter().zip(draw.times);
            let repeated = counted.flat_map(|(&value, &times)| repeat_n(value, times as usize));
            repeated.collect::<Vec<f64>>()
        });
        which.correlate(&x, &y).map_err(|error| match error {
            Error::Undefined(why) => why,
            _ => Undefined::NoData,
        })
    }
}

/// Counts the pairs j < i of `pairs` by order, each as often as its systems count together.
pub(super) fn kendall_counts(pairs: &[(usize, usize)], draw: &Draw) -> KendallCounts {
    const EQUAL: Option<Ordering> = Some(Ordering::Equal);
    let mut counts = KendallCounts::default();
    for &(i, j) in pairs {
        let orderings = [draw.x, draw.y].map(|values| values[i].partial_cmp(&values[j]));
        let count = match orderings {
            [EQUAL, EQUAL] => &mut counts.tied_both,
            [EQUAL, _] => &mut counts.tied_x,
            [_, EQUAL] => &mut counts.tied_y,
            [x, y] if x == y => &mut counts.concordant,
            _ => &mut counts.discordant,
        };
        *count += (draw.times[i] * draw.times[j]) as u64;
    }
    counts
}
