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
use std::sync::{Arc, Mutex};

/// Names that the pages' reader finds and the rows' reader looks up.
pub(super) type Names = Arc<Mutex<Interner>>;

/// Whether pages of this encoding can be made pages of numbers.
pub(super) fn can_read(encoding: Encoding) -> bool {
    #[allow(deprecated, reason = "old files have it")]
    let levels = matches!(encoding, Encoding::RLE | Encoding::BIT_PACKED);
    levels
        || matches!(
            encoding,
            Encoding::PLAIN | Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY
        )
}

/// The pages of a text column, as pages of numbers.
pub(super) struct Coded {
    pub(super) pages: Box<dyn PageReader>,
    pub(super) names: Names,
    /// Whether a value may be null: its pages then begin with definition levels.
    pub(super) nullable: bool,
    /// Whether a dictionary was met: the `parquet` crate would panic on indices without one.
    pub(super) dictionary: bool,
}

impl Coded {
    fn code(&mut self, page: Page) -> Result<Page> {
        Ok(match page {
            Page::DictionaryPage {
                buf,
                num_values,
                encoding,
                ..
            } => {
                self.dictionary = true;
                Page::DictionaryPage {
                    buf: self.numbers(&buf, 0)?,
                    num_values,
                    encoding,
                    is_sorted: false,
                }
            }
            Page::DataPage {
                buf,
                num_values,
                encoding: Encoding::PLAIN,
                def_level_encoding,
                rep_level_encoding,
                statistics,
            } => {
                let levels = if self.nullable { levels_end(&buf)? } else { 0 };
                let (buf, encoding) = (self.numbers(&buf, levels)?, Encoding::PLAIN);
                Page::DataPage {
                    buf,
                    num_values,
                    encoding,
                    def_level_encoding,
                    rep_level_encoding,
                    statistics,
                }
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding: Encoding::PLAIN,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
            } => Page::DataPageV2 {
                buf: self.numbers(
                    &buf,
                    def_levels_byte_len as usize + rep_levels_byte_len as usize,
                )?,
                num_values,
                encoding: Encoding::PLAIN,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
            },
            page if page.encoding() != Encoding::PLAIN && !self.dictionary => {
                return Err(ParquetError::General(
                    "a page's dictionary is missing".to_owned(),
                ));
            }
            page => page,
        })
    }

    /// The first bytes as they are, and then each string (its length in four bytes before it) as
    /// its number.
    fn numbers(&self, page: &[u8], levels: usize) -> Result<Bytes> {
        let short = || ParquetError::EOF("a page of strings is cut short".to_owned());
        let (levels, mut rest) = page.split_at_checked(levels).ok_or_else(short)?;
        let mut names = self
            .names
            .lock()
            .map_err(|_| ParquetError::General("another reader has failed".to_owned()))?;
        let mut numbers = levels.to_vec();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk::<4>().ok_or_else(short)?;
            let (name, after) = after
                .split_at_checked(u32::from_le_bytes(*length) as usize)
                .ok_or_else(short)?;
            numbers.extend_from_slice(&names.intern(name).0.to_le_bytes());
            rest = after;
        }
        Ok(numbers.into())
    }
}

/// Where the definition levels of a page end: their length in four bytes is before them.
fn levels_end(page: &[u8]) -> Result<usize> {
    let length = page
        .first_chunk::<4>()
        .map(|length| u32::from_le_bytes(*length) as usize);
    length
        .map(|length| length.saturating_add(4))
        .ok_or_else(|| ParquetError::EOF("a page has no levels".to_owned()))
}

impl Iterator for Coded {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Coded {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.code(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
