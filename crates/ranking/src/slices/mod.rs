//! Rankings by slice, the items with one value of a field, and whether slices differ.

pub(crate) mod data;
pub(crate) mod evidence;
mod run;
mod summary;
mod test;

pub use data::{InteractionReport, SliceDeviation, SliceRanking, SliceUnit};
pub(crate) use evidence::{SliceEvidence, SliceRows};
pub use run::{ItemSlices, rank_slices, slice_values};
pub use test::SliceTest;
pub(crate) use test::test_slices;

/// Below this many items, a slice is said to be too small: percentile intervals that aim at 95 %
/// hold in less than 90 % of cases there (n = 9: t with 8 degrees of freedom within 1.85). Nor is a
/// slice tested against the others with fewer items in it or outside it.
pub const FEW_ITEMS: usize = 10;

/// The most values that a field may have: more are hardly slices.
pub(crate) const MANY_VALUES: usize = 200;
