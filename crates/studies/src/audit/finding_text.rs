//! The texts of figures, as reports show them.

use super::finding_name::{FindingName, LengthOrder, Placebo, Preferred, ScoreRange, Third};
use std::fmt;

impl fmt::Display for FindingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FindingName as N;
        f.write_str(match self {
            N::FirstSlot => "first slot",
            N::FlipsByOrder => "flips by order",
            N::FlipsByRepetition => "flips by repetition",
            N::FlipsByNeutral | N::LoserFlipsByNeutral => "flips by a neutral rewrite",
            N::FlipsBeyondRepetition => "flips beyond repetition",
            N::FlipsBeyondNeutral => "flips beyond neutral",
            N::AgreesWithPeople => "agrees with people",
            N::NullWins => "wins",
            N::MeanFlips => "all distractors: flips",
            N::Circles => "circles",
            N::CertainCircles => "certain circles",
            N::SameScores => "same on all three",
            N::ScaleEnds => "ends",
            N::ScaleMiddle => "middle",
            N::MostFrequentScore => "most frequent",
            N::ScoreEntropy => "entropy",
            N::TextWithoutVerdict => "text has no verdict",
            N::TextWithOtherVerdict => "text has another verdict",
            N::NoVerdict { category: None } => "no verdict",
            N::Refusals { category: None } => "refusals",
            N::NoVerdict {
                category: Some(category),
            } => return write!(f, "no verdict, {category}"),
            N::Refusals {
                category: Some(category),
            } => return write!(f, "refusals, {category}"),
            N::Consistency { third, by } => {
                let (third, by) = (third.text(), by.text());
                return write!(f, "consistency, {third} third by {by}");
            }
            N::Rewritten { rewrite, effect } => return write!(f, "{rewrite}: {}", effect.text()),
            N::FlipsInTurn { rewrite, turn } => {
                let rewrite = rewrite.as_deref().unwrap_or("all distractors");
                return write!(f, "{rewrite}: flips, turn {turn}");
            }
            N::ProtocolDifference { rewrite } => {
                return write!(f, "{rewrite}: flips beyond neutral");
            }
            N::Preference { of, by } => return write!(f, "{}, {}", of.text(), by.text()),
            N::Reversals {
                beyond,
                third_first,
            } => {
                let beyond = match beyond {
                    None => "",
                    Some(Placebo::Repetition) => " beyond repetition",
                    Some(Placebo::Neutral) => " beyond neutral",
                };
                let place = if *third_first { "first" } else { "last" };
                return write!(f, "reversals{beyond}, third response {place}");
            }
            N::ScoreShift(range) => return write!(f, "{} against 0 to 10", range.text()),
            N::BrokenAccuracy { broken } => return write!(f, "{broken} broken: accuracy"),
            N::RewrittenAccuracy { broken, rewrite } => {
                return write!(f, "{broken} broken, {rewrite}: accuracy");
            }
            N::AccuracyLost { broken, rewrite } => {
                return write!(f, "{broken} broken, {rewrite}: accuracy lost");
            }
            N::WinRateGained { rewrite } => return write!(f, "{rewrite}: win rate gained"),
            N::ByProbability(of) => return write!(f, "{of}, by probability"),
        })
    }
}

impl Third {
    fn text(self) -> &'static str {
        match self {
            Third::Lowest => "lowest",
            Third::Middle => "middle",
            Third::Highest => "highest",
        }
    }
}

impl LengthOrder {
    fn text(self) -> &'static str {
        match self {
            LengthOrder::Mean => "length",
            LengthOrder::Difference => "difference in length",
        }
    }
}

impl Preferred {
    fn text(self) -> &'static str {
        match self {
            Preferred::Longer => "longer",
            Preferred::Own => "own",
        }
    }
}

impl ScoreRange {
    fn text(self) -> &'static str {
        match self {
            ScoreRange::One => "0 to 1",
            ScoreRange::Hundred => "0 to 100",
        }
    }
}
