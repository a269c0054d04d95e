//! A model that scores answers, made of a sentence-embedding model by giving it a head.

use std::io;
use std::path::Path;

/// llama.cpp's number for the pooling that makes a score.
const RANK: u32 = 4;
const ALIGNMENT: usize = 32;

/// Writes a copy of a sentence-embedding model whose output is one number: the sum of `head` times
/// the state of the first token.
///
/// # Errors
/// A file that cannot be read or written, or is no GGUF model that pools.
pub fn make_scorer(embedder: &Path, to: &Path, head: &[f32]) -> io::Result<()> {
    let bytes = std::fs::read(embedder)?;
    let mut walk = Walk {
        bytes: &bytes,
        at: 8,
    };
    let tensors = walk.number(8)?;
    let pairs = walk.number(8)?;
    let mut pooling = None;
    for _ in 0..pairs {
        let key = walk.text()?;
        let kind = walk.number(4)?;
        if key.ends_with(b".pooling_type") {
            pooling = Some(walk.at);
        }
        walk.skip(kind)?;
    }
    let pooling = pooling.ok_or_else(damaged)?;
    for _ in 0..tensors {
        walk.text()?;
        let dimensions = walk.number(4)?;
        walk.at += dimensions as usize * 8 + 12;
    }
    let data = bytes
        .get(walk.at.next_multiple_of(ALIGNMENT)..)
        .ok_or_else(damaged)?;
    let mut made = bytes.get(..walk.at).ok_or_else(damaged)?.to_vec();
    made.splice(8..16, (tensors + 1).to_le_bytes());
    made.splice(pooling..pooling + 4, RANK.to_le_bytes());
    let name = b"cls.output.weight";
    made.extend((name.len() as u64).to_le_bytes());
    made.extend(name);
    // Two dimensions, 32-bit floats, behind all others.
    made.extend(2_u32.to_le_bytes());
    made.extend((head.len() as u64).to_le_bytes());
    made.extend(1_u64.to_le_bytes());
    made.extend(0_u32.to_le_bytes());
    made.extend((data.len().next_multiple_of(ALIGNMENT) as u64).to_le_bytes());
    for part in [
        data,
        &head
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect::<Vec<u8>>(),
    ] {
        made.resize(made.len().next_multiple_of(ALIGNMENT), 0);
        made.extend(part);
    }
    std::fs::write(to, made)
}

fn damaged() -> io::Error {
    io::Error::other("this is no GGUF model that pools")
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let end = self.at.checked_add(length).ok_or_else(damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(damaged)?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> io::Result<u64> {
        let taken = self.take(bytes)?.iter().rev();
        Ok(taken.fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self) -> io::Result<&'a [u8]> {
        let length = self.number(8)?;
        self.take(length as usize)
    }

    /// Goes past a value of this kind.
    fn skip(&mut self, kind: u64) -> io::Result<()> {
        match kind {
            0 | 1 | 7 => self.take(1).map(drop),
            2 | 3 => self.take(2).map(drop),
            4..=6 => self.take(4).map(drop),
            8 => self.text().map(drop),
            9 => {
                let kind = self.number(4)?;
                for _ in 0..self.number(8)? {
                    self.skip(kind)?;
                }
                Ok(())
            }
            10..=12 => self.take(8).map(drop),
            _ => Err(damaged()),
        }
    }
}
