//! Keepers of the responses' texts: in memory here; the engine has one that spills to a file.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

/// Where a kept text is. Only the [`Texts`] that gave it knows what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextRef {
    /// Where it begins, in the units of its keeper.
    pub offset: u64,
    /// Its length in bytes.
    pub len: u32,
}

/// Keeps texts, and gives them back.
pub trait Texts: Debug + Send + Sync {
    /// Keeps a text, and returns where it is.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn push(&mut self, text: &str) -> io::Result<TextRef>;
    /// Returns the text that [`Texts::push`] gave this reference for.
    ///
    /// # Errors
    /// If it cannot be read back.
    fn get(&self, text: TextRef) -> io::Result<Arc<str>>;
}

impl Default for Box<dyn Texts> {
    fn default() -> Self {
        Box::new(InMemory::default())
    }
}

/// Keeps texts in memory.
#[derive(Debug, Default)]
pub struct InMemory {
    texts: Vec<Arc<str>>,
}

impl Texts for InMemory {
    fn push(&mut self, text: &str) -> io::Result<TextRef> {
        let len = u32::try_from(text.len())
            .map_err(|_| io::Error::other("a response longer than 4 GiB"))?;
        // Here the unit of a place is a text, not a byte.
        let offset = self.texts.len() as u64;
        self.texts.push(text.into());
        Ok(TextRef { offset, len })
    }

    fn get(&self, text: TextRef) -> io::Result<Arc<str>> {
        let index = usize::try_from(text.offset).ok();
        let found = index.and_then(|index| self.texts.get(index)).cloned();
        found.ok_or_else(|| io::Error::other("no such text is kept here"))
    }
}
