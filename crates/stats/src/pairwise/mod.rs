//! Scores from comparisons: one file for each estimator, and one line for it in [`PairMethod`].

mod bradley_terry;
mod win_ratio;

pub use bradley_terry::{BradleyTerry, Part, Ridge, Scale, bradley_terry, bradley_terry_near, bradley_terry_ridge};
pub(crate) use bradley_terry::{Refit, bradley_terry_again, bradley_terry_ridge_again};
pub use win_ratio::win_ratio;

use crate::{Scores, Tally};

/// How comparisons become scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairMethod {
    /// [`bradley_terry`], in log-odds.
    BradleyTerry,
    /// [`bradley_terry_ridge`], in log-odds.
    BradleyTerryRidge(Ridge),
    /// [`win_ratio`], a share in [0, 1].
    WinRatio,
}

impl PairMethod {
    /// The scores of all systems by this method.
    pub fn scores(self, tally: &Tally) -> Scores {
        match self {
            PairMethod::BradleyTerry => bradley_terry(tally).scores,
            PairMethod::BradleyTerryRidge(prior) => bradley_terry_ridge(tally, prior),
            PairMethod::WinRatio => win_ratio(tally),
        }
    }

    /// The scores of resampled data, on the same origin as the scores `point` of the data themselves.
    pub(crate) fn scores_near(self, tally: &Tally, point: &Scores) -> Scores {
        match self {
            PairMethod::BradleyTerry => bradley_terry_near(tally, &point.estimates).scores,
            PairMethod::BradleyTerryRidge(prior) => bradley_terry_ridge(tally, prior),
            PairMethod::WinRatio => win_ratio(tally),
        }
    }
}
