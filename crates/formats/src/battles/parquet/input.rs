//! A source as the `parquet` crate reads it: ranges of bytes, asked for by several threads.

use crate::battles::source::Shared;
use ::bytes::Bytes;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use std::io::{self, BufReader, Read};

/// An input of a known length.
pub(super) struct Ranges {
    input: Shared,
    len: u64,
}

impl Ranges {
    pub(super) fn new(input: Shared) -> io::Result<Self> {
        Ok(Ranges {
            len: input.len()?,
            input,
        })
    }
}

impl Length for Ranges {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Ranges {
    type T = BufReader<Ahead>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(Ahead {
            input: self.input.clone(),
            position: start,
        }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start
            .checked_add(length as u64)
            .is_none_or(|end| end > self.len)
        {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} are beyond the end"
            )));
        }
        let mut bytes = vec![0; length];
        Ahead {
            input: self.input.clone(),
            position: start,
        }
        .read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads on from a position of its own.
pub(super) struct Ahead {
    input: Shared,
    position: u64,
}

impl Read for Ahead {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read_at(self.position, bytes)?;
        self.position += read as u64;
        Ok(read)
    }
}
