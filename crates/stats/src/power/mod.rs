//! The effects that a plan can detect, before anything is spent.

mod mean_difference;
mod sign_test;

pub use mean_difference::minimum_detectable_difference;
pub use sign_test::SignTest;
