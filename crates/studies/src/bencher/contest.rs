//! A bencher and a reference over the systems that both have, and figures of them in every round.

use super::names::Matching;
use super::standing::{Standing, Standings};
use evenhand_stats::{
    Bootstrap, Correlation, Error, Estimate, Interval, KendallCounts, Undefined,
    percentile_interval, resample,
};
use std::cmp::Ordering;

/// What is resampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Items: what other items would have given for these systems.
    Items,
    /// Single comparisons, of judgments that name no items.
    Comparisons,
    /// Systems: what other systems of the same kind would have given.
    Systems,
    /// Nothing here: the bootstrap scores that the file holds.
    Rounds,
}

/// Matched systems, in the order of their names in the reference.
#[derive(Clone, Debug)]
pub(super) struct Contest {
    pub(super) bencher: Vec<Standing>,
    pub(super) reference: Vec<Standing>,
    pub(super) over: Over,
    x: Vec<f64>,
    y: Vec<f64>,
    /// x and y in every round; None where a system had no place. Empty where systems are resampled.
    rounds: Vec<Option<(Vec<f64>, Vec<f64>)>>,
    pub(super) notes: Vec<String>,
}

/// One round: the orders, and how often each system counts.
pub(super) struct Draw<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) times: &'a [f64],
}

impl Contest {
    /// Of the systems that are matched; one without a place on either side is left out, and noted.
    pub(super) fn new(
        bencher: &Standings,
        reference: &Standings,
        matching: &Matching,
        over: Over,
    ) -> Contest {
        let has_place = |&&(a, b): &&(usize, usize)| {
            bencher.systems[a].order.is_ok() && reference.systems[b].order.is_ok()
        };
        let pairs: Vec<(usize, usize)> = matching.pairs.iter().filter(has_place).copied().collect();
        let lost = matching.pairs.iter().filter(|pair| !has_place(pair));
        let why = |&(a, b): &(usize, usize)| {
            out(&bencher.systems[a]).or_else(|| out(&reference.systems[b]))
        };
        let side = |all: &Standings, places: Vec<usize>| -> Vec<Standing> {
            places
                .into_iter()
                .map(|place| all.systems[place].clone())
                .collect()
        };
        let places =
            |which: fn(&(usize, usize)) -> usize| pairs.iter().map(which).collect::<Vec<usize>>();
        let (own, other) = (places(|pair| pair.0), places(|pair| pair.1));
        let (bench, refer) = (side(bencher, own.clone()), side(reference, other.clone()));
        let order = |side: &[Standing]| {
            side.iter()
                .filter_map(|one| one.order.clone().ok())
                .collect::<Vec<f64>>()
        };
        let (x, y) = (order(&bench), order(&refer));
        let of = |round: &[Option<f64>], places: &[usize]| {
            places
                .iter()
                .map(|&place| round[place])
                .collect::<Option<Vec<f64>>>()
        };
        let round = |(number, round): (usize, &Vec<Option<f64>>)| {
            let people = match reference.rounds.get(number) {
                Some(people) => of(people, &other)?,
                None => y.clone(),
            };
            Some((of(round, &own)?, people))
        };
        let rounds = if over == Over::Systems {
            Vec::new()
        } else {
            bencher.rounds.iter().enumerate().map(round).collect()
        };
        let notes = lost.filter_map(why).collect();
        Contest {
            bencher: bench,
            reference: refer,
            over,
            x,
            y,
            rounds,
            notes,
        }
    }

    /// How many systems there are.
    pub(super) fn systems(&self) -> usize {
        self.x.len()
    }

    /// What the systems are ordered by on either side, higher better.
    pub(super) fn orders(&self) -> (&[f64], &[f64]) {
        (&self.x, &self.y)
    }

    /// How many rounds there are, with this plan.
    pub(super) fn count(&self, plan: &Bootstrap) -> usize {
        if self.over == Over::Systems {
            plan.rounds
        } else {
            self.rounds.len()
        }
    }

    /// A figure of the data themselves.
    pub(super) fn point(
        &self,
        figure: impl Fn(&Draw) -> Result<f64, Undefined>,
    ) -> Result<f64, Undefined> {
        figure(&Draw {
            x: &self.x,
            y: &self.y,
            times: &vec![1.0; self.systems()],
        })
    }

    /// A figure in every round.
    ///
    /// # Errors
    /// Bad settings of the resampling; fewer than 2 systems to resample, or no rounds.
    pub(super) fn rounds(
        &self,
        plan: &Bootstrap,
        figure: impl Fn(&Draw) -> Result<f64, Undefined> + Sync,
    ) -> Result<Vec<Estimate>, Error> {
        let estimate = |found: Result<f64, Undefined>| {
            found.map_or_else(Estimate::Undefined, Estimate::Finite)
        };
        if self.over == Over::Systems {
            return resample(self.systems(), plan, |times| {
                estimate(figure(&Draw {
                    x: &self.x,
                    y: &self.y,
                    times,
                }))
            });
        }
        if self.rounds.is_empty() {
            return Err(Undefined::TooFewClusters { clusters: 1 }.into());
        }
        let once = vec![1.0; self.systems()];
        let one = |round: &Option<(Vec<f64>, Vec<f64>)>| match round {
            Some((x, y)) => estimate(figure(&Draw { x, y, times: &once })),
            None => Estimate::Undefined(Undefined::NoRank),
        };
        Ok(self.rounds.iter().map(one).collect())
    }

    /// The percentile interval of a figure. Over systems, a figure that is the same in every round
    /// says nothing of its uncertainty, as in [`evenhand_stats::correlation_interval`]; over items
    /// it is one that no resample changed.
    ///
    /// # Errors
    /// As [`Contest::rounds`].
    pub(super) fn interval(&self, rounds: &[Estimate], level: f64) -> Result<Interval, Error> {
        if self.over == Over::Systems && flat(rounds) {
            return Err(Undefined::NoVariance.into());
        }
        percentile_interval(rounds, level)
    }
}

fn out(standing: &Standing) -> Option<String> {
    standing
        .order
        .as_ref()
        .err()
        .map(|why| format!("{} is left out, for it has no rank: {why}", standing.system))
}

fn flat(rounds: &[Estimate]) -> bool {
    let numbers = || rounds.iter().filter_map(|round| round.finite());
    numbers().fold(f64::NEG_INFINITY, f64::max) - numbers().fold(f64::INFINITY, f64::min) <= 1e-12
}

/// A correlation of the orders.
pub(super) fn correlation(which: Correlation) -> impl Fn(&Draw) -> Result<f64, Undefined> + Sync {
    move |draw| {
        let repeated = |values: &[f64]| -> Vec<f64> {
            values
                .iter()
                .zip(draw.times)
                .flat_map(|(&value, &times)| std::iter::repeat_n(value, times as usize))
                .collect()
        };
        match which.correlate(&repeated(draw.x), &repeated(draw.y)) {
            Ok(found) => Ok(found),
            Err(Error::Undefined(why)) => Err(why),
            Err(_) => Err(Undefined::NoData),
        }
    }
}

/// The pairs j < i of `pairs` by order, each as often as its systems count together.
pub(super) fn counts(pairs: &[(usize, usize)], draw: &Draw) -> KendallCounts {
    let mut found = KendallCounts::default();
    for &(i, j) in pairs {
        let times = (draw.times[i] * draw.times[j]) as u64;
        let (x, y) = (
            draw.x[i].partial_cmp(&draw.x[j]),
            draw.y[i].partial_cmp(&draw.y[j]),
        );
        *match (x, y) {
            (Some(Ordering::Equal), Some(Ordering::Equal)) => &mut found.tied_both,
            (Some(Ordering::Equal), _) => &mut found.tied_x,
            (_, Some(Ordering::Equal)) => &mut found.tied_y,
            (x, y) if x == y => &mut found.concordant,
            _ => &mut found.discordant,
        } += times;
    }
    found
}

/// All pairs j < i.
pub(super) fn all_pairs(systems: usize) -> Vec<(usize, usize)> {
    (0..systems)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .collect()
}
