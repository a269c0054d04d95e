//! Scores from comparisons: one file for each estimator, and one line for it in [`PairMethod`].

pub(crate) mod ascent;
mod average_win_rate;
mod bradley_terry;
mod counting;
mod eigenvector;
mod elo;
mod elo_permuted;
mod judge_aware;
mod linked;
mod newman;
mod pagerank;
mod standard_error;
mod tie_model;
mod win_ratio;

pub(crate) use ascent::{LogLikelihood, maximise};
pub use average_win_rate::average_win_rate;
pub use bradley_terry::{
    BradleyTerry, Part, Ridge, StrengthScale, bradley_terry, bradley_terry_near,
    bradley_terry_ridge,
};
pub(crate) use bradley_terry::{Met, Refit, ridge_of_met};
pub use counting::counting;
pub use eigenvector::eigenvector;
pub use elo::{Elo, EloRun, Game, elo, elo_clusters};
pub use elo_permuted::{EloPermuted, elo_permuted};
pub use judge_aware::{
    JudgeAware, JudgeAwareResampled, JudgeStanding, JudgedComparison, judge_aware,
    resample_judge_aware,
};
pub use newman::{Newman, newman};
pub use pagerank::pagerank;
pub use standard_error::{win_ratio_errors, win_ratio_errors_of_counts};
pub(crate) use tie_model::{PairShares, Terms};
pub use tie_model::{TieLaw, TieModel, davidson, rao_kupper};
pub use win_ratio::win_ratio;

use crate::data::Sheet;
use crate::{Estimate, Scores, Tally};
use bradley_terry::refit_scores;
use tie_model::tie_model_near;

/// How comparisons become scores. ([`elo`] is not here: it needs the order of the games, which a
/// tally has not.)
///
/// A system that won or lost everything leaves the order of the others alone in the models of
/// strength (Bradley-Terry, Rao-Kupper, Davidson, Newman) and in the eigenvector. It does not in
/// the others: shares and counts rise with an easy opponent, and PageRank passes its share of
/// visits on to those who beat it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PairMethod {
    /// [`bradley_terry`], in log-odds.
    BradleyTerry,
    /// [`bradley_terry_ridge`], in log-odds.
    BradleyTerryRidge(Ridge),
    /// [`rao_kupper`], in log-odds.
    RaoKupper,
    /// [`davidson`], in log-odds.
    Davidson,
    /// [`win_ratio`], a share in [0, 1].
    WinRatio,
    /// [`average_win_rate`], a share in [0, 1].
    AverageWinRate,
    /// [`counting`], in comparisons.
    Counting,
    /// [`eigenvector`], in [0, 1]; a weakness: rank 1 has the lowest score.
    Eigenvector,
    /// [`pagerank`], in [0, 1], of sum 1.
    PageRank,
    /// [`newman`], a positive number.
    Newman,
}

impl PairMethod {
    /// The scores of all systems by this method.
    pub fn scores(self, tally: &Tally) -> Scores {
        self.scores_on_origin(tally, &[])
    }

    /// The scores of resampled data, on the same origin as the scores `point` of the data
    /// themselves; see [`bradley_terry_near`].
    pub fn scores_near(self, tally: &Tally, point: &Scores) -> Scores {
        self.scores_on_origin(tally, &point.estimates)
    }

    /// The scores on the origin of `reference`, if there is one and the scores have none of their
    /// own.
    /// What resamples of the data set on this sheet are refitted from; None for a method that has
    /// no faster refit.
    pub(crate) fn refit(self, sheet: &Sheet, point: &Scores) -> Option<Refit> {
        let ridge = match self {
            PairMethod::BradleyTerry => 0.0,
            PairMethod::BradleyTerryRidge(prior) => prior.weight(),
            _ => return None,
        };
        Refit::new(sheet, &point.estimates, ridge)
    }

    /// The scores of a resample, on the origin of `point`.
    pub(crate) fn resampled_scores(
        self,
        refit: Option<&Refit>,
        sheet: &Sheet,
        point: &Scores,
    ) -> Scores {
        let refitted = refit.and_then(|refit| refit_scores(refit, sheet, &point.estimates));
        refitted.unwrap_or_else(|| self.scores_near(&sheet.tally(), point))
    }

    fn scores_on_origin(self, tally: &Tally, reference: &[Estimate]) -> Scores {
        match self {
            PairMethod::BradleyTerry => bradley_terry_near(tally, reference).scores,
            PairMethod::BradleyTerryRidge(prior) => bradley_terry_ridge(tally, prior),
            PairMethod::RaoKupper => tie_model_near(TieLaw::RaoKupper, tally, reference).scores,
            PairMethod::Davidson => tie_model_near(TieLaw::Davidson, tally, reference).scores,
            PairMethod::WinRatio => win_ratio(tally),
            PairMethod::AverageWinRate => average_win_rate(tally),
            PairMethod::Counting => counting(tally),
            PairMethod::Eigenvector => eigenvector(tally),
            PairMethod::PageRank => pagerank(tally),
            PairMethod::Newman => newman(tally).scores,
        }
    }
}
