//! What a query of the database finds.

use rusqlite::{Connection, OptionalExtension, Params, Row};

/// Returns all rows of a query that has no parameters, each as `read` returns it.
pub(crate) fn read_rows<T, All: FromIterator<T>>(
    db: &Connection,
    sql: &str,
    read: impl FnMut(&Row) -> rusqlite::Result<T>,
) -> rusqlite::Result<All> {
    let mut select = db.prepare(sql)?;
    let rows = select.query_map([], read)?;
    rows.collect()
}

/// Returns the first row of a query as `read` returns it; None where there is no row.
pub(crate) fn find_row<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    let mut select = db.prepare_cached(sql)?;
    select.query_row(params, read).optional()
}
