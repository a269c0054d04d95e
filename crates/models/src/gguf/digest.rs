//! The digest that names a model file.

use super::error::GgufError;
use super::file_length;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Files up to this many bytes are hashed whole.
pub const DIGEST_WHOLE: u64 = 1 << 30;

/// How much of a longer file is hashed at each end.
const END: u64 = 64 << 20;

/// Returns the first 16 hexadecimal digits of a file's SHA-256.
///
/// Of a file above [`DIGEST_WHOLE`] it is the SHA-256 of its length (eight bytes, little-endian),
/// its first 64 MiB and its last 64 MiB: weights differ everywhere when they differ at all, and
/// reading tens of gigabytes would delay every run.
///
/// # Errors
///
/// [`GgufError`] if the file cannot be read.
pub fn file_digest(path: &Path) -> Result<String, GgufError> {
    let unreadable = |cause| GgufError::unreadable(path, &cause);
    let length = file_length(path)?;
    let file = File::open(path).map_err(unreadable)?;
    hash_source(file, length).map_err(unreadable)
}

fn hash_source(mut file: impl Read + Seek, length: u64) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    if length <= DIGEST_WHOLE {
        std::io::copy(&mut file, &mut hasher)?;
    } else {
        hasher.update(length.to_le_bytes());
        std::io::copy(&mut file.by_ref().take(END), &mut hasher)?;
        file.seek(SeekFrom::Start(length - END))?;
        std::io::copy(&mut file.by_ref().take(END), &mut hasher)?;
    }
    let digest = hasher.finalize();
    let digits = digest[..8].iter().map(|byte| format!("{byte:02x}"));
    Ok(digits.collect())
}
