//! What a file is, by its first bytes and its header or first object.

use super::columns::{self, Columns};
use super::feed::Feed;
use super::source::{Container, Source};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A battle a row.
    Battles,
    /// A pair of systems a row, with counts.
    Counts,
}

/// Whether a file has the usual columns of battles or of counts. None if neither, or if it cannot
/// be read: whoever reads it then says why.
pub fn detect(source: &mut Source) -> Option<Kind> {
    let header = header(source)?;
    if columns::counts(&Columns::default(), &header, false).is_ok() {
        return Some(Kind::Counts);
    }
    columns::battles(&Columns::default(), &header, false)
        .is_ok()
        .then_some(Kind::Battles)
}

/// How much of a file is read at first.
const BEGINNING: usize = 64 << 10;

fn header(source: &mut Source) -> Option<Vec<String>> {
    match source.container().ok()? {
        Container::Parquet => super::parquet::header(source).ok(),
        container => {
            let separator = source.separator();
            let feed = Feed::open(
                source.text(container),
                container == Container::Gzip,
                separator,
                BEGINNING,
            );
            feed.ok().map(|feed| feed.header)
        }
    }
}
