//! Pieces of a file that have numbers, and are read by columns: row groups of Parquet, batches of a
//! table.

use super::chunk::{Chunk, RowCells};
use super::fault::{Fault, Result};
use super::plan::Plan;

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
