//! The estimators of comparisons, of counts and of single responses' scores.

use super::estimator::{Compared, Estimator};
use crate::EngineError;
use crate::rank::method::{Method, plan_if_used, refuse_ci};
use crate::rank::scored::Scored;
use crate::{Aggregation, Ci};
use evenhand_core::{Cause, Setting};
use evenhand_stats::inference::{
    Covariance, InferenceError, SmallSample, jackknife, jackknife_acceleration, mean_accelerations,
    sandwich, sandwich_clustered, strength_accelerations, strength_accelerations_of_tally,
};
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Estimate, ItemScores, PairMethod, PointMethod, Resampled,
    Tally, resample_counts, resample_pairs, resample_scores, win_ratio_errors,
    win_ratio_errors_of_counts,
};

/// Comparisons under their items.
pub(super) struct OfComparisons<'a> {
    data: &'a Comparisons,
    tally: Tally,
    pairs: PairMethod,
    cluster: Cluster,
    plan: Bootstrap,
}

impl<'a> OfComparisons<'a> {
    pub(super) fn new(data: &'a Comparisons, method: &Method) -> Result<Self, EngineError> {
        Ok(OfComparisons {
            data,
            tally: data.tally(),
            pairs: method.pair_method()?,
            cluster: method.cluster,
            plan: method.plan,
        })
    }
}

impl Estimator for OfComparisons<'_> {
    fn estimate(&self) -> Result<Scored, EngineError> {
        Ok(scored_without_rounds(
            &self.resample(&plan_if_used(false, &self.plan))?,
        ))
    }

    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError> {
        Ok(resample_pairs(self.data, self.pairs, self.cluster, plan)?)
    }

    fn accelerations(&self) -> Result<Vec<Option<f64>>, EngineError> {
        let systems = self.data.systems();
        if self.pairs == PairMethod::BradleyTerry {
            let point = self.pairs.scores(&self.tally);
            let found = strength_accelerations(self.data, self.cluster, &point.estimates);
            return none_if_undefined(found, systems);
        }
        let clusters = self.data.clusters(self.cluster);
        jackknife_accelerations(clusters, systems, |weights| {
            match self.data.weighted_tally(self.cluster, weights) {
                Ok(tally) => self.pairs.scores(&tally).estimates,
                Err(_) => Vec::new(),
            }
        })
    }

    fn covariance(&self, strengths: &[Estimate]) -> Result<Covariance, InferenceError> {
        sandwich_clustered(self.data, self.cluster, strengths, SmallSample::Uncorrected)
    }

    fn standard_errors(&self) -> Option<Vec<Option<f64>>> {
        let is_share = self.pairs == PairMethod::WinRatio;
        is_share.then(|| win_ratio_errors(self.data, self.cluster))
    }

    fn compared(&self) -> Option<Compared<'_>> {
        Some(Compared {
            tally: &self.tally,
            method: self.pairs,
        })
    }
}

/// Counts of comparisons, each an item of its own.
pub(super) struct OfCounts<'a> {
    tally: &'a Tally,
    pairs: PairMethod,
    aggregation: Aggregation,
    ci: Ci,
}

impl<'a> OfCounts<'a> {
    pub(super) fn new(tally: &'a Tally, method: &Method) -> Result<Self, EngineError> {
        Ok(OfCounts {
            tally,
            pairs: method.pair_method()?,
            aggregation: method.aggregation,
            ci: method.ci,
        })
    }
}

impl Estimator for OfCounts<'_> {
    /// Unlike rows, counts may be sums of weights, which cannot be resampled even to throw the
    /// rounds away.
    fn estimate(&self) -> Result<Scored, EngineError> {
        let systems = 0..self.tally.systems();
        let n: Vec<u64> = systems.map(|i| self.tally.games_of(i) as u64).collect();
        let point = self.pairs.scores(self.tally);
        Ok(Scored {
            components: self.tally.components(),
            ..Scored::without_intervals(&point, &n)
        })
    }

    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError> {
        Ok(resample_counts(self.tally, self.pairs, plan)?)
    }

    fn accelerations(&self) -> Result<Vec<Option<f64>>, EngineError> {
        if self.pairs == PairMethod::BradleyTerry {
            let point = self.pairs.scores(self.tally);
            let found = strength_accelerations_of_tally(self.tally, &point.estimates);
            return none_if_undefined(found, self.tally.systems());
        }
        let reason = format!(
            "from counts it is for bradley-terry; with {} {} use {} bootstrap",
            Setting::Aggregate,
            self.aggregation.name(),
            Setting::Ci
        );
        Err(refuse_ci(Ci::Bca, Cause::Conflict(Setting::Aggregate), reason).into())
    }

    fn covariance(&self, strengths: &[Estimate]) -> Result<Covariance, InferenceError> {
        sandwich(self.tally, strengths)
    }

    /// Without intervals nobody has looked for items: the comparisons of one would pass for
    /// independent ones.
    fn standard_errors(&self) -> Option<Vec<Option<f64>>> {
        let is_share = self.pairs == PairMethod::WinRatio && self.ci != Ci::None;
        is_share.then(|| win_ratio_errors_of_counts(self.tally))
    }

    fn compared(&self) -> Option<Compared<'_>> {
        Some(Compared {
            tally: self.tally,
            method: self.pairs,
        })
    }
}

/// Scores of single responses.
pub(super) struct OfScores<'a> {
    pub(super) data: &'a ItemScores,
    pub(super) points: PointMethod,
    pub(super) cluster: Cluster,
    pub(super) plan: Bootstrap,
}

impl Estimator for OfScores<'_> {
    fn estimate(&self) -> Result<Scored, EngineError> {
        Ok(scored_without_rounds(
            &self.resample(&plan_if_used(false, &self.plan))?,
        ))
    }

    fn resample(&self, plan: &Bootstrap) -> Result<Resampled, EngineError> {
        Ok(resample_scores(self.data, self.points, self.cluster, plan)?)
    }

    fn accelerations(&self) -> Result<Vec<Option<f64>>, EngineError> {
        if self.points == PointMethod::Mean {
            return Ok(mean_accelerations(self.data));
        }
        let clusters = self.data.clusters(Cluster::Item);
        jackknife_accelerations(clusters, self.data.systems(), |weights| {
            match self.data.weighted_scores(self.points, weights) {
                Ok(scores) => scores.estimates,
                Err(_) => Vec::new(),
            }
        })
    }
}

/// Returns what a resampling says of the data themselves.
fn scored_without_rounds(resampled: &Resampled) -> Scored {
    let ranking = resampled.ranking();
    let n: Vec<u64> = ranking.systems.iter().map(|system| system.n).collect();
    Scored {
        components: ranking.components,
        fit: ranking.fit,
        unconverged_rounds: ranking.unconverged_rounds,
        ..Scored::without_intervals(&resampled.point, &n)
    }
}

fn none_if_undefined(
    found: Result<Vec<Option<f64>>, InferenceError>,
    systems: usize,
) -> Result<Vec<Option<f64>>, EngineError> {
    match found {
        Err(InferenceError::Undefined(_) | InferenceError::Singular) => Ok(vec![None; systems]),
        found => Ok(found?),
    }
}

fn jackknife_accelerations(
    clusters: usize,
    systems: usize,
    statistic: impl Fn(&[f64]) -> Vec<Estimate>,
) -> Result<Vec<Option<f64>>, EngineError> {
    let groups = jackknife(clusters, statistic)?;
    let of_system = |system: usize| {
        let values: Vec<Estimate> = groups.iter().map(|group| group[system]).collect();
        jackknife_acceleration(&values).ok()
    };
    Ok((0..systems).map(of_system).collect())
}
