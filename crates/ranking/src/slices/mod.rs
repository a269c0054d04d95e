//! Rankings by slice, the items with one value of a field, and whether slices differ.

pub(crate) mod evidence;
mod run;
mod test;

pub(crate) use evidence::{SliceEvidence, SliceRows};
pub use run::{ItemSlices, rank_slices, slice_values};
pub use test::SliceTest;
pub(crate) use test::test_slices;

use crate::RankingRow;
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
    /// How many items it has; comparisons, where each is an item of its own; 0 where that is not
    /// known, as of counts.
    pub n_items: u64,
    /// Questions that they ask, which count once each.
    pub n_questions: u64,
    /// Whether it has too few items for its intervals to be trusted.
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
