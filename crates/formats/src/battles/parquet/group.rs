//! A row group to a chunk.

use super::values::Values;
use super::{File, damaged};
use crate::battles::chunk::{Chunk, allowed};
use crate::battles::columns::{Field, Part, Plan};
use crate::battles::csv::Fault;
use crate::battles::error::Problem;
use crate::battles::outcomes::Outcome;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;

/// How many rows are decoded at a time.
const BATCH: usize = 1 << 14;
/// How many, where there are texts, whose bytes are kept until they are counted.
const BATCH_OF_TEXTS: usize = 1 << 8;

/// A number that no text has.
const UNKNOWN: u32 = u32::MAX;
/// The number of a text whose outcome depends on the systems of its row.
const BY_ROW: u32 = 4;

/// Reads a row group; a fault says how many of its rows come before.
pub(super) fn read(file: &File, group: usize, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let failed = |error: ParquetError| (0, damaged(&error));
    let group = file.get_row_group(group).map_err(failed)?;
    let open = |field| {
        Ok(Column {
            field,
            values: Values::open(&*group, field)?,
            map: Vec::new(),
        })
    };
    let mut columns = plan
        .fields
        .iter()
        .map(open)
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let most = if plan.position(Part::Text).is_some() {
        BATCH_OF_TEXTS
    } else {
        BATCH
    };
    let mut done = 0;
    while done < rows {
        let batch = most.min(rows - done);
        read_batch(&mut columns, batch, plan, chunk)
            .map_err(|(row, problem)| ((done as u64 + row), problem))?;
        done += batch;
    }
    Ok(())
}

/// A column, and the chunk's number or the outcome of each of its texts.
struct Column<'a> {
    field: &'a Field,
    values: Values,
    map: Vec<u32>,
}

fn read_batch(
    columns: &mut [Column<'_>],
    rows: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<(), Fault> {
    let mut end = rows;
    let mut null = None;
    for column in &mut *columns {
        let before = column.fill(rows).map_err(|error| (0, damaged(&error)))?;
        if before < end {
            (end, null) = (before, Some(column.field));
        }
    }
    for row in 0..end {
        push(columns, row, plan, chunk).map_err(|problem| (row as u64, problem))?;
    }
    match null {
        Some(Field { name, part, .. }) => Err((
            end as u64,
            Problem::WrongType {
                field: name.clone(),
                expected: part.expected(),
                found: "null",
            },
        )),
        None => Ok(()),
    }
}

fn push(
    columns: &mut [Column<'_>],
    row: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<(), Problem> {
    chunk.met += 1;
    if !plan.filter.is_empty() && !kept(columns, row, plan)? {
        return Ok(());
    }
    let (mut systems, mut number) = ([0, 0], 0);
    for (at, column) in columns.iter_mut().enumerate() {
        match column.field.part {
            Part::System => {
                systems[at & 1] =
                    column.number(row, |name| chunk.system(plan, at, name).map(u32::from))? as u16
            }
            Part::Winner => {
                let fixed =
                    |text: &[u8]| Ok(plan.fixed(text).map_or(BY_ROW, |outcome| outcome as u32));
                let outcome = match column.number(row, fixed)? {
                    BY_ROW => chunk.spelled(plan, at, &column.text(row), systems)?,
                    number => Outcome::numbered(number),
                };
                chunk.outcome.push(outcome);
            }
            Part::Cluster => {
                let cluster = column.number(row, |value| chunk.cluster_number(plan, at, value))?;
                chunk.cluster.push(cluster);
            }
            Part::Text => {
                chunk.add_counts(
                    number,
                    plan,
                    at,
                    column.values.texts.get(row).map_or(&[], |text| text.data()),
                )?;
                number += plan.counted.len();
            }
            Part::Filter => {}
            part => {
                chunk.add_number(number, column.value(row, part)?);
                number += 1;
            }
        }
    }
    chunk.pair(systems)
}

/// Whether a row has the values that the filter asks for.
fn kept(columns: &mut [Column<'_>], row: usize, plan: &Plan) -> Result<bool, Problem> {
    let asked = columns
        .iter_mut()
        .filter(|column| column.field.part == Part::Filter);
    for (column, condition) in asked.zip(plan.filter.conditions()) {
        let meets = |text: &[u8]| Ok(u32::from(condition.meets(&String::from_utf8_lossy(text))));
        if column.number(row, meets)? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Column<'_> {
    /// The row's text.
    fn text(&self, row: usize) -> Vec<u8> {
        let id = self
            .values
            .ids
            .get(row)
            .map_or(usize::MAX, |&id| id as usize);
        self.values
            .names
            .lock()
            .map_or_else(|_| Vec::new(), |names| names.get(id).to_vec())
    }

    fn fill(&mut self, rows: usize) -> Result<usize, ParquetError> {
        let before = self.values.fill(rows, !self.field.part.is_number())?;
        let before = if self.field.part == Part::Filter {
            self.values.with_nulls(rows)
        } else {
            before
        };
        let names = self.values.names.lock().map_or(0, |names| names.len());
        self.map.resize(names, UNKNOWN);
        Ok(before)
    }

    /// What `find` makes of the row's text, found once for each text.
    #[inline]
    fn number(
        &mut self,
        row: usize,
        find: impl FnOnce(&[u8]) -> Result<u32, Problem>,
    ) -> Result<u32, Problem> {
        let id = self
            .values
            .ids
            .get(row)
            .map_or(usize::MAX, |&id| id as usize);
        match self.map.get(id) {
            Some(&number) if number != UNKNOWN => Ok(number),
            _ => self.find(id, find),
        }
    }

    #[cold]
    fn find(
        &mut self,
        id: usize,
        find: impl FnOnce(&[u8]) -> Result<u32, Problem>,
    ) -> Result<u32, Problem> {
        let names = self
            .values
            .names
            .lock()
            .map_err(|_| Problem::Io("another reader has failed".to_owned()))?;
        let number = find(names.get(id))?;
        if let Some(known) = self.map.get_mut(id) {
            *known = number;
        }
        Ok(number)
    }

    #[inline]
    fn value(&self, row: usize, part: Part) -> Result<f64, Problem> {
        let value = self.values.numbers.get(row).copied().unwrap_or(f64::NAN);
        let (field, found, expected) = (&self.field.name, value, part.expected());
        allowed(part, value).ok_or_else(|| Problem::Number {
            field: field.clone(),
            found: found.to_string(),
            expected,
        })
    }
}
