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
    let partial = partial_name(to);
    let written = write_anew(from, &partial, quantisation);
    let moved = written.and_then(|()| move_file(&partial, to));
    moved.map_err(|cause| {
        // Nothing to do if even this fails: the error that is reported is the first.
        let _ = std::fs::remove_file(&partial);
        not_requantised(from, to, &cause)
    })
}

fn write_anew(from: &Path, to: &Path, quantisation: Quantisation) -> Result<(), String> {
    match quantisation {
        Quantisation::Q8_0 => llama::quantize_to_q8(from, to, physical_cores()),
    }
}

fn move_file(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::rename(from, to).map_err(|cause| cause.to_string())
}

fn not_requantised(from: &Path, to: &Path, cause: &str) -> ModelError {
    let (from, to) = (from.display(), to.display());
    ModelError::Open(format!("{from} could not be requantised to {to}: {cause}"))
}

fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".partial-{}", std::process::id()));
    PathBuf::from(name)
}
