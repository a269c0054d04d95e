//! Response texts beyond what memory should hold go to a temporary file.

use evenhand_formats::{TextRef, Texts};
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

/// Texts up to this many bytes in all stay in memory.
const IN_MEMORY: usize = 32 << 20;
/// Bytes that are written to the file at a time.
const TAIL: usize = 1 << 20;

/// Texts in the order in which they came: the first 32 MiB in memory, the rest in an unnamed
/// temporary file, the last part of which may not be written yet.
#[derive(Debug)]
pub(crate) struct Spill {
    in_memory: usize,
    head: Vec<u8>,
    file: Option<File>,
    written: u64,
    tail: Vec<u8>,
}

impl Default for Spill {
    fn default() -> Self {
        Spill::with_memory(IN_MEMORY)
    }
}

impl Spill {
    fn with_memory(in_memory: usize) -> Self {
        Spill {
            in_memory,
            head: Vec::new(),
            file: None,
            written: 0,
            tail: Vec::new(),
        }
    }

    fn write_tail(&mut self) -> io::Result<()> {
        // Made when it is needed: most data sets fit in memory.
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.tail)?;
        self.written += self.tail.len() as u64;
        self.tail.clear();
        Ok(())
    }

    /// Returns the bytes of a text; None where none was kept there.
    fn read_bytes(&self, offset: u64, len: usize) -> io::Result<Option<Vec<u8>>> {
        let head = self.head.len() as u64;
        if offset + len as u64 <= head {
            return Ok(bytes_at(&self.head, offset, len));
        }
        let beyond = offset.saturating_sub(head);
        if beyond >= self.written {
            return Ok(bytes_at(&self.tail, beyond - self.written, len));
        }
        let mut bytes = vec![0; len];
        if let Some(file) = &self.file {
            read_exact_at(file, &mut bytes, beyond)?;
        }
        Ok(Some(bytes))
    }
}

fn bytes_at(part: &[u8], from: u64, len: usize) -> Option<Vec<u8>> {
    let from = from as usize;
    part.get(from..from + len).map(<[u8]>::to_vec)
}

/// Reads at an offset without moving the place where the tail is written.
#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Elsewhere the place moves with every reading, and is put back to the end for the tail.
#[cfg(not(unix))]
fn read_exact_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    let read = file.read_exact(bytes);
    file.seek(SeekFrom::End(0))?;
    read
}

impl Texts for Spill {
    fn push(&mut self, text: &str) -> io::Result<TextRef> {
        let len = u32::try_from(text.len())
            .map_err(|_| io::Error::other("a response longer than 4 GiB"))?;
        let offset = self.head.len() as u64 + self.written + self.tail.len() as u64;
        // Once a text has not gone to memory, none does: offsets follow one another.
        let is_spilling = self.file.is_some() || !self.tail.is_empty();
        if !is_spilling && self.head.len() + text.len() <= self.in_memory {
            self.head.extend_from_slice(text.as_bytes());
        } else {
            self.tail.extend(text.as_bytes());
            if self.tail.len() >= TAIL {
                self.write_tail()?;
            }
        }
        Ok(TextRef { offset, len })
    }

    fn get(&self, text: TextRef) -> io::Result<Arc<str>> {
        let bytes = self.read_bytes(text.offset, text.len as usize)?;
        let bytes = bytes
            .ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "no text is kept here"))?;
        let text = String::from_utf8(bytes);
        text.map(Arc::from)
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_from_memory_file_and_tail() {
        let mut spill = Spill::with_memory(1000);
        let text = |n: usize| format!("{n}:{}", "é".repeat(n % 700));
        let refs: Vec<TextRef> = (0..5000).map(|n| spill.push(&text(n)).unwrap()).collect();
        assert!(!spill.head.is_empty() && spill.written > 0 && !spill.tail.is_empty());
        for (n, at) in refs.into_iter().enumerate() {
            assert_eq!(*spill.get(at).unwrap(), *text(n));
        }
    }

    #[test]
    fn an_empty_text_is_a_text() {
        let mut spill = Spill::with_memory(0);
        let at = spill.push("").unwrap();
        assert_eq!(&*spill.get(at).unwrap(), "");
    }
}
