//! Units of scores.

use crate::RankScale;
use evenhand_protocols::LikelihoodVariant;
use serde::{Serialize, Serializer};
use std::fmt;

/// The unit of the scores of a ranking. Serialised as the words that a reader sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreUnit {
    /// There are no scores.
    #[default]
    None,
    /// Strengths that were fitted together, on Elo's scale with mean 1000.
    FittedElo,
    /// The same, as differences from a system whose rating is fixed.
    AnchoredElo,
    /// Strengths that were fitted together, in natural log-odds with mean 0.
    LogOdds,
    /// Ratings that went up and down game by game, from 1000.
    OnlineElo,
    /// The share of comparisons won, from 0 to 1.
    ShareWon,
    /// The mean over opponents of the share won, from 0 to 1.
    MeanShareWon,
    /// The share won from a reference if responses were equally long, from 0 to 1.
    LengthControlledShare,
    /// How many comparisons were won.
    ComparisonsWon,
    /// An eigenvector of who lost to whom.
    Weakness,
    /// The strength of Newman (2023).
    NewmanStrength,
    /// The share of a random walk's visits.
    WalkShare,
    /// Points that battles gave.
    Points,
    /// Points on the scale of the protocol's form.
    FormPoints,
    /// The weighted share of criteria that are met: at most 1, below 0 where faults outweigh.
    CriteriaShare,
    /// Points on the scale of a file of scores.
    FilePoints,
    /// Rewards of a model, on a scale of its own.
    Reward,
    /// Nats of a likelihood.
    Nats(LikelihoodVariant),
}

impl ScoreUnit {
    /// Whether scores are shares, from 0 to 1.
    pub fn is_share(self) -> bool {
        matches!(
            self,
            ScoreUnit::ShareWon
                | ScoreUnit::MeanShareWon
                | ScoreUnit::LengthControlledShare
                | ScoreUnit::WalkShare
        )
    }

    /// Reads the words that a report has; None where no unit, or a likelihood's, is written so.
    pub fn from_words(words: &str) -> Option<ScoreUnit> {
        let known = [
            ScoreUnit::None,
            ScoreUnit::FittedElo,
            ScoreUnit::AnchoredElo,
            ScoreUnit::LogOdds,
            ScoreUnit::OnlineElo,
            ScoreUnit::ShareWon,
            ScoreUnit::MeanShareWon,
            ScoreUnit::LengthControlledShare,
            ScoreUnit::ComparisonsWon,
            ScoreUnit::Weakness,
            ScoreUnit::NewmanStrength,
            ScoreUnit::WalkShare,
            ScoreUnit::Points,
            ScoreUnit::FormPoints,
            ScoreUnit::CriteriaShare,
            ScoreUnit::FilePoints,
            ScoreUnit::Reward,
        ];
        known.into_iter().find(|unit| unit.words() == words)
    }

    /// Returns its words without what explains them, as they stand in a sentence.
    pub fn short(self) -> &'static str {
        match self {
            ScoreUnit::FittedElo | ScoreUnit::AnchoredElo | ScoreUnit::OnlineElo => "Elo points",
            ScoreUnit::LogOdds => "log-odds",
            ScoreUnit::Weakness => "weakness",
            ScoreUnit::NewmanStrength => "strength of Newman",
            ScoreUnit::Reward => "points of reward",
            unit => unit.words(),
        }
    }

    /// Returns the scale on which a difference of two scores says how often the one wins; None
    /// where it does not.
    pub fn scale(self) -> Option<RankScale> {
        match self {
            ScoreUnit::FittedElo | ScoreUnit::AnchoredElo | ScoreUnit::OnlineElo => {
                Some(RankScale::Elo)
            }
            ScoreUnit::LogOdds => Some(RankScale::LogOdds),
            _ => None,
        }
    }

    fn words(self) -> &'static str {
        match self {
            ScoreUnit::None => "none",
            ScoreUnit::FittedElo => "Elo points (400 per factor of ten in odds, mean 1000)",
            ScoreUnit::AnchoredElo => {
                "Elo points (400 per factor of ten in odds), as differences from the anchor"
            }
            ScoreUnit::LogOdds => "log-odds (natural, mean 0)",
            ScoreUnit::OnlineElo => {
                "Elo points (400 per factor of ten in odds, from 1000, k 4, in the order given)"
            }
            ScoreUnit::ShareWon => "share of comparisons won, ties half",
            ScoreUnit::MeanShareWon => "mean over opponents of the share won, ties half",
            ScoreUnit::LengthControlledShare => {
                "share won from the reference at equal lengths, from 0 to 1"
            }
            ScoreUnit::ComparisonsWon => "comparisons won, ties half",
            ScoreUnit::Weakness => {
                "weakness (eigenvector of who lost to whom, length 1): the lower the better"
            }
            ScoreUnit::NewmanStrength => "strength of Newman (2023)",
            ScoreUnit::WalkShare => "share of visits of a random walk from losers to winners",
            ScoreUnit::Points => "points",
            ScoreUnit::FormPoints => "points on the form's scale",
            ScoreUnit::CriteriaShare => "weighted share of criteria met, faults taken away",
            ScoreUnit::FilePoints => "points on the scale of the file",
            ScoreUnit::Reward => "points of reward, on the model's own scale",
            ScoreUnit::Nats(likely) => likely.describe_unit(),
        }
    }
}

impl fmt::Display for ScoreUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl Serialize for ScoreUnit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

/// Returns a level, or another share that was asked for, in per cent with all of its decimals:
/// 99.95 is not 100.
pub fn chosen_percent(share: f64) -> String {
    let text = format!("{:.6}", 100.0 * share);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns a count with its digits in groups of three: `12,345`.
pub fn group_digits(number: u64) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", group_digits(thousands), number % 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_report_are_read_back() {
        for unit in [
            ScoreUnit::AnchoredElo,
            ScoreUnit::Weakness,
            ScoreUnit::Points,
        ] {
            assert_eq!(ScoreUnit::from_words(unit.words()), Some(unit));
            assert!(unit.words().starts_with(unit.short()));
        }
        assert_eq!(ScoreUnit::from_words("furlongs"), None);
    }
}
