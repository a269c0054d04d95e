//! The effects that a plan can detect, before anything is spent.

mod components;
mod design;
mod mean_difference;
mod sign_test;

pub use components::{PairOutcome, VarianceComponents, variance_components};
pub use design::{Aim, PairDesign, designs_for, designs_within, noise_floor};
pub use mean_difference::minimum_detectable_difference;
pub use sign_test::SignTest;
