//! Reading little-endian numbers and strings from a source of known length, never past it and never
//! more than asked.

use super::error::Fault;
use std::io::Read;

/// Strings are kept up to this many bytes in all, and skipped beyond: the metadata that is asked
/// for here is far smaller.
const MOST_KEPT: u64 = 64 << 20;

/// A source, and how much of it has been read.
pub(super) struct ByteReader<R> {
    source: R,
    /// How many bytes were read so far.
    pub(super) at: u64,
    length: u64,
    kept: u64,
}

impl<R: Read> ByteReader<R> {
    pub(super) fn new(source: R, length: u64) -> Self {
        ByteReader {
            source,
            at: 0,
            length,
            kept: 0,
        }
    }

    /// Fails unless this many bytes are left.
    fn check_left(&self, bytes: u64) -> Result<(), Fault> {
        let expected = self.at.saturating_add(bytes);
        if expected > self.length {
            Err(Fault::Truncated {
                expected,
                actual: self.length,
            })
        } else {
            Ok(())
        }
    }

    pub(super) fn read_bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.check_left(N as u64)?;
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn read_u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.read_bytes()?))
    }

    pub(super) fn read_u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.read_bytes()?))
    }

    pub(super) fn skip_bytes(&mut self, bytes: u64) -> Result<(), Fault> {
        self.check_left(bytes)?;
        let skipped = std::io::copy(&mut (&mut self.source).take(bytes), &mut std::io::sink());
        let count = skipped.map_err(unreadable)?;
        if count < bytes {
            return Err(Fault::Truncated {
                expected: self.at + bytes,
                actual: self.at + count,
            });
        }
        self.at += bytes;
        Ok(())
    }

    /// Reads a string, with what is not UTF-8 replaced; empty where too much was kept already.
    pub(super) fn read_string(&mut self) -> Result<String, Fault> {
        let length = self.read_u64()?;
        self.check_left(length)?;
        self.kept = self.kept.saturating_add(length);
        if self.kept > MOST_KEPT {
            self.skip_bytes(length)?;
            return Ok(String::new());
        }
        Ok(String::from_utf8_lossy(&self.read_known(length)?).into_owned())
    }

    /// Reads a string's bytes, for one that is not kept.
    pub(super) fn read_raw_string(&mut self) -> Result<Vec<u8>, Fault> {
        let length = self.read_u64()?;
        self.check_left(length)?;
        self.read_known(length)
    }

    /// Reads as many bytes as there are known to be.
    fn read_known(&mut self, length: u64) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; length as usize];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Fault> {
        self.source.read_exact(bytes).map_err(unreadable)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn skip_string(&mut self) -> Result<(), Fault> {
        let length = self.read_u64()?;
        self.skip_bytes(length)
    }
}

fn unreadable(cause: std::io::Error) -> Fault {
    Fault::damaged(cause.to_string())
}
