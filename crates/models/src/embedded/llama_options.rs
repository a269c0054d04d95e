//! Plain data for calls of llama.cpp: how a context is made, the attributes of a token, paths and
//! errors.

use super::llama_log::take_complaint;
use std::ffi::CString;
use std::path::Path;

/// The purpose of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    /// It steers the model and is no text.
    pub(super) control: bool,
    /// It was added to the vocabulary by hand.
    pub(super) added: bool,
    /// White space before it belongs to it.
    pub(super) strips_left: bool,
    /// White space after it belongs to it.
    pub(super) strips_right: bool,
}

/// How a context is made.
#[derive(Clone, Copy)]
pub(super) struct ContextOptions {
    /// How many tokens it can hold.
    pub(super) length: u32,
    /// The most tokens that are read in one batch.
    pub(super) chunk: u32,
    pub(super) threads: usize,
    /// How many sequences there may be.
    pub(super) sequences: u32,
    pub(super) output: Output,
}

/// The output of a context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// Logits for each token: how likely each other token is to come next.
    Logits,
    /// The state of each token after the last layer.
    States,
    /// Logits, and beside them the states after layers that are listened to.
    Tapped,
    /// One vector for all that was read in one go, by the pooling that the model names.
    Pooled,
}

pub(super) fn thread_count(threads: usize) -> i32 {
    i32::try_from(threads).unwrap_or(1).max(1)
}

pub(super) fn c_path(path: &Path) -> Result<CString, String> {
    let text = path
        .to_str()
        .ok_or("the path is not UTF-8, and llama.cpp takes no other")?;
    CString::new(text).map_err(|_| "the path has a zero byte".to_owned())
}

/// Whether AMX is among the features that llama.cpp lists of its kernels.
pub(super) fn has_amx(features: &str) -> bool {
    features.contains("AMX_INT8 = 1")
}

/// Returns what the CPU's kernels were compiled for, of the features that llama.cpp lists: CUDA
/// lists its own before them, and the judge on the CPU is the same with and without it.
pub(super) fn of_processor(features: &str) -> &str {
    match features.find("CPU : ") {
        Some(start) if features.starts_with("CUDA : ") => &features[start..],
        _ => features,
    }
}

/// Names a back end in identities by what llama.cpp calls it.
pub(super) fn back_end_name(registry: &str) -> String {
    match registry {
        "MTL" => "metal".into(),
        other => other.to_ascii_lowercase(),
    }
}

pub(super) fn bad_batch(count: usize, room: usize) -> String {
    format!("a batch of {count} tokens, where 1 to {room} go")
}

pub(super) fn not_copied() -> String {
    let complaint = take_complaint();
    format!("llama.cpp could not copy what was read: {complaint}")
}

pub(super) fn not_evaluated(code: i32) -> String {
    let complaint = take_complaint();
    format!("llama.cpp could not evaluate a batch (code {code}): {complaint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_the_same_with_cuda_and_without() {
        let processor = "CPU : SSE3 = 1 | AVX2 = 1 | ";
        for before in ["", "CUDA : ", "CUDA : ARCHS = 800,900 | USE_GRAPHS = 1 | "] {
            assert_eq!(of_processor(&format!("{before}{processor}")), processor);
        }
        // Of a Mac, every build lists Metal.
        let mac = "MTL : EMBED_LIBRARY = 1 | CPU : NEON = 1 | ";
        assert_eq!(of_processor(mac), mac);
    }

    #[test]
    fn back_ends_have_the_names_of_their_features() {
        for (registry, name) in [("CUDA", "cuda"), ("MTL", "metal"), ("Vulkan", "vulkan")] {
            assert_eq!(back_end_name(registry), name);
        }
    }
}
