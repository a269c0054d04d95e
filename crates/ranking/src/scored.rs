//! Scores of systems, with all that is known of how far they can be trusted.

use evenhand_stats::inference::{InferenceError, JointComparison, JudgmentDrop, PairDifference};
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
    /// The clusters that intervals rest on; None where there are no intervals.
    pub(crate) clusters: Option<usize>,
    /// Which systems are apart; None where that was not asked, or cannot be said.
    pub(crate) joint: Option<JointComparison>,
    /// Why it cannot be said.
    pub(crate) no_ranks: Option<InferenceError>,
    /// Every pair by itself, where asked for.
    pub(crate) differences: Vec<PairDifference>,
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

impl Scored {
    /// Returns the scores without any interval; `n` has the judgments of each system.
    pub(crate) fn without_intervals(point: &Scores, n: &[u64]) -> Scored {
        let scores = point.estimates.iter().zip(&point.ranks).zip(n);
        let systems = scores.map(|((estimate, rank), n)| Standing {
            estimate: *estimate,
            n: *n,
            interval: None,
            rank: *rank,
            rank_interval: None,
            standard_error: None,
        });
        Scored {
            systems: systems.collect(),
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

    /// Returns the system numbers in rank order; those without a rank last, the infinitely good
    /// first among them and the undefined last.
    pub(crate) fn rank_order(&self) -> Vec<usize> {
        let mut order = Vec::from_iter(0..self.systems.len());
        order.sort_by_key(|system| {
            let standing = &self.systems[*system];
            let without_rank = match standing.estimate {
                Estimate::PlusInfinity => 0,
                Estimate::Finite(_) => 1,
                Estimate::MinusInfinity => 2,
                Estimate::Undefined(_) => 3,
            };
            (standing.rank.unwrap_or(u32::MAX), without_rank)
        });
        order
    }

    /// Returns scores, intervals and differences on another scale.
    pub(crate) fn on_scale(mut self, scale: StrengthScale) -> Scored {
        let convert = |strength| scale.from_log_odds(strength);
        for system in &mut self.systems {
            system.estimate = system.estimate.map(convert);
            if let Some(Ok(interval)) = &mut system.interval {
                *interval = interval.map(convert);
            }
        }
        // Differences have no origin: the unit alone matters.
        let unit = scale.from_log_odds(1.0) - scale.from_log_odds(0.0);
        for pair in &mut self.differences {
            pair.difference = pair.difference.clone().map(|difference| difference * unit);
            pair.interval = pair.interval.map(|interval| interval.map(|end| end * unit));
        }
        self
    }
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
