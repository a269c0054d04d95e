//! A model written anew with weights that a CPU reads fast.

use super::llama;
use super::threads::physical_cores;
use crate::ModelError;
use crate::gguf::read_header;
use std::path::{Path, PathBuf};

/// A kind of weights to requantise to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantisation {
    /// Eight bits and one scale for 32 weights: the fastest to read prompts with on a CPU.
    Q8_0,
}

/// Writes the model at `from` anew to `to`, with its weights requantised. `to` is there whole or
/// not at all.
///
/// What an earlier quantisation lost stays lost; the new file is larger where the old one had fewer
/// bits, and faster.
///
/// # Errors
///
/// [`ModelError::Open`] if the model cannot be read or the new file cannot be written.
pub fn requantize(from: &Path, to: &Path, quantisation: Quantisation) -> Result<(), ModelError> {
    read_header(from).map_err(|error| ModelError::Open(error.to_string()))?;
    let mut partial = to.as_os_str().to_owned();
    partial.push(format!(".partial-{}", std::process::id()));
    let partial = PathBuf::from(partial);
    let written = match quantisation {
        Quantisation::Q8_0 => llama::quantize_to_q8(from, &partial, physical_cores()),
    };
    let moved =
        written.and_then(|()| std::fs::rename(&partial, to).map_err(|cause| cause.to_string()));
    moved.map_err(|cause| {
        // Nothing to do if even this fails: the error that is reported is the first.
        let _ = std::fs::remove_file(&partial);
        let (from, to) = (from.display(), to.display());
        ModelError::Open(format!("{from} could not be requantised to {to}: {cause}"))
    })
}
