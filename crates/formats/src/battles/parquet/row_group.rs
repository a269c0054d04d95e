//! A row group to a chunk.

use super::coded_pages::lock_names;
use super::column_values::ColumnValues;
use super::{ParquetFile, damaged};
use crate::battles::chunk::{Chunk, allow_number};
use crate::battles::error::{BattleProblem, Fault, Result};
use crate::battles::outcomes::Outcome;
use crate::battles::plan::{BY_ROW, Field, Part, Plan};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;

/// How many rows are decoded at a time.
const BATCH: usize = 1 << 14;
/// How many, where there are texts, whose bytes are kept until they are counted.
const BATCH_OF_TEXTS: usize = 1 << 8;

/// A number that no text has.
const UNKNOWN: u32 = u32::MAX;
/// Reads a row group; a fault says how many of its rows come before.
pub(super) fn read_group(
    file: &ParquetFile,
    group: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<(), Fault> {
    let (rows, mut columns) = open_group(file, group, plan).map_err(|e| damaged_file(&e))?;
    let most = if plan.position(Part::Text).is_some() {
        BATCH_OF_TEXTS
    } else {
        BATCH
    };
    let mut done = 0;
    while done < rows {
        let batch = most.min(rows - done);
        read_batch(&mut columns, batch, plan, chunk)
            .map_err(|fault| fault.moved_by(done as u64))?;
        done += batch;
    }
    Ok(())
}

fn damaged_file(error: &ParquetError) -> Fault {
    Fault::of_file(damaged(error))
}

/// Returns how many rows a row group has, and the columns of the plan.
fn open_group<'p>(
    file: &ParquetFile,
    group: usize,
    plan: &'p Plan,
) -> Result<(usize, Vec<GroupColumn<'p>>), ParquetError> {
    let group = file.get_row_group(group)?;
    let mut columns = Vec::with_capacity(plan.fields.len());
    for field in &plan.fields {
        columns.push(GroupColumn {
            field,
            values: ColumnValues::open(&*group, field)?,
            map: Vec::new(),
        });
    }
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    Ok((rows, columns))
}

/// A column, and the chunk's number or the outcome of each of its texts.
struct GroupColumn<'a> {
    field: &'a Field,
    values: ColumnValues,
    map: Vec<u32>,
}

fn read_batch(
    columns: &mut [GroupColumn<'_>],
    rows: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<(), Fault> {
    let (mut end, mut null) = (rows, None);
    for column in &mut *columns {
        let before = column.fill(rows).map_err(|error| damaged_file(&error))?;
        if before < end {
            (end, null) = (before, Some(column.field));
        }
    }
    for row in 0..end {
        if let Err(problem) = push_row(columns, row, plan, chunk) {
            // Rows are counted over all batches of the group.
            let fault = Fault::after(chunk.met.saturating_sub(1), problem);
            if fault.is_of_file() {
                return Err(fault);
            }
            if !chunk.note_bad(fault, plan.most_bad) {
                return Ok(());
            }
        }
    }
    // The rows before the first null are whole: their problems come before it.
    match null {
        Some(field) => Err(Fault::after(end as u64, field.wrong_type("null"))),
        None => Ok(()),
    }
}

fn push_row(columns: &mut [GroupColumn<'_>], row: usize, plan: &Plan, chunk: &mut Chunk) -> Result {
    chunk.met += 1;
    if !plan.filter.is_empty() && !passes_filter(columns, row, plan)? {
        return Ok(());
    }
    let cell = |columns: &[GroupColumn<'_>], number: usize| {
        columns
            .get(number)
            .map_or_else(Vec::new, |column| column.text(row))
    };
    if plan.drops_row(|number| cell(columns, number))? {
        chunk.dropped += 1;
        return Ok(());
    }
    let (mut systems, mut number) = ([0, 0], 0);
    for (at, column) in columns.iter_mut().enumerate() {
        match column.field.part {
            Part::System => systems[at & 1] = column.system_number(row, plan, at, chunk)?,
            Part::Winner => column.push_outcome(row, plan, at, systems, chunk)?,
            Part::Cluster => column.push_cluster(row, plan, at, chunk)?,
            Part::Text => {
                chunk.push_text_counts(number, plan, at, column.whole_text(row))?;
                number += plan.counted.len();
            }
            Part::Filter | Part::Mark => {}
            part => {
                chunk.push_number(number, column.number(row, part)?);
                number += 1;
            }
        }
    }
    chunk.push_marked(plan, |number| cell(columns, number))?;
    chunk.push_pair(systems)
}

/// Whether a row has the values that the filter asks for.
fn passes_filter(columns: &mut [GroupColumn<'_>], row: usize, plan: &Plan) -> Result<bool> {
    let columns = columns.iter_mut();
    let asked = columns.filter(|column| column.field.part == Part::Filter);
    for (column, condition) in asked.zip(plan.filter.conditions()) {
        let accepts = |text: &[u8]| condition.accepts(&String::from_utf8_lossy(text));
        if column.map_text(row, |text| Ok(u32::from(accepts(text))))? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

impl GroupColumn<'_> {
    fn system_number(
        &mut self,
        row: usize,
        plan: &Plan,
        at: usize,
        chunk: &mut Chunk,
    ) -> Result<u16> {
        // The number fits: it is one of the chunk, made from 16 bits.
        let number = self.map_text(row, |name| {
            chunk.system_number(plan, at, name).map(u32::from)
        });
        Ok(number? as u16)
    }

    fn push_outcome(
        &mut self,
        row: usize,
        plan: &Plan,
        at: usize,
        systems: [u16; 2],
        chunk: &mut Chunk,
    ) -> Result {
        let fixed = |word: &[u8]| Ok(plan.outcome_number(word));
        let outcome = match self.map_text(row, fixed)? {
            BY_ROW => chunk.read_outcome(plan, at, &self.text(row), systems)?,
            number => Outcome::from_number(number),
        };
        chunk.outcome.push(outcome);
        Ok(())
    }

    fn push_cluster(&mut self, row: usize, plan: &Plan, at: usize, chunk: &mut Chunk) -> Result {
        let cluster = self.map_text(row, |value| chunk.cluster_number(plan, at, value))?;
        chunk.cluster.push(cluster);
        Ok(())
    }

    /// Returns the number of the row's text; `usize::MAX` for a row that was not read.
    fn text_id(&self, row: usize) -> usize {
        let id = self.values.ids.get(row);
        id.map_or(usize::MAX, |&id| id as usize)
    }

    fn text(&self, row: usize) -> Vec<u8> {
        let names = self.values.names.lock();
        names.map_or_else(
            |_| Vec::new(),
            |names| names.get(self.text_id(row)).to_vec(),
        )
    }

    /// Returns the row's text, of a column whose texts are not numbered.
    fn whole_text(&self, row: usize) -> &[u8] {
        let text = self.values.texts.get(row);
        text.map_or(&[], |text| text.data())
    }

    fn fill(&mut self, rows: usize) -> Result<usize, ParquetError> {
        let before = self.values.fill(rows, !self.field.part.is_number())?;
        // Nobody won where a null stands, and what that means is for the outcomes to say.
        let before = if matches!(self.field.part, Part::Filter | Part::Winner | Part::Mark) {
            self.values.fill_nulls(rows)
        } else {
            before
        };
        let names = lock_names(&self.values.names).map_or(0, |names| names.len());
        self.map.resize(names, UNKNOWN);
        Ok(before)
    }

    /// Returns what `find` makes of the row's text; it is called once for each text.
    #[inline]
    fn map_text(&mut self, row: usize, find: impl FnOnce(&[u8]) -> Result<u32>) -> Result<u32> {
        let id = self.text_id(row);
        match self.map.get(id) {
            Some(&number) if number != UNKNOWN => Ok(number),
            _ => self.map_new_text(id, find),
        }
    }

    #[cold]
    fn map_new_text(&mut self, id: usize, find: impl FnOnce(&[u8]) -> Result<u32>) -> Result<u32> {
        let failed = |_| BattleProblem::Io("another reader has failed".to_owned());
        let names = self.values.names.lock().map_err(failed)?;
        let number = find(names.get(id))?;
        if let Some(known) = self.map.get_mut(id) {
            *known = number;
        }
        Ok(number)
    }

    #[inline]
    fn number(&self, row: usize, part: Part) -> Result<f64> {
        let value = self.values.numbers.get(row).copied().unwrap_or(f64::NAN);
        allow_number(part, value).ok_or_else(|| BattleProblem::Number {
            field: self.field.name.clone(),
            found: value.to_string(),
            expected: part.expected(),
        })
    }
}
