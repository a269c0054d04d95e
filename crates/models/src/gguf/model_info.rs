//! The description that a model file gives of itself, for `evenhand models`.

use super::{GgufError, Header, file_digest, file_length, read_header, tensor_types};
use serde::Serialize;
use std::path::Path;

/// The description that a GGUF file gives of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// The model's name, where the file gives one.
    pub name: Option<String>,
    /// The architecture, such as `llama`.
    pub architecture: String,
    /// How many values its tensors have.
    pub parameters: u64,
    /// How its weights are stored, such as `Q8_0`.
    pub quantisation: String,
    /// The longest context it was trained for, in tokens.
    pub context_length: Option<u64>,
    /// Whether it embeds texts and writes none, so that it can judge nothing.
    pub embeds: bool,
    /// True for a model that gives a number for a whole answer and writes none (protocol `reward`).
    pub scores: bool,
    /// Whether it brings a chat template. One without is a base model, and is given the messages'
    /// contents joined by blank lines.
    pub has_chat_template: bool,
    /// The length of the file.
    pub bytes: u64,
    /// The first 16 hexadecimal digits of its SHA-256 ([`file_digest`]).
    pub sha256: String,
    /// Advice for its owner, if there is any.
    pub hint: Option<String>,
}

/// Reads what a GGUF file says of itself, without loading it.
///
/// # Errors
///
/// [`GgufError`] if the file cannot be read or is not a usable model.
pub fn describe(path: &Path) -> Result<ModelInfo, GgufError> {
    let header = read_header(path)?;
    let quantisation = match header.number("general.file_type") {
        Some(number) => tensor_types::file_type_name(number)
            .map_or_else(|| format!("file type {number}"), str::to_owned),
        None => "unknown".to_owned(),
    };
    let architecture = header.text("general.architecture");
    Ok(ModelInfo {
        name: header.text("general.name").map(str::to_owned),
        architecture: architecture.unwrap_or("unknown").to_owned(),
        parameters: header.parameters(),
        embeds: header.of_architecture("attention.causal") == Some(0) && !header.scores(),
        scores: header.scores(),
        hint: find_hint(&header, &quantisation),
        quantisation,
        context_length: header.of_architecture("context_length"),
        has_chat_template: header.text("tokenizer.chat_template").is_some(),
        bytes: file_length(path)?,
        sha256: file_digest(path)?,
    })
}

/// Returns true for a model file whose model gives a number for a whole answer; false for a file
/// that cannot be read.
pub fn gives_rewards(path: &Path) -> bool {
    read_header(path).is_ok_and(|header| header.scores())
}

fn find_hint(header: &Header, quantisation: &str) -> Option<String> {
    if header.scores() {
        return Some(SCORER.to_owned());
    }
    if header.of_architecture("attention.causal") == Some(0) {
        return Some(EMBEDDER.to_owned());
    }
    if header.text("tokenizer.chat_template").is_none() {
        return Some(BASE_MODEL.to_owned());
    }
    matches!(quantisation, "Q4_0" | "Q4_1" | "Q5_0" | "Q5_1").then(|| {
        format!(
            "{quantisation} reads prompts more slowly on a CPU than Q8_0: requantise it once, if \
             memory allows"
        )
    })
}

const SCORER: &str = "scores answers and writes none: judges by the protocol reward alone";
const EMBEDDER: &str = "embeds texts and writes none: an embedder, and no judge";
const BASE_MODEL: &str = "a base model without chat template: it is given plain text, and follows \
                          instructions poorly";
