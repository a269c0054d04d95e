//! Tables in memory, in pieces of rows that threads read in parallel. Nothing is copied: a cell is
//! read where the table's owner has it.

mod cells;
mod json_rows;

use super::chunk::Chunk;
use super::columns::Options;
use super::fault::{Fault, Result};
use super::merge::ChunkSink;
use super::pieces::{PieceColumn, push_rows, read_pieces};
use super::plan::{Field, MakePlan, Plan};
use super::source::BattleSource;
use crate::error::DataError;
use crate::filter::Condition;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use cells::Cells;
use std::borrow::Cow;

/// How many rows a piece has: enough to be worth a thread's while.
const PIECE: usize = 1 << 16;

/// A table in memory, in Arrow's layout.
#[derive(Clone, Debug)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// A table of these batches, which have this schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }

    /// Returns its batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }
}

/// Reads a table piece by piece, by the plan that is made of its columns.
pub(super) fn read_table(
    source: &BattleSource,
    table: &Table,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, DataError> {
    let plan = make_plan(&table.column_names(), false);
    let plan = plan.map_err(|problem| source.file_error(problem))?;
    cells::check_types(&table.schema, &plan).map_err(|problem| source.file_error(problem))?;
    let mut pieces = Vec::new();
    for batch in &table.batches {
        let rows = batch.num_rows();
        for start in (0..rows).step_by(PIECE) {
            pieces.push(batch.slice(start, PIECE.min(rows - start)));
        }
    }
    read_pieces(source, &plan, pieces.len(), options, sink, |job| {
        job.chunk.clear(&plan);
        job.fault = match pieces.get(job.group) {
            Some(piece) => read_piece(piece, &plan, &mut job.chunk).err(),
            None => None,
        };
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
    push_rows(&mut columns, piece.num_rows(), plan, chunk)?;
    Ok(())
}

/// A column of the plan.
struct TableColumn<'a> {
    field: &'a Field,
    cells: Cells<'a>,
    /// The chunk's number of each of a dictionary's texts, where it is known.
    numbers: Vec<Option<u32>>,
}

impl PieceColumn for TableColumn<'_> {
    fn field(&self) -> &Field {
        self.field
    }

    fn meets(&mut self, row: usize, condition: &Condition) -> Result<bool> {
        let text = self.cells.text(row).unwrap_or_default();
        Ok(condition.accepts(&String::from_utf8_lossy(&text)))
    }

    fn text(&self, row: usize) -> Result<Cow<'_, [u8]>> {
        let text = self.cells.text(row);
        text.ok_or_else(|| self.field.wrong_type("null"))
    }

    fn text_or_empty(&self, row: usize) -> Vec<u8> {
        self.cells.text(row).unwrap_or_default().into_owned()
    }

    fn number(&self, row: usize) -> Result<f64> {
        let number = self.cells.number(row);
        number.ok_or_else(|| self.field.wrong_type("null"))
    }

    fn map_text(&mut self, row: usize, find: impl FnOnce(&[u8]) -> Result<u32>) -> Result<u32> {
        let code = self.cells.code(row);
        if let Some(Some(number)) = code.and_then(|code| self.numbers.get(code)) {
            return Ok(*number);
        }
        let number = find(&self.text(row)?)?;
        if let Some(known) = code.and_then(|code| self.numbers.get_mut(code)) {
            *known = Some(number);
        }
        Ok(number)
    }
}
