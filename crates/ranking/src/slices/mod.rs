//! Rankings by slice, the items with one value of a field, and whether slices differ.

pub(crate) mod evidence;
mod run;
mod test;

pub(crate) use evidence::{SliceEvidence, SliceRows};
pub use run::{ItemSlices, rank_slices, slice_values};
pub use test::SliceTest;
pub(crate) use test::test_slices;

use crate::{RankingRow, group_digits};
use schemars::JsonSchema;
use serde::Serialize;

/// Below this many items, a slice is said to be too small: where scores are skewed, intervals that
/// aim at 95 % hold in less than 90 % of cases there (docs/design/statistics.md). Nor is a slice
/// tested against the others with fewer items in it or outside it.
pub const FEW_ITEMS: usize = 10;

/// The most values that a field may have: more are hardly slices.
pub(crate) const MANY_VALUES: usize = 200;

/// The ranking by the items with one value of a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SliceRanking {
    /// The value; blank for items without one.
    pub value: String,
    /// What it has, in words: `13,274 battles of 900 voters`, `40 items`.
    pub size: String,
    /// Verdicts that it rests on; battles, where the files are of these.
    pub n_judgments: u64,
    /// How many items it has, or what counts once in their place, such as voters; comparisons,
    /// where each counts by itself; 0 where that is not known, as of counts.
    pub n_items: u64,
    /// Questions that they ask, which count once each.
    pub n_questions: u64,
    /// What counts once, in the plural: items, questions where several items ask one, voters.
    pub units: String,
    /// Whether it has too few of these for its intervals to be trusted.
    pub too_small: bool,
    /// Who leads in it, in one sentence; None where there is no ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<crate::Answer>,
    /// In rank order, as if there were no other items; systems without a rank last.
    pub ranking: Vec<RankingRow>,
    /// Why there is no ranking, or what its reader must know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a slice has. Its words, and whether it is too small, follow from this alone, wherever it is
/// shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SliceSize {
    /// Verdicts, where these are battles.
    pub(crate) battles: Option<u64>,
    /// How many items it has, or what counts once in their place.
    pub(crate) items: u64,
    /// How many questions these ask.
    pub(crate) questions: u64,
    /// What one of the items, and several, are called.
    pub(crate) units: [String; 2],
}

impl SliceSize {
    /// Items of a run, or of recorded judgments, and the questions that they ask.
    pub(crate) fn of_items(items: u64, questions: u64) -> SliceSize {
        SliceSize {
            battles: None,
            items,
            questions,
            units: ["item", "items"].map(Into::into),
        }
    }

    /// What it has, in words.
    fn in_words(&self) -> String {
        let of = |count: u64, [one, several]: [&str; 2]| {
            let name = if count == 1 { one } else { several };
            format!("{} {name}", group_digits(count))
        };
        let units = self.units.each_ref().map(String::as_str);
        let known = (self.items > 0).then(|| of(self.items, units));
        match self.battles {
            // Each counts by itself, or of what they are is not known.
            Some(count) if units[0] == "battle" => of(count, units),
            Some(count) => {
                let battles = of(count, ["battle", "battles"]);
                known.map_or(battles.clone(), |units| format!("{battles} of {units}"))
            }
            None if self.questions < self.items => {
                let questions = of(self.questions, ["question", "questions"]);
                format!("{} of {questions}", known.unwrap_or_default())
            }
            None => known.unwrap_or_else(|| format!("an unknown number of {}", units[1])),
        }
    }

    /// What counts once, in the plural.
    pub(crate) fn counted(&self) -> &str {
        match self.questions < self.items {
            true => "questions",
            false => &self.units[1],
        }
    }
}

/// What deviations are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub enum SliceUnit {
    /// The share of comparisons won, ties half.
    #[default]
    #[serde(rename = "share won")]
    ShareWon,
    /// The share of responses that keep all their constraints.
    #[serde(rename = "share kept")]
    ShareKept,
    /// The share of verdicts that are right.
    #[serde(rename = "share right")]
    ShareRight,
    /// The share of pairs, or of looks at them, of which something is so.
    #[serde(rename = "share of pairs")]
    ShareOfPairs,
    /// Points of the scores.
    #[serde(rename = "points")]
    Points,
}

impl SliceUnit {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        match self {
            SliceUnit::ShareWon => "share won",
            SliceUnit::ShareKept => "share kept",
            SliceUnit::ShareRight => "share right",
            SliceUnit::ShareOfPairs => "share of pairs",
            SliceUnit::Points => "points",
        }
    }
}

/// How much better or worse a system does in a slice than its score over all items says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SliceDeviation {
    /// The system, or the judge.
    pub system: String,
    /// The slice.
    pub value: String,
    /// Items of the slice on which it has a judgment.
    pub items: u64,
    /// Share of comparisons won, or points of the scores, beyond what is expected.
    pub deviation: f64,
    /// Its own standard error, from the slice's items and the other ones, each by themselves; None
    /// where there is one item, or nothing varies.
    pub standard_error: Option<f64>,
    /// The deviation shrunk by what chance explains: a better guess for few items.
    pub pooled: f64,
    /// p-value, adjusted for all systems and slices; None where the slice is too small.
    pub p_adjusted: Option<f64>,
    /// Why it was not tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Whether slices differ beyond chance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct InteractionReport {
    /// The answer in one sentence.
    pub summary: String,
    /// The field.
    pub field: String,
    /// How it was tested.
    pub method: &'static str,
    /// What deviations are in.
    pub unit: SliceUnit,
    /// How many items a slice must have to be tested, and how many there must be outside it.
    pub least_items: usize,
    /// The seed of the permutations.
    pub seed: u64,
    /// How many permutations there were; 0 where nothing was tested.
    pub permutations: usize,
    /// How many systems and slices were tested together.
    pub tested: usize,
    /// The smallest adjusted p-value: that of "no slice matters to any system".
    pub p: Option<f64>,
    /// Every system in every slice, in the order of the ranking and of the slices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<SliceDeviation>,
    /// Why nothing was tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_says_what_it_counts_and_of_what() {
        let size = |battles: Option<u64>, items: u64, [one, several]: [&str; 2]| SliceSize {
            battles,
            items,
            questions: items,
            units: [one, several].map(Into::into),
        };
        let (voters, battles) = (["voter", "voters"], ["battle", "battles"]);
        for (size, words, counted) in [
            (
                size(Some(13_274), 900, voters),
                "13,274 battles of 900 voters",
                "voters",
            ),
            (size(Some(3), 1, voters), "3 battles of 1 voter", "voters"),
            (
                size(Some(150), 10, ["item", "items"]),
                "150 battles of 10 items",
                "items",
            ),
            (size(Some(150), 150, battles), "150 battles", "battles"),
            (size(Some(1), 1, battles), "1 battle", "battles"),
            (size(Some(150), 0, battles), "150 battles", "battles"),
            (SliceSize::of_items(40, 40), "40 items", "items"),
            (SliceSize::of_items(1, 1), "1 item", "items"),
            (
                SliceSize::of_items(90, 15),
                "90 items of 15 questions",
                "questions",
            ),
            (
                SliceSize::of_items(0, 0),
                "an unknown number of items",
                "items",
            ),
        ] {
            assert_eq!((size.in_words().as_str(), size.counted()), (words, counted));
        }
    }
}
