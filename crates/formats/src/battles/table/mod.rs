//! Tables in memory, in pieces of rows that threads read in parallel. Nothing is copied: a cell is
//! read where the table's owner has it.

mod cells;
mod memory;

pub use memory::Table;

use super::chunk::{Chunk, RowCells};
use super::columns::Options;
use super::fault::{Fault, Result};
use super::merge::ChunkSink;
use super::parallel::{Job, in_order};
use super::pieces::push_rows;
use super::plan::{Field, Plan, Planner};
use super::source::BattleSource;
use crate::error::{At, DataError};
use arrow_array::RecordBatch;
use cells::Cells;
use std::borrow::Cow;

/// How many rows a piece has: enough to be worth a thread's while.
const PIECE: usize = 1 << 16;

/// Reads a table piece by piece, by the plan that is made of its columns.
pub(super) fn read_table(
    source: &BattleSource,
    table: &Table,
    options: &Options,
    planner: &mut Planner,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, DataError> {
    let plan = planner.plan(&table.column_names(), false);
    let plan = plan.map_err(|problem| source.file_error(problem))?;
    cells::check_types(table.schema(), &plan).map_err(|problem| source.file_error(problem))?;
    let mut pieces = Vec::new();
    for batch in table.batches() {
        let rows = batch.num_rows();
        for start in (0..rows).step_by(PIECE) {
            pieces.push(batch.slice(start, PIECE.min(rows - start)));
        }
    }
    let mut given = 0;
    let next = |job: &mut Job| {
        job.group = given;
        given += 1;
        Ok(job.group < pieces.len())
    };
    let read = |job: &mut Job| {
        job.chunk.clear(&plan);
        job.fault = match pieces.get(job.group) {
            Some(piece) => read_piece(piece, &plan, &mut job.chunk).err(),
            None => None,
        };
    };
    let mut rows = 0;
    in_order(options.threads, next, read, |job| {
        sink.accept(job, &plan, source, |before| At::Row(rows + before + 1))?;
        rows += job.chunk.met;
        Ok(())
    })?;
    Ok(plan)
}

fn read_piece(piece: &RecordBatch, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut columns = Vec::with_capacity(plan.fields.len());
    for field in &plan.fields {
        let cells = Cells::open(piece.column(field.column), field).map_err(Fault::of_file)?;
        columns.push(TableColumn {
            numbers: vec![None; cells.count_codes()],
            field,
            cells,
        });
    }
    push_rows(&mut columns[..], piece.num_rows(), plan, chunk)?;
    Ok(())
}

/// A column of the plan.
struct TableColumn<'a> {
    field: &'a Field,
    cells: Cells<'a>,
    /// The chunk's number of each of a dictionary's texts, where it is known.
    numbers: Vec<Option<u32>>,
}

impl RowCells for [TableColumn<'_>] {
    fn text(&self, at: usize, row: usize) -> Result<Cow<'_, [u8]>> {
        let column = &self[at];
        let text = column.cells.text(row);
        text.ok_or_else(|| column.field.wrong_type("null"))
    }

    fn text_or_empty(&self, at: usize, row: usize) -> Cow<'_, [u8]> {
        self[at].cells.text(row).unwrap_or_default()
    }

    fn number(&self, field: &Field, at: usize, row: usize) -> Result<f64> {
        let number = self[at].cells.number(row);
        let number = number.ok_or_else(|| field.wrong_type("null"))?;
        let allowed = field.allow_number(number);
        allowed.ok_or_else(|| field.wrong_number(number.to_string()))
    }

    fn map_text(
        &mut self,
        at: usize,
        row: usize,
        find: impl FnOnce(&[u8]) -> Result<u32>,
    ) -> Result<u32> {
        let code = self[at].cells.code(row);
        if let Some(Some(number)) = code.and_then(|code| self[at].numbers.get(code)) {
            return Ok(*number);
        }
        let number = find(&self.text(at, row)?)?;
        if let Some(known) = code.and_then(|code| self[at].numbers.get_mut(code)) {
            *known = Some(number);
        }
        Ok(number)
    }
}
