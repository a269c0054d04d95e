//! Pieces of a file that have numbers, and are read by columns: row groups of Parquet, batches of a
//! table.

use super::chunk::{Chunk, allow_number};
use super::columns::Options;
use super::error::{At, BattleProblem, Error, Fault, Result};
use super::merge::ChunkSink;
use super::parallel::{Job, in_order};
use super::plan::{Field, Part, Plan};
use super::source::BattleSource;
use crate::filter::Condition;
use crate::outcomes::BattleOutcome;
use std::borrow::Cow;

/// The number of a word whose outcome depends on the systems of its row.
const BY_ROW: u32 = 4;

/// Reads this many pieces of a source by several threads, and gives them to the sink in their
/// order.
pub(super) fn read_pieces(
    source: &BattleSource,
    plan: &Plan,
    count: usize,
    options: &Options,
    sink: &mut ChunkSink<'_>,
    read: impl Fn(&mut Job) + Sync,
) -> Result<(), Error> {
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

/// A column of a piece under its plan. Its texts may have numbers, so that each is looked up once.
pub(super) trait PieceColumn {
    fn field(&self) -> &Field;

    /// Whether the row has a value that the filter asks for; the value of a null is empty.
    fn meets(&mut self, row: usize, condition: &Condition) -> Result<bool>;

    /// Returns the row's text.
    fn text(&self, row: usize) -> Result<Cow<'_, [u8]>>;

    /// Returns the row's text, which is empty for a null.
    fn text_or_empty(&self, row: usize) -> Vec<u8>;

    /// Returns the row's number, whatever its part allows.
    fn number(&self, row: usize) -> Result<f64>;

    /// Returns what `find` makes of the row's text; it is called once for each text that has a
    /// number.
    fn map_text(&mut self, row: usize, find: impl FnOnce(&[u8]) -> Result<u32>) -> Result<u32>;
}

/// Adds the first rows of these columns. False where there are bad rows enough.
///
/// # Errors
/// Returns the fault of a file that cannot be read as a whole.
pub(super) fn push_rows<C: PieceColumn>(
    columns: &mut [C],
    rows: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<bool, Fault> {
    for row in 0..rows {
        if let Err(problem) = push_row(columns, row, plan, chunk) {
            // Rows are counted over all batches of the piece.
            let fault = Fault::after(chunk.met.saturating_sub(1), problem);
            if !chunk.refuse_row(fault, plan)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn push_row<C: PieceColumn>(
    columns: &mut [C],
    row: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result {
    chunk.met += 1;
    if !plan.filter.is_empty() {
        let asked = columns.iter_mut();
        let asked = asked.filter(|column| column.field().part == Part::Filter);
        for (column, condition) in asked.zip(plan.filter.conditions()) {
            if !column.meets(row, condition)? {
                return Ok(());
            }
        }
    }
    let cell = |columns: &[C], number: usize| match columns.get(number) {
        Some(column) => column.text_or_empty(row),
        None => Vec::new(),
    };
    if plan.drops_row(|number| cell(columns, number))? {
        chunk.dropped += 1;
        return Ok(());
    }
    let (mut systems, mut number) = ([0, 0], 0);
    for (at, column) in columns.iter_mut().enumerate() {
        match column.field().part {
            Part::System => {
                // The number fits: it is one of the chunk, made from 16 bits.
                let find = |name: &[u8]| chunk.system_number(plan, at, name).map(u32::from);
                systems[at & 1] = column.map_text(row, find)? as u16;
            }
            Part::Winner => {
                let fixed = |word: &[u8]| {
                    let outcome = plan.fixed_outcome(word);
                    Ok(outcome.map_or(BY_ROW, |outcome| outcome as u32))
                };
                let outcome = match column.map_text(row, fixed)? {
                    BY_ROW => chunk.read_outcome(plan, at, &column.text(row)?, systems)?,
                    known => BattleOutcome::from_number(known),
                };
                chunk.outcome.push(outcome);
            }
            Part::Cluster => {
                let find = |value: &[u8]| chunk.cluster_number(plan, at, value);
                let cluster = column.map_text(row, find)?;
                chunk.cluster.push(cluster);
            }
            Part::Text => {
                chunk.push_text_counts(number, plan, at, &column.text(row)?)?;
                number += plan.counted.len();
            }
            Part::Filter | Part::Mark => {}
            part @ (Part::Weight | Part::Covariate | Part::Count) => {
                let value = column.number(row)?;
                let allowed = allow_number(part, value).ok_or_else(|| BattleProblem::Number {
                    field: column.field().name.clone(),
                    found: value.to_string(),
                    expected: part.expected(),
                });
                chunk.push_number(number, allowed?);
                number += 1;
            }
        }
    }
    chunk.push_marked(plan, |number| cell(columns, number))?;
    chunk.push_pair(systems)
}
