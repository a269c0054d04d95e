//! The effects that a plan can detect, before anything is spent.

mod components;
mod design;
mod noise;
mod sign_test;
mod spread;

pub use components::{
    ChanceWithin, ItemDesign, PairOutcome, VarianceComponents, variance_components,
};
pub use design::{Aim, JudgeScope, LeadKind, PairDesign, designs_for, designs_within};
pub use noise::{
    Noise, PairLead, lead_spread, noise_of_leads, noise_of_score_leads, noise_of_scores,
};
pub use sign_test::{SignTest, minimum_detectable_difference};
pub use spread::LeadSpread;
