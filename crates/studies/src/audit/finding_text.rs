//! The texts of figures, as reports show them.

use super::finding_name::{FindingName, LengthOrder, Placebo, Preferred, ScoreRange, Third};
use std::fmt;

impl FindingName {
    /// Returns the text of a figure that there is one of; None where it depends on more.
    fn fixed_text(&self) -> Option<&'static str> {
        use FindingName as N;
        Some(match self {
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
            _ => return None,
        })
    }
}

impl fmt::Display for FindingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FindingName as N;
        match self {
            N::Consistency { third, by } => write!(f, "consistency, {third} third by {by}"),
            N::Rewritten { rewrite, effect } => write!(f, "{rewrite}: {}", effect.text()),
            N::FlipsInTurn { rewrite, turn } => {
                let rewrite = rewrite.as_deref().unwrap_or("all distractors");
                write!(f, "{rewrite}: flips, turn {turn}")
            }
            N::ProtocolDifference { rewrite } => write!(f, "{rewrite}: flips beyond neutral"),
            N::Preference { of, by } => write!(f, "{of}, {}", by.text()),
            N::Reversals {
                beyond,
                third_first,
            } => {
                let place = if *third_first { "first" } else { "last" };
                let beyond = beyond.map_or("", Placebo::text);
                write!(f, "reversals{beyond}, third response {place}")
            }
            N::ScoreShift(range) => write!(f, "{range} against 0 to 10"),
            N::BrokenAccuracy { broken } => write!(f, "{broken} broken: accuracy"),
            N::RewrittenAccuracy { broken, rewrite } => {
                write!(f, "{broken} broken, {rewrite}: accuracy")
            }
            N::AccuracyLost { broken, rewrite } => {
                write!(f, "{broken} broken, {rewrite}: accuracy lost")
            }
            N::WinRateGained { rewrite } => write!(f, "{rewrite}: win rate gained"),
            N::NoVerdict { category } => write_with_category(f, "no verdict", category.as_ref()),
            N::Refusals { category } => write_with_category(f, "refusals", category.as_ref()),
            N::ByProbability(of) => write!(f, "{of}, by probability"),
            fixed => f.write_str(fixed.fixed_text().unwrap_or_default()),
        }
    }
}

fn write_with_category(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    category: Option<&String>,
) -> fmt::Result {
    match category {
        Some(category) => write!(f, "{text}, {category}"),
        None => f.write_str(text),
    }
}

impl Placebo {
    fn text(self) -> &'static str {
        match self {
            Placebo::Repetition => " beyond repetition",
            Placebo::Neutral => " beyond neutral",
        }
    }
}

impl fmt::Display for Third {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Third::Lowest => "lowest",
            Third::Middle => "middle",
            Third::Highest => "highest",
        })
    }
}

impl fmt::Display for LengthOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LengthOrder::Mean => "length",
            LengthOrder::Difference => "difference in length",
        })
    }
}

impl fmt::Display for Preferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Preferred::Longer => "longer",
            Preferred::Own => "own",
        })
    }
}

impl fmt::Display for ScoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScoreRange::One => "0 to 1",
            ScoreRange::Hundred => "0 to 100",
        })
    }
}
