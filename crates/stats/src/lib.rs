//! Numbers in, numbers out: how comparisons and scores of k systems become a ranking that says how
//! far it can be trusted.
//!
//! Systems and items are numbers from 0; names, files and judges are somebody else's business.
//! The way through the crate:
//!
//! 1. [`Comparisons`] or [`ItemScores`] hold the judgments, each under the item it belongs to.
//! 2. An estimator turns them into [`Scores`]: [`bradley_terry`], [`win_ratio`], [`mean`],
//!    [`median`], and the other variants of [`PairMethod`] and [`PointMethod`]; [`elo`] reads games
//!    in their order.
//! 3. [`rank_pairs`] and [`rank_scores`] do that again on resampled items and add intervals
//!    ([`Ranking`]).
//! 4. [`correlation_interval`], [`tau_u`], [`cohen_kappa`] and [`separability`] say how well scores
//!    and verdicts agree with people.
//! 5. [`inference`] goes beyond percentiles: robust covariances, simultaneous ranks, BCa,
//!    differences, drop-robustness. [`control`] takes covariates out, [`prediction_powered`] and
//!    [`misclassification`] correct a judge by human labels.
//! 6. [`change`] compares two measurements of the same items, or looks for a change again and
//!    again; [`interaction`] the slices of one. [`adaptive`] says what to judge next, and when a
//!    ranking is certain enough to stop; [`tournament`] who meets whom; [`migration`] whether
//!    another judge has the same ranking.
//! 7. [`self_preference`] and [`graded_response`] look at judges without labels of people;
//!    [`conformal`] says what people may say of a judgment.
//!
//! What is undefined is a value with its cause ([`Undefined`]), never NaN and never a made-up
//! number. Everything is a pure function of its arguments: the same data and seed give the same
//! bits whatever the thread count.
//!
//! ```
//! use evenhand_stats::{Bootstrap, Cluster, Comparison, Comparisons, PairMethod, rank_pairs};
//!
//! // Ten items; system 0 beats system 1 on seven of them and loses three.
//! let rows = (0..10).map(|item| Comparison::won(item, 0, 1, item < 7)).collect();
//! let data = Comparisons::new(2, rows)?;
//! let ranking = rank_pairs(&data, PairMethod::WinRatio, Cluster::Item, &Bootstrap::default())?;
//! assert_eq!(ranking.systems[0].estimate.finite(), Some(0.7));
//! assert_eq!(ranking.systems[0].rank, Some(1));
//! # Ok::<(), evenhand_stats::Error>(())
//! ```

pub mod adaptive;
mod agreement;
mod answers;
mod any_error;
mod benchers;
mod bootstrap;
pub mod change;
mod checks;
mod columns;
pub mod conformal;
pub mod control;
mod correlation;
mod data;
mod dyads;
mod error;
mod estimate;
pub mod graded_response;
mod graph;
mod index;
pub mod inference;
pub mod interaction;
mod linear;
pub mod migration;
pub mod misclassification;
mod multiplicity;
mod pairwise;
mod pointwise;
mod power;
pub mod prediction_powered;
mod ranking;
mod ridge_logistic;
mod selective;
pub mod self_preference;
mod shares;
mod special;
#[cfg(test)]
mod testing;
pub mod tournament;

pub use agreement::{
    Alpha, Binning, Calibration, CalibrationBin, Confusion, Disagreement, FleissKappa, Kappa,
    LOG_LOSS_CLIP, MAX_BINS, MAX_CATEGORIES, McNemar, Measurement, RatedSubject, Trend, accuracy,
    brier, brier_interval, calibration_error_interval, cohen_kappa, expected_calibration_error,
    fleiss_kappa, krippendorff_alpha, krippendorff_alpha_cluster_interval,
    krippendorff_alpha_interval, log_loss, mcnemar, preference_alpha, preference_alpha_interval,
    preference_kappa, preference_kappa_interval, rated_agreement, share_trend,
};
pub use answers::{ColumnFigure, clustered_mean, clustered_quantile};
pub use any_error::AnyError;
pub use benchers::{
    Bounded, PairShare, PairwiseLoss, PairwiseLossIntervals, agreement_with_confidence,
    agreement_with_confidence_interval, pairwise_loss, pairwise_loss_intervals, separability,
    separability_interval, strict_agreement, strict_agreement_interval,
};
pub use bootstrap::{
    Bootstrap, Cluster, DrawnGroup, Interval, RankInterval, draw_clusters, draw_numbers,
    expanded_level, group_interval, interval_with_width, percentile_interval, rank_interval,
    resample,
};
pub use columns::{
    ClusteredShare, ColumnMean, ItemCount, ItemGain, clustered_share, column_share,
    mean_relative_gain, part_share,
};
pub use correlation::{
    Correlation, KendallCounts, TauU, correlation_interval, kendall_counts, kendall_tau_b,
    mid_ranks, pearson, spearman, tau_u, tau_u_interval, u_for_share,
};
pub use data::{
    Comparison, Comparisons, ItemScore, ItemScores, LIMIT, MAX_SYSTEMS, Strength, StrengthWeights,
    Tally,
};
pub use dyads::{Dyad, dyadic_mean};
pub use error::Error;
pub use estimate::{Estimate, Fit, Scores, Undefined, competition_ranks};
pub use multiplicity::{benjamini_hochberg, holm};
pub use pairwise::{
    BradleyTerry, PairMethod, Part, Ridge, StrengthScale, bradley_terry, bradley_terry_near,
    bradley_terry_ridge, win_ratio, win_ratio_errors, win_ratio_errors_of_counts,
};
pub use pairwise::{Elo, EloPermuted, EloRun, Game, elo, elo_clusters, elo_permuted};
pub use pairwise::{
    JudgeAware, JudgeAwareResampled, JudgeStanding, JudgedComparison, judge_aware,
    resample_judge_aware,
};
pub use pairwise::{Newman, TieModel, davidson, newman, rao_kupper};
pub use pairwise::{average_win_rate, counting, eigenvector, pagerank};
pub use pointwise::{PointMethod, Trim, mean, median, trimmed_mean};
pub use power::{
    Aim, ChanceWithin, ItemDesign, JudgeScope, LeadKind, LeadSpread, Noise, PairDesign, PairLead,
    PairOutcome, SignTest, VarianceComponents, designs_for, designs_within, lead_spread,
    minimum_detectable_difference, noise_of_leads, noise_of_score_leads, noise_of_scores,
    variance_components,
};
pub use ranking::{
    Ranked, Ranking, Resampled, rank_pairs, rank_scores, resample_counts, resample_pairs,
    resample_scores,
};
pub use ridge_logistic::{ridge_logistic, ridge_logistic_path};
pub use selective::{AcceptThreshold, KnownVerdict, accept_threshold};
pub use shares::{PreferenceRate, Proportion, mean_difference, preference_rate, wilson};
pub use special::sigmoid;

/// Returns the mean of values, summed in order; None where there are none.
pub fn mean_value(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| linear::mean(values))
}

/// Runs the example of the README with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
