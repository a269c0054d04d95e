//! Whether systems do better or worse in some slices of the items than their scores over all items
//! say: the interaction of system and slice.
//!
//! - [`comparison_residuals`], [`score_residuals`]: what each item shows beyond the scores;
//!   [`controlled_residuals`]: beyond the scores and what is controlled for; [`mean_residuals`]: beyond a system's own mean, whatever the others do.
//! - [`slice_interaction`]: whether that depends on the slice that an item is in;
//!   [`clustered_slice_interaction`]: where what is not independent is in several slices.

mod clustered;
mod permuted;
mod residuals;

pub use clustered::clustered_slice_interaction;
pub use permuted::{SliceCell, SliceInteraction, slice_interaction};
pub use residuals::{
    Residual, comparison_residuals, controlled_residuals, mean_residuals, score_residuals,
};
