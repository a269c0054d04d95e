//! How files of battles are read.

use super::columns::Columns;

/// How files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which columns are read.
    pub columns: Columns,
    /// How many threads parse, beside the caller's, which takes what they parsed; at least 1. The
    /// result is the same for any number.
    pub threads: usize,
    /// How many bytes of text a thread parses at a time. The result is the same for any number.
    pub chunk_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            columns: Columns::default(),
            threads: 2,
            chunk_bytes: 256 << 10,
        }
    }
}
