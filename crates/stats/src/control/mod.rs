//! Scores with what should not count taken out: style-controlled Bradley-Terry and
//! length-controlled win rates.
//!
//! Both are logistic regressions by maximum likelihood. The way through the folder: `input.rs`
//! checks the rows, `design.rs` sorts them by pair, `pass.rs` sums the derivatives in one pass,
//! `climb.rs` and `newton.rs` climb with `linear`, `sandwich.rs` says how uncertain the result is;
//! `style.rs`, `ties.rs` and `length.rs` are the models, `difficulty.rs` the joint model that
//! length control takes its difficulties from, `normalise.rs` what makes covariates of counts.

mod climb;
mod design;
mod difficulty;
mod error;
mod input;
mod length;
mod logistic;
mod newton;
mod normalise;
mod pass;
mod sandwich;
mod style;
mod ties;

pub use difficulty::{FittedDifficulty, JointPreferences, fit_difficulty};
pub use error::ControlError;
pub use input::Battles;
pub use length::{
    LengthControlled, LengthWeights, Preferences, fit_length_control, length_controlled_error,
    length_controlled_win_rate, length_feature,
};
pub use normalise::{Normalisation, normalised_difference, relative_difference, standardised};
pub use sandwich::NormalInterval;
pub use style::{StyleControl, StyleControlled, StyleUncertainty, style_controlled};
pub use ties::{TieControlled, tie_controlled};

pub use crate::pairwise::TieLaw;
