//! Scores of systems, with all that is known of how far they can be trusted.

use evenhand_stats::inference::{Difference, InferenceError, JudgmentDrop, PairDifference};
use evenhand_stats::{Estimate, Fit, Interval, Scores, StrengthScale, competition_ranks};

/// One system's score, and how far it can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) estimate: Estimate,
    pub(crate) n: u64,
    /// None where no intervals were asked for; else the interval, or why there is none.
    pub(crate) interval: Option<Result<Interval, String>>,
    pub(crate) rank: Option<u32>,
    pub(crate) rank_interval: Option<[u32; 2]>,
    /// Of a share of comparisons won.
    pub(crate) standard_error: Option<f64>,
}

/// Scores with all that is said of them, in log-odds where the aggregation gives those.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scored {
    pub(crate) systems: Vec<Standing>,
    pub(crate) components: Vec<Vec<usize>>,
    pub(crate) fit: Option<Fit>,
    pub(crate) unconverged_rounds: usize,
    /// Pairs of systems that the rank intervals distinguish; None where those were not made.
    pub(crate) apart: Option<Vec<(usize, usize)>>,
    /// Resamples that rank intervals would have needed, where there were too few.
    pub(crate) rounds_needed: Option<usize>,
    pub(crate) differences: Vec<PairDifference>,
    /// The p-values of `differences` adjusted together, where resamples allow that.
    pub(crate) joint: Option<JointPValues>,
    pub(crate) drop: Option<Result<JudgmentDrop, NoDrop>>,
}

/// Why it is not known which judgments carry the leader.
#[derive(Clone, Debug)]
pub(crate) enum NoDrop {
    /// The method has no answer.
    Method(&'static str),
    /// The data have none.
    Data(InferenceError),
}

/// P-values of all differences together, from the rounds of a bootstrap.
#[derive(Clone, Debug)]
pub(crate) struct JointPValues {
    /// One for each difference; None where that is undefined.
    pub(crate) values: Vec<Option<f64>>,
    /// The least p-value that so many rounds can give.
    pub(crate) least: f64,
}

impl Scored {
    /// Returns the scores without any interval; `n` has the judgments of each system.
    pub(crate) fn without_intervals(point: &Scores, n: &[u64]) -> Scored {
        Scored {
            systems: standings_of_point(point, n),
            fit: point.fit,
            ..Scored::default()
        }
    }

    /// Returns the estimates, in the order of the systems.
    pub(crate) fn estimates(&self) -> Vec<Estimate> {
        self.systems.iter().map(|system| system.estimate).collect()
    }

    /// Replaces how many judgments each system rests on.
    pub(crate) fn set_judgments(&mut self, judgments: &[u64]) {
        for (system, n) in self.systems.iter_mut().zip(judgments) {
            system.n = *n;
        }
    }

    /// Returns the system numbers in rank order; those without a rank last.
    pub(crate) fn rank_order(&self) -> Vec<usize> {
        let mut order = Vec::from_iter(0..self.systems.len());
        order.sort_by_key(|system| self.systems[*system].sort_key());
        order
    }

    /// Returns scores, intervals and differences on another scale.
    pub(crate) fn on_scale(mut self, scale: StrengthScale) -> Scored {
        for system in &mut self.systems {
            system.put_on_scale(scale);
        }
        // Differences have no origin: the unit alone matters.
        let unit = scale.from_log_odds(1.0) - scale.from_log_odds(0.0);
        let pairs = self.differences.iter_mut();
        for found in pairs.flat_map(|pair| &mut pair.difference) {
            rescale(found, unit);
        }
        self
    }
}

fn order_without_rank(estimate: Estimate) -> u8 {
    match estimate {
        Estimate::PlusInfinity => 0,
        Estimate::Finite(_) => 1,
        Estimate::MinusInfinity => 2,
        Estimate::Undefined(_) => 3,
    }
}

fn rescale(found: &mut Difference, unit: f64) {
    found.difference *= unit;
    found.standard_error = found.standard_error.map(|error| error * unit);
    found.interval = found.interval.map(|end| end * unit);
}

impl Standing {
    fn at_point(estimate: Estimate, rank: Option<u32>, n: u64) -> Standing {
        Standing {
            estimate,
            n,
            interval: None,
            rank,
            rank_interval: None,
            standard_error: None,
        }
    }
    fn put_on_scale(&mut self, scale: StrengthScale) {
        let convert = |strength| scale.from_log_odds(strength);
        self.estimate = self.estimate.map(convert);
        if let Some(Ok(interval)) = &mut self.interval {
            *interval = interval.map(convert);
        }
    }

    /// By rank; among those without one, the infinitely good first and the undefined last.
    fn sort_key(&self) -> (u32, u8) {
        (
            self.rank.unwrap_or(u32::MAX),
            order_without_rank(self.estimate),
        )
    }
}

fn standings_of_point(point: &Scores, n: &[u64]) -> Vec<Standing> {
    let scores = point.estimates.iter().zip(&point.ranks);
    scores
        .zip(n)
        .map(|((estimate, rank), n)| Standing::at_point(*estimate, *rank, *n))
        .collect()
}

/// An interval that was made without resamples.
pub(crate) fn exact_interval(low: f64, high: f64, level: f64) -> Interval {
    Interval {
        low: Some(low),
        high: Some(high),
        level,
        rounds: 0,
        infinite: 0,
        undefined: 0,
    }
}

/// Ranks estimates; those that differ by less than the resolution share a rank.
pub(crate) fn scores_of_estimates(estimates: Vec<Estimate>, n: &[u64], resolution: f64) -> Scores {
    Scores {
        ranks: competition_ranks(&estimates, resolution),
        estimates,
        weight: n.iter().map(|&n| n as f64).collect(),
        resolution,
        fit: None,
    }
}
