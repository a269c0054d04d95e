//! The processors that llama.cpp was compiled for.

use super::llama::describe_kernels;

/// Names the kernels in an identity: `-x86-64-v3` where they were compiled for every processor of
/// that level, so that all of them give the same bits, and a digest of what was compiled in where
/// they were compiled for the processor at hand.
pub(super) fn name_kernels() -> String {
    if FOR_EVERY_V3 {
        return "-x86-64-v3".into();
    }
    blake3::hash(describe_kernels().as_bytes()).to_hex()[..8].to_string()
}

/// Compiled for x86-64-v3 and nothing beyond: the level lacks AES and carry-less multiplication,
/// which every processor of that level has, and so every program that is compiled for the processor
/// at hand. llama.cpp is compiled with the flags of Rust.
const FOR_EVERY_V3: bool = cfg!(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    target_feature = "f16c"
)) && !cfg!(any(
    feature = "kernel-variants",
    target_feature = "aes",
    target_feature = "pclmulqdq",
    target_feature = "avx512f"
));
