//! Tables in memory, in pieces of rows that threads read in parallel. Nothing is copied: a cell is
//! read where the table's owner has it.

mod cells;
mod json_rows;

use super::chunk::{Chunk, allow_number};
use super::error::{BattleProblem, Error, Fault, Result};
use super::merge::ChunkSink;
use super::options::Options;
use super::outcomes::Outcome;
use super::parallel::Job;
use super::pieces::Pieces;
use super::plan::{BY_ROW, Field, MakePlan, Part, Plan};
use super::source::BattleSource;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use cells::Cells;

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

    /// Cuts the batches into pieces of some thousand rows.
    fn pieces(&self) -> Vec<RecordBatch> {
        let batches = self.batches.iter();
        batches.flat_map(cut_batch).collect()
    }
}

fn cut_batch(batch: &RecordBatch) -> impl Iterator<Item = RecordBatch> + '_ {
    let rows = batch.num_rows();
    let starts = (0..rows).step_by(PIECE);
    starts.map(move |start| batch.slice(start, PIECE.min(rows - start)))
}

/// Reads a table piece by piece, by the plan that is made of its columns.
pub(super) fn read_table(
    source: &BattleSource,
    table: &Table,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, Error> {
    let plan = plan_table(table, make_plan).map_err(|problem| source.file_error(problem))?;
    let batches = table.pieces();
    let pieces = Pieces {
        source,
        plan: &plan,
        count: batches.len(),
    };
    pieces.read(options, sink, |job| read_piece(&batches, &plan, job))?;
    Ok(plan)
}

fn plan_table(table: &Table, make_plan: &MakePlan<'_>) -> Result<Plan> {
    let plan = make_plan(&table.column_names(), false)?;
    cells::check_types(&table.schema, &plan)?;
    Ok(plan)
}

fn read_piece(pieces: &[RecordBatch], plan: &Plan, job: &mut Job) {
    job.chunk.clear(plan);
    job.fault = match pieces.get(job.group) {
        Some(piece) => read_rows(piece, plan, &mut job.chunk).err(),
        None => None,
    };
}

fn read_rows(piece: &RecordBatch, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut columns = open_columns(piece, plan).map_err(Fault::of_file)?;
    for row in 0..piece.num_rows() {
        if let Err(problem) = push_row(&mut columns, row, plan, chunk) {
            let fault = Fault::after(row as u64, problem);
            if fault.is_of_file() {
                return Err(fault);
            }
            if !chunk.note_bad(fault, plan.most_bad) {
                break;
            }
        }
    }
    Ok(())
}

/// A column of the plan, and the last text that was looked up in it.
struct TableColumn<'a> {
    field: &'a Field,
    cells: Cells<'a>,
    /// The chunk's number of each of a dictionary's texts, where it is known.
    numbers: Vec<Option<u32>>,
}

fn open_columns<'a>(piece: &'a RecordBatch, plan: &'a Plan) -> Result<Vec<TableColumn<'a>>> {
    let fields = plan.fields.iter();
    let columns = fields.map(|field| {
        let cells = Cells::open(piece.column(field.column), field)?;
        Ok(TableColumn {
            numbers: vec![None; cells.count_codes()],
            field,
            cells,
        })
    });
    columns.collect()
}

fn push_row(columns: &mut [TableColumn<'_>], row: usize, plan: &Plan, chunk: &mut Chunk) -> Result {
    chunk.met += 1;
    if !plan.filter.is_empty() && !passes_filter(columns, row, plan) {
        return Ok(());
    }
    let cell = |columns: &[TableColumn<'_>], number: usize| {
        let text = columns
            .get(number)
            .and_then(|column| column.cells.text(row));
        text.unwrap_or_default().into_owned()
    };
    if plan.drops_row(|number| cell(columns, number))? {
        chunk.dropped += 1;
        return Ok(());
    }
    let (mut systems, mut number) = ([0, 0], 0);
    for (at, column) in columns.iter_mut().enumerate() {
        let place = Place { row, plan, at };
        match column.field.part {
            Part::System => systems[at & 1] = column.system_number(place, chunk)?,
            Part::Winner => column.push_outcome(place, systems, chunk)?,
            Part::Cluster => column.push_cluster(place, chunk)?,
            Part::Filter | Part::Mark => {}
            _ => number += column.push_numbers(place, number, chunk)?,
        }
    }
    chunk.push_marked(plan, |number| cell(columns, number))?;
    chunk.push_pair(systems)
}

/// A cell: its row, the plan of its table, and which of the plan's fields it is.
#[derive(Clone, Copy)]
struct Place<'a> {
    row: usize,
    plan: &'a Plan,
    at: usize,
}

/// Whether a row has the values that the filter asks for; the value of a null is empty.
fn passes_filter(columns: &[TableColumn<'_>], row: usize, plan: &Plan) -> bool {
    let asked = columns.iter();
    let asked = asked.filter(|column| column.field.part == Part::Filter);
    let mut conditions = asked.zip(plan.filter.conditions());
    conditions.all(|(column, condition)| {
        let text = column.cells.text(row).unwrap_or_default();
        condition.accepts(&String::from_utf8_lossy(&text))
    })
}

impl TableColumn<'_> {
    fn text(&self, row: usize) -> Result<std::borrow::Cow<'_, [u8]>> {
        self.cells.text(row).ok_or_else(|| self.null())
    }

    #[cold]
    fn null(&self) -> BattleProblem {
        self.field.wrong_type("null")
    }

    fn system_number(&mut self, place: Place<'_>, chunk: &mut Chunk) -> Result<u16> {
        let Place { row, plan, at } = place;
        let find = |name: &[u8]| chunk.system_number(plan, at, name).map(u32::from);
        // The number fits: it is one of the chunk, made from 16 bits.
        Ok(self.number_of_text(row, find)? as u16)
    }

    fn push_outcome(
        &mut self,
        Place { row, plan, at }: Place<'_>,
        systems: [u16; 2],
        chunk: &mut Chunk,
    ) -> Result {
        let fixed = |word: &[u8]| Ok(plan.outcome_number(word));
        let outcome = match self.number_of_text(row, fixed)? {
            BY_ROW => chunk.read_outcome(plan, at, &self.text(row)?, systems)?,
            number => Outcome::from_number(number),
        };
        chunk.outcome.push(outcome);
        Ok(())
    }

    fn push_cluster(&mut self, place: Place<'_>, chunk: &mut Chunk) -> Result {
        let Place { row, plan, at } = place;
        let cluster = self.number_of_text(row, |value| chunk.cluster_number(plan, at, value))?;
        chunk.cluster.push(cluster);
        Ok(())
    }

    /// Adds the number of a cell, or the counts of a text, to their columns of numbers, of which
    /// this is the first; returns how many they are.
    fn push_numbers(&self, place: Place<'_>, first: usize, chunk: &mut Chunk) -> Result<usize> {
        let Place { row, plan, at } = place;
        if self.field.part != Part::Text {
            chunk.push_number(first, self.number(row, self.field.part)?);
            return Ok(1);
        }
        chunk.push_text_counts(first, plan, at, &self.text(row)?)?;
        Ok(plan.counted.len())
    }

    /// Returns what `find` makes of the row's text; it is called once for each text of a
    /// dictionary.
    fn number_of_text(
        &mut self,
        row: usize,
        find: impl FnOnce(&[u8]) -> Result<u32>,
    ) -> Result<u32> {
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

    fn number(&self, row: usize, part: Part) -> Result<f64> {
        let value = self.cells.number(row).ok_or_else(|| self.null())?;
        allow_number(part, value).ok_or_else(|| BattleProblem::Number {
            field: self.field.name.clone(),
            found: value.to_string(),
            expected: part.expected(),
        })
    }
}
