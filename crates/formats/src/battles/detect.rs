//! What a file holds, by its first bytes and its header or first object.

use super::columns::Columns;
use super::plan::{plan_battles, plan_counts};
use super::read_file::open_feed;
use super::source::BattleSource;
use crate::container::Container;

/// The kind of rows that a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// A battle a row.
    Battles,
    /// A pair of systems a row, with counts.
    Counts,
}

/// Returns whether a file has the usual columns of battles or of counts. `None` if neither, or if
/// it cannot be read: whoever reads it then says why.
pub fn detect_table(source: &mut BattleSource) -> Option<TableKind> {
    let (columns, header) = (Columns::default(), read_header(source)?);
    if plan_counts(&columns, &header, false).is_ok() {
        Some(TableKind::Counts)
    } else if plan_battles(&columns, &header, false).is_ok() {
        Some(TableKind::Battles)
    } else {
        None
    }
}

/// How much of a file is read at first.
const BEGINNING: usize = 64 << 10;

fn read_header(source: &mut BattleSource) -> Option<Vec<String>> {
    #[cfg(feature = "arrow")]
    if let Some(table) = &source.table {
        return Some(table.column_names());
    }
    match source.find_container().ok()? {
        Container::Parquet => super::parquet::read_header(source).ok(),
        container => {
            let feed = open_feed(source, container, BEGINNING);
            feed.ok().map(|feed| feed.header)
        }
    }
}
