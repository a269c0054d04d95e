//! GGUF files, told about from their headers alone: no engine is needed, and a hostile file can do
//! no harm.

mod digest;
mod error;
mod header;
mod metadata;
mod model_info;
mod reader;
mod tensor_types;
mod vocabulary;

pub use digest::{DIGEST_WHOLE, file_digest};
pub use error::{Fault, GgufError};
pub use header::{Header, Part, Tensor};
pub use metadata::Value;
pub use model_info::{ModelInfo, describe, gives_rewards};

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads the header of a GGUF file, and checks that the file is as long as its tensor table says.
///
/// # Errors
///
/// [`GgufError`] if the file cannot be read or is not a usable model.
pub fn read_header(path: &Path) -> Result<Header, GgufError> {
    let bytes = file_length(path)?;
    let file = File::open(path).map_err(|cause| GgufError::unreadable(path, &cause))?;
    let source = BufReader::with_capacity(1 << 16, file);
    let header = Header::read(source, bytes).map_err(|fault| fault.at(path))?;
    header.check_length(bytes).map_err(|fault| fault.at(path))?;
    Ok(header)
}

fn file_length(path: &Path) -> Result<u64, GgufError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(GgufError::Directory(path.to_owned())),
        Ok(found) => Ok(found.len()),
        Err(cause) => Err(GgufError::unreadable(path, &cause)),
    }
}
