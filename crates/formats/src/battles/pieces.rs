//! Pieces of a file that have numbers, and are read by columns: row groups of Parquet, batches of a
//! table.

use super::chunk::{Chunk, RowCells};
use super::columns::Options;
use super::fault::{Fault, Result};
use super::merge::ChunkSink;
use super::parallel::{Job, in_order};
use super::plan::Plan;
use super::source::BattleSource;
use crate::error::{At, DataError};

/// Reads this many pieces of a source by several threads, and gives them to the sink in their
/// order.
pub(super) fn read_pieces(
    source: &BattleSource,
    plan: &Plan,
    count: usize,
    options: &Options,
    sink: &mut ChunkSink<'_>,
    read: impl Fn(&mut Job) + Sync,
) -> Result<(), DataError> {
    let mut given = 0;
    let next = |job: &mut Job| {
        job.text.clear();
        job.group = given;
        given += 1;
        Ok(job.group < count)
    };
    let mut rows = 0;
    in_order(options.threads, next, read, |job| {
        sink.accept(job, plan, source, |before| At::Row(rows + before + 1))?;
        rows += job.chunk.met;
        Ok(())
    })
}

/// Adds the first rows of these columns. False where there are bad rows enough.
///
/// # Errors
/// Returns the fault of a file that cannot be read as a whole.
pub(super) fn push_rows(
    cells: &mut (impl RowCells + ?Sized),
    rows: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<bool, Fault> {
    for row in 0..rows {
        chunk.met += 1;
        if let Err(problem) = chunk.push_row(plan, cells, row) {
            // Rows are counted over all batches of the piece.
            let fault = Fault::after(chunk.met.saturating_sub(1), problem);
            if !chunk.refuse_row(fault, plan)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
