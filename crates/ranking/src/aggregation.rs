//! How judgments become scores of systems: the names, the units, and the estimators behind them.

use crate::ScoreUnit;
use evenhand_stats::{PairMethod, PointMethod, Ridge, Trim};
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// How judgments become scores of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Aggregation {
    /// Bradley-Terry by maximum likelihood, ties as half wins.
    BradleyTerry,
    /// Bradley-Terry with ties as in Rao and Kupper (1967).
    RaoKupper,
    /// Bradley-Terry with ties as in Davidson (1970).
    Davidson,
    /// Share of comparisons won, ties half.
    WinRatio,
    /// Mean over opponents of the share won against each.
    AverageWinRate,
    /// Elo ratings, in the order of the comparisons.
    Elo,
    /// Comparisons won, ties half.
    Counting,
    /// Eigenvector of who lost to whom.
    Eigenvector,
    /// Newman (2023).
    Newman,
    /// PageRank of who lost to whom.
    #[strum(serialize = "pagerank")]
    PageRank,
    /// Mean score.
    Mean,
    /// Median score.
    Median,
    /// Mean score without the highest and the lowest tenth.
    TrimmedMean,
}

use Aggregation::*;

/// The unit of Bradley-Terry scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankScale {
    /// 400 per factor of ten in odds, mean 1000.
    Elo,
    /// Natural log-odds, mean 0.
    LogOdds,
}

impl Aggregation {
    /// The names of all of them.
    pub const NAMES: &[&str] = Aggregation::VARIANTS;

    /// Returns the name that users give.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it needs scores of single responses; the others compare two.
    pub fn needs_scores(self) -> bool {
        self.point_method().is_some()
    }

    /// Whether a score knows whom a system met: it is then the same whoever meets whom, but for
    /// chance.
    pub fn knows_opponents(self) -> bool {
        matches!(self, BradleyTerry | RaoKupper | Davidson | Newman | Elo)
    }

    /// Whether a low score is a good one.
    pub(crate) fn low_is_good(self) -> bool {
        self == Eigenvector
    }

    /// Whether scores are log-odds, which are shown on a scale of the user's choice.
    pub(crate) fn is_log_odds(self) -> bool {
        matches!(self, BradleyTerry | RaoKupper | Davidson)
    }

    /// Whether "both are bad" is an outcome of its own and no tie, unless the user says
    /// otherwise.
    pub(crate) fn keeps_both_bad_apart(self) -> bool {
        matches!(self, RaoKupper | Davidson)
    }

    /// Returns the estimator of single responses' scores.
    pub fn point_method(self) -> Option<PointMethod> {
        match self {
            Mean => Some(PointMethod::Mean),
            Median => Some(PointMethod::Median),
            TrimmedMean => Some(PointMethod::TrimmedMean(Trim::default())),
            _ => None,
        }
    }

    /// Returns the estimator of comparisons; None for Elo, which needs their order, and for the
    /// estimators of scores.
    pub fn pair_method(self, prior: Option<Ridge>) -> Option<PairMethod> {
        match (self, prior) {
            (BradleyTerry, Some(prior)) => Some(PairMethod::BradleyTerryRidge(prior)),
            (BradleyTerry, None) => Some(PairMethod::BradleyTerry),
            (RaoKupper, _) => Some(PairMethod::RaoKupper),
            (Davidson, _) => Some(PairMethod::Davidson),
            (WinRatio, _) => Some(PairMethod::WinRatio),
            (AverageWinRate, _) => Some(PairMethod::AverageWinRate),
            (Counting, _) => Some(PairMethod::Counting),
            (Eigenvector, _) => Some(PairMethod::Eigenvector),
            (Newman, _) => Some(PairMethod::Newman),
            (PageRank, _) => Some(PairMethod::PageRank),
            (Elo | Mean | Median | TrimmedMean, _) => None,
        }
    }

    /// Returns what its scores are measured in; `points` is the unit of single responses' scores.
    pub fn unit(self, scale: RankScale, points: ScoreUnit) -> ScoreUnit {
        match (self, scale) {
            (BradleyTerry | RaoKupper | Davidson, RankScale::Elo) => ScoreUnit::FittedElo,
            (BradleyTerry | RaoKupper | Davidson, RankScale::LogOdds) => ScoreUnit::LogOdds,
            (WinRatio, _) => ScoreUnit::ShareWon,
            (AverageWinRate, _) => ScoreUnit::MeanShareWon,
            (Elo, _) => ScoreUnit::OnlineElo,
            (Counting, _) => ScoreUnit::ComparisonsWon,
            (Eigenvector, _) => ScoreUnit::Weakness,
            (Newman, _) => ScoreUnit::NewmanStrength,
            (PageRank, _) => ScoreUnit::WalkShare,
            (Mean | Median | TrimmedMean, _) => points,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aggregation_has_one_estimator() {
        for name in Aggregation::NAMES {
            let one: Aggregation = name.parse().unwrap();
            let estimators = usize::from(one.point_method().is_some())
                + usize::from(one.pair_method(None).is_some());
            assert_eq!(estimators, usize::from(one != Elo), "{one:?}");
        }
    }
}
