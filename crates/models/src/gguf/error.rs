//! Faults of a model file, each with what its owner can do.

use std::path::{Path, PathBuf};

/// Why a file is not a usable GGUF model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GgufError {
    /// There is no such file.
    #[error("{}: no such file. Give the path of a GGUF model file: `evenhand models` lists those \
             that are there, `evenhand models get smollm2-135m` fetches a small one", .0.display())]
    Missing(PathBuf),
    /// The path is a directory.
    #[error("{}: is a directory. Give the path of one GGUF file in it", .0.display())]
    Directory(PathBuf),
    /// The operating system says no.
    #[error("{}: cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        cause: String,
    },
    /// The file's content is at fault.
    #[error("{}: {fault}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: Fault,
    },
}

/// A fault in the content of a file that should be a GGUF model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The first bytes are not those of a GGUF file.
    #[error(
        "is not a GGUF model (its first bytes are not \"GGUF\"). Models in other formats have to \
         be converted to GGUF first"
    )]
    NotGguf,
    /// A GGUF file for machines of the other byte order.
    #[error(
        "is a GGUF model in big-endian byte order, which is not supported. Fetch or convert a \
         little-endian one"
    )]
    BigEndian,
    /// A version of the format that is not known here.
    #[error(
        "is GGUF version {0}, and only versions 2 and 3 are supported. Convert the model again"
    )]
    Version(u32),
    /// The file ends before its header or its tensors do.
    #[error(
        "is a GGUF file that is cut short: it has {actual} bytes and should have {expected} or \
         more. Fetch it again"
    )]
    Truncated {
        /// The length that the header implies, in bytes.
        expected: u64,
        /// The length of the file, in bytes.
        actual: u64,
    },
    /// The header contradicts itself.
    #[error("has a damaged header ({0}). Fetch it again")]
    Damaged(String),
    /// A model that is given numbers of tokens and no text.
    #[error(
        "has no vocabulary (its tokenizer is \"none\"), so it cannot be given text. Convert the \
         model again, with its tokenizer"
    )]
    NoVocabulary,
    /// One part of a model that is spread over several files.
    #[error(
        "is one of {0} parts of a split model. Merge them into one file first (llama-gguf-split \
         --merge)"
    )]
    Split(u64),
}

impl Fault {
    pub(super) fn at(self, path: &Path) -> GgufError {
        GgufError::Content {
            path: path.to_owned(),
            fault: self,
        }
    }

    pub(super) fn damaged(what: impl Into<String>) -> Fault {
        Fault::Damaged(what.into())
    }
}

impl GgufError {
    pub(super) fn unreadable(path: &Path, cause: &std::io::Error) -> GgufError {
        match cause.kind() {
            std::io::ErrorKind::NotFound => GgufError::Missing(path.to_owned()),
            _ => GgufError::Unreadable {
                path: path.to_owned(),
                cause: cause.to_string(),
            },
        }
    }
}
