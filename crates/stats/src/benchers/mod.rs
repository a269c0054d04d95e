//! How sharply a bencher tells systems apart, and how well it agrees with people about pairs of
//! them.

mod pairwise_loss;
mod separability;

pub use pairwise_loss::{
    PairwiseLoss, PairwiseLossIntervals, pairwise_loss, pairwise_loss_intervals,
};
pub use separability::{
    Bounded, PairShare, agreement_with_confidence, agreement_with_confidence_interval,
    separability, separability_interval, strict_agreement, strict_agreement_interval,
};
pub(crate) use separability::{are_apart, check_bounded};
