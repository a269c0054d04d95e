//! A bencher and a reference over the systems that both have, and figures of them in every round.

use super::names::Matching;
use super::standing::{Round, Standing, Standings};
use evenhand_stats::{
    Bootstrap, Correlation, Error, Estimate, Interval, KendallCounts, Undefined,
    percentile_interval, resample,
};
use schemars::JsonSchema;
use std::cmp::Ordering;

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

/// The standings of both sides.
#[derive(Clone, Copy)]
pub(super) struct BothStandings<'a> {
    pub(super) bencher: &'a Standings,
    pub(super) reference: &'a Standings,
}

impl BothStandings<'_> {
    /// Says which of two matched systems is left out, if one is.
    fn note_on_unranked(self, own: usize, other: usize) -> Option<String> {
        let note = left_out(&self.bencher.systems[own]);
        note.or_else(|| left_out(&self.reference.systems[other]))
    }
}

/// A figure of the orders of both sides in a round.
pub(super) trait OrderFigure: Fn(&Draw<'_>) -> Result<f64, Undefined> + Sync {}

impl<F: Fn(&Draw<'_>) -> Result<f64, Undefined> + Sync> OrderFigure for F {}

/// A figure in every round.
pub(super) type FigureRounds = Vec<Estimate>;

/// Matched systems, in the order of their names in the reference.
#[derive(Clone, Debug, Default)]
pub(super) struct Contest {
    pub(super) bencher: Vec<Standing>,
    pub(super) reference: Vec<Standing>,
    pub(super) over: Over,
    orders: OrderPair,
    /// Empty where systems are resampled.
    rounds: Vec<Option<OrderPair>>,
    pub(super) notes: Vec<String>,
}

/// What the systems are ordered by on either side in a round.
#[derive(Clone, Debug, Default)]
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

impl Draw<'_> {
    /// Returns the orders of either side, each system as often as it counts.
    fn repeated_orders(&self) -> [Vec<f64>; 2] {
        [self.x, self.y].map(|values| repeated(values, self.times))
    }

    /// Returns how two systems are ordered on either side.
    fn orderings(&self, i: usize, j: usize) -> [Option<Ordering>; 2] {
        [self.x, self.y].map(|values| values[i].partial_cmp(&values[j]))
    }

    /// Returns how often two systems count together.
    fn pair_count(&self, i: usize, j: usize) -> u64 {
        (self.times[i] * self.times[j]) as u64
    }
}

/// The places of the matched systems on either side.
#[derive(Default)]
struct Places {
    own: Vec<usize>,
    other: Vec<usize>,
    /// What is said of those that have no rank.
    notes: Vec<String>,
}

impl Contest {
    /// Matches the systems of both sides; one without a rank on either side is left out, and noted.
    pub(super) fn new(standings: BothStandings<'_>, matching: &Matching, over: Over) -> Contest {
        let places = Places::of_ranked(standings, matching);
        let mut contest = places.contest(standings);
        // Resampled systems keep their orders; in rounds of anything else these change.
        if over != Over::Systems {
            contest.rounds = places.rounds(standings, &contest.orders.y);
        }
        Contest {
            over,
            notes: places.notes,
            ..contest
        }
    }

    /// Returns how many systems there are.
    pub(super) fn system_count(&self) -> usize {
        self.bencher.len()
    }

    /// Returns what the systems are ordered by on either side, higher better.
    pub(super) fn orders(&self) -> (&[f64], &[f64]) {
        (&self.orders.x, &self.orders.y)
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
    pub(super) fn figure(&self, figure: impl OrderFigure) -> Result<f64, Undefined> {
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
        figure: impl OrderFigure,
    ) -> Result<FigureRounds, Error> {
        match self.over {
            Over::Systems => self.figure_of_resamples(plan, figure),
            _ => self.figure_in_given_rounds(figure),
        }
    }

    /// Computes a figure on resampled systems.
    fn figure_of_resamples(
        &self,
        plan: &Bootstrap,
        figure: impl OrderFigure,
    ) -> Result<FigureRounds, Error> {
        resample(self.system_count(), plan, |times| {
            estimate_of(figure(&self.draw_systems(times)))
        })
    }

    /// Computes a figure in the rounds that came with the bencher.
    fn figure_in_given_rounds(&self, figure: impl OrderFigure) -> Result<FigureRounds, Error> {
        if self.rounds.is_empty() {
            return Err(Undefined::TooFewClusters { clusters: 1 }.into());
        }
        let times = &self.once_each();
        Ok(self
            .rounds
            .iter()
            .map(|round| figure_in_round(round.as_ref(), times, &figure))
            .collect())
    }

    /// Returns the percentile interval of a figure. Over systems, a figure that is the same in
    /// every round says nothing of its uncertainty, as in [`evenhand_stats::correlation_interval`];
    /// over items it is one that no resample changed.
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
    fn of_ranked(standings: BothStandings<'_>, matching: &Matching) -> Places {
        let mut places = Places::default();
        for &(own, other) in &matching.pairs {
            match standings.note_on_unranked(own, other) {
                Some(note) => places.notes.push(note),
                None => places.add(own, other),
            }
        }
        places
    }

    fn add(&mut self, own: usize, other: usize) {
        self.own.push(own);
        self.other.push(other);
    }

    /// Returns the contest of the systems in these places, without its rounds.
    fn contest(&self, standings: BothStandings<'_>) -> Contest {
        let bencher = standings_at(standings.bencher, &self.own);
        let reference = standings_at(standings.reference, &self.other);
        Contest {
            orders: OrderPair {
                x: orders_of(&bencher),
                y: orders_of(&reference),
            },
            bencher,
            reference,
            ..Contest::default()
        }
    }

    /// Returns the orders of both sides in every round of the bencher; None where a system had no
    /// place. The reference has its rounds, or the same order `y` in each.
    fn rounds(&self, standings: BothStandings<'_>, y: &[f64]) -> Vec<Option<OrderPair>> {
        let numbers = 0..standings.bencher.rounds.len();
        numbers
            .map(|number| self.orders_in(number, standings, y))
            .collect()
    }

    fn orders_in(
        &self,
        number: usize,
        standings: BothStandings<'_>,
        y: &[f64],
    ) -> Option<OrderPair> {
        Some(OrderPair {
            x: orders_at(&standings.bencher.rounds[number], &self.own)?,
            y: self.reference_orders(standings.reference.rounds.get(number), y)?,
        })
    }

    fn reference_orders(&self, round: Option<&Round>, y: &[f64]) -> Option<Vec<f64>> {
        match round {
            Some(round) => orders_at(round, &self.other),
            None => Some(y.to_vec()),
        }
    }
}

fn standings_at(all: &Standings, places: &[usize]) -> Vec<Standing> {
    places
        .iter()
        .map(|&place| all.systems[place].clone())
        .collect()
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

fn figure_in_round(
    round: Option<&OrderPair>,
    times: &[f64],
    figure: &impl OrderFigure,
) -> Estimate {
    match round {
        Some(OrderPair { x, y }) => estimate_of(figure(&Draw { x, y, times })),
        None => Estimate::Undefined(Undefined::NoRank),
    }
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
pub(super) fn correlation(which: Correlation) -> impl OrderFigure {
    move |draw: &Draw<'_>| {
        let [x, y] = draw.repeated_orders();
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
        *kendall_count(&mut counts, draw.orderings(i, j)) += draw.pair_count(i, j);
    }
    counts
}

const EQUAL: Option<Ordering> = Some(Ordering::Equal);

/// Returns the count of the pairs that are ordered so on either side.
fn kendall_count(counts: &mut KendallCounts, orderings: [Option<Ordering>; 2]) -> &mut u64 {
    match orderings {
        [EQUAL, EQUAL] => &mut counts.tied_both,
        [EQUAL, _] => &mut counts.tied_x,
        [_, EQUAL] => &mut counts.tied_y,
        [x, y] if x == y => &mut counts.concordant,
        _ => &mut counts.discordant,
    }
}

/// Returns all pairs j < i.
pub(super) fn all_pairs(systems: usize) -> Vec<(usize, usize)> {
    (0..systems)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .collect()
}
