//! Why a protocol could not be built.

use crate::prompts::PromptError;
use evenhand_core::Setting;

/// Why a protocol could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// An unknown name.
    #[error(
        "{} {given}: {part} is not a {axis}; expected {expected}",
        Setting::Protocol
    )]
    Unknown {
        /// The whole name.
        given: String,
        /// The part that is unknown.
        part: String,
        /// The axis it should be on.
        axis: &'static str,
        /// The names of that axis.
        expected: String,
    },
    /// Parts that do not go together.
    #[error("{} {given}: {why}", Setting::Protocol)]
    NoMeaning {
        /// The whole name.
        given: String,
        /// Why not, and what to ask for instead.
        why: &'static str,
    },
    /// A scale for a form that has none.
    #[error(
        "{} {scale}: {form} has no scale; pointwise and pairwise-score have",
        Setting::Scale
    )]
    NoScale {
        /// The scale.
        scale: String,
        /// The form.
        form: String,
    },
    /// An invalid calibrated panel.
    #[error("panel: {0}")]
    Panel(String),
    /// Its prompts are broken.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}
