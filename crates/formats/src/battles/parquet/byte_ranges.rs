//! A source as the `parquet` crate reads it: ranges of bytes, asked for by several threads.

use crate::battles::source::SharedInput;
use ::bytes::Bytes;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use std::io::{self, BufReader, Read};

/// An input of a known length.
pub(super) struct ByteRanges {
    input: SharedInput,
    len: u64,
}

impl ByteRanges {
    pub(super) fn new(input: SharedInput) -> io::Result<Self> {
        Ok(ByteRanges {
            len: input.len()?,
            input,
        })
    }
}

impl Length for ByteRanges {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for ByteRanges {
    type T = BufReader<RangeReader>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(RangeReader {
            input: self.input.clone(),
            position: start,
        }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len) {
            let problem = format!("{length} bytes at {start} are beyond the end");
            return Err(ParquetError::EOF(problem));
        }
        // Only now: a damaged file may ask for more bytes than there is memory.
        let mut bytes = vec![0; length];
        let mut reader = RangeReader {
            input: self.input.clone(),
            position: start,
        };
        reader.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads on from a position of its own.
pub(super) struct RangeReader {
    input: SharedInput,
    position: u64,
}

impl Read for RangeReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read_at(self.position, bytes)?;
        self.position += read as u64;
        Ok(read)
    }
}
