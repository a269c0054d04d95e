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
    at: u64,
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

    /// Bytes read so far.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Fails unless this many bytes are left.
    fn need(&self, bytes: u64) -> Result<(), Fault> {
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

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.need(N as u64)?;
        let mut bytes = [0; N];
        self.source
            .read_exact(&mut bytes)
            .map_err(|cause| Fault::damaged(cause.to_string()))?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    pub(super) fn skip(&mut self, bytes: u64) -> Result<(), Fault> {
        self.need(bytes)?;
        let skipped = std::io::copy(&mut (&mut self.source).take(bytes), &mut std::io::sink());
        match skipped {
            Ok(count) if count == bytes => self.at += bytes,
            Ok(count) => {
                return Err(Fault::Truncated {
                    expected: self.at + bytes,
                    actual: self.at + count,
                });
            }
            Err(cause) => return Err(Fault::damaged(cause.to_string())),
        }
        Ok(())
    }

    /// A string, with what is not UTF-8 replaced; empty where too much was kept already.
    pub(super) fn string(&mut self) -> Result<String, Fault> {
        let length = self.u64()?;
        self.need(length)?;
        self.kept = self.kept.saturating_add(length);
        if self.kept > MOST_KEPT {
            self.skip(length)?;
            return Ok(String::new());
        }
        Ok(String::from_utf8_lossy(&self.many(length)?).into_owned())
    }

    /// A string's bytes, for one that is not kept.
    pub(super) fn raw_string(&mut self) -> Result<Vec<u8>, Fault> {
        let length = self.u64()?;
        self.need(length)?;
        self.many(length)
    }

    /// As many bytes as there are known to be.
    fn many(&mut self, length: u64) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; length as usize];
        self.source
            .read_exact(&mut bytes)
            .map_err(|cause| Fault::damaged(cause.to_string()))?;
        self.at += length;
        Ok(bytes)
    }

    pub(super) fn skip_string(&mut self) -> Result<(), Fault> {
        let length = self.u64()?;
        self.skip(length)
    }
}
