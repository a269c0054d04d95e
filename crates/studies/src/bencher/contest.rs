//! A bencher and a reference over the systems that both have, and figures of them in every round.

use super::names::Matching;
use super::standing::{Standing, Standings};
use evenhand_stats::{
    Bootstrap, Correlation, Error, Estimate, Interval, KendallCounts, Undefined,
    percentile_interval, resample,
};
use std::cmp::Ordering;

/// What is resampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
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

/// Matched systems, in the order of their names in the reference.
#[derive(Clone, Debug)]
pub(super) struct Contest {
    pub(super) bencher: Vec<Standing>,
    pub(super) reference: Vec<Standing>,
    pub(super) over: Over,
    x: Vec<f64>,
    y: Vec<f64>,
    /// Empty where systems are resampled.
    rounds: Vec<Option<OrderPair>>,
    pub(super) notes: Vec<String>,
}

/// What the systems are ordered by on either side in a round.
#[derive(Clone, Debug)]
struct OrderPair {
    x: Vec<f64>,
    y: Vec<f64>,
}

/// One round: the orders, and how often each system counts.
pub(super) struct Draw<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) times: &'a [f64],
}

/// The places of the matched systems on either side.
#[derive(Default)]
struct Places {
    own: Vec<usize>,
    other: Vec<usize>,
}

impl Contest {
    /// Matches the systems of both sides; one without a place on either side is left out, and noted.
    pub(super) fn new(
        bencher: &Standings,
        reference: &Standings,
        matching: &Matching,
        over: Over,
    ) -> Contest {
        let (places, notes) = Places::of_ranked(bencher, reference, matching);
        let own = standings_at(bencher, &places.own);
        let people = standings_at(reference, &places.other);
        let (x, y) = (orders_of(&own), orders_of(&people));
        let rounds = match over {
            Over::Systems => Vec::new(),
            _ => places.rounds(bencher, reference, &y),
        };
        Contest {
            bencher: own,
            reference: people,
            over,
            x,
            y,
            rounds,
            notes,
        }
    }

    /// Returns how many systems there are.
    pub(super) fn system_count(&self) -> usize {
        self.x.len()
    }

    /// Returns what the systems are ordered by on either side, higher better.
    pub(super) fn orders(&self) -> (&[f64], &[f64]) {
        (&self.x, &self.y)
    }

    /// Returns how many rounds there are, with this plan.
    pub(super) fn round_count(&self, plan: &Bootstrap) -> usize {
        if self.over == Over::Systems {
            plan.rounds
        } else {
            self.rounds.len()
        }
    }

    /// Computes a figure of the data themselves.
    pub(super) fn figure(
        &self,
        figure: impl Fn(&Draw) -> Result<f64, Undefined>,
    ) -> Result<f64, Undefined> {
        figure(&self.draw_systems(&self.once_each()))
    }

    /// Returns the orders of the data, where each system counts so many times.
    fn draw_systems<'a>(&'a self, times: &'a [f64]) -> Draw<'a> {
        let (x, y) = self.orders();
        Draw { x, y, times }
    }

    fn once_each(&self) -> Vec<f64> {
        vec![1.0; self.system_count()]
    }

    /// Computes a figure in every round.
    ///
    /// # Errors
    /// Bad settings of the resampling; fewer than 2 systems to resample, or no rounds.
    pub(super) fn figure_in_rounds(
        &self,
        plan: &Bootstrap,
        figure: impl Fn(&Draw) -> Result<f64, Undefined> + Sync,
    ) -> Result<Vec<Estimate>, Error> {
        if self.over == Over::Systems {
            let in_round = |times: &[f64]| estimate_of(figure(&self.draw_systems(times)));
            return resample(self.system_count(), plan, in_round);
        }
        if self.rounds.is_empty() {
            return Err(Undefined::TooFewClusters { clusters: 1 }.into());
        }
        Ok(self.figure_in_given_rounds(figure))
    }

    fn figure_in_given_rounds(
        &self,
        figure: impl Fn(&Draw) -> Result<f64, Undefined>,
    ) -> Vec<Estimate> {
        let times = &self.once_each();
        let in_round = |round: &Option<OrderPair>| match round {
            Some(OrderPair { x, y }) => estimate_of(figure(&Draw { x, y, times })),
            None => Estimate::Undefined(Undefined::NoRank),
        };
        self.rounds.iter().map(in_round).collect()
    }

    /// Returns the percentile interval of a figure. Over systems, a figure that is the same in every round
    /// says nothing of its uncertainty, as in [`evenhand_stats::correlation_interval`]; over items
    /// it is one that no resample changed.
    ///
    /// # Errors
    /// As [`Contest::figure_in_rounds`].
    pub(super) fn interval(&self, rounds: &[Estimate], level: f64) -> Result<Interval, Error> {
        if self.over == Over::Systems && is_constant(rounds) {
            return Err(Undefined::NoVariance.into());
        }
        percentile_interval(rounds, level)
    }
}

impl Places {
    /// Returns the places of the matched systems that have a rank on both sides, and a note on each
    /// that has not.
    fn of_ranked(
        bencher: &Standings,
        reference: &Standings,
        matching: &Matching,
    ) -> (Places, Vec<String>) {
        let (mut places, mut notes) = (Places::default(), Vec::new());
        for &(own, other) in &matching.pairs {
            let lost = left_out(&bencher.systems[own]);
            match lost.or_else(|| left_out(&reference.systems[other])) {
                Some(note) => notes.push(note),
                None => places.add(own, other),
            }
        }
        (places, notes)
    }

    fn add(&mut self, own: usize, other: usize) {
        self.own.push(own);
        self.other.push(other);
    }

    /// Returns the orders of both sides in every round of the bencher; None where a system had no
    /// place. The reference has its rounds, or the same order `y` in each.
    fn rounds(
        &self,
        bencher: &Standings,
        reference: &Standings,
        y: &[f64],
    ) -> Vec<Option<OrderPair>> {
        let rounds = bencher.rounds.iter().enumerate();
        rounds
            .map(|(number, round)| {
                let people = reference.rounds.get(number);
                self.orders_in(round, people.map(Vec::as_slice), y)
            })
            .collect()
    }

    fn orders_in(
        &self,
        bencher: &[Option<f64>],
        people: Option<&[Option<f64>]>,
        y: &[f64],
    ) -> Option<OrderPair> {
        let y = match people {
            Some(people) => orders_at(people, &self.other)?,
            None => y.to_vec(),
        };
        let x = orders_at(bencher, &self.own)?;
        Some(OrderPair { x, y })
    }
}

fn standings_at(all: &Standings, places: &[usize]) -> Vec<Standing> {
    let places = places.iter();
    places.map(|&place| all.systems[place].clone()).collect()
}

fn orders_of(side: &[Standing]) -> Vec<f64> {
    side.iter()
        .filter_map(|one| one.order.clone().ok())
        .collect()
}

fn orders_at(round: &[Option<f64>], places: &[usize]) -> Option<Vec<f64>> {
    places.iter().map(|&place| round[place]).collect()
}

fn estimate_of(found: Result<f64, Undefined>) -> Estimate {
    found.map_or_else(Estimate::Undefined, Estimate::Finite)
}

/// Says that a system without a place is left out.
fn left_out(standing: &Standing) -> Option<String> {
    let why = standing.order.as_ref().err()?;
    Some(format!(
        "{} is left out because it has no rank: {why}",
        standing.system
    ))
}

fn is_constant(rounds: &[Estimate]) -> bool {
    let numbers = || rounds.iter().filter_map(|round| round.finite());
    numbers().fold(f64::NEG_INFINITY, f64::max) - numbers().fold(f64::INFINITY, f64::min) <= 1e-12
}

/// Returns a function that correlates the orders of a round.
pub(super) fn correlation(which: Correlation) -> impl Fn(&Draw) -> Result<f64, Undefined> + Sync {
    move |draw| {
        let (x, y) = (repeated(draw.x, draw.times), repeated(draw.y, draw.times));
        which.correlate(&x, &y).map_err(undefined_because)
    }
}

fn undefined_because(error: Error) -> Undefined {
    match error {
        Error::Undefined(why) => why,
        _ => Undefined::NoData,
    }
}

/// Returns each value as often as it counts.
fn repeated(values: &[f64], times: &[f64]) -> Vec<f64> {
    let counted = values.iter().zip(times);
    counted
        .flat_map(|(&value, &times)| std::iter::repeat_n(value, times as usize))
        .collect()
}

/// Counts the pairs j < i of `pairs` by order, each as often as its systems count together.
pub(super) fn kendall_counts(pairs: &[(usize, usize)], draw: &Draw) -> KendallCounts {
    let mut counts = KendallCounts::default();
    for &(i, j) in pairs {
        let x = draw.x[i].partial_cmp(&draw.x[j]);
        let y = draw.y[i].partial_cmp(&draw.y[j]);
        *kendall_count(&mut counts, x, y) += (draw.times[i] * draw.times[j]) as u64;
    }
    counts
}

/// Returns the count of the pairs that are ordered so on either side.
fn kendall_count(counts: &mut KendallCounts, x: Option<Ordering>, y: Option<Ordering>) -> &mut u64 {
    match (x, y) {
        (Some(Ordering::Equal), Some(Ordering::Equal)) => &mut counts.tied_both,
        (Some(Ordering::Equal), _) => &mut counts.tied_x,
        (_, Some(Ordering::Equal)) => &mut counts.tied_y,
        (x, y) if x == y => &mut counts.concordant,
        _ => &mut counts.discordant,
    }
}

/// Returns all pairs j < i.
pub(super) fn all_pairs(systems: usize) -> Vec<(usize, usize)> {
    (0..systems)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .collect()
}
