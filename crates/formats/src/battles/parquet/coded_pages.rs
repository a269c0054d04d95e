//! Text columns as numbers: pages of byte strings become pages of 32-bit integers.
//!
//! A dictionary page of names becomes one of their numbers in an interner, and the pages of indices
//! into it stay as they are, so that the `parquet` crate decodes indices straight to our numbers
//! and no string is made for a row. A page of plain strings becomes a page of plain numbers.

use crate::battles::intern::Interner;
use ::bytes::Bytes;
use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use std::sync::{Arc, Mutex, MutexGuard};

/// Names that the pages' reader finds and the rows' reader looks up.
pub(super) type SharedNames = Arc<Mutex<Interner>>;

/// Whether pages of this encoding can be made pages of numbers.
pub(super) fn can_read(encoding: Encoding) -> bool {
    #[allow(deprecated, reason = "old files have it")]
    let is_of_levels = matches!(encoding, Encoding::RLE | Encoding::BIT_PACKED);
    is_of_levels
        || matches!(
            encoding,
            Encoding::PLAIN | Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY
        )
}

/// The pages of a text column, as pages of numbers.
pub(super) struct CodedPages {
    pub(super) pages: Box<dyn PageReader>,
    pub(super) names: SharedNames,
    /// Whether a value may be null: its pages then begin with definition levels.
    pub(super) nullable: bool,
    /// Whether a dictionary was met: the `parquet` crate would panic on indices without one.
    pub(super) has_dictionary: bool,
}

impl CodedPages {
    /// Turns a page of strings, or a dictionary of them, into one of numbers.
    fn code_page(&mut self, mut page: Page) -> Result<Page> {
        let is_plain = page.encoding() == Encoding::PLAIN;
        match &mut page {
            Page::DictionaryPage { buf, is_sorted, .. } => {
                self.has_dictionary = true;
                *buf = self.code_strings(buf, 0)?;
                *is_sorted = false;
            }
            Page::DataPage { buf, .. } if is_plain => {
                let levels = match (self.nullable, buf.first_chunk()) {
                    (false, _) => 0,
                    // The length of the definition levels stands in four bytes before them.
                    (true, Some(length)) => read_length(length).saturating_add(4),
                    (true, None) => {
                        let problem = "a page has no levels".to_owned();
                        return Err(ParquetError::EOF(problem));
                    }
                };
                *buf = self.code_strings(buf, levels)?;
            }
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } if is_plain => {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                *buf = self.code_strings(buf, levels)?;
            }
            // Indices into the dictionary stay as they are.
            _ if self.has_dictionary => {}
            _ => {
                return Err(ParquetError::General(
                    "a page's dictionary is missing".to_owned(),
                ));
            }
        }
        Ok(page)
    }

    /// Keeps the first bytes as they are, and turns each string (its length in four bytes before
    /// it) into its number.
    fn code_strings(&self, page: &[u8], levels: usize) -> Result<Bytes> {
        let cut_short = || ParquetError::EOF("a page of strings is cut short".to_owned());
        let (levels, mut rest) = page.split_at_checked(levels).ok_or_else(cut_short)?;
        let mut names = lock_names(&self.names)?;
        let mut numbers = levels.to_vec();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk().ok_or_else(cut_short)?;
            let (name, after) = after
                .split_at_checked(read_length(length))
                .ok_or_else(cut_short)?;
            numbers.extend_from_slice(&names.intern(name).0.to_le_bytes());
            rest = after;
        }
        Ok(numbers.into())
    }
}

/// Locks the names, unless a reader that held them has failed.
pub(super) fn lock_names(names: &SharedNames) -> Result<MutexGuard<'_, Interner>> {
    let failed = |_| ParquetError::General("another reader has failed".to_owned());
    names.lock().map_err(failed)
}

fn read_length(bytes: &[u8; 4]) -> usize {
    u32::from_le_bytes(*bytes) as usize
}

impl Iterator for CodedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CodedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.code_page(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
